//! The interface of a game's own retrograde solver, and the checkpoints of a long solve.

use super::solve_error::SolveError;
use super::{Progress, Scores, Team};
use crate::work::Scratch;
use std::io::{self, Read, Write};
use std::sync::Arc;
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
    /// Number of reachable classes.
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
    /// This is an estimate, made without solving. Into a file it may take less:
    /// [`OwnSolver::forecast`].
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
    /// If it needs more memory than is allowed, is cancelled, or a checkpoint can't be saved.
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
    /// Each process calls this method. The first one returns all scores. Each has a checkpoints of its
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

/// Saves a solver's results so that a later run can resume.
///
/// An [`super::OwnSolver`] saves checkpoints and scores. A checkpoint is a sequence of bytes under a name, which
/// only the solver understands. The scores of each layer are saved as soon as they are complete,
/// lowest layer first.
///
/// A checkpoint from an earlier run may be missing or damaged. The solver then repeats that part of the
/// work, with the same scores. The default methods save nothing.
pub trait Checkpoints: Send {
    /// Opens the checkpoint saved under this name, or `None` unless there is an intact one.
    fn saved(&mut self, _name: &str) -> Option<Box<dyn Read + Send + '_>> {
        None
    }

    /// Saves the output of `write` under a name, replacing any earlier checkpoint.
    ///
    /// Atomic: if writing fails or is cut short, the earlier checkpoint remains.
    ///
    /// # Errors
    /// [`SolveError::Checkpoints`] if it can't be saved.
    fn save(
        &mut self,
        _name: &str,
        _write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        Ok(())
    }

    /// Returns the directory for scratch files, if there is one.
    ///
    /// It is for data that doesn't fit in memory. A later run may find the files there.
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        None
    }

    /// Notes that all classes of a layer have their scores.
    ///
    /// The solver calls it in ascending order of layers. `scores` has the scores of all segments up
    /// to this layer.
    ///
    /// # Errors
    /// [`SolveError::Checkpoints`] if the scores can't be saved, [`SolveError::Interrupted`] if the
    /// work is cancelled.
    fn solved(&mut self, _layer: u32, _scores: &dyn Scores) -> Result<(), SolveError> {
        Ok(())
    }

    /// Returns the layer below which scores are not read again.
    ///
    /// A solver may free their data.
    ///
    /// `None` if any score may be read when all is solved.
    fn written(&self) -> Option<u32> {
        None
    }
}

/// Checkpoints that save nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {}
