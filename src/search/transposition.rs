//! The transposition table: score bounds of positions visited before.

use super::INFINITY;
use crate::game::{Bounds, SolveError};
use crate::pool::lock;
use bytemuck::{Pod, Zeroable};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Mutex;

/// The bounds of one class.
///
/// All zeros mark a free entry.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Entry {
    /// The key in parts, lowest first; they pack tighter than a `u128`.
    key: [u32; 4],
    /// Distance of the lower bound from `NO_LOWER`.
    lower: u16,
    /// Distance of the upper bound from `NO_UPPER`.
    upper: u16,
}

const NO_LOWER: i16 = i16::MIN;
const NO_UPPER: i16 = i16::MAX;

impl Entry {
    fn new(key: [u32; 4], lower: i16, upper: i16) -> Entry {
        Entry {
            key,
            lower: lower.abs_diff(NO_LOWER),
            upper: upper.abs_diff(NO_UPPER),
        }
    }

    fn lower(&self) -> i16 {
        NO_LOWER.wrapping_add_unsigned(self.lower)
    }

    fn upper(&self) -> i16 {
        NO_UPPER.wrapping_sub_unsigned(self.upper)
    }

    fn is_free(&self) -> bool {
        self.lower == 0 && self.upper == 0
    }
}

/// Entries per bucket, any of which may hold a key: as many as fit in a cache line.
const BUCKET: usize = 3;

/// Size of a bucket in bytes: a cache line.
const LINE: usize = 64;

/// Number of locks, a power of two.
///
/// There are many more locks than threads, so that threads hardly ever wait.
const SHARDS: usize = 1 << 8;

/// A table of score bounds by the keys of canonical positions.
///
/// Any number of threads may share it. Its size is fixed. When a bucket is full, a new entry
/// replaces the oldest one.
pub struct TranspositionTable {
    shards: Vec<Mutex<Shard>>,
    buckets_a_shard: usize,
}

impl TranspositionTable {
    /// Returns the largest table in this many bytes, with at least one bucket.
    ///
    /// The system provides the memory only as it is used.
    ///
    /// # Panics
    /// If the system can't provide the memory; see [`TranspositionTable::try_new`].
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self::try_new(bytes).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Does the same as [`TranspositionTable::new`], without panicking.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn try_new(bytes: u64) -> Result<Self, SolveError> {
        let buckets = usize::try_from(bytes).unwrap_or(usize::MAX) / LINE;
        let shards = if buckets < SHARDS { 1 } else { SHARDS };
        let buckets_a_shard = (buckets / shards).max(1);
        let shards = (0..shards).map(|_| Shard::new(buckets_a_shard).map(Mutex::new));
        let shards: Option<Vec<Mutex<Shard>>> = shards.collect();
        Ok(TranspositionTable {
            shards: shards.ok_or(SolveError::NoMemory { bytes })?,
            buckets_a_shard,
        })
    }

    /// Returns the size in bytes at which this many classes rarely replace each other.
    #[must_use]
    pub fn bytes_for(classes: u64) -> u64 {
        let buckets = classes.saturating_mul(2).div_ceil(BUCKET as u64);
        buckets.saturating_mul(LINE as u64)
    }

    /// Returns the number of classes that fit in the table.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        (self.shards.len() * self.buckets_a_shard * BUCKET) as u64
    }

    /// Returns the known bounds of a canonical position's score.
    ///
    /// An unknown bound is infinite.
    #[must_use]
    pub fn get(&self, key: u128) -> Option<Bounds> {
        let parts = parts(key);
        let (shard, bucket) = self.place(key);
        let mut buckets = lock(&self.shards[shard]);
        let entry = buckets
            .entries(bucket)
            .iter()
            .find(|entry| entry.key == parts && !entry.is_free())?;
        Some(Bounds {
            lower: match entry.lower() {
                NO_LOWER => -INFINITY,
                lower => i32::from(lower),
            },
            upper: match entry.upper() {
                NO_UPPER => INFINITY,
                upper => i32::from(upper),
            },
        })
    }

    /// Tightens the bounds of a canonical position's score.
    ///
    /// Returns whether that replaced another position's entry. A bound that doesn't fit in 16 bits
    /// is ignored.
    pub fn tighten(&self, key: u128, bounds: Bounds) -> bool {
        let parts = parts(key);
        let lower = i16::try_from(bounds.lower).unwrap_or(NO_LOWER);
        let upper = i16::try_from(bounds.upper).unwrap_or(NO_UPPER);
        if (lower, upper) == (NO_LOWER, NO_UPPER) {
            return false;
        }
        let (shard, bucket) = self.place(key);
        let mut buckets = lock(&self.shards[shard]);
        let bucket = buckets.entries(bucket);
        let known = bucket
            .iter()
            .position(|entry| entry.key == parts && !entry.is_free());
        if let Some(known) = known {
            let entry = &mut bucket[known];
            *entry = Entry::new(parts, entry.lower().max(lower), entry.upper().min(upper));
            return false;
        }
        // Put the new entry first and drop the oldest.
        let free = bucket.iter().position(Entry::is_free);
        bucket.copy_within(..free.unwrap_or(BUCKET - 1), 1);
        bucket[0] = Entry::new(parts, lower, upper);
        free.is_none()
    }

    fn place(&self, key: u128) -> (usize, usize) {
        // The multiplication carries the whole hash into its highest bits, which choose the bucket.
        let hash = FxBuildHasher
            .hash_one(key)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let shards = self.shards.len();
        let places = (shards * self.buckets_a_shard) as u128;
        let place = ((u128::from(hash) * places) >> 64) as usize;
        (place % shards, place / shards)
    }
}

fn parts(key: u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (key >> shift) as u32)
}

/// The buckets guarded by one lock.
///
/// They are stored as words. For a type with an alignment of 64, the standard library writes the
/// zeros itself, which would take all of the memory at once.
struct Shard {
    words: Box<[u32]>,
    /// Index of the first word of the first bucket, which starts a cache line.
    start: usize,
}

impl Shard {
    /// Returns free buckets, or `None` if the system can't provide the memory.
    fn new(buckets: usize) -> Option<Shard> {
        let words = bytemuck::allocation::try_zeroed_slice_box((buckets + 1) * LINE / 4);
        let words: Box<[u32]> = words.ok()?;
        let start = words.as_ptr().cast::<u8>().align_offset(LINE) / 4;
        Some(Shard { words, start })
    }

    #[inline]
    fn entries(&mut self, bucket: usize) -> &mut [Entry] {
        let at = self.start + bucket * LINE / 4;
        bytemuck::cast_slice_mut(&mut self.words[at..at + BUCKET * size_of::<Entry>() / 4])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(lower: i32, upper: i32) -> Bounds {
        Bounds { lower, upper }
    }

    #[test]
    fn bounds_only_get_tighter() {
        let table = TranspositionTable::new(1 << 16);
        assert_eq!(table.get(7), None);
        table.tighten(7, bounds(-INFINITY, 5));
        assert_eq!(table.get(7), Some(bounds(-INFINITY, 5)));
        table.tighten(7, bounds(-3, INFINITY));
        table.tighten(7, bounds(-8, 9));
        assert_eq!(table.get(7), Some(bounds(-3, 5)));
        assert_eq!(table.get(8), None);
        assert_eq!(table.get(7 << 64), None);
    }

    #[test]
    fn a_bound_beyond_16_bits_is_not_kept() {
        let table = TranspositionTable::new(1 << 16);
        table.tighten(1, bounds(40_000, INFINITY));
        assert_eq!(table.get(1), None);
        table.tighten(1, bounds(-40_000, 2));
        assert_eq!(table.get(1), Some(bounds(-INFINITY, 2)));
    }

    #[test]
    fn it_stays_within_its_memory_and_forgets_the_oldest() {
        let table = TranspositionTable::new(0);
        assert_eq!(table.capacity(), BUCKET as u64);
        for key in 0..10 {
            let makes_room = table.tighten(key, bounds(0, key as i32));
            assert_eq!(makes_room, key >= BUCKET as u128);
        }
        let kept: Vec<u128> = (0..10).filter(|&key| table.get(key).is_some()).collect();
        assert_eq!(kept, [7, 8, 9]);
        let bytes = 1 << 20;
        let fits = TranspositionTable::new(bytes).capacity() * size_of::<Entry>() as u64;
        assert!(fits <= bytes && fits > bytes / 10 * 9, "{fits}");
    }
}
