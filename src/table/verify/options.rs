//! How to prove a table.

use std::path::PathBuf;
use std::time::Duration;

/// What a proof may use.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// How many threads; 0: those of the pool that the caller is in.
    pub threads: usize,
    /// About how many bytes of memory at most.
    pub memory: u64,
    /// A folder that is the proof's alone and created if need be, in an existing one: for what
    /// there is no memory for, up to a byte for each entry, and from which a proof that was stopped
    /// goes on. When there is a verdict, the folder goes.
    pub scratch: Option<PathBuf>,
    /// How often at most it is written down how far the proof has come.
    pub every: Duration,
}

impl VerifyOptions {
    /// So many threads, so many bytes, and no folder.
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
