//! The classes found, by layers.

use super::keys::Key;
use super::set::KeySet;
use crate::bisection::{Samples, TOGETHER, together};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The classes of one layer that belong to this process.
#[derive(Default)]
pub struct Layer<K> {
    /// The keys, in ascending order.
    pub keys: Vec<K>,
    /// Codes of their scores in the game's score range: none yet, or one per key of
    /// [`ScoreRange::code_bytes`](crate::game::ScoreRange::code_bytes), the lowest byte first.
    pub codes: Vec<u8>,
    /// Copied at the first look-up.
    samples: OnceLock<Samples<K>>,
}

impl<K: Key> Layer<K> {
    pub fn bytes(&self) -> usize {
        // The samples are less than a fourteenth of the keys.
        self.keys.len() * 15 / 14 * size_of::<K>() + self.codes.len()
    }

    /// Returns the keys from number `start` on, with their codes, which take `width` bytes each.
    pub fn entries(&self, start: usize, width: usize) -> impl Iterator<Item = (K, u32)> {
        let codes = self.codes[start * width..].chunks_exact(width);
        let codes = codes.map(move |code| code_of(code, width));
        self.keys[start..].iter().copied().zip(codes)
    }

    /// Returns the indices of keys, or `None` if one isn't there.
    pub fn find_all(&self, wanted: &[K]) -> Option<Vec<usize>> {
        let samples = self.samples.get_or_init(|| Samples::of(&self.keys));
        let mut found = Vec::with_capacity(wanted.len());
        for wanted in wanted.chunks(TOGETHER) {
            let places = samples.find(&self.keys, &together(wanted.iter().copied()));
            for place in places.iter().take(wanted.len()) {
                found.push((*place)?);
            }
        }
        Some(found)
    }
}

/// Maps layers to stages such that no move leads to an earlier stage.
///
/// A game doesn't say in which direction its moves lead; the walk finds out by trying.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerOrder {
    /// Moves lead to the same or a higher layer: discs on the board.
    #[default]
    Up,
    /// Moves lead to the same or a lower layer: seeds on the board.
    Down,
    /// Moves lead anywhere: all layers are one stage.
    One,
}

impl LayerOrder {
    /// Returns the stage of a layer.
    pub fn stage_of(self, layer: u32) -> u32 {
        match self {
            LayerOrder::Up => layer,
            LayerOrder::Down => u32::MAX - 1 - layer,
            LayerOrder::One => 0,
        }
    }

    /// Returns the order to try next if a move leads to an earlier stage. The last can't fail.
    pub fn next(self) -> LayerOrder {
        match self {
            LayerOrder::Up => LayerOrder::Down,
            LayerOrder::Down | LayerOrder::One => LayerOrder::One,
        }
    }
}

/// Classes by their stages: the layers, in the order of solving.
pub type Layers<K> = BTreeMap<u32, Layer<K>>;

/// Returns the number of classes in these layers.
pub fn classes<K>(layers: &Layers<K>) -> usize {
    layers.values().map(|layer| layer.keys.len()).sum()
}

/// Returns the bytes of memory that these layers take.
pub fn bytes<K: Key>(layers: &Layers<K>) -> u64 {
    layers.values().map(Layer::bytes).sum::<usize>() as u64
}

/// The classes found so far.
#[derive(Default)]
pub struct FoundClasses<K> {
    /// Layers that are complete in all processes.
    pub layers: Layers<K>,
    /// Keys found of later layers.
    pub open: BTreeMap<u32, KeySet<K>>,
    /// Whether the owners have received the classes from which the walk starts.
    pub is_planted: bool,
    /// Whether all classes are found.
    pub is_all: bool,
}

/// Returns a code from its bytes, which may be followed by others.
#[inline]
pub fn code_of(bytes: &[u8], width: usize) -> u32 {
    let bytes = bytes[..width].iter().rev();
    bytes.fold(0, |code, &byte| code << 8 | u32::from(byte))
}

/// Appends the bytes of a code.
pub fn put_code(code: u32, width: usize, out: &mut Vec<u8>) {
    out.extend(&code.to_le_bytes()[..width]);
}

/// The classes of a process and the codes of their scores, taken in the order of keys.
pub struct SortedClasses<K> {
    /// All layers, and the number of classes of each that were taken.
    layers: Vec<(Layer<K>, usize)>,
    /// Bytes of a code.
    width: usize,
}

impl<K: Key> SortedClasses<K> {
    /// Creates the list for the classes of these layers, which all have scores.
    pub fn new(layers: Layers<K>, width: usize) -> SortedClasses<K> {
        let layers = layers.into_values().map(|layer| (layer, 0));
        SortedClasses {
            layers: layers.collect(),
            width,
        }
    }

    /// Returns a key up to which there are at most `most` more classes, or hardly more than that.
    ///
    /// It is the greatest key if all layers have few classes left.
    pub fn bound(&self, most: usize) -> K {
        let share = most / self.layers.len().max(1);
        let bounds = self.layers.iter();
        let bounds = bounds.filter_map(|(layer, taken)| layer.keys.get(taken + share));
        bounds.min().copied().unwrap_or_else(|| K::of(u128::MAX))
    }

    /// Takes the classes with keys up to `last`, in any order.
    pub fn take(&mut self, last: K) -> Vec<(K, u32)> {
        let mut all = Vec::new();
        for (layer, taken) in &mut self.layers {
            let rest = layer.entries(*taken, self.width);
            let count = layer.keys[*taken..].partition_point(|&key| key <= last);
            all.extend(rest.take(count));
            *taken += count;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_found_if_all_are_there(
            keys in prop::collection::btree_set(0..300u64, 0..200),
            wanted in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
            missing in 0..300u64,
        ) {
            let layer = Layer { keys: keys.into_iter().collect(), ..Layer::default() };
            let there = |index: prop::sample::Index| layer.keys.get(index.index(layer.keys.len().max(1)));
            let mut wanted: Vec<u64> = wanted.into_iter().filter_map(there).copied().collect();
            for _ in 0..2 {
                let places = wanted.iter().map(|key| layer.keys.binary_search(key).ok());
                prop_assert_eq!(layer.find_all(&wanted), places.collect::<Option<Vec<usize>>>());
                wanted.push(missing);
            }
        }
    }
}
