//! The error of file system operations.

use std::io;
use std::path::{Path, PathBuf};

/// An operation on a file or directory that failed.
#[derive(Debug, thiserror::Error)]
#[error("{path}: can't {action}: {cause}")]
pub struct DiskError {
    /// File or directory.
    pub path: PathBuf,
    /// Operation that failed: "write it", "lock the folder", …
    pub action: &'static str,
    /// The system's error.
    pub cause: io::Error,
}

impl DiskError {
    /// Returns a closure that turns the system's error into a [`DiskError`].
    pub(crate) fn of(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(io::Error) -> DiskError + use<> {
        let path = path.to_owned();
        move |cause| DiskError {
            path,
            action,
            cause,
        }
    }
}
