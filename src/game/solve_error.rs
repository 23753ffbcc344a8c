//! Why a game can't be solved.

use super::Broken;
use crate::text::{bytes, bytes_up};
use crate::work::DiskError;
use std::path::PathBuf;

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
    /// A folder or file that is worked with can't be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
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

pub(super) fn in_processes(processes: u64) -> String {
    match processes {
        1 => String::new(),
        many => format!(" in each of {many} processes"),
    }
}

pub(super) fn too_little(needed: Option<u64>, allowed: u64) -> String {
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
