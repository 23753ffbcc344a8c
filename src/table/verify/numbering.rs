//! A whole table in memory, its entries numbered in the order of the file.
//!
//! Ranked: a bitmap of the present slots, tile after tile, with the number of entries before every
//! 512 slots. A slot finds its entry by counting bits. Keyed: the sorted keys.

use super::error::VerifyError;
use crate::game::{Progress, Slot};
use crate::table::bits::for_each_present;
use crate::table::format::{Plan, RankedPlan};
use crate::table::read::{Block, CheckedFile, NOT_YET, ReadError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

const GROUP_SLOTS: usize = 512;
const GROUP_WORDS: usize = GROUP_SLOTS / 64;
/// The entries of a keyed table that are one unit of work.
const UNIT_KEYS: u64 = 4096;

/// What an entry belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Slot(Slot),
    Key(u128),
}

pub struct Numbering<'a> {
    order: Order<'a>,
    codes: Vec<AtomicU8>,
}

enum Order<'a> {
    Ranked {
        plan: &'a RankedPlan,
        /// The first group of each block, and the number of groups at the end.
        groups: Vec<u64>,
        present: Vec<[u64; GROUP_WORDS]>,
        /// The entries before each group, and all at the end.
        before: Vec<u64>,
    },
    Keyed {
        keys: Vec<u128>,
    },
}

/// The bytes that a table takes in memory together with three bits for each entry, and what reading
/// it takes.
fn memory_needed(file: &CheckedFile) -> Result<(u128, u64), ReadError> {
    let entries = u128::from(file.entries());
    let bits = 3 * (entries / 8 + 8) + u128::from(file.reading_memory());
    Ok(match file.plan() {
        Plan::Ranked(plan) => {
            let mut groups = 0;
            for block in 0..plan.blocks {
                if !file.is_empty(block)? {
                    groups += plan.tile(block).slots().div_ceil(GROUP_SLOTS) as u64;
                }
            }
            let bytes =
                u128::from(groups) * (GROUP_SLOTS as u128 / 8 + 8) + u128::from(plan.blocks) * 8;
            (bytes + entries + bits, groups)
        }
        Plan::Keyed(_) => (17 * entries + bits, 0),
    })
}

impl<'a> Numbering<'a> {
    /// Reads the whole table and checks its sums, after having made sure that it fits into `memory`
    /// bytes.
    pub fn load(
        file: &'a CheckedFile,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Numbering<'a>, VerifyError> {
        let (needed, groups) = memory_needed(file)?;
        let too_much = || VerifyError::Memory {
            path: file.path().to_owned(),
            needed: u64::try_from(needed).unwrap_or(u64::MAX),
            allowed: memory,
        };
        if needed > u128::from(memory) {
            return Err(too_much());
        }
        let entries = file.entries() as usize;
        let mut codes: Vec<AtomicU8> = Vec::new();
        codes.try_reserve_exact(entries).map_err(|_| too_much())?;
        let mut order = match file.plan() {
            Plan::Ranked(plan) => {
                let mut present = Vec::new();
                present
                    .try_reserve_exact(groups as usize)
                    .map_err(|_| too_much())?;
                Order::Ranked {
                    plan,
                    groups: Vec::with_capacity(plan.blocks as usize + 1),
                    present,
                    before: Vec::with_capacity(groups as usize + 1),
                }
            }
            Plan::Keyed(_) => {
                let mut keys = Vec::new();
                keys.try_reserve_exact(entries).map_err(|_| too_much())?;
                Order::Keyed { keys }
            }
        };
        file.scan(progress, |block| {
            match (&mut order, &block) {
                (
                    Order::Ranked {
                        groups,
                        present,
                        before,
                        ..
                    },
                    Block::Tile(_) | Block::Derived(_),
                ) => {
                    let (bits, slots) = match &block {
                        Block::Tile(tile) => (&tile.present, Some(&tile.codes)),
                        Block::Derived(tile) => (&tile.present, None),
                        Block::Keyed(_) => return,
                    };
                    groups.push(present.len() as u64);
                    if bits.iter().all(|&word| word == 0) {
                        return;
                    }
                    for (number, words) in bits.chunks(GROUP_WORDS).enumerate() {
                        let mut group = [0; GROUP_WORDS];
                        group[..words.len()].copy_from_slice(words);
                        present.push(group);
                        before.push(codes.len() as u64);
                        for_each_present(words, |index| {
                            let code = slots.map_or(NOT_YET, |s| s[number * GROUP_SLOTS + index]);
                            codes.push(AtomicU8::new(code));
                        });
                    }
                }
                (Order::Keyed { keys }, Block::Keyed(block)) => {
                    keys.extend(&block.keys);
                    codes.extend(block.codes.iter().map(|&code| AtomicU8::new(code)));
                }
                // A file decodes blocks of its own layout only.
                (Order::Ranked { .. }, Block::Keyed(_))
                | (Order::Keyed { .. }, Block::Tile(_) | Block::Derived(_)) => {}
            }
        })?;
        if let Order::Ranked {
            groups,
            present,
            before,
            ..
        } = &mut order
        {
            groups.push(present.len() as u64);
            before.push(codes.len() as u64);
        }
        Ok(Numbering { order, codes })
    }

    /// How many entries have each code, in each segment whose codes the table leaves out. All must
    /// have been derived.
    pub fn counts_of_derived(&self) -> BTreeMap<u32, Box<[u64; 256]>> {
        let mut counts: BTreeMap<u32, Box<[u64; 256]>> = BTreeMap::new();
        let Order::Ranked {
            plan,
            groups,
            before,
            ..
        } = &self.order
        else {
            return counts;
        };
        for block in 0..plan.blocks {
            let (first, end) = (groups[block as usize], groups[block as usize + 1]);
            let segment = plan.tile(block).segment;
            if first == end || !plan.is_derived(segment) {
                continue;
            }
            let counts = counts.entry(segment).or_insert_with(|| Box::new([0; 256]));
            for entry in before[first as usize]..before[end as usize] {
                counts[usize::from(self.code(entry))] += 1;
            }
        }
        counts
    }

    /// How many entries.
    pub fn entries(&self) -> u64 {
        self.codes.len() as u64
    }

    /// The code of an entry: as stored, or where codes are left out as kept by [`Numbering::keep`],
    /// and before that [`NOT_YET`].
    #[inline]
    pub fn code(&self, entry: u64) -> u8 {
        self.codes[entry as usize].load(Ordering::Relaxed)
    }

    /// Keeps a derived code; every thread derives the same.
    #[inline]
    pub fn keep(&self, entry: u64, code: u8) {
        self.codes[entry as usize].store(code, Ordering::Relaxed);
    }

    /// The entry at a place.
    #[inline]
    pub fn find(&self, place: Place) -> Option<u64> {
        match (&self.order, place) {
            (
                Order::Ranked {
                    plan,
                    groups,
                    present,
                    before,
                },
                Place::Slot(slot),
            ) => {
                let (block, index) = plan.locate(slot)?;
                let (first, end) = (groups[block as usize], groups[block as usize + 1]);
                if first == end {
                    return None;
                }
                let number = first as usize + index / GROUP_SLOTS;
                let group = &present[number];
                let (word, bit) = (index % GROUP_SLOTS / 64, index % 64);
                if group[word] >> bit & 1 == 0 {
                    return None;
                }
                let whole: u32 = group[..word].iter().map(|word| word.count_ones()).sum();
                let part = (group[word] & ((1 << bit) - 1)).count_ones();
                Some(before[number] + u64::from(whole + part))
            }
            (Order::Keyed { keys }, Place::Key(key)) => {
                keys.binary_search(&key).ok().map(|entry| entry as u64)
            }
            _ => None,
        }
    }

    /// How many units of work the entries are split into, in their order.
    pub fn units(&self) -> u64 {
        match &self.order {
            Order::Ranked { plan, .. } => plan.blocks,
            Order::Keyed { keys } => (keys.len() as u64).div_ceil(UNIT_KEYS),
        }
    }

    /// Calls `each` with those entries of a unit that are `wanted`, in their order.
    #[inline]
    pub fn walk(&self, unit: u64, wanted: &Bits, mut each: impl FnMut(u64, Place)) {
        match &self.order {
            Order::Ranked {
                plan,
                groups,
                present,
                before,
            } => {
                let (first, end) = (
                    groups[unit as usize] as usize,
                    groups[unit as usize + 1] as usize,
                );
                if !wanted.any(before[first], before[end]) {
                    return;
                }
                let shape = plan.tile(unit);
                for number in first..end {
                    if !wanted.any(before[number], before[number + 1]) {
                        continue;
                    }
                    let mut entry = before[number];
                    for_each_present(&present[number], |index| {
                        if wanted.get(entry) {
                            each(
                                entry,
                                Place::Slot(shape.slot((number - first) * GROUP_SLOTS + index)),
                            );
                        }
                        entry += 1;
                    });
                }
            }
            Order::Keyed { keys } => {
                let start = unit * UNIT_KEYS;
                let end = (start + UNIT_KEYS).min(keys.len() as u64);
                if !wanted.any(start, end) {
                    return;
                }
                for entry in start..end {
                    if wanted.get(entry) {
                        each(entry, Place::Key(keys[entry as usize]));
                    }
                }
            }
        }
    }

    /// The place of one entry.
    pub fn place(&self, entry: u64) -> Option<Place> {
        match &self.order {
            Order::Ranked {
                plan,
                groups,
                present,
                before,
            } => {
                let number = before
                    .partition_point(|&count| count <= entry)
                    .checked_sub(1)?;
                let mut left = entry - before[number];
                let mut index = None;
                for_each_present(present.get(number)?, |slot| {
                    if left == 0 && index.is_none() {
                        index = Some(slot);
                    }
                    left = left.saturating_sub(1);
                });
                // Of several blocks that start at this group, the last one has it.
                let block = groups
                    .partition_point(|&first| first <= number as u64)
                    .checked_sub(1)?;
                let index = (number - groups[block] as usize) * GROUP_SLOTS + index?;
                Some(Place::Slot(plan.tile(block as u64).slot(index)))
            }
            Order::Keyed { keys } => keys.get(entry as usize).copied().map(Place::Key),
        }
    }
}

/// One bit for each entry, set from any thread.
pub struct Bits(Vec<AtomicU64>);

impl Bits {
    pub fn new(count: u64) -> Bits {
        let mut words = Vec::new();
        words.resize_with(count.div_ceil(64) as usize, AtomicU64::default);
        Bits(words)
    }

    #[inline]
    pub fn get(&self, index: u64) -> bool {
        self.0[(index / 64) as usize].load(Ordering::Relaxed) >> (index % 64) & 1 == 1
    }

    /// Sets a bit and says whether it was clear before.
    #[inline]
    pub fn set(&self, index: u64) -> bool {
        let (word, bit) = (&self.0[(index / 64) as usize], 1 << (index % 64));
        // Most bits are set already: a look costs less than a write.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Whether any bit from `start` up to `end` (exclusive) is set; may also say yes for a
    /// neighbour within a word.
    #[inline]
    pub fn any(&self, start: u64, end: u64) -> bool {
        let words = &self.0[(start / 64) as usize..end.div_ceil(64) as usize];
        words.iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    /// The first index below `count` whose bit is clear.
    pub fn first_clear(&self, count: u64) -> Option<u64> {
        let word = self
            .0
            .iter()
            .position(|word| word.load(Ordering::Relaxed) != !0)?;
        let index =
            word as u64 * 64 + u64::from(self.0[word].load(Ordering::Relaxed).trailing_ones());
        (index < count).then_some(index)
    }

    /// The bits, 64 to a word, the first in the lowest bit.
    pub fn into_words(self) -> Vec<u64> {
        self.0.into_iter().map(AtomicU64::into_inner).collect()
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|word| *word.get_mut() = 0);
    }
}
