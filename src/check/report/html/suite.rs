//! Page about an AI's results at a suite.

use super::{framed, table};
use crate::check::suite::{Row, Scorecard};
use maud::html;

/// Renders a scorecard as a self-contained HTML page.
#[must_use]
pub fn scorecard_page(scorecard: &Scorecard) -> String {
    let title = scorecard.title();
    let head = html! {
        h1 { (title) }
        p class="soft" { "SHA-256 of the suite: " (scorecard.sha256) }
    };
    let columns: Vec<&str> = ["game"].into_iter().chain(Row::COLUMNS).collect();
    let rows = scorecard.rows().map(|row| (row.game.clone(), row.cells()));
    let section = html! {
        div class="card" { (table(&columns, rows)) }
        p class="text" { (Scorecard::LEGEND) }
    };
    framed(&title, &head, &[("results", "Results".to_owned(), section)])
}
