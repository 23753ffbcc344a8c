//! Which classes are known to be reached, of layers that are not in memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the entries of a segment are.
#[derive(Clone)]
pub(super) struct Home {
    pub(super) layer: usize,
    /// The number among the layer's tiles of the segment's first.
    pub(super) first: usize,
}

/// What is known of a layer before it is read.
pub struct Outline {
    /// Its number in the game.
    pub layer: u32,
    /// Its segments, in the order of the file.
    pub segments: Vec<u32>,
    pub entries: u64,
    /// The bytes of memory that it takes at most.
    pub bytes: u64,
}

/// Which entries of a finished layer can be reached, as far as is known, while the layer is not in
/// memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Marks {
    /// It has not been looked at.
    #[default]
    Unknown,
    /// All but these, by their numbers in the layer.
    AllBut(Vec<u64>),
    /// A bit for each entry that is not marked.
    Clear(Vec<u64>),
}

impl Outline {
    /// At most the bytes that its marks take as a list or in bits.
    pub(super) fn most_marks(&self) -> u64 {
        self.entries / 8 + 64
    }
}

impl Marks {
    pub fn bytes(&self) -> u64 {
        match self {
            Marks::Unknown => 0,
            Marks::AllBut(list) | Marks::Clear(list) => 8 * list.len() as u64,
        }
    }

    /// The number of the first entry that is not marked.
    pub fn first_clear(&self) -> Option<u64> {
        match self {
            Marks::Unknown => Some(0),
            Marks::AllBut(list) => list.first().copied(),
            Marks::Clear(bits) => {
                let word = bits.iter().position(|&word| word != 0)?;
                Some(64 * word as u64 + u64::from(bits[word].trailing_zeros()))
            }
        }
    }
}

/// One bit for each entry, set from any thread.
pub(super) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub fn new(count: u64) -> Bits {
        let mut words = Vec::new();
        words.resize_with(count.div_ceil(64) as usize, AtomicU64::default);
        Bits(words)
    }

    pub fn set(&self, index: u64) {
        self.0[(index / 64) as usize].fetch_or(1 << (index % 64), Relaxed);
    }

    /// The bits, 64 to a word, the first in the lowest bit.
    pub fn into_words(self) -> Vec<u64> {
        self.0.into_iter().map(AtomicU64::into_inner).collect()
    }
}
