//! Options of a proof.

use std::path::PathBuf;
use std::time::Duration;

/// Resources that a proof may use.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Number of threads; 0 for those of the caller's pool.
    pub threads: usize,
    /// Approximate memory limit in bytes.
    pub memory: u64,
    /// Directory for temporary files and the checkpoints of a stopped proof.
    ///
    /// Only this proof may use it. It is created if need be, its parent must exist, and it is
    /// removed when there is a verdict. It takes up to a byte per entry.
    pub scratch: Option<PathBuf>,
    /// Least time between checkpoints.
    pub every: Duration,
}

impl VerifyOptions {
    /// Returns options with these threads and memory, without a directory.
    #[must_use]
    pub fn within(threads: usize, memory: u64) -> VerifyOptions {
        VerifyOptions {
            threads,
            memory,
            scratch: None,
            every: Duration::MAX,
        }
    }
}
