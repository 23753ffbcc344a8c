//! Keys: their owners, their encoding, and sorted lists of them.

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

/// Replaces each count by the sum of those before it, and returns the sum of all.
pub fn starts_of(counts: &mut [u32]) -> usize {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
    start as usize
}

/// Items, sorted by the parts that they belong to.
pub struct ByPart<T> {
    items: Vec<T>,
    /// The end of each part's items.
    ends: Vec<u32>,
}

impl<T: Copy + Default> ByPart<T> {
    /// Sorts items, given the part of each; `None` if there is no such part.
    pub fn of(items: &[T], part_of: &[u32], parts: usize) -> Option<ByPart<T>> {
        // Count the items of each part, then place each where those of earlier parts end.
        let mut ends = vec![0; parts];
        for &part in part_of {
            *ends.get_mut(part as usize)? += 1;
        }
        let mut sorted = vec![T::default(); starts_of(&mut ends)];
        for (&part, &item) in part_of.iter().zip(items) {
            let end = &mut ends[part as usize];
            sorted[*end as usize] = item;
            *end += 1;
        }
        Some(ByPart {
            items: sorted,
            ends,
        })
    }

    /// Returns the items of a part, in the order in which they were given.
    pub fn of_part(&self, part: usize) -> &[T] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[part] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
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
