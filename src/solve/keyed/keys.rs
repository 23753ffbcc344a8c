//! Keys: their owners, their encoding, and sorted lists of them.

use crate::pool::map;

/// A key in memory. Keys of at most 64 bits are stored in 64 bits, which halves their size.
pub trait Key: Copy + Default + Into<u128> + Ord + Send + Sync + 'static {
    fn of(key: u128) -> Self;

    fn wide(self) -> u128 {
        self.into()
    }
}

impl Key for u64 {
    fn of(key: u128) -> u64 {
        key as u64
    }
}

impl Key for u128 {
    fn of(key: u128) -> u128 {
        key
    }
}

/// Returns a hash of a key.
#[inline]
pub fn hash(key: u128) -> u64 {
    // The last steps of SplitMix64.
    let mut mixed = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Returns the process that owns a key: by its hash, and so evenly distributed.
#[inline]
pub fn owner(key: u128, processes: usize) -> usize {
    match processes {
        1 => 0,
        _ => ((u128::from(hash(key)) * processes as u128) >> 64) as usize,
    }
}

/// The size of encoded keys: the fewest whole bytes that suffice for all.
#[derive(Clone, Copy, Debug)]
pub struct Width(pub usize);

impl Width {
    /// Returns the width for keys of `bits` bits.
    pub fn of_bits(bits: u32) -> Width {
        Width((bits.div_ceil(8) as usize).clamp(1, 16))
    }

    pub fn put(self, key: impl Key, out: &mut Vec<u8>) {
        out.extend_from_slice(&key.wide().to_le_bytes()[..self.0]);
    }

    pub fn take<K: Key>(self, bytes: &[u8]) -> K {
        let mut all = [0; 16];
        all[..self.0].copy_from_slice(bytes);
        K::of(u128::from_le_bytes(all))
    }
}

/// Appends a number in as few bytes as it needs, seven bits in each.
pub fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a message or a file piece by piece.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the next `count` bytes, or `None` if there are fewer.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }

    /// Returns the next number written by [`put_number`].
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// Returns the next `count` keys, or `None` if there are fewer.
    pub fn keys<K: Key>(&mut self, count: usize, width: Width) -> Option<Vec<K>> {
        let bytes = self.bytes(count.checked_mul(width.0)?)?;
        let keys = bytes.chunks_exact(width.0);
        Some(keys.map(|key| width.take(key)).collect())
    }
}

/// Merges ascending lists into one, with all duplicates.
///
/// It merges pieces of the result; equal items are in the same piece.
pub fn merge<T: Copy + Ord + Send + Sync>(mut lists: Vec<Vec<T>>) -> Vec<T> {
    if lists.len() <= 1 {
        return lists.pop().unwrap_or_default();
    }
    /// Approximate number of items in a piece, which should fit in a processor's cache.
    const PIECE: usize = 1 << 14;
    /// Number of samples per piece.
    const SAMPLES: usize = 16;
    // All lists are cut at the same items, so that pieces can be merged independently.
    let all: usize = lists.iter().map(Vec::len).sum();
    let samples = lists
        .iter()
        .flat_map(|list| list.iter().step_by(PIECE / SAMPLES));
    let mut samples: Vec<T> = samples.copied().collect();
    samples.sort_unstable();
    let cuts: Vec<T> = samples.into_iter().skip(SAMPLES).step_by(SAMPLES).collect();
    let pieces = map(cuts.len() + 1, |number| {
        let before = number.checked_sub(1).map(|before| cuts[before]);
        let mut piece = Vec::with_capacity(2 * all / (cuts.len() + 1));
        for list in &lists {
            let start = before.map_or(0, |cut| list.partition_point(|item| *item < cut));
            let end = cuts
                .get(number)
                .map_or(list.len(), |cut| list.partition_point(|item| item < cut));
            piece.extend_from_slice(&list[start..end]);
        }
        // Fast, because it consists of sorted runs.
        piece.sort();
        piece
    });
    drop(lists);
    let mut merged = Vec::with_capacity(all);
    pieces.into_iter().for_each(|piece| merged.extend(piece));
    merged
}

/// Replaces each count by the sum of those before it, and returns the sum of all.
pub fn starts_of(counts: &mut [u32]) -> usize {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
    start as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_merged(lists in prop::collection::vec((0..60_000u32, 0..5_000usize, 1..9u32), 0..8)) {
            let list = |&(first, count, step): &(u32, usize, u32)| (first..).step_by(step as usize).take(count).collect();
            let lists: Vec<Vec<u32>> = lists.iter().map(list).collect();
            let mut all = lists.concat();
            all.sort_unstable();
            prop_assert_eq!(merge(lists), all);
        }

        #[test]
        fn keys_come_back(keys in prop::collection::vec(any::<u128>(), 0..20), bits in 1..=128u32) {
            let width = Width::of_bits(bits);
            let keys: Vec<u128> = keys.iter().map(|key| key >> (128 - bits)).collect();
            let mut bytes = Vec::new();
            keys.iter().for_each(|&key| width.put(key, &mut bytes));
            prop_assert_eq!(Reader(&bytes).keys(keys.len(), width), Some(keys.clone()));
            prop_assert_eq!(Reader(&bytes).keys::<u128>(keys.len() + 1, width), None);
        }
    }

    #[test]
    fn keys_are_dealt_evenly() {
        for processes in 1..=7 {
            let mut counts = vec![0u32; processes];
            (0..70_000u128).for_each(|key| counts[owner(key << 40, processes)] += 1);
            let fair = 70_000 / processes as u32;
            assert!(
                counts
                    .iter()
                    .all(|&count| count.abs_diff(fair) < fair / 20 + 1)
            );
        }
    }
}
