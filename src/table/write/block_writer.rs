//! Compressing blocks on all threads and writing them in order.

use super::checkpoint::Workspace;
use super::options::{WRITE, WriteError, WriteOptions};
use super::output::Output;
use crate::game::{Progress, Tile, check_cancelled};
use crate::pool::{Spare, try_map};
use crate::table::codec::CellEncoder;
use crate::table::codec::deflate::Encoder;
use crate::table::format::block_crc;
use crate::work::DiskError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Compression level of keyed tables.
// Measured on kalah(6,2): 75.3 MB at level 6, 74.2 at 7, 75.7 at 9.
pub const DEFLATE_LEVEL: u32 = 7;

/// Number of blocks that are compressed before they are written.
///
/// It keeps all threads busy and takes little memory.
pub const BATCH: u64 = 512;

/// A table that is being written.
pub struct BlockWriter<'a> {
    pub path: &'a Path,
    pub progress: &'a dyn Progress,
    pub options: WriteOptions,
    pub output: Output<'a>,
    /// Directory of the unfinished table; `None` if no run can resume.
    pub workspace: Option<Workspace>,
    /// Whether to write checkpoints.
    pub checkpoints: bool,
}

/// The buffers of one thread.
pub struct Buffers {
    pub deflate: Encoder,
    pub cells: CellEncoder,
    pub tile: Tile,
}

impl Buffers {
    pub fn new() -> Buffers {
        Buffers {
            deflate: Encoder::new(DEFLATE_LEVEL),
            cells: CellEncoder::default(),
            tile: Tile::default(),
        }
    }
}

/// A compressed block, and the counts of its codes by layer or segment.
#[derive(Default)]
pub struct Packed {
    pub stored: Vec<u8>,
    pub heads: Vec<u8>,
    pub crc: u32,
    pub counts: BTreeMap<u32, Box<[u32; 256]>>,
    /// The same by layer and code, if codes take more than a byte.
    pub wide_counts: BTreeMap<(u32, u32), u64>,
}

impl Packed {
    pub fn count(&mut self, layer: u32) -> &mut [u32; 256] {
        self.counts
            .entry(layer)
            .or_insert_with(|| Box::new([0; 256]))
    }
}

pub fn add_counts(sums: &mut [u64], counts: &[u32; 256]) {
    sums.iter_mut()
        .zip(counts)
        .for_each(|(sum, &count)| *sum += u64::from(count));
}

impl BlockWriter<'_> {
    /// Discards the files if the scores can't be a table: no run may resume from them.
    pub fn or_discard<T>(&mut self, result: Result<T, WriteError>) -> Result<T, WriteError> {
        if let (Err(WriteError::Solution(_)), Some(workspace)) = (&result, &mut self.workspace) {
            workspace.is_over = true;
        }
        result
    }

    pub fn interrupted(&self) -> WriteError {
        WriteError::Interrupted {
            path: self.path.to_owned(),
        }
    }

    /// Compresses blocks in batches and writes them in order; calls `take` with each.
    pub fn write_blocks(
        &mut self,
        blocks: Range<u64>,
        head_bytes: usize,
        pack: impl Fn(&mut Buffers, u64) -> Result<Packed, WriteError> + Sync,
        mut take: impl FnMut(u64, &Packed),
    ) -> Result<(), WriteError> {
        let spare = Spare::new();
        let mut start = blocks.start;
        while start < blocks.end {
            check_cancelled(self.progress, self.interrupted())?;
            let end = blocks.end.min(start + BATCH);
            let packed = try_map((end - start) as usize, |task| {
                let block = start + task as u64;
                let mut packed = spare.with(Buffers::new, |buffers| pack(buffers, block))?;
                packed.crc = block_crc(block, &packed.heads, &packed.stored);
                Ok::<_, WriteError>(packed)
            })?;
            for (block, packed) in (start..end).zip(packed) {
                take(block, &packed);
                let head = &packed.heads[..head_bytes];
                let written = self.output.block(&packed.stored, packed.crc, head);
                written.map_err(DiskError::of(self.path, WRITE))?;
            }
            if !self.checkpoints {
                // With checkpoints, the solver reports the progress.
                self.progress.advance(end - start);
            }
            start = end;
        }
        Ok(())
    }
}
