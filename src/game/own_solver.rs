//! The interface of a game's own retrograde solver.

use super::solve_error::SolveError;
use super::{Checkpoints, Progress, Scores, Team};
use std::thread::available_parallelism;
use std::time::Duration;

/// The resources of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveOptions {
    /// Number of threads, at least 1.
    pub threads: usize,
    /// The most memory to use, in bytes.
    pub memory: u64,
}

impl Default for SolveOptions {
    /// Returns all threads of the machine, and 4 GiB.
    fn default() -> SolveOptions {
        SolveOptions {
            threads: available_parallelism().map_or(1, usize::from),
            memory: 1 << 32,
        }
    }
}

impl SolveOptions {
    /// Checks that no more bytes are needed than allowed to solve the game with this name.
    ///
    /// `all` says that nothing else is still to be allocated.
    pub(crate) fn check_memory(
        self,
        bytes: u64,
        all: bool,
        name: impl FnOnce() -> String,
    ) -> Result<(), SolveError> {
        if bytes <= self.memory {
            return Ok(());
        }
        Err(SolveError::Memory {
            game: name(),
            needed: all.then_some(bytes),
            allowed: self.memory,
        })
    }
}

/// Time spent solving, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveTimes {
    /// Finding the reachable positions.
    pub reach: f64,
    /// Computing their scores, not counting the time to save checkpoints.
    pub solve: f64,
}

impl SolveTimes {
    /// Returns the times of a solver that took `all`, of which `reach` to find the classes.
    pub(crate) fn of(all: Duration, reach: Duration) -> SolveTimes {
        SolveTimes {
            reach: reach.as_secs_f64(),
            solve: (all - reach).as_secs_f64(),
        }
    }
}

/// An estimate of the resources that solving takes.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Forecast {
    /// Reachable classes.
    pub classes: u64,
    /// Peak memory: within the limit if possible, otherwise the least that suffices.
    pub memory_bytes: u64,
    /// Most bytes in temporary files, without the table.
    pub files_bytes: u64,
    /// Bytes of the table.
    pub table_bytes: u64,
    /// Seconds, on the processor for which the model was fitted.
    pub seconds: f64,
}

/// A game's own retrograde solver: finds all reachable classes and their scores.
pub trait OwnSolver: Send + Sync {
    /// Returns the least memory that it needs on this number of threads, in bytes.
    ///
    /// This is an estimate, made without solving.
    fn memory_needed(&self, threads: usize) -> u64;

    /// Returns the estimated resources of solving with these options, if there is a model.
    fn forecast(&self, _options: SolveOptions) -> Option<Forecast> {
        None
    }

    /// Finds all reachable classes and their scores.
    ///
    /// It resumes from the checkpoints if possible.
    ///
    /// # Errors
    /// If it needs more memory than is allowed, is cancelled, or the checkpoints fails.
    fn solve(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
        checkpoints: &mut dyn Checkpoints,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        self.solve_together(options, checkpoints, &Team::alone(progress))
    }

    /// Solves together with the other processes of a team.
    ///
    /// Each process calls this method. All of them return all scores. Each has a checkpoints of its
    /// own; they resume from that of the first process.
    ///
    /// # Errors
    /// In all processes if one of them has an error.
    fn solve_together(
        &self,
        options: SolveOptions,
        checkpoints: &mut dyn Checkpoints,
        team: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError>;
}

/// A solver's result for the table writer: the score of every reachable class.
pub enum Solution {
    /// For a game that has a [`super::Ranking`].
    Ranked(Box<dyn Scores>),
    /// For any other game: the key and score of each class, in ascending order of keys.
    Keyed(Vec<(u128, i32)>),
}

impl Solution {
    /// Returns the number of classes.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Solution::Ranked(scores) => scores.count(),
            Solution::Keyed(entries) => entries.len() as u64,
        }
    }
}
