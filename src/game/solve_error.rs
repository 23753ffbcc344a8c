//! Why a game can't be solved.

use super::ScoreRange;
use crate::text::{bytes, bytes_up};
use crate::work::DiskError;
use std::path::PathBuf;

/// Why a solver stopped.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// It needs more memory than is allowed.
    #[error("solving {game} needs {}", too_little(*.needed, *.allowed))]
    Memory {
        /// The game's name.
        game: String,
        /// Estimated lower limit of the bytes it needs, if there is an estimate.
        needed: Option<u64>,
        /// Allowed number of bytes.
        allowed: u64,
    },
    /// The system doesn't provide memory that is allowed.
    #[error("can't get {} of memory from the system", crate::text::bytes(*.bytes))]
    NoMemory {
        /// Number of bytes requested.
        bytes: u64,
    },
    /// The data that doesn't fit in memory doesn't fit on the disk either.
    #[error(
        "solving {game} with {} of memory needs {} of disk space beside the table, and {} are free",
        bytes(*.memory), bytes_up(*.needed), bytes(*.free)
    )]
    Room {
        /// The game's name.
        game: String,
        /// Bytes of memory allowed.
        memory: u64,
        /// Most bytes needed on the disk, without the table.
        needed: u64,
        /// Number of bytes free on the disk.
        free: u64,
    },
    /// There are more positions than the method can number.
    #[error("{game} has more than four billion positions, which are too many")]
    TooMany {
        /// The game's name.
        game: String,
    },
    /// A game can be too long for a method that searches to its end.
    #[error("{game} has games of {moves} moves or more, which are too long to be searched")]
    TooLong {
        /// The game's name.
        game: String,
        /// Number of moves of such a game: of the longest, if that is known.
        moves: u32,
    },
    /// A position can repeat within a game.
    ///
    /// Retrograde analysis then has no end to start from.
    #[error(
        "{game} has positions that can come up twice in one play; only games without repetition can be solved{}",
        crate::text::cycle(cycle)
    )]
    Repetition {
        /// The game's name.
        game: String,
        /// Positions and moves in turn, from a position back to itself.
        ///
        /// Empty if none was found in reasonable time.
        cycle: Vec<String>,
    },
    /// Positions can repeat, so a single one can't be searched.
    #[error(
        "positions of {game} can repeat, so that no single one can be searched: solve the game"
    )]
    OnlyBySolving {
        /// The game's name.
        game: String,
    },
    /// A win or loss is too far off for the byte that a table has for it.
    #[error(
        "{position} of {game} is a {} in {plies} plies, and a table of this game has codes only for {range}",
        if *.won { "win" } else { "loss" }
    )]
    TooFar {
        /// The game's name.
        game: String,
        /// The position, in the game's notation.
        position: String,
        /// Whether the side to move wins.
        won: bool,
        /// Distance of the end.
        plies: u32,
        /// Scores that have codes.
        range: ScoreRange,
    },
    /// The game breaks a promise of its traits.
    #[error(transparent)]
    Rules(#[from] Broken),
    /// The caller cancelled the work.
    #[error("interrupted")]
    Interrupted,
    /// A directory or file can't be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Another process of the job failed.
    #[error("process {process}: {message}")]
    Elsewhere {
        /// Rank of that process.
        process: usize,
        /// Its error message.
        message: String,
    },
    /// The processes of the job don't see the same directory.
    #[error(
        "this process doesn't see the folder in which process 0 works on the table, {}: all processes need it at the same path, on a file system that they share",
        .folder.display()
    )]
    NotShared {
        /// Path at which it looks for the directory.
        folder: PathBuf,
    },
    /// Another process of the job ended.
    #[error("the job was stopped, or another of its processes has ended")]
    Lost,
    /// The checkpoint can't be saved.
    #[error("{0}")]
    Checkpoints(Box<dyn std::error::Error + Send + Sync>),
}

impl SolveError {
    /// Returns whether the game's rules are the cause, so that the same work would end in the same
    /// way.
    #[must_use]
    pub fn is_of_the_rules(&self) -> bool {
        matches!(self, SolveError::TooFar { .. } | SolveError::Rules(_)) || self.is_repetition()
    }

    /// Returns whether a position repeats in a game that promises that none can.
    #[must_use]
    pub fn is_repetition(&self) -> bool {
        match self {
            SolveError::Repetition { .. } => true,
            SolveError::Rules(broken) => broken.is_repetition(),
            _ => false,
        }
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

/// A broken promise of a game, such as two positions with the same key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules of {game} contradict themselves: {promise}, but {found}")]
pub struct Broken {
    /// The game's rules string.
    pub game: String,
    /// The promise of the game's traits that is broken, in words.
    pub promise: &'static str,
    /// The violation, and where it was found.
    pub found: String,
}

/// The promise that positions don't repeat, unless [`Game::endless`](super::Game::endless) says
/// otherwise.
pub(crate) const NO_REPETITION: &str = "no position comes up twice in one game";

impl Broken {
    pub(crate) fn new(game: String, promise: &'static str, found: String) -> Broken {
        Broken {
            game,
            promise,
            found,
        }
    }

    /// Returns whether the promise is that positions don't repeat.
    #[must_use]
    pub fn is_repetition(&self) -> bool {
        self.promise == NO_REPETITION
    }
}
