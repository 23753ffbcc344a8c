//! How a table is to be written, and what has been.

use crate::table::format::{BLOCK_ENTRIES, Sections, TILE_SIDE};

/// How a table is to be written. Only `tile_side` and `block_entries` change its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Replace a file that is there already. Only for tables that are written to a path.
    pub force: bool,
    /// Discard what an earlier run has left unfinished, instead of going on from it. Only for
    /// tables that are written to a path.
    pub restart: bool,
    /// How many threads compress; 0 for those of the pool that the caller is in.
    pub threads: usize,
    /// A tile of a ranked table has at most `tile_side * tile_side` slots; 8 to 256. Smaller tiles
    /// are read sooner as a whole, but make the index larger.
    pub tile_side: u32,
    /// The entries of a block of a keyed table, 1 to 65,536. A probe decodes a block.
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
    /// The nearest that a table can have.
    pub(super) fn within_limits(self) -> WriteOptions {
        WriteOptions {
            tile_side: self.tile_side.clamp(8, 256),
            block_entries: self.block_entries.clamp(1, 1 << 16),
            ..self
        }
    }
}

/// What has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The bytes of the file.
    pub bytes: u64,
    /// How many entries it has.
    pub entries: u64,
    /// How many blocks it has.
    pub blocks: u64,
    /// The bytes of each of its parts.
    pub sections: Sections,
    /// The SHA-256 digest of all that follows the header.
    pub digest: [u8; 32],
}
