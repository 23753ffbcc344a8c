//! The classes found, by layers.

use super::keys::{Key, SortedRuns};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::OnceLock;
use std::vec;

/// The classes of one layer that belong to this process.
#[derive(Default)]
pub struct Layer<K> {
    /// The keys, in ascending order.
    pub keys: Vec<K>,
    /// Codes of their scores in the game's score range: none yet, or one per key of
    /// [`ScoreRange::code_bytes`](crate::game::ScoreRange::code_bytes), the lowest byte first.
    pub codes: Vec<u8>,
    /// An index by the keys' high bits, built at the first look-up.
    ///
    /// The start of each group of keys with the same high bits, and the number of remaining low
    /// bits.
    starts: OnceLock<(Vec<u32>, u32)>,
}

impl<K: Key> Layer<K> {
    pub fn bytes(&self) -> usize {
        let starts = self.starts.get().map_or(0, |(starts, _)| starts.len());
        self.keys.len() * size_of::<K>() + self.codes.len() + 4 * starts
    }

    /// Returns the index of a key of `bits` bits, if it is there. There must be fewer than 2^32
    /// keys.
    pub fn find(&self, key: K, bits: u32) -> Option<usize> {
        let (starts, shift) = self.starts.get_or_init(|| starts(&self.keys, bits));
        let high = key.wide().unbounded_shr(*shift) as usize;
        let start = *starts.get(high)? as usize;
        let end = *starts.get(high + 1)? as usize;
        let found = self.keys[start..end].binary_search(&key).ok()?;
        Some(start + found)
    }
}

fn starts<K: Key>(keys: &[K], bits: u32) -> (Vec<u32>, u32) {
    /// Approximate number of keys with the same high bits.
    const TOGETHER: usize = 8;
    let high_bits = (keys.len() / TOGETHER).max(1).ilog2().min(bits);
    let shift = bits - high_bits;
    let all = (1 << high_bits) + 1;
    let mut starts = Vec::with_capacity(all);
    for (index, key) in (0..).zip(keys) {
        let high = key.wide().unbounded_shr(shift) as usize;
        starts.resize(starts.len().max(high + 1), index);
    }
    starts.resize(all, keys.len() as u32);
    (starts, shift)
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
    pub open: BTreeMap<u32, SortedRuns<K>>,
    /// Whether the owners have received the classes from which the walk starts.
    pub is_planted: bool,
    /// Whether all classes are found.
    pub is_all: bool,
}

/// Returns a code from its bytes, which may be followed by others.
pub fn code_of(bytes: &[u8], width: usize) -> u32 {
    let bytes = bytes[..width].iter().rev();
    bytes.fold(0, |code, &byte| code << 8 | u32::from(byte))
}

/// Appends the bytes of a code.
pub fn put_code(code: u32, width: usize, out: &mut Vec<u8>) {
    out.extend(&code.to_le_bytes()[..width]);
}

/// The classes of a process and the codes of their scores, in the order of keys.
pub struct SortedClasses<K> {
    layers: Vec<(vec::IntoIter<K>, vec::IntoIter<u8>)>,
    /// Bytes of a code.
    width: usize,
    /// The next key of each layer that has one.
    next: BinaryHeap<Reverse<(K, usize)>>,
}

impl<K: Key> SortedClasses<K> {
    /// Sorts the classes of these layers, which all have scores.
    pub fn new(layers: Layers<K>, width: usize) -> SortedClasses<K> {
        let layers = layers.into_values();
        let layers = layers.map(|layer| (layer.keys.into_iter(), layer.codes.into_iter()));
        let mut layers: Vec<_> = layers.collect();
        let firsts = layers.iter_mut().enumerate();
        let next = firsts.filter_map(|(number, (keys, _))| Some(Reverse((keys.next()?, number))));
        SortedClasses {
            next: next.collect(),
            layers,
            width,
        }
    }
}

impl<K: Key> Iterator for SortedClasses<K> {
    type Item = (K, u32);

    fn next(&mut self) -> Option<(K, u32)> {
        let mut first = self.next.peek_mut()?;
        let Reverse((key, number)) = *first;
        let (keys, codes) = &mut self.layers[number];
        let code = code_of(codes.as_slice(), self.width);
        codes.nth(self.width - 1);
        match keys.next() {
            Some(next) => *first = Reverse((next, number)),
            None => drop(PeekMut::pop(first)),
        }
        Some((key, code))
    }
}
