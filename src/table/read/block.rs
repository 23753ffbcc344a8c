//! Reading, checking and decoding blocks, and the cache of decoded ones.

use super::error::ReadError;
use super::file::TableFile;
use crate::game::Tile;
use crate::pool::lock;
use crate::table::codec::deflate::Decoder;
use crate::table::codec::keyed::{self, KeyedBlock};
use crate::table::codec::{self, Model, middle, tile};
use crate::table::format::{Difference, Spot, TileShape, for_each_present};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

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
    ///
    /// In a table with keys, codes may take more bytes: all lowest bytes come first, then the next.
    codes: Vec<u8>,
    /// Recomputed codes plus 1, or 0 where there is none yet, if codes are omitted.
    known: Option<Box<[AtomicU8]>>,
}

/// A code that is higher than that of any recomputed score.
///
/// Segments whose scores are omitted have at most 255 codes.
pub const NOT_YET: u32 = u8::MAX as u32;

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
    pub fn code(&self, index: usize) -> Option<u32> {
        match &self.known {
            None if self.codes.len() > self.keys.len() && !self.keys.is_empty() => {
                Some(keyed::code_of(&self.codes, self.keys.len(), index))
            }
            None => Some(self.codes[index].into()),
            Some(known) => known[index].load(Relaxed).checked_sub(1).map(u32::from),
        }
    }

    /// Returns the codes of all slots or keys; empty if they are omitted.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Saves a recomputed code.
    ///
    /// Relaxed stores are enough because every thread computes the same code.
    pub fn save_code(&self, index: usize, code: u32) {
        debug_assert!(code < NOT_YET);
        if let Some(known) = &self.known {
            known[index].store(code as u8 + 1, Relaxed);
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

const SHARDS: usize = 16;

/// Number of hits that a miss cancels out.
const MISS: u32 = 16;
const MOST_WARMTH: u32 = 512;

/// A bounded cache of decoded blocks that several threads can use.
///
/// It evicts by the clock algorithm: a block that was used since the hand last passed it stays for
/// another round.
pub struct Cache<T> {
    shards: Vec<Mutex<Shard<T>>>,
}

const HINTS: usize = 256;

/// Returns the place of a block's hint, a hash of all bits of its number.
fn hint_of(block: u64) -> usize {
    (block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

struct Shard<T> {
    capacity: usize,
    used: usize,
    hand: usize,
    /// Probable places of blocks by [`hint_of`], tried before the slower `places`.
    hints: [u32; HINTS],
    /// Recent hits, less [`MISS`] for each miss.
    warmth: u32,
    places: FxHashMap<u64, usize>,
    ring: Vec<Item<T>>,
}

struct Item<T> {
    block: u64,
    bytes: usize,
    recent: bool,
    value: Arc<T>,
}

impl<T> Cache<T> {
    /// Creates a cache of about `capacity` bytes.
    ///
    /// Each shard holds at least its last block.
    pub fn new(capacity: usize) -> Cache<T> {
        let shard = || {
            Mutex::new(Shard {
                capacity: capacity / SHARDS,
                used: 0,
                hand: 0,
                hints: [0; HINTS],
                warmth: 0,
                places: FxHashMap::default(),
                ring: Vec::new(),
            })
        };
        Cache {
            shards: (0..SHARDS).map(|_| shard()).collect(),
        }
    }

    fn shard(&self, block: u64) -> MutexGuard<'_, Shard<T>> {
        // Mix the block's number, in a piece's higher bits, with the cell's in its lowest eight. If a
        // thread panicked while it held the lock, the shard is at worst not full.
        lock(&self.shards[(block ^ block >> 8) as usize % SHARDS])
    }

    pub fn get(&self, block: u64) -> Option<Arc<T>> {
        self.shard(block).get(block)
    }

    /// Returns whether nearly all recent look-ups in this block's shard were hits.
    ///
    /// Then the next look-ups are likely to be in the same blocks.
    pub fn is_warm(&self, block: u64) -> bool {
        self.shard(block).warmth > MOST_WARMTH / 2
    }

    /// Inserts or replaces the value with this number; `bytes` is its size.
    pub fn put(&self, block: u64, value: Arc<T>, bytes: usize) {
        self.shard(block).put(block, value, bytes);
    }
}

impl<T> Shard<T> {
    fn get(&mut self, block: u64) -> Option<Arc<T>> {
        let hint = &mut self.hints[hint_of(block)];
        let is_here = |item: &Item<T>| item.block == block;
        if !self.ring.get(*hint as usize).is_some_and(is_here) {
            let Some(&place) = self.places.get(&block) else {
                self.warmth = self.warmth.saturating_sub(MISS);
                return None;
            };
            *hint = place as u32;
        }
        self.warmth = (self.warmth + 1).min(MOST_WARMTH);
        let item = &mut self.ring[*hint as usize];
        item.recent = true;
        Some(item.value.clone())
    }

    fn put(&mut self, block: u64, value: Arc<T>, bytes: usize) {
        if let Some(&place) = self.places.get(&block) {
            let item = &mut self.ring[place];
            self.used = self.used - item.bytes + bytes;
            item.bytes = bytes;
            item.value = value;
            return;
        }
        while !self.ring.is_empty() && self.used + bytes > self.capacity {
            self.evict();
        }
        self.used += bytes;
        self.places.insert(block, self.ring.len());
        self.ring.push(Item {
            block,
            bytes,
            recent: false,
            value,
        });
    }

    fn evict(&mut self) {
        loop {
            // Find the first block that was not used since the hand last passed it.
            self.hand %= self.ring.len();
            if !std::mem::take(&mut self.ring[self.hand].recent) {
                break;
            }
            self.hand += 1;
        }
        let item = self.ring.swap_remove(self.hand);
        self.places.remove(&item.block);
        self.used -= item.bytes;
        // The last block has taken the evicted one's place.
        if let Some(moved) = self.ring.get(self.hand) {
            self.places.insert(moved.block, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_blocks_stay_within_the_size() {
        let cache = Cache::new(SHARDS * 100);
        let block = |i: u64| i << 12;
        for i in 0..1000 {
            cache.put(block(i), Arc::new(i), 10);
            assert_eq!(cache.get(block(0)).as_deref(), Some(&0), "after {i}");
            let shard = cache.shard(0);
            assert!(shard.used <= 100);
            assert_eq!(shard.ring.len(), shard.places.len());
            assert_eq!(shard.used, 10 * shard.ring.len());
            for (block, &place) in &shard.places {
                assert_eq!(shard.ring[place].block, *block);
                assert_eq!(*shard.ring[place].value << 12, *block);
            }
        }
        assert!(cache.get(block(1)).is_none());
    }

    #[test]
    fn without_room_the_last_block_is_kept() {
        let cache = Cache::new(0);
        cache.put(0, Arc::new('a'), 10);
        cache.put(1 << 12, Arc::new('b'), 10);
        assert_eq!(cache.get(1 << 12).as_deref(), Some(&'b'));
        assert!(cache.get(0).is_none());
    }
}
