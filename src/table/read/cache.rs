//! The cache of decoded blocks.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
        self.shards[(block ^ block >> 8) as usize % SHARDS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
