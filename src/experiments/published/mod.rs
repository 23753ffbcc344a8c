//! Search experiments that others have published, repeated number for number.
//!
//! How many positions a search evaluates hangs on its every detail: the order of the moves, when a
//! table is asked, what is counted as a hit. The programs here keep all details of the published
//! ones, their oddities included, so that the published numbers can be held against a run. They are
//! for looking at; to search, use [`crate::search`].
//!
//! An [`Experiment`] consists of independent [`Job`]s, each of which gives [`Figure`]s: values of
//! the cells of named tables. [`Published`] holds those that were printed, with their sources.

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

/// The experiment of this name.
#[must_use]
pub fn experiment_named(name: &str) -> Option<Experiment> {
    EXPERIMENTS.into_iter().find(|known| known.name == name)
}
