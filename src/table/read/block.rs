//! Reading, checking and decoding blocks.

use super::error::ReadError;
use super::file::TableFile;
use crate::game::Tile;
use crate::table::codec::deflate::Decoder;
use crate::table::codec::keyed::{self, KeyedBlock};
use crate::table::codec::{self, Model, middle, tile};
use crate::table::format::{Difference, Spot, TileShape, for_each_present};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A decoded block or cell: the indexes of its entries, and their codes.
#[derive(Default)]
pub struct Block {
    /// Set bits for slots with an entry, in a table with ranks.
    ///
    /// The index of an entry is that of its slot.
    pub present: Vec<u64>,
    /// Ascending keys of the entries, in a table with keys.
    ///
    /// The index of an entry is that of its key.
    pub keys: Vec<u128>,
    /// Code for each slot or key; empty if the codes are omitted.
    codes: Vec<u8>,
    /// Recomputed codes plus 1, or 0 where there is none yet, if codes are omitted.
    known: Option<Box<[AtomicU8]>>,
}

/// A code that no recomputed score has.
///
/// Segments whose scores are omitted have at most 255 codes.
pub const NOT_YET: u8 = u8::MAX;

impl Block {
    fn of_tile(tile: Tile, derived: bool) -> Block {
        let Tile { present, codes, .. } = tile;
        let known = derived.then(|| bytemuck::allocation::zeroed_slice_box(codes.len()));
        Block {
            present,
            codes: if derived { Vec::new() } else { codes },
            known,
            keys: Vec::new(),
        }
    }

    fn of_keys(KeyedBlock { keys, codes }: KeyedBlock) -> Block {
        Block {
            keys,
            codes,
            ..Block::default()
        }
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        let words = self.present.iter();
        let in_slots: u64 = words.map(|word| u64::from(word.count_ones())).sum();
        in_slots + self.keys.len() as u64
    }

    /// Returns the approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let codes = self.codes.len() + self.known.as_ref().map_or(0, |known| known.len());
        128 + codes + 8 * self.present.len() + 16 * self.keys.len()
    }

    /// Returns whether a slot has an entry.
    pub fn is_present(&self, index: usize) -> bool {
        self.present[index / 64] >> (index % 64) & 1 == 1
    }

    /// Returns whether the codes are omitted.
    pub fn is_derived(&self) -> bool {
        self.known.is_some()
    }

    /// Returns the code of an entry, or `None` if it is omitted and not recomputed yet.
    pub fn code(&self, index: usize) -> Option<u8> {
        match &self.known {
            None => Some(self.codes[index]),
            Some(known) => known[index].load(Relaxed).checked_sub(1),
        }
    }

    /// Returns the codes of all slots or keys; empty if they are omitted.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Saves a recomputed code.
    ///
    /// Relaxed stores are enough because every thread computes the same code.
    pub fn save_code(&self, index: usize, code: u8) {
        debug_assert_ne!(code, NOT_YET);
        if let Some(known) = &self.known {
            known[index].store(code + 1, Relaxed);
        }
    }

    /// Calls `each` with the index of every entry in ascending order.
    pub fn for_each(&self, mut each: impl FnMut(usize)) {
        for_each_present(&self.present, &mut each);
        (0..self.keys.len()).for_each(each);
    }
}

impl TableFile {
    /// Returns the bytes of a block after checking their CRC.
    pub(super) fn stored(&self, block: u64) -> Result<Cow<'_, [u8]>, ReadError> {
        let stored = self.read(self.index.block(block))?;
        let checked = self.index.check(block, &stored);
        self.intact()?;
        match checked {
            Ok(()) => Ok(stored),
            Err(damage) => Err(self.damaged(format!("block {block}"), damage)),
        }
    }

    /// Returns the distributions with which a segment of a ranked table is coded.
    fn model(&self, segment: u32) -> Result<&Model, ReadError> {
        let groups = self.metadata.layout.groups();
        let group = groups.partition_point(|group| group.end <= segment);
        if let Some(model) = self.models[group].get() {
            return Ok(model);
        }
        let model = codec::unpack(&groups[group].distributions)
            .map_err(|damage| self.damaged(format!("distributions of group {group}"), damage))?;
        // Another thread may have been faster. Its model is the same.
        Ok(self.models[group].get_or_init(|| model))
    }

    /// Reads and checks a block, and decodes the part that a probe of a slot needs.
    ///
    /// That is the slot's cell from its middle row to the slot's row or, if `whole`, all of it.
    /// Returns the decoded rows, too.
    pub(in crate::table) fn cell(
        &self,
        segment: u32,
        spot: &Spot,
        whole: bool,
    ) -> Result<(Block, Range<u32>), ReadError> {
        let middle = middle(spot.shape);
        let rows = if whole {
            0..spot.shape.rows
        } else {
            middle.min(spot.row)..middle.max(spot.row) + 1
        };
        let shape = self.plan.tile_of(segment, spot.block);
        let block = self.tile(spot.block, &shape, |model, stored, codes, tile| {
            let cells = self.plan.cells(&shape).len();
            let part = (spot.cell as usize, spot.shape, rows.clone());
            tile::decode_one(model, stored, cells, part, codes, tile)
        })?;
        Ok((block, rows))
    }

    /// Reads, checks and decodes a block, which must be below `self.blocks()`.
    pub(in crate::table) fn block(&self, block: u64) -> Result<Block, ReadError> {
        let Some(listing) = &self.plan.listing else {
            let shape = self.plan.tile(block);
            return self.tile(block, &shape, |model, stored, codes, tile| {
                tile.reset(shape.height(), shape.width());
                tile::decode(model, stored, self.plan.cells(&shape), codes, tile)
            });
        };
        let stored = self.stored(block)?;
        let heads = &self.index.heads[block as usize..];
        let (count, codes) = (listing.entries_in(block), self.plan.scores(0).codes());
        let decoded = self.decoders.with(Decoder::default, |decoder| {
            keyed::decode(&stored, heads[0], count, listing.key_bytes, codes, decoder)
        });
        self.intact()?;
        let decoded = decoded.map_err(|damage| self.damaged(format!("block {block}"), damage))?;
        // The next block must begin with a higher key. Inside the block, decoding has checked the
        // order.
        let (last, next) = (decoded.keys.last(), heads.get(1));
        if let (Some(&before), Some(&after)) = (last, next)
            && before >= after
        {
            let block = block + 1;
            let damage = Difference::of_keys(before, after);
            return Err(self.damaged(format!("block {block}"), damage));
        }
        Ok(Block::of_keys(decoded))
    }

    /// Reads and checks the block of a tile; `decode` decodes the wanted part.
    fn tile(
        &self,
        block: u64,
        shape: &TileShape,
        decode: impl FnOnce(&Model, &[u8], Option<usize>, &mut Tile) -> Result<(), Difference>,
    ) -> Result<Block, ReadError> {
        let model = self.model(shape.segment)?;
        let stored = self.stored(block)?;
        let derived = self.plan.is_derived(shape.segment);
        let codes = (!derived).then(|| self.plan.scores(shape.segment).codes());
        let mut tile = Tile::default();
        let decoded = decode(model, &stored, codes, &mut tile);
        self.intact()?;
        decoded.map_err(|damage| self.damaged(format!("block {block}"), damage))?;
        Ok(Block::of_tile(tile, derived))
    }

    /// Returns the block of a keyed table that would have a key, if it has blocks.
    ///
    /// For a key below all others it is the first block, so that its CRC is checked, which shows
    /// whether its first key is right.
    pub(in crate::table) fn block_of_key(&self, key: u128) -> Option<u64> {
        let heads = &self.index.heads;
        let after = heads.partition_point(|&head| head <= key) as u64;
        (!heads.is_empty()).then(|| after.saturating_sub(1))
    }
}
