//! What the system refuses.

use std::io;
use std::path::{Path, PathBuf};

/// Something can't be done with a file or a folder.
#[derive(Debug, thiserror::Error)]
#[error("{path}: can't {action}: {cause}")]
pub struct DiskError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was tried: "write it", "lock the folder", …
    pub action: &'static str,
    /// What the system said.
    pub cause: io::Error,
}

impl DiskError {
    /// What the system said when something was tried with a file.
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
