//! Binary search for several keys at once.

use std::hint::select_unpredictable;

/// Number of keys that are searched together, so that the processor waits for several of them at
/// once.
pub(crate) const TOGETHER: usize = 16;

/// A binary search for up to [`TOGETHER`] keys in ascending ones.
pub(crate) struct Bisection<K> {
    wanted: [K; TOGETHER],
    places: [usize; TOGETHER],
}

impl<K: Copy + Default + Ord> Bisection<K> {
    /// Begins to search for some keys, with all of them at the first place.
    ///
    /// # Panics
    /// If they are too many.
    #[inline]
    pub(crate) fn new(wanted: impl Iterator<Item = K>) -> Bisection<K> {
        let mut search = Bisection {
            wanted: [K::default(); TOGETHER],
            places: [0; TOGETHER],
        };
        for (number, key) in wanted.enumerate() {
            search.wanted[number] = key;
        }
        search
    }

    /// Returns the place of each key.
    #[inline]
    pub(crate) fn places(&self) -> &[usize; TOGETHER] {
        &self.places
    }

    /// Moves each key's place on to that of the last of `count` keys that isn't greater.
    ///
    /// The place doesn't change if all of them are greater. `at` returns the key at a place, for the
    /// number of a key that is searched; `None` after the last place.
    #[inline(always)]
    pub(crate) fn find(&mut self, count: usize, at: impl Fn(usize, usize) -> Option<K>) {
        let mut size = count;
        while size > 1 {
            let half = size / 2;
            for number in 0..TOGETHER {
                let (place, wanted) = (self.places[number], self.wanted[number]);
                let next = place + half;
                let key = at(number, next);
                let is_up = key.is_some() & (key.unwrap_or_default() <= wanted);
                // A branch would be mispredicted half of the time, and take several times as long.
                self.places[number] = select_unpredictable(is_up, next, place);
            }
            size -= half;
        }
    }

    /// Turns the places of groups of this many keys into those of the first key in each.
    #[inline]
    pub(crate) fn enter_groups(&mut self, size: usize) {
        for place in &mut self.places {
            *place *= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_have_the_places_that_each_alone_has(
            keys in prop::collection::btree_set(0..500u64, 0..200),
            wanted in prop::collection::vec(0..500u64, 0..TOGETHER),
            group in 1..40usize,
        ) {
            let keys: Vec<u64> = keys.into_iter().collect();
            let firsts: Vec<u64> = keys.iter().step_by(group).copied().collect();
            let mut search = Bisection::new(wanted.iter().copied());
            let mut in_groups = Bisection::new(wanted.iter().copied());
            search.find(keys.len(), |_, place| keys.get(place).copied());
            in_groups.find(firsts.len(), |_, place| firsts.get(place).copied());
            in_groups.enter_groups(group);
            in_groups.find(group, |_, place| keys.get(place).copied());
            for (number, key) in wanted.iter().enumerate() {
                let alone = keys.partition_point(|other| other <= key).saturating_sub(1);
                prop_assert_eq!(search.places()[number], alone);
                prop_assert_eq!(in_groups.places()[number], alone);
            }
        }
    }
}
