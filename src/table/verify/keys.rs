//! The keys of a table's entries in memory.

use super::tile::EntryPlace;
use crate::bisection::{Samples, TOGETHER, together};
use crate::table::format::Plan;
use std::array::from_fn;
use std::sync::OnceLock;

/// The keys of all entries, in ascending order; none in a table with ranks.
pub trait EntryKeys: Send + Sync {
    /// Appends the keys of the next block, before any key is searched.
    fn append(&mut self, keys: &[u128]);

    /// Returns the key at an index of a block.
    ///
    /// # Panics
    /// If there are fewer keys.
    fn key(&self, block: u64, index: usize) -> u128;

    /// Returns the places of at most [`TOGETHER`] keys.
    fn find(&self, wanted: &[u128]) -> [Option<EntryPlace>; TOGETHER];
}

/// Returns room for a table's keys, and the most memory that each takes.
pub fn entry_keys(plan: &Plan) -> (Box<dyn EntryKeys>, u64) {
    let listing = plan.listing.as_ref();
    let block_entries = listing.map_or(1, |listing| listing.block_entries as usize);
    // The samples take less than an eighth of the keys' memory.
    match plan.key_bytes() {
        0..=8 => (Box::new(SortedKeys::<u64>::of_blocks(block_entries)), 9),
        _ => (Box::new(SortedKeys::<u128>::of_blocks(block_entries)), 18),
    }
}

struct SortedKeys<K> {
    keys: Vec<K>,
    samples: OnceLock<Samples<K>>,
    /// Number of keys in all blocks but the last.
    block_entries: usize,
}

impl<K> SortedKeys<K> {
    fn of_blocks(block_entries: usize) -> SortedKeys<K> {
        SortedKeys {
            keys: Vec::new(),
            samples: OnceLock::new(),
            block_entries,
        }
    }
}

/// Returns a key as it is stored, or 0 if it doesn't fit.
fn narrow<K: Default + TryFrom<u128>>(&key: &u128) -> K {
    K::try_from(key).unwrap_or_default()
}

impl<K> EntryKeys for SortedKeys<K>
where
    K: Copy + Default + Ord + Send + Sync + Into<u128> + TryFrom<u128>,
{
    fn append(&mut self, keys: &[u128]) {
        // Decoding has checked that each key fits.
        self.keys.extend(keys.iter().map(narrow::<K>));
    }

    fn key(&self, block: u64, index: usize) -> u128 {
        self.keys[block as usize * self.block_entries + index].into()
    }

    fn find(&self, wanted: &[u128]) -> [Option<EntryPlace>; TOGETHER] {
        let samples = self.samples.get_or_init(|| Samples::of(&self.keys));
        // A key that doesn't fit becomes 0, so compare the key found with the wanted one.
        let found = samples.find(&self.keys, &together(wanted.iter().map(narrow)));
        let size = self.block_entries;
        from_fn(|number| {
            let at = found[number]?;
            let place = EntryPlace::new(0, (at / size) as u64, at % size);
            (wanted.get(number) == Some(&self.keys[at].into())).then_some(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_their_blocks_and_no_wider_ones() {
        let mut keys = SortedKeys::<u64>::of_blocks(2);
        keys.append(&[0, 5]);
        keys.append(&[7]);
        let found = keys.find(&[7, 5, 1 << 64, 4]);
        let places = [Some((1, 0)), Some((0, 1)), None, None];
        let places = places.map(|place| place.map(|(block, at)| EntryPlace::new(0, block, at)));
        assert_eq!(found[..4], places);
        assert_eq!(keys.key(1, 0), 7);
    }
}
