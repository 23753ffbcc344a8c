//! Where a game's own fast solver meets the rest.

use super::scores::Scores;
use super::solve_error::SolveError;
use super::{Alone, Team};
use super::{Journal, Progress};

/// What a solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveOptions {
    /// How many threads, at least 1.
    pub threads: usize,
    /// The most memory to use, in bytes.
    pub memory: u64,
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveTimes {
    /// Finding the reachable positions.
    pub reach: f64,
    /// Computing their scores, without what the journal took.
    pub solve: f64,
}

/// What solving a game is expected to take, by a model.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Forecast {
    /// Reachable classes.
    pub classes: u64,
    /// The most memory: within what may be used, or else the least that is needed.
    pub memory_bytes: u64,
    /// What is in files beside the table at most.
    pub files_bytes: u64,
    /// The table.
    pub table_bytes: u64,
    /// The time, on a processor that the model knows.
    pub seconds: f64,
}

/// A game's own backward solver: finds all reachable classes and the score of each.
pub trait Sweep: Send + Sync {
    /// The least memory that it needs on this number of threads, in bytes; an estimate made without
    /// solving.
    fn memory_needed(&self, threads: usize) -> u64;

    /// What solving will take with so much memory on so many threads, if there is a model of that.
    fn forecast(&self, _options: SolveOptions) -> Option<Forecast> {
        None
    }

    /// Finds all reachable classes and computes their scores; goes on from what `journal` has kept,
    /// if anything.
    ///
    /// # Errors
    /// If it needs more memory than it may use, is told to stop, or the journal fails.
    fn solve(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        self.solve_together(options, progress, journal, &Team::new(&Alone, progress))
    }

    /// The same by several processes, each of which calls this, and has all scores in the end. Each
    /// has a journal of its own; what counts is what the first one's has kept.
    ///
    /// # Errors
    /// In all processes if one of them has one.
    fn solve_together(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
        team: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError>;
}

/// What a solver hands to the table writer: the score of every reachable class.
pub enum Solution {
    /// For a game that has a [`super::Ranking`].
    Ranked(Box<dyn Scores>),
    /// For any other game: (key, score) of each class, keys ascending.
    Keyed(Vec<(u128, i32)>),
}

impl Solution {
    /// How many classes.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Solution::Ranked(scores) => scores.count(),
            Solution::Keyed(entries) => entries.len() as u64,
        }
    }
}
