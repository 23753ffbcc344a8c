//! Where a game's own fast solver meets the rest.

use super::peers::{Alone, Peers};
use super::{Broken, Journal, Progress, Tile};
use crate::text::{bytes, bytes_up};
use std::io;
use std::ops::Range;
use std::path::PathBuf;

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

/// Why a solver gave up.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// It would need, or already needs, more memory than it may use.
    #[error("solving {game} needs {}", too_little(*.needed, *.allowed))]
    Memory {
        /// The game's name.
        game: String,
        /// About how many bytes it needs at least, if more is known than that they are too many.
        needed: Option<u64>,
        /// How many bytes it may use.
        allowed: u64,
    },
    /// The system doesn't give the memory, although it may be used.
    #[error("can't get {} of memory from the system", crate::text::bytes(*.bytes))]
    NoMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// What there is no memory for doesn't fit on the disk either.
    #[error(
        "solving {game} with {} of memory{} needs {} of disk space beside the table, and {} are free",
        bytes(*.memory), in_processes(*.processes), bytes_up(*.needed), bytes(*.free)
    )]
    Room {
        /// The game's name.
        game: String,
        /// How many processes that solve it together have their files on this disk.
        processes: u64,
        /// How many bytes of memory each may use.
        memory: u64,
        /// How many bytes they need on the disk at most, the table not counted.
        needed: u64,
        /// How many bytes are free.
        free: u64,
    },
    /// There are more positions than the method can number.
    #[error("{game} has more than four billion positions, which are too many")]
    TooMany {
        /// The game's name.
        game: String,
    },
    /// The plays are too long for a method that follows them from end to end.
    #[error("{game} has plays of {moves} moves or more, which are too long to be searched")]
    TooLong {
        /// The game's name.
        game: String,
        /// Moves of such a play: of the longest, if that is known.
        moves: u32,
    },
    /// A position can come up twice in one play, so that working backwards has no end to start
    /// from.
    #[error(
        "{game} has positions that can come up twice in one play; only games without repetition can be solved{}",
        crate::text::cycle(cycle)
    )]
    Repetition {
        /// The game's name.
        game: String,
        /// Positions and moves in turn, from a position back to itself; empty if none were found in
        /// reasonable time.
        cycle: Vec<String>,
    },
    /// The game breaks a promise of its traits.
    #[error(transparent)]
    Rules(#[from] Broken),
    /// The caller wanted it to stop.
    #[error("interrupted")]
    Interrupted,
    /// What there is no memory for can't be kept in a file or read from there.
    #[error("can't {action} {}: {cause}", .path.display())]
    Scratch {
        /// The file.
        path: PathBuf,
        /// What can't be done.
        action: &'static str,
        /// Why.
        cause: io::Error,
    },
    /// Another process of those that solve the game together has failed.
    #[error("process {process}: {message}")]
    Elsewhere {
        /// Its number, from 0.
        process: usize,
        /// What went wrong there.
        message: String,
    },
    /// The processes that solve the game together don't see the same folder.
    #[error(
        "process {process} doesn't see the folder in which process 0 works on the table, {}: all processes need it at the same path, on a file system that they share",
        .folder.display()
    )]
    NotShared {
        /// The process's number, from 0.
        process: usize,
        /// Where it looks for the folder.
        folder: PathBuf,
    },
    /// Another process has ended of those that solve the game together.
    #[error("the job was stopped, or another of its processes has ended")]
    Lost,
    /// What the solver has found so far can't be kept.
    #[error("{0}")]
    Journal(Box<dyn std::error::Error + Send + Sync>),
}

fn in_processes(processes: u64) -> String {
    match processes {
        1 => String::new(),
        many => format!(" in each of {many} processes"),
    }
}

fn too_little(needed: Option<u64>, allowed: u64) -> String {
    let allowed = bytes(allowed);
    match needed {
        Some(needed) => {
            format!(
                "about {} of memory, and {allowed} may be used",
                bytes_up(needed)
            )
        }
        None => format!("more than the {allowed} of memory that may be used"),
    }
}

/// The scores of all reachable classes of a game that has a [`super::Ranking`].
pub trait Scores: Send + Sync {
    /// How many classes.
    fn count(&self) -> u64;

    /// Whether a rectangle of slots is known to hold no class; `false` says nothing.
    fn is_vacant(&self, _segment: u32, _rows: Range<u32>, _columns: Range<u32>) -> bool {
        false
    }

    /// Copies a rectangle of slots of one segment into `tile`, which is reset first.
    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile);

    /// Makes sure that what has been copied of these segments was right: for scores that are kept
    /// where something else may change them.
    ///
    /// # Errors
    /// If it can't be known to be.
    fn check(&self, _segments: Range<u32>) -> Result<(), SolveError> {
        Ok(())
    }
}

/// What solving a game is expected to take, by a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Reachable classes.
    pub classes: u64,
    /// The most memory, in bytes: within what may be used, or else the least that is needed.
    pub memory: u64,
    /// The least memory that is needed, in bytes.
    pub least_memory: u64,
    /// What is in files beside the table at most, in bytes.
    pub files: u64,
    /// The table, in bytes.
    pub table: u64,
    /// How much is to be done.
    pub work: Work,
}

/// How much is to be done, in a measure of the solver's own: twice as much takes twice the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// To find the reachable positions.
    pub reach: f64,
    /// To compute their scores.
    pub solve: f64,
    /// To write the table.
    pub write: f64,
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

    /// The rules of a small game whose [`Sweep::forecast`] and time tell what a unit of work takes on
    /// a machine.
    fn yardstick(&self) -> Option<String> {
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
        self.solve_together(options, progress, journal, &Alone)
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
        peers: &dyn Peers,
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
