//! `verify --by-search`: entries held against searches.

use super::args::resources::{self};
use super::proving::{Findings, REFUTED, VerifyArgs, parts};
use super::ui::progress::Bar;
use crate::any::AnyTable;
use crate::table::Searched;
use crate::text::count;
use anyhow::bail;

/// What --by-search may use by default.
const SEARCH_MEMORY: u64 = 2 << 30;

pub(super) fn by_search(
    table: &dyn AnyTable,
    args: &VerifyArgs,
    bar: &Bar,
) -> anyhow::Result<Findings> {
    let memory = resources::available_share().min(SEARCH_MEMORY);
    let options = args.resources.options_or(Some(memory));
    let parts = parts(table.file(), args)?;
    let searched = table.verify_by_search(&parts, options, bar)?;
    let (entries, all) = (searched.entries, table.file().entries());
    let path = table.file().path().display();
    if searched.is_interrupted && searched.wrong == 0 {
        bail!(
            "interrupted; {path} is neither proved nor refuted: {} entries were searched, and all of them agree",
            count(entries)
        );
    }
    let first = searched.examples.first();
    let verdict = first.map_or("search-agrees", |_| REFUTED);
    let text = in_words(&searched, all);
    Ok(Findings {
        position: first.map(|example| example.position.clone()),
        reason: first.map(ToString::to_string),
        searched: Some(searched),
        ..Findings::new(table, verdict, entries, text)
    })
}

/// What searches have found in a table with so many entries.
fn in_words(searched: &Searched, all: u64) -> String {
    let entries = count(searched.entries);
    if searched.wrong == 0 {
        let others = match searched.entries < all {
            true => "the others were not looked at",
            false => "that no class is missing was not looked at",
        };
        return format!(
            "All {entries} entries searched have the score that the search finds; {others}."
        );
    }
    let interrupted = match searched.is_interrupted {
        true => ", until it was interrupted",
        false => "",
    };
    let wrong = count(searched.wrong);
    format!(
        "Refuted: the search finds another score for {wrong} of {entries} entries{interrupted}:"
    )
}
