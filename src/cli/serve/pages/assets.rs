//! The style sheet, the script and the logo.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use maud::{Markup, PreEscaped};

const SCRIPT: &str = include_str!("explorer.js");
const MARK: &str = include_str!("mark.svg");

pub const STYLE: &str = concat!(
    include_str!("../../../game/drawing/style.css"),
    include_str!("style.css")
);

/// The kind and contents of a file.
fn contents(file: &str) -> Option<(&'static str, &'static str)> {
    Some(match file {
        "style.css" => ("text/css; charset=utf-8", STYLE),
        "explorer.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "mark.svg" => ("image/svg+xml", MARK),
        _ => return None,
    })
}

/// Address of a file, with a checksum.
///
/// A new version's files have new addresses, so that browsers load them.
pub fn place(file: &str) -> String {
    let (_, contents) = contents(file).unwrap_or_default();
    format!(
        "/assets/{file}?v={:08x}",
        crc32fast::hash(contents.as_bytes())
    )
}

/// The logo for the head of a page.
pub fn mark() -> Markup {
    PreEscaped(MARK.to_owned())
}

pub async fn file(
    file: Result<Path<String>, PathRejection>,
) -> Result<impl IntoResponse, StatusCode> {
    let found = file.ok().and_then(|Path(file)| contents(&file));
    let (kind, contents) = found.ok_or(StatusCode::NOT_FOUND)?;
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    Ok((headers, contents))
}
