//! Boards and charts as SVG.
//!
//! A game describes its board and the pieces on it ([`crate::game::Picture`]). `board` paints it,
//! with `pieces` and a description in words; `links` adds a link for each move. `chart` and `plot`
//! draw numbers, between axes. Reports, pages and commands use all of it.

mod board;
pub(crate) mod chart;
#[cfg(feature = "serve")]
pub(crate) mod links;
pub(crate) mod pieces;
pub(crate) mod plot;

pub(crate) use board::file;
pub use board::{Marks, board};

/// The style sheet: colours that all pages share, and the classes of boards and charts.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Rounds a length to tenths, to keep files short.
pub(crate) fn tenths(length: f64) -> f64 {
    (10.0 * length).round() / 10.0
}
