//! The entries of one block in memory: codes, and flags of the proof.

use crate::table::format::for_each_present;
use crate::table::read::Block;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// The place of an entry: its segment, its block, and its index in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryPlace {
    pub segment: u32,
    pub index: u32,
    pub block: u64,
}

impl EntryPlace {
    #[inline]
    pub fn new(segment: u32, block: u64, index: usize) -> EntryPlace {
        EntryPlace {
            segment,
            index: index as u32,
            block,
        }
    }
}

/// An entry in memory: its code, and bits for the proof.
///
/// It takes one byte, or two or four if there are many codes.
pub trait Entry: Default + Send + Sync {
    /// Mask of the bits for a code or one of the values below.
    const VALUE: u32;
    /// Value of a slot without an entry, in a tile with a value for each slot.
    const VACANT: u32 = Self::VALUE;
    /// Value of an omitted score that is not computed yet.
    const NONE: u32 = Self::VALUE - 1;
    /// Flag whose meaning depends on the segment.
    ///
    /// If the segment's codes are omitted, the value is not the best of all moves yet. If they are
    /// stored, a move attains the score.
    const FLAG: u32 = Self::VALUE + 1;
    /// Flag of reachable entries, which are roots or follow a move of another entry.
    const MARK: u32 = 2 * Self::FLAG;

    fn new(bits: u32) -> Self;
    fn load(&self) -> u32;
    /// Replaces the bits while no other thread uses the entry.
    fn store(&self, bits: u32);
    /// Replaces the bits atomically and returns the old ones.
    fn update(&self, new: impl Fn(u32) -> u32) -> u32;

    fn value(&self) -> u32 {
        self.load() & Self::VALUE
    }

    /// Sets bits and returns whether any of them was clear.
    #[inline]
    fn set(&self, bits: u32) -> bool {
        // Most bits are set already, and a load is cheaper than an atomic update.
        self.load() & bits != bits && self.update(|old| old | bits) & bits != bits
    }

    #[inline]
    fn is_marked(&self) -> bool {
        self.load() & Self::MARK != 0
    }

    /// Replaces the value but not the mark.
    #[inline]
    fn put(&self, value: u32) {
        self.update(|old| old & Self::MARK | value);
    }

    /// Replaces the value but not the mark, while no other thread uses the entry.
    #[inline]
    fn put_alone(&self, value: u32) {
        self.store(self.load() & Self::MARK | value);
    }
}

/// Returns whether these are the bits of a slot without an entry.
#[inline]
pub fn is_vacant<E: Entry>(bits: u32) -> bool {
    bits & E::VALUE == E::VACANT
}

/// Makes atomic numbers of a width entries.
macro_rules! entry {
    ($atomic:ident of $number:ident, $value:literal) => {
        impl Entry for $atomic {
            const VALUE: u32 = $value;

            #[inline]
            fn new(bits: u32) -> $atomic {
                $atomic::new(bits as $number)
            }

            #[inline]
            fn load(&self) -> u32 {
                $atomic::load(self, Relaxed) as u32
            }

            #[inline]
            fn store(&self, bits: u32) {
                $atomic::store(self, bits as $number, Relaxed);
            }

            #[inline]
            fn update(&self, new: impl Fn(u32) -> u32) -> u32 {
                let new = |old: $number| Some(new(old as u32) as $number);
                self.fetch_update(Relaxed, Relaxed, new)
                    .unwrap_or_else(|old| old) as u32
            }
        }
    };
}

entry!(AtomicU8 of u8, 0x3f);
entry!(AtomicU16 of u16, 0x1ff);
entry!(AtomicU32 of u32, 0x3fff_ffff);

const GROUP_WORDS: usize = 6;
const GROUP_SLOTS: usize = 64 * GROUP_WORDS;

/// A group of a tile's slots, in one cache line.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Group {
    present: [u64; GROUP_WORDS],
    /// Number of entries in the tile before the group.
    before: u64,
    /// Numbers of entries in the group before each of its words, ten bits each.
    within: u64,
}

/// The entries of one block.
///
/// If nearly all slots have entries, there is a value for every slot, which saves a memory access.
#[derive(Default)]
pub struct LayerTile<E> {
    groups: Box<[Group]>,
    entries: Box<[E]>,
}

/// Returns an upper limit for a tile's size without its entries, in bytes.
pub fn overhead(slots: u64) -> u64 {
    slots.div_ceil(GROUP_SLOTS as u64) * size_of::<Group>() as u64 + 64
}

/// Returns an upper limit for a tile's size with any number of entries, in bytes.
pub fn most_bytes<E>(slots: u64) -> u64 {
    slots.next_multiple_of(64) * size_of::<E>() as u64 + 2 * size_of::<Group>() as u64
}

impl<E: Entry> LayerTile<E> {
    /// Creates a tile without marks.
    pub fn new(block: &Block) -> LayerTile<E> {
        let count = block.count() as usize;
        if count == 0 {
            return LayerTile::default();
        }
        let entry = |index| E::new(block.code(index).unwrap_or(E::FLAG | E::NONE));
        if !block.keys.is_empty() {
            return LayerTile {
                groups: Box::default(),
                entries: (0..count).map(entry).collect(),
            };
        }
        // If nearly all slots have entries, store a value for every slot.
        let present = &block.present;
        let slots = 64 * present.len();
        if slots - count <= slots / GROUP_WORDS {
            let mut entries: Vec<E> = Vec::with_capacity(slots);
            entries.resize_with(slots, || E::new(E::VACANT));
            block.for_each(|index| entries[index] = entry(index));
            return LayerTile {
                groups: Box::default(),
                entries: entries.into(),
            };
        }
        // Otherwise store the entries one after the other, and the groups to find them.
        let mut entries = Vec::with_capacity(count);
        let mut groups = Vec::with_capacity(present.len().div_ceil(GROUP_WORDS));
        let mut before = 0;
        for words in present.chunks(GROUP_WORDS) {
            let mut group = Group {
                present: [0; GROUP_WORDS],
                before,
                within: 0,
            };
            let mut within = 0;
            for (number, &word) in words.iter().enumerate() {
                group.present[number] = word;
                group.within |= within << (10 * number);
                within += u64::from(word.count_ones());
            }
            before += within;
            groups.push(group);
        }
        block.for_each(|index| entries.push(entry(index)));
        LayerTile {
            groups: groups.into(),
            entries: entries.into(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry at an index, if there is one.
    ///
    /// In a tile with a value for every slot, the entry may be vacant ([`is_vacant`]).
    #[inline]
    pub fn entry(&self, index: usize) -> Option<&E> {
        if self.groups.is_empty() {
            return self.entries.get(index);
        }
        let group = &self.groups[index / GROUP_SLOTS];
        let (word, bit) = (index % GROUP_SLOTS / 64, index % 64);
        let bits = group.present[word];
        if bits >> bit & 1 == 0 {
            return None;
        }
        let here = (bits & ((1 << bit) - 1)).count_ones();
        let before = group.before + (group.within >> (10 * word) & 0x3ff);
        Some(&self.entries[before as usize + here as usize])
    }

    /// Calls `each` with the index of each entry and the entry, in order.
    #[inline]
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(usize, &'a E)) {
        if self.groups.is_empty() {
            for (index, entry) in self.entries.iter().enumerate() {
                if !is_vacant::<E>(entry.load()) {
                    each(index, entry);
                }
            }
            return;
        }
        let mut entries = self.entries.iter();
        for (number, group) in self.groups.iter().enumerate() {
            for_each_present(&group.present, |index| {
                if let Some(entry) = entries.next() {
                    each(number * GROUP_SLOTS + index, entry);
                }
            });
        }
    }

    /// Returns all entries in order.
    pub fn entries(&self) -> impl Iterator<Item = &E> {
        let entries = self.entries.iter();
        entries.filter(|entry| !is_vacant::<E>(entry.load()))
    }
}
