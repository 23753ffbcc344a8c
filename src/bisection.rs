//! Binary search for several keys at once.

use std::array::from_fn;
use std::hint::select_unpredictable;

/// Number of keys that are searched together, so that the processor waits for several of them at
/// once.
pub(crate) const TOGETHER: usize = 16;

/// Returns some keys, at most [`TOGETHER`], and as many zeros as are missing.
#[inline]
pub(crate) fn together<K: Copy + Default>(wanted: impl Iterator<Item = K>) -> [K; TOGETHER] {
    let mut keys = [K::default(); TOGETHER];
    for (key, wanted) in keys.iter_mut().zip(wanted) {
        *key = wanted;
    }
    keys
}

/// Moves each key's place on to that of the last of `count` keys that isn't greater.
///
/// The place doesn't change if all of them are greater.
#[inline(always)]
fn bisect<K: Copy + Default + Ord>(
    keys: &[K],
    count: usize,
    wanted: &[K; TOGETHER],
    places: &mut [usize; TOGETHER],
) {
    let mut size = count;
    while size > 1 {
        let half = size / 2;
        // `zip` may be a call.
        for (number, place) in places.iter_mut().enumerate() {
            let next = *place + half;
            let key = keys.get(next).copied();
            let is_up = key.is_some() & (key.unwrap_or_default() <= wanted[number]);
            // A branch would be mispredicted half of the time, and take several times as long.
            *place = select_unpredictable(is_up, next, *place);
        }
        size -= half;
    }
}

/// Returns the place of the last of ascending keys that isn't greater, for each wanted one.
///
/// The place is 0 if all are greater.
#[inline]
pub(crate) fn places_in<K: Copy + Default + Ord>(
    keys: &[K],
    wanted: &[K; TOGETHER],
) -> [usize; TOGETHER] {
    let mut places = [0; TOGETHER];
    bisect(keys, keys.len(), wanted, &mut places);
    places
}

/// Number of keys in a group of which one is copied: they are near each other in memory.
const GROUP: usize = 16;

/// Copies of some of many ascending keys, which are searched first.
///
/// Most of them stay in the processor's caches, so finding a key takes about two accesses to memory.
pub(crate) struct Samples<K> {
    /// The first key of each group of keys, then the first of each group of those, and so on.
    levels: Vec<Vec<K>>,
}

impl<K: Copy + Default + Ord> Samples<K> {
    pub(crate) fn of(keys: &[K]) -> Samples<K> {
        let mut levels: Vec<Vec<K>> = Vec::new();
        loop {
            let below = levels.last().map_or(keys, |level| level);
            if below.len() <= GROUP {
                return Samples { levels };
            }
            levels.push(below.iter().step_by(GROUP).copied().collect());
        }
    }

    /// Returns the places of keys among those that were copied from; `None` for those not there.
    #[inline]
    pub(crate) fn find(&self, keys: &[K], wanted: &[K; TOGETHER]) -> [Option<usize>; TOGETHER] {
        let mut places = [0; TOGETHER];
        for level in self.levels.iter().rev() {
            bisect(level, GROUP, wanted, &mut places);
            places.iter_mut().for_each(|place| *place *= GROUP);
        }
        bisect(keys, GROUP, wanted, &mut places);
        from_fn(|number| {
            let place = places[number];
            (*keys.get(place)? == wanted[number]).then_some(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_have_the_places_that_each_alone_has(
            keys in prop::collection::btree_set(0..2_000u64, 0..1_000),
            wanted in prop::collection::vec(0..2_000u64, 0..TOGETHER),
        ) {
            let keys: Vec<u64> = keys.into_iter().collect();
            let padded = together(wanted.iter().copied());
            let places = places_in(&keys, &padded);
            let found = Samples::of(&keys).find(&keys, &padded);
            for (number, key) in wanted.iter().enumerate() {
                let alone = keys.partition_point(|other| other <= key).saturating_sub(1);
                prop_assert_eq!(places[number], alone);
                prop_assert_eq!(found[number], keys.binary_search(key).ok());
            }
        }
    }
}
