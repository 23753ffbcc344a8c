//! Sets of keys, to which several threads add at once.

use super::keys::{ByPart, Key, hash};
use crate::bisection::TOGETHER;
use crate::pool::{map, map_of, sort};
use std::borrow::Borrow;
use std::sync::Mutex;

/// Number of parts of a set. A task adds the keys of one part.
const PARTS: usize = 64;

/// Returns the key that stands for none: the greatest.
fn empty<K: Key>() -> K {
    K::of(u128::MAX)
}

/// Number of places of a part that are added at least.
const LEAST: usize = 16;

/// A growing set of keys: a hash table in parts.
#[derive(Default)]
pub struct KeySet<K>(Vec<Part<K>>);

/// A hash table with linear probing.
#[derive(Default)]
struct Part<K> {
    /// Each key at the place of its hash or after it, and the greatest key where there is none.
    places: Vec<K>,
    count: usize,
    /// Whether the greatest key is in the set, too.
    has_empty: bool,
}

impl<K: Key> KeySet<K> {
    /// Adds keys, and returns those that are new, in a list for each part.
    ///
    /// The order of the new keys depends only on that of the lists.
    pub fn add(&mut self, lists: &[Vec<K>]) -> Vec<Vec<K>> {
        if self.0.is_empty() {
            self.0.resize_with(PARTS, Part::default);
        }
        let sorted = map_of(lists, |keys| {
            let parts: Vec<u32> = keys.iter().map(part_of).collect();
            ByPart::of(keys, &parts, PARTS).expect("all parts are there")
        });
        let parts: Vec<_> = self.0.iter_mut().map(Mutex::new).collect();
        map(PARTS, |number| {
            let mut part = parts[number].lock().expect("one task");
            let mut fresh = Vec::new();
            for keys in &sorted {
                part.add(keys.of_part(number), &mut fresh);
            }
            fresh
        })
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(Part::len).sum()
    }

    /// Returns the bytes that the set takes once each part has grown.
    pub fn bytes(&self) -> u64 {
        let places: usize = self.0.iter().map(|part| grown(part.places.len())).sum();
        (places * size_of::<K>()) as u64
    }

    /// Returns the keys of each part, in ascending order.
    ///
    /// In the order of their places, they would crowd together in a set to which they are added.
    pub fn parts(&self) -> impl Iterator<Item = Vec<K>> {
        let parts = self.0.iter();
        parts.map(|part| sorted(part.len(), [part].into_iter()))
    }

    /// Returns all keys, in ascending order.
    pub fn keys(&self) -> Vec<K> {
        sorted(self.len(), self.0.iter())
    }

    /// Returns all keys, in ascending order, and drops each part when its keys are copied.
    pub fn finish(self) -> Vec<K> {
        sorted(self.len(), self.0.into_iter())
    }
}

/// Returns the keys of some parts, in ascending order.
fn sorted<K: Key>(count: usize, parts: impl Iterator<Item: Borrow<Part<K>>>) -> Vec<K> {
    let mut keys = Vec::with_capacity(count);
    parts.for_each(|part| keys.extend(part.borrow().keys()));
    sort(&mut keys);
    keys
}

/// Returns the number of places that a part has next: large parts grow slowly, to save memory.
fn grown(places: usize) -> usize {
    const LARGE: usize = 1 << 20;
    places + if places < LARGE { places } else { places / 4 }
}

/// Returns the number of a key's part: by bits on which neither its owner nor its place depends.
fn part_of<K: Key>(key: &K) -> u32 {
    (hash(key.wide()) >> 32) as u32 % PARTS as u32
}

impl<K: Key> Part<K> {
    fn len(&self) -> usize {
        self.count + usize::from(self.has_empty)
    }

    fn keys(&self) -> impl Iterator<Item = K> {
        let keys = self.places.iter().copied();
        let keys = keys.filter(|&key| key != empty());
        keys.chain(self.has_empty.then(empty))
    }

    /// Returns the place of a key's hash.
    #[inline]
    fn place(&self, key: K) -> usize {
        let low = hash(key.wide()) & u64::from(u32::MAX);
        ((low * self.places.len() as u64) >> 32) as usize
    }

    /// Adds keys, and appends those that are new to `fresh`.
    fn add(&mut self, keys: &[K], fresh: &mut Vec<K>) {
        self.make_room(keys.len());
        for keys in keys.chunks(TOGETHER) {
            // Most keys are at their places already.
            let mut places = [0; TOGETHER];
            let mut others = 0u32;
            for (number, &key) in keys.iter().enumerate() {
                let place = self.place(key);
                places[number] = place as u32;
                let is_other = self.places[place] != key || key == empty();
                others |= u32::from(is_other) << number;
            }
            while others != 0 {
                let number = others.trailing_zeros() as usize;
                others &= others - 1;
                if self.put(keys[number], places[number] as usize) {
                    fresh.push(keys[number]);
                }
            }
        }
    }

    /// Adds a key at the first empty place from `place` on; returns whether it is new.
    #[inline]
    fn put(&mut self, key: K, mut place: usize) -> bool {
        if key == empty() {
            return !std::mem::replace(&mut self.has_empty, true);
        }
        loop {
            let there = &mut self.places[place];
            if *there == key {
                return false;
            }
            if *there == empty() {
                *there = key;
                self.count += 1;
                return true;
            }
            place += 1;
            if place == self.places.len() {
                place = 0;
            }
        }
    }

    /// Makes room for more keys, such that a quarter of the places stay empty.
    fn make_room(&mut self, more: usize) {
        let (places, count) = (self.places.len(), self.count + more);
        if 4 * count <= 3 * places {
            return;
        }
        let larger = grown(places).max(count * 4 / 3 + LEAST);
        let before = std::mem::replace(&mut self.places, vec![empty(); larger]);
        self.count = 0;
        for key in before.into_iter().filter(|&key| key != empty()) {
            self.put(key, self.place(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sets_have_each_key_once(
            lists in prop::collection::vec(prop::collection::vec(0..3_000u64, 0..2_000), 0..6),
            is_greatest_there: bool,
        ) {
            let mut lists = lists;
            if is_greatest_there {
                lists.push(vec![u64::MAX; 2]);
            }
            let (mut set, mut all) = (KeySet::default(), BTreeSet::new());
            for list in lists.chunks(2) {
                let mut fresh = set.add(list).concat();
                let expected: BTreeSet<u64> = list.concat().into_iter().collect();
                fresh.sort_unstable();
                prop_assert_eq!(fresh, expected.difference(&all).copied().collect::<Vec<_>>());
                all.extend(expected);
                prop_assert_eq!(set.len(), all.len());
            }
            let all: Vec<u64> = all.into_iter().collect();
            prop_assert!(set.parts().all(|part| part.is_sorted()));
            let mut parts = set.parts().collect::<Vec<_>>().concat();
            parts.sort_unstable();
            prop_assert_eq!(&parts, &all);
            prop_assert_eq!(&set.keys(), &all);
            prop_assert_eq!(set.finish(), all);
        }
    }
}
