//! What can go wrong with a table.

use std::io;
use std::path::{Path, PathBuf};

/// Why a table can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The operating system refused.
    #[error("{path}: can't {action}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: "read it", "write the table", …
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// A table is to be written where there is a file already.
    #[error("{path} already exists; choose another name, or replace it with --force")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another run is writing the table.
    #[error(
        "{path} is being written by another run, which works in {folder}; wait for it, or choose another name"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// The folder that the other run has locked.
        folder: PathBuf,
    },
    /// There are the beginnings of another table of this name.
    #[error(
        "{path}: an earlier run has left an unfinished table in {folder}, but not of what is to be written now: expected {expected}, found {found}; finish it, choose another name, or discard it with --restart"
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The folder with the beginnings.
        folder: PathBuf,
        /// What is to be written.
        expected: String,
        /// What has been begun.
        found: String,
    },
    /// The path names something that can't be a table.
    #[error("{path}: expected {expected}, found {found}")]
    Unsuitable {
        /// The path.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The file isn't a table at all.
    #[error(
        "{path} is not a table: expected a file that starts with the mark of a Zermelo table, found {found}"
    )]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What it starts with.
        found: String,
    },
    /// The table was written by another version of the program.
    #[error(
        "{path}: expected table format version {expected}, found version {found}; {}",
        match found > expected {
            true => "update this program, or solve the game again with it",
            false => "solve the game again to replace it",
        }
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that can be read.
        expected: u32,
        /// The file's version.
        found: u32,
    },
    /// The file is cut off or was changed after it was written.
    #[error(
        "{path} is damaged, {part}: expected {expected}, found {found}; solve the game again to replace it"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        part: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The table belongs to another game, or to the same with other parameters.
    #[error("{path} is a table of another game: expected {expected}, found {found}")]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// What the game asks for.
        expected: String,
        /// What the table has.
        found: String,
    },
    /// What a solver handed over can't be a table of the game.
    #[error("{path}: the solved scores don't fit the game: expected {expected}, found {found}")]
    Solution {
        /// The file that was to be written.
        path: PathBuf,
        /// What the game allows.
        expected: String,
        /// What the solver gave.
        found: String,
    },
    /// The caller wanted it to stop.
    #[error("interrupted; {path} was not written or changed")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

/// Why there is no score for a position.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The position can't come up in the game that the table was solved for.
    #[error("{path} has no score for the position {position}: it can't come up in {game}")]
    NotInTable {
        /// The file.
        path: PathBuf,
        /// The position, in the game's notation.
        position: String,
        /// The game's name.
        game: String,
    },
}

/// Why a table could be neither proved nor refuted.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It would take more memory than it may use.
    #[error("{path}: verifying needs {needed} bytes of memory, and {allowed} may be used")]
    Memory {
        /// The file.
        path: PathBuf,
        /// The bytes it needs.
        needed: u64,
        /// The bytes it may use.
        allowed: u64,
    },
    /// The caller wanted it to stop.
    #[error("interrupted; {path} is neither proved nor refuted")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

/// Something wrong in a part of a file, found where the file's name isn't known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub part: String,
    pub expected: String,
    pub found: String,
}

impl Fault {
    pub fn new(part: impl Into<String>, expected: impl ToString, found: impl ToString) -> Fault {
        Fault {
            part: part.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub fn at(self, path: &Path) -> TableError {
        TableError::Damaged {
            path: path.to_owned(),
            part: self.part,
            expected: self.expected,
            found: self.found,
        }
    }
}
