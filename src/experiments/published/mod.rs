//! Published search experiments, reproduced number for number.
//!
//! The number of positions that a search evaluates depends on every detail: the order of the moves,
//! when a table is probed, what counts as a hit. The programs here reproduce all details of the
//! published ones, their oddities included, so that a run can be compared with the published
//! numbers. They only serve this comparison; to search, use [`crate::search`].
//!
//! An [`Experiment`] consists of independent [`Job`]s, each of which returns [`Figure`]s: values of
//! the cells of named tables. [`Published`] holds the published values with their sources.

mod bounds;
mod expected;
mod experiment;
mod kalah;
pub mod kalah66;
mod mancala62;
mod reversi;
mod tictactoe;

pub use expected::{Difference, Misprint, Published};
pub use experiment::{Allowance, Experiment, ExperimentError, Figure, Job, Selection, Value};

/// All experiments.
pub const EXPERIMENTS: [Experiment; 4] = [
    kalah66::EXPERIMENT,
    reversi::EXPERIMENT,
    mancala62::EXPERIMENT,
    tictactoe::EXPERIMENT,
];

/// Returns the experiment of this name.
#[must_use]
pub fn experiment_named(name: &str) -> Option<Experiment> {
    EXPERIMENTS.into_iter().find(|known| known.name == name)
}
