//! The report as a page, with links into the explorer.

use crate::any::AnyGame;
use crate::check::{Report, html};

/// The page; `explorer` is the beginning of the explorer's addresses.
pub(super) fn of(report: &Report, explorer: Option<&str>, game: &dyn AnyGame) -> String {
    #[cfg(feature = "serve")]
    if let Some(explorer) = explorer {
        use crate::cli::serve::address_of;
        let explore = |position: &str| format!("{explorer}{}", address_of(game, position));
        return html::page_with_links(report, Some(&explore));
    }
    let _ = (explorer, game);
    html::page(report)
}

/// Reads the beginning of the explorer's addresses.
#[cfg(feature = "serve")]
pub(super) fn explorer_address(text: &str) -> Result<String, String> {
    let ways = ["http://", "https://"];
    let rest = ways.iter().find_map(|way| text.strip_prefix(way));
    let is_plain = |rest: &str| {
        let mut bytes = rest.bytes();
        !rest.is_empty() && bytes.all(|byte| byte.is_ascii_graphic() && !b"\"'<>?#".contains(&byte))
    };
    match rest {
        Some(rest) if is_plain(rest) => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("write an address such as http://127.0.0.1:8080".into()),
    }
}
