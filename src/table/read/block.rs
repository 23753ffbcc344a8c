//! Blocks, read, checked and decoded.

use super::error::{FilePart, ReadError};
use super::file::TableFile;
use crate::game::Tile;
use crate::table::codec::deflate::Decoder;
use crate::table::codec::keyed::{self, KeyedBlock};
use crate::table::codec::{self, Model, middle, tile};
use crate::table::format::{Damage, Plan, RankedPlan, Section, Spot, block_crc, u32_at, u64_at};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A decoded block.
pub enum Block {
    Tile(Tile),
    Derived(DerivedTile),
    Keyed(KeyedBlock),
}

/// A tile whose codes were left out: which slots are present, and those codes that have been
/// derived so far.
pub struct DerivedTile {
    pub present: Vec<u64>,
    /// One more than the code, or 0 where it has not been derived yet; derived segments have at
    /// most 255 codes.
    codes: Box<[AtomicU8]>,
}

/// Is never the code of a derived score: derived segments have at most 255 codes.
pub const NOT_YET: u8 = u8::MAX;

impl DerivedTile {
    fn new(tile: Tile) -> DerivedTile {
        DerivedTile {
            codes: bytemuck::allocation::zeroed_slice_box(tile.codes.len()),
            present: tile.present,
        }
    }

    /// Whether a reachable class is in a slot.
    pub fn is_present(&self, index: usize) -> bool {
        self.present[index / 64] >> (index % 64) & 1 == 1
    }

    /// How many slots hold a reachable class.
    pub fn count(&self) -> u64 {
        let words = self.present.iter();
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// The code of a slot, if it has been derived already.
    pub fn known(&self, index: usize) -> Option<u8> {
        self.codes[index].load(Relaxed).checked_sub(1)
    }

    /// Keeps a derived code; every thread derives the same.
    pub fn keep(&self, index: usize, code: u8) {
        debug_assert_ne!(code, NOT_YET);
        self.codes[index].store(code + 1, Relaxed);
    }
}

impl Block {
    /// How many entries it has.
    pub fn count(&self) -> u64 {
        match self {
            Block::Tile(tile) => tile.count(),
            Block::Derived(tile) => tile.count(),
            Block::Keyed(block) => block.codes.len() as u64,
        }
    }

    fn of_tile(tile: Tile, derived: bool) -> Block {
        if derived {
            Block::Derived(DerivedTile::new(tile))
        } else {
            Block::Tile(tile)
        }
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        match self {
            Block::Tile(tile) => 128 + tile.codes.len() + 8 * tile.present.len(),
            Block::Derived(tile) => 128 + tile.codes.len() + 8 * tile.present.len(),
            Block::Keyed(block) => 128 + 17 * block.keys.len(),
        }
    }
}

impl TableFile {
    /// The bytes of a block, after a check of their CRC, and its first key (keyed layout only).
    pub(super) fn stored(&self, block: u64) -> Result<(Cow<'_, [u8]>, u128), ReadError> {
        let key_bytes = self.plan.key_bytes();
        let entry = 12 + key_bytes;
        // This block's entry of the index and the start of the next, whose offset is this one's
        // end.
        let last = block + 1 == self.header.block_count;
        let offset = self.header.index.offset + block * entry as u64;
        let length = entry + if last { 8 } else { entry };
        let index = self.read(Section {
            offset,
            length: length as u64,
        })?;
        let (start, end) = (u64_at(&index, 0), u64_at(&index, entry));
        let blocks = self.header.blocks;
        if start < blocks.offset || end > blocks.offset + blocks.length || start > end {
            let last = blocks.offset + blocks.length;
            let expected = format!("a part of bytes {} to {last}", blocks.offset);
            let damage = Damage::content(expected, format!("{start} to {end}"));
            return Err(self.damaged(FilePart::Index { block }, damage));
        }
        let stored = self.read(Section {
            offset: start,
            length: end - start,
        })?;
        let mut heads = Vec::with_capacity(2 * key_bytes);
        heads.extend_from_slice(&index[12..entry]);
        if !last {
            heads.extend_from_slice(&index[entry + 12..]);
        }
        let (expected, found) = (u32_at(&index, 8), block_crc(block, &heads, &stored));
        self.intact()?;
        if expected != found {
            let damage = Damage::Checksum { expected, found };
            return Err(self.damaged(FilePart::Block { block }, damage));
        }
        Ok((stored, key_at(&index[12..entry])))
    }

    /// Whether a block has no entries, as far as the index says; it is not checked here.
    pub(in crate::table) fn is_empty(&self, block: u64) -> Result<bool, ReadError> {
        let entry = 12 + self.plan.key_bytes();
        let offset = self.header.index.offset + block * entry as u64;
        let index = self.read(Section {
            offset,
            length: entry as u64 + 8,
        })?;
        let is_empty = u64_at(&index, 0) == u64_at(&index, entry);
        self.intact()?;
        Ok(is_empty)
    }

    /// The distributions that a segment of a ranked table is coded with.
    fn model(&self, segment: u32) -> Result<&Model, ReadError> {
        let groups = self
            .metadata
            .layout
            .ranked()
            .map_or(&[][..], |ranked| &ranked.groups);
        let group = groups.partition_point(|group| group.end <= segment);
        if let Some(model) = self.models[group].get() {
            return Ok(model);
        }
        let model = codec::unpack(&groups[group].distributions)
            .map_err(|damage| self.damaged(FilePart::Distributions { group }, damage))?;
        // Another thread may have been quicker, with the same.
        Ok(self.models[group].get_or_init(|| model))
    }

    /// Reads and checks a block of a ranked table and decodes what a probe of a slot needs: the
    /// slot's cell from its middle to the slot's row or, if `whole`, all of it. Gives the rows that
    /// were decoded, too.
    pub(in crate::table) fn cell(
        &self,
        plan: &RankedPlan,
        segment: u32,
        spot: &Spot,
        whole: bool,
    ) -> Result<(Block, Range<u32>), ReadError> {
        let model = self.model(segment)?;
        let (stored, _) = self.stored(spot.block)?;
        let cells = plan.cells(&plan.tile(spot.block)).len();
        let derived = plan.is_derived(segment);
        let codes = (!derived).then(|| plan.scores(segment).codes());
        let middle = middle(spot.shape);
        let rows = if whole {
            0..spot.shape.rows
        } else {
            middle.min(spot.row)..middle.max(spot.row) + 1
        };
        let mut tile = Tile::default();
        let part = (spot.cell as usize, spot.shape, rows.clone());
        let decoded = tile::decode_one(model, &stored, cells, part, codes, &mut tile);
        self.intact()?;
        decoded.map_err(|damage| self.damaged(FilePart::Block { block: spot.block }, damage))?;
        Ok((Block::of_tile(tile, derived), rows))
    }

    /// Reads, checks and decodes a block, which must be below `self.blocks()`.
    pub(in crate::table) fn block(&self, block: u64) -> Result<Block, ReadError> {
        let (stored, head) = self.stored(block)?;
        let decoded = match &self.plan {
            Plan::Ranked(plan) => {
                let shape = plan.tile(block);
                let model = self.model(shape.segment)?;
                let derived = plan.is_derived(shape.segment);
                let codes = (!derived).then(|| plan.scores(shape.segment).codes());
                let mut tile = Tile::default();
                tile.reset(shape.height(), shape.width());
                tile::decode(model, &stored, plan.cells(&shape), codes, &mut tile)
                    .map(|()| Block::of_tile(tile, derived))
            }
            Plan::Keyed(plan) => {
                let mut decoder = self.decoders().pop().unwrap_or_default();
                let (count, codes) = (plan.entries_in(block), plan.scores.codes());
                let decoded =
                    keyed::decode(&stored, head, count, plan.key_bytes, codes, &mut decoder);
                self.decoders().push(decoder);
                decoded.map(Block::Keyed)
            }
        };
        self.intact()?;
        decoded.map_err(|damage| self.damaged(FilePart::Block { block }, damage))
    }

    fn decoders(&self) -> std::sync::MutexGuard<'_, Vec<Decoder>> {
        self.decoders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block of a keyed table that a key would be in; nothing if there are no blocks. For a key
    /// below all others that is the first block, whose CRC says whether its head is to be believed.
    pub(in crate::table) fn block_of_key(&self, key: u128) -> Option<u64> {
        let heads = &self.heads;
        let after = heads.partition_point(|&head| head <= key) as u64;
        (!heads.is_empty()).then(|| after.saturating_sub(1))
    }
}

/// A key as the index has it.
pub(super) fn key_at(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .rev()
        .fold(0, |key, &byte| key << 8 | u128::from(byte))
}
