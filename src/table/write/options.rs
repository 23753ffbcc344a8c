//! Options and results of writing a table.

use crate::table::format::{BLOCK_ENTRIES, TILE_SIDE};

/// Options of writing a table.
///
/// Only `tile_side` and `block_entries` change its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Whether to replace an existing file, if the table is written to a path.
    pub force: bool,
    /// Whether to discard an earlier run's unfinished table instead of resuming.
    ///
    /// It applies only to tables that are written to a path.
    pub restart: bool,
    /// Number of threads; 0 for those of the caller's pool.
    pub threads: usize,
    /// Side of a ranked table's tiles, 8 to 256; they have up to `tile_side²` slots.
    ///
    /// Smaller tiles are faster to decode completely, but make the index larger.
    pub tile_side: u32,
    /// Number of entries per block in a keyed table, 1 to 65,536.
    ///
    /// A probe decodes a block.
    pub block_entries: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            force: false,
            restart: false,
            threads: 0,
            tile_side: TILE_SIDE,
            block_entries: BLOCK_ENTRIES,
        }
    }
}

impl WriteOptions {
    /// Returns the options, limited to valid values.
    pub(super) fn within_limits(self) -> WriteOptions {
        WriteOptions {
            tile_side: self.tile_side.clamp(8, 256),
            block_entries: self.block_entries.clamp(1, 1 << 16),
            ..self
        }
    }
}

/// Properties of a table that was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of entries.
    pub entries: u64,
}
