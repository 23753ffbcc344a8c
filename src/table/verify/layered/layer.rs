//! One layer of a ranked table in memory: for each entry a byte with its code and what the proof
//! knows of it.

use crate::table::bits::for_each_present;
use crate::table::read::Block;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The bits of a byte that hold a code, or one of the values below.
pub const VALUE: u8 = 0x3f;
/// A slot without an entry, in a tile that has a byte for each slot.
const VACANT: u8 = 0x3f;
/// No score has been derived yet.
pub const NONE: u8 = 0x3e;
/// The codes that a segment may have.
pub const MOST_CODES: usize = 0x3e;
/// Of a code that is left out: it is not the best of all moves yet. Of one that is kept: a move
/// attains it.
pub const FLAG: u8 = 0x40;
/// The entry can be reached: it is a root, or a move of another entry leads to it.
pub const MARK: u8 = 0x80;

const GROUP_WORDS: usize = 6;
const GROUP_SLOTS: usize = 64 * GROUP_WORDS;

/// Slots of a tile, in one line of the processor's cache.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Group {
    present: [u64; GROUP_WORDS],
    /// The entries of the tile before the group.
    before: u64,
    /// The entries of the group before each of its words, ten bits each.
    within: u64,
}

/// The entries of one block. Where nearly all slots have one, there is a byte for every slot, which
/// takes one access less.
#[derive(Default)]
pub struct LayerTile {
    groups: Box<[Group]>,
    bytes: Box<[AtomicU8]>,
}

/// At most the bytes of memory that a tile takes beyond one for each entry.
pub fn overhead(slots: u64) -> u64 {
    slots.div_ceil(GROUP_SLOTS as u64) * size_of::<Group>() as u64 + 64
}

/// At most the bytes of memory that a tile takes, however many entries it has.
pub fn most_bytes(slots: u64) -> u64 {
    slots.next_multiple_of(64) + 2 * size_of::<Group>() as u64
}

impl LayerTile {
    /// A tile whose entries have no marks.
    pub fn new(block: &Block) -> LayerTile {
        let (present, codes) = match block {
            Block::Tile(tile) => (&tile.present, Some(&tile.codes)),
            Block::Derived(tile) => (&tile.present, None),
            Block::Keyed(_) => return LayerTile::default(),
        };
        let slots = 64 * present.len();
        let count: u32 = present.iter().map(|word| word.count_ones()).sum();
        if count == 0 {
            return LayerTile::default();
        }
        let byte = |index: usize| AtomicU8::new(codes.map_or(FLAG | NONE, |codes| codes[index]));
        if slots - count as usize <= slots / GROUP_WORDS {
            let mut bytes: Vec<AtomicU8> = Vec::with_capacity(slots);
            bytes.resize_with(slots, || AtomicU8::new(VACANT));
            for_each_present(present, |index| bytes[index] = byte(index));
            return LayerTile {
                groups: Box::default(),
                bytes: bytes.into(),
            };
        }
        let mut bytes = Vec::with_capacity(count as usize);
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
        for_each_present(present, |index| bytes.push(byte(index)));
        LayerTile {
            groups: groups.into(),
            bytes: bytes.into(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The byte of a slot, if the slot has an entry. In a tile with a byte for every slot only the
    /// byte tells: [`is_vacant`].
    #[inline]
    pub fn byte(&self, index: usize) -> Option<&AtomicU8> {
        if self.groups.is_empty() {
            return self.bytes.get(index);
        }
        let group = &self.groups[index / GROUP_SLOTS];
        let (word, bit) = (index % GROUP_SLOTS / 64, index % 64);
        let bits = group.present[word];
        if bits >> bit & 1 == 0 {
            return None;
        }
        let here = (bits & ((1 << bit) - 1)).count_ones();
        let before = group.before + (group.within >> (10 * word) & 0x3ff);
        Some(&self.bytes[before as usize + here as usize])
    }

    /// Calls `each` with the index of each slot that has an entry, and its byte, in order.
    #[inline]
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(usize, &'a AtomicU8)) {
        if self.groups.is_empty() {
            for (index, byte) in self.bytes.iter().enumerate() {
                if !is_vacant(byte.load(Relaxed)) {
                    each(index, byte);
                }
            }
            return;
        }
        let mut bytes = self.bytes.iter();
        for (number, group) in self.groups.iter().enumerate() {
            for_each_present(&group.present, |index| {
                if let Some(byte) = bytes.next() {
                    each(number * GROUP_SLOTS + index, byte);
                }
            });
        }
    }

    /// The bytes of all its entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &AtomicU8> {
        let bytes = self.bytes.iter();
        bytes.filter(|byte| !is_vacant(byte.load(Relaxed)))
    }
}

/// Whether a byte is that of a slot without an entry.
#[inline]
pub fn is_vacant(byte: u8) -> bool {
    byte & VALUE == VACANT
}

/// Sets bits of an entry's byte, and says whether any of them was clear.
#[inline]
pub fn set(byte: &AtomicU8, bits: u8) -> bool {
    // Most are set already: a look costs less than a write.
    byte.load(Relaxed) & bits != bits && byte.fetch_or(bits, Relaxed) & bits != bits
}

/// Sets bits of an entry's byte while no other thread looks at it.
#[inline]
pub fn set_alone(byte: &AtomicU8, bits: u8) {
    byte.store(byte.load(Relaxed) | bits, Relaxed);
}

/// Puts a value and flag in place of those before while no other thread looks at them; the mark
/// stays.
#[inline]
pub fn put_alone(byte: &AtomicU8, value: u8) {
    byte.store(byte.load(Relaxed) & MARK | value, Relaxed);
}

/// Puts a value and flag in place of those before; the mark stays.
#[inline]
pub fn put(byte: &AtomicU8, value: u8) {
    let new = |old| Some(old & MARK | value);
    // It always succeeds, for it always has a new value.
    let _ = byte.fetch_update(Relaxed, Relaxed, new);
}
