//! Blocks, compressed on all threads and written in their order.

use super::checkpoint::Workspace;
use super::error::{Misfit, WriteError};
use super::options::WriteOptions;
use crate::game::{Progress, ScoreRange, Tile};
use crate::table::codec::CellEncoder;
use crate::table::codec::deflate::Encoder;
use crate::table::format::{HEADER_LENGTH, Header, Section, block_crc, codes_for};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// How hard deflate tries to make keyed tables small.
// Measured on kalah(6,2): 75.3 MB at level 6, 74.2 at 7, 75.7 at 9.
pub const DEFLATE_LEVEL: u32 = 7;

pub fn write_error(path: &Path, cause: io::Error) -> WriteError {
    WriteError::Io {
        path: path.to_owned(),
        action: "write the table",
        cause,
    }
}

/// How many blocks are compressed before they are written: enough to keep all threads busy, little
/// enough for memory.
const BATCH: u64 = 512;

pub struct Job<'a> {
    pub path: &'a Path,
    pub progress: &'a dyn Progress,
    pub options: WriteOptions,
    pub workspace: Workspace,
    /// How many blocks are written.
    pub blocks: u64,
    /// Whether a later run is to go on from what is written now.
    pub checkpoints: bool,
}

/// What one thread compresses with.
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

/// A compressed block and how many of its entries have each code, in each of its layers.
#[derive(Default)]
pub struct Packed {
    pub stored: Vec<u8>,
    pub heads: Vec<u8>,
    pub crc: u32,
    pub counts: BTreeMap<u32, Box<[u32; 256]>>,
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

impl Job<'_> {
    /// From scores that don't fit there is nothing to go on.
    pub fn or_discard<T>(&mut self, result: Result<T, WriteError>) -> Result<T, WriteError> {
        if let Err(WriteError::Solution { .. }) = result {
            self.workspace.discard();
        }
        result
    }

    pub fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()> {
        let Workspace { table, index, .. } = &mut self.workspace;
        index.write_all(&table.length().to_le_bytes())?;
        index.write_all(&crc.to_le_bytes())?;
        index.write_all(head)?;
        table.write_all(stored)?;
        self.blocks += 1;
        Ok(())
    }

    /// Writes index and metadata; the header, without which the file is no table, is left to be
    /// written.
    pub fn describe(&mut self, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let Workspace { table, index, .. } = &mut self.workspace;
        let mut end = HEADER_LENGTH as u64;
        let mut section = |to: u64| {
            let offset = std::mem::replace(&mut end, to);
            let length = to - offset;
            Section { offset, length }
        };
        index.write_all(&table.length().to_le_bytes())?;
        let blocks = section(table.length());
        table.append_all(index)?;
        let index = section(table.length());
        table.write_all(metadata)?;
        Ok(Header {
            file_length: table.length(),
            blocks,
            index,
            metadata: section(table.length()),
            block_count: self.blocks,
            entries,
            metadata_crc: crc32fast::hash(metadata),
            digest: table.digest(),
        })
    }

    pub fn misfit(&self, misfit: Misfit) -> WriteError {
        let path = self.path.to_owned();
        WriteError::Solution { path, misfit }
    }

    pub fn check_range(&self, scores: ScoreRange) -> Result<(), WriteError> {
        match codes_for(scores) {
            Some(_) => Ok(()),
            None => Err(self.misfit(Misfit::Scores(scores))),
        }
    }

    pub fn interrupted(&self) -> WriteError {
        WriteError::Interrupted {
            path: self.path.to_owned(),
        }
    }

    /// Compresses blocks in batches and writes them in order; `take` gets each of them.
    pub fn blocks(
        &mut self,
        blocks: Range<u64>,
        head_bytes: usize,
        pack: impl Fn(&mut Buffers, u64) -> Result<Packed, WriteError> + Sync,
        mut take: impl FnMut(u64, &Packed),
    ) -> Result<(), WriteError> {
        let mut start = blocks.start;
        while start < blocks.end {
            if self.progress.cancelled() {
                return Err(self.interrupted());
            }
            let end = blocks.end.min(start + BATCH);
            let packed: Vec<Result<Packed, WriteError>> = (start..end)
                .into_par_iter()
                .map_init(Buffers::new, |buffers, block| {
                    let mut packed = pack(buffers, block)?;
                    packed.crc = block_crc(block, &packed.heads, &packed.stored);
                    Ok(packed)
                })
                .collect();
            for (block, packed) in (start..end).zip(packed) {
                let packed = packed?;
                take(block, &packed);
                self.block(&packed.stored, packed.crc, &packed.heads[..head_bytes])
                    .map_err(|cause| write_error(self.path, cause))?;
            }
            if !self.checkpoints {
                // Otherwise it is the solver that says how far it is.
                self.progress.advance(end - start);
            }
            start = end;
        }
        Ok(())
    }
}
