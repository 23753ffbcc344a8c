//! The suite: its text, oracles of its games, and scorecards.

use crate::errors::value;
use crate::oracle::{Oracle, Source};
use pyo3::prelude::*;
use zermelo::any::{FAMILIES, game_of_rules};
use zermelo::check::html;
use zermelo::check::statistics::Mean;
use zermelo::check::suite::{Row, SUITE, Scorecard, Suite};

/// Returns the JSON of a suite.
#[pyfunction]
pub fn suite(version: &str) -> PyResult<&'static str> {
    Suite::of(version).map_err(value)?;
    Ok(SUITE)
}

/// Returns an oracle of a game's positions in a suite.
#[pyfunction]
pub fn suite_oracle(version: &str, game: &str) -> PyResult<Oracle> {
    let suite = Suite::of(version).map_err(value)?;
    let of = suite.games.iter().find(|of| of.game == game);
    let of = of.ok_or_else(|| value(format!("suite {version} has no game {game:?}")))?;
    let game = game_of_rules(&of.rules, FAMILIES).map_err(value)?;
    let oracle = game.with_scores(&of.positions).map_err(value)?;
    Ok(Oracle {
        source: Source::Search(oracle),
        game,
    })
}

/// Results at a game: its name, answers, best moves, moves that preserve the outcome, faults, and the
/// scaled regret with its interval.
type Results = (
    String,
    u64,
    u64,
    u64,
    u64,
    Option<(f64, Option<f64>, Option<f64>)>,
);

/// Returns a scorecard as JSON and as a page.
#[pyfunction]
pub fn scorecard(
    version: &str,
    split: &str,
    ai: &str,
    results: Vec<Results>,
    is_cut: bool,
) -> PyResult<(String, String)> {
    let row = |(game, asked, best, preserved, faults, regret): Results| {
        let mean = |(mean, low, high)| Mean { mean, low, high };
        Row::new(&game, asked, [best, preserved], faults, regret.map(mean))
    };
    let rows = results.into_iter().map(row).collect();
    let scorecard = Scorecard::new(version, split, ai, rows, is_cut);
    let json = serde_json::to_string(&scorecard).map_err(value)?;
    Ok((json, html::scorecard_page(&scorecard)))
}
