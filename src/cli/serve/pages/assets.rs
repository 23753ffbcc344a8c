//! The style sheet, the script and the mark.

use crate::game::drawing::surface;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, PreEscaped};
use std::fmt::Write;
use std::sync::LazyLock;

const SCRIPT: &str = include_str!("explorer.js");
const MARK: &str = include_str!("mark.svg");

/// So many moves of a position have a preview.
pub const PREVIEWS: usize = 64;

/// The style sheet, with the rules that show the preview of a move while somebody points at it.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let mut style = [surface::STYLE, include_str!("style.css")].concat();
    for number in 0..PREVIEWS {
        // Writing to a string can't fail.
        let _ = writeln!(
            style,
            ".look:has(.m{number}:hover, .m{number}:focus-visible) .after{number} {{ display: block; }}"
        );
    }
    style
});

/// With the sum of its contents, so that a new program brings new ones.
fn versioned(name: &str, contents: &str) -> String {
    format!(
        "/assets/{name}?v={:08x}",
        crc32fast::hash(contents.as_bytes())
    )
}

pub fn style() -> String {
    versioned("style.css", &STYLE)
}

pub fn script() -> String {
    versioned("explorer.js", SCRIPT)
}

pub fn icon() -> String {
    versioned("mark.svg", MARK)
}

/// The mark, for the head of a page.
pub fn mark() -> Markup {
    PreEscaped(MARK.to_owned())
}

pub async fn file(file: Result<Path<String>, axum::extract::rejection::PathRejection>) -> Response {
    let (kind, contents) = match file.as_ref().map(|file| &***file) {
        Ok("style.css") => ("text/css; charset=utf-8", STYLE.as_str()),
        Ok("explorer.js") => ("text/javascript; charset=utf-8", SCRIPT),
        Ok("mark.svg") => ("image/svg+xml", MARK),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    (headers, contents).into_response()
}
