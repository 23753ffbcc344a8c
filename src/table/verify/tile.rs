//! The entries of one block in memory: codes, and flags of the proof.

use crate::table::format::for_each_present;
use crate::table::read::Block;
use bytemuck::allocation::zeroed_slice_box;
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

/// Flag whose meaning depends on the segment.
///
/// If the segment's codes are omitted, the value is not the best of all moves yet. If they are
/// stored, a move attains the score.
pub const FLAG: u32 = 1;

/// Flag of reachable entries, which are roots or follow a move of another entry.
pub const MARK: u32 = 2;

/// The bits of an omitted score that is not computed yet, without flags.
///
/// The bits above the flags are 0 in a slot without an entry, 1 here, and else a code plus 2.
pub const NONE: u32 = 1 << 2;

/// Returns the bits of a code, without flags; any of [`crate::game::MOST_CODES`] codes fits.
pub fn bits_of(code: u32) -> u32 {
    (code + 2) << 2
}

/// Returns the code in an entry's bits, if it has one.
#[inline]
pub fn code_of(bits: u32) -> Option<u32> {
    (bits >> 2).checked_sub(2)
}

/// Returns whether these are the bits of a slot without an entry.
#[inline]
pub fn is_vacant(bits: u32) -> bool {
    bits < NONE
}

/// Returns how many bytes each entry takes in memory, in a table with this many codes.
pub fn width_of(codes: u32) -> u64 {
    match bits_of(codes) {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

/// One of three types, for entries of one, two or four bytes.
#[derive(Clone, Copy)]
pub enum ByWidth<One, Two, Four> {
    One(One),
    Two(Two),
    Four(Four),
}

/// An entry in memory: its code, and flags for the proof.
pub type Entry<'a> = ByWidth<&'a AtomicU8, &'a AtomicU16, &'a AtomicU32>;

/// The entries of a tile.
type Entries = ByWidth<Box<[AtomicU8]>, Box<[AtomicU16]>, Box<[AtomicU32]>>;

/// Does the same whatever the width.
macro_rules! any_width {
    ($of:expr, $it:ident => $result:expr) => {
        match $of {
            ByWidth::One($it) => $result,
            ByWidth::Two($it) => $result,
            ByWidth::Four($it) => $result,
        }
    };
}

#[expect(clippy::unnecessary_cast, reason = "one width is `u32`")]
impl Entry<'_> {
    #[inline(always)]
    pub fn load(self) -> u32 {
        any_width!(self, number => number.load(Relaxed) as u32)
    }

    /// Replaces the bits while no other thread uses the entry.
    #[inline]
    pub fn store(self, bits: u32) {
        any_width!(self, number => number.store(bits as _, Relaxed));
    }

    pub fn code(self) -> Option<u32> {
        code_of(self.load())
    }

    /// Sets flags and returns the bits before.
    #[inline(always)]
    pub fn set(self, flags: u32) -> u32 {
        any_width!(self, number => {
            let old = number.load(Relaxed) as u32;
            // Most flags are set already, and a load is cheaper than an atomic update.
            match old & flags == flags {
                true => old,
                false => number.fetch_or(flags as _, Relaxed) as u32,
            }
        })
    }

    /// Replaces all bits but the mark.
    pub fn put(self, bits: u32) {
        any_width!(self, number => {
            let new = |old| Some((old as u32 & MARK | bits) as _);
            let _ = number.fetch_update(Relaxed, Relaxed, new);
        });
    }
}

impl Entries {
    /// Creates vacant entries.
    fn new(width: u64, count: usize) -> Entries {
        match width {
            1 => ByWidth::One(zeroed_slice_box(count)),
            2 => ByWidth::Two(zeroed_slice_box(count)),
            _ => ByWidth::Four(zeroed_slice_box(count)),
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        any_width!(self, entries => entries.len())
    }

    #[inline(always)]
    fn at(&self, index: usize) -> Entry<'_> {
        match self {
            ByWidth::One(entries) => ByWidth::One(&entries[index]),
            ByWidth::Two(entries) => ByWidth::Two(&entries[index]),
            ByWidth::Four(entries) => ByWidth::Four(&entries[index]),
        }
    }
}

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
pub struct LayerTile {
    groups: Box<[Group]>,
    entries: Entries,
}

/// Returns an upper limit for a tile's size without its entries, in bytes.
pub fn overhead(slots: u64) -> u64 {
    slots.div_ceil(GROUP_SLOTS as u64) * size_of::<Group>() as u64 + 64
}

/// Returns an upper limit for a tile's size with any number of entries, in bytes.
pub fn most_bytes(slots: u64, width: u64) -> u64 {
    slots.next_multiple_of(64) * width + 2 * size_of::<Group>() as u64
}

impl LayerTile {
    /// Creates a tile without marks.
    pub fn new(block: &Block, width: u64) -> LayerTile {
        let count = block.count() as usize;
        let bits = |index| block.code(index).map_or(FLAG | NONE, bits_of);
        let tile = |groups: Vec<Group>, entries| LayerTile {
            groups: groups.into(),
            entries: Entries::new(width, entries),
        };
        if count == 0 || !block.keys.is_empty() {
            let tile = tile(Vec::new(), count);
            (0..count).for_each(|index| tile.entries.at(index).store(bits(index)));
            return tile;
        }
        // If nearly all slots have entries, store a value for every slot.
        let present = &block.present;
        let slots = 64 * present.len();
        if slots - count <= slots / GROUP_WORDS {
            let tile = tile(Vec::new(), slots);
            block.for_each(|index| tile.entries.at(index).store(bits(index)));
            return tile;
        }
        // Otherwise store the entries one after the other, and the groups to find them.
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
        let tile = tile(groups, count);
        let mut next = 0..count;
        block.for_each(|index| {
            if let Some(number) = next.next() {
                tile.entries.at(number).store(bits(index));
            }
        });
        tile
    }

    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Returns the entry at an index, if there is one.
    ///
    /// In a tile with a value for every slot, the entry may be vacant ([`is_vacant`]).
    #[inline(always)]
    pub fn entry(&self, index: usize) -> Option<Entry<'_>> {
        if self.groups.is_empty() {
            return (index < self.entries.len()).then(|| self.entries.at(index));
        }
        let group = &self.groups[index / GROUP_SLOTS];
        let (word, bit) = (index % GROUP_SLOTS / 64, index % 64);
        let bits = group.present[word];
        if bits >> bit & 1 == 0 {
            return None;
        }
        let here = (bits & ((1 << bit) - 1)).count_ones();
        let before = group.before + (group.within >> (10 * word) & 0x3ff);
        Some(self.entries.at(before as usize + here as usize))
    }

    /// Calls `each` with the index of each entry and the entry, in order.
    #[inline]
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(usize, Entry<'a>)) {
        let mut entries = (0..self.entries.len()).map(|number| self.entries.at(number));
        if self.groups.is_empty() {
            let entries = entries.enumerate().filter(|(_, it)| !is_vacant(it.load()));
            return entries.for_each(|(index, entry)| each(index, entry));
        }
        for (number, group) in self.groups.iter().enumerate() {
            for_each_present(&group.present, |index| {
                if let Some(entry) = entries.next() {
                    each(number * GROUP_SLOTS + index, entry);
                }
            });
        }
    }

    /// Returns all entries in order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let entries = (0..self.entries.len()).map(|number| self.entries.at(number));
        entries.filter(|entry| !is_vacant(entry.load()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MOST_CODES;

    const MOST: u32 = MOST_CODES as u32;

    #[test]
    fn entries_have_all_codes_and_flags_in_any_width() {
        for (codes, width) in [(62, 1), (63, 2), (16_382, 2), (16_383, 4), (MOST, 4)] {
            assert_eq!(width_of(codes), width);
            let entries = Entries::new(width, 2);
            let entry = entries.at(1);
            assert!(is_vacant(entry.load()));
            for code in [0, codes - 1] {
                entry.store(bits_of(code));
                assert_eq!(
                    (entry.code(), entry.load() & MARK != 0),
                    (Some(code), false)
                );
                assert_eq!(entry.set(MARK), bits_of(code));
                entry.put(FLAG | NONE);
                assert_eq!(entry.load(), FLAG | MARK | NONE);
                assert_eq!((entry.code(), is_vacant(entry.load())), (None, false));
                entry.put(bits_of(code));
                assert_eq!((entry.code(), entry.load() & MARK != 0), (Some(code), true));
            }
            assert!(is_vacant(entries.at(0).load()));
        }
    }
}
