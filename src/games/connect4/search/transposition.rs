//! What searches of Connect Four remember: two bounds and a column for each position, in one atomic
//! word.

use crate::games::words::Words;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Entries that share a cache line; a position may be in any of those of its line.
const LINE: usize = 8;

// An entry, from its low bits: lower bound, upper bound, column, effort, tag. A word of zeros is a
// free entry; none that is in use is 0, because its upper bound isn't.
const UPPER: u32 = 6;
const COLUMN: u32 = 12;
const EFFORT: u32 = 17;
const TAG: u32 = 21;
const TAG_BITS: u32 = u64::BITS - TAG;
const SCORE_MASK: u64 = 63;
const COLUMN_MASK: u64 = 31;
const MOST_EFFORT: u32 = 15;
/// What is added to scores, so that none is negative and no upper bound is 0.
const OFFSET: i32 = 32;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The score is not lower.
    pub lower: i32,
    /// The score is not higher.
    pub upper: i32,
    /// The column that was good enough, or seemed best.
    pub column: u32,
}

/// A table of fixed size, a power of two of entries, shared by any number of threads without locks.
///
/// Two positions are never mistaken for each other. A position's key is scrambled by a bijection of
/// the keys' bits; the low bits of the result choose the line and all others are the entry's tag.
/// So line and tag together give back the key, and equal tags in a line are equal positions. As an
/// entry is a single word, it is always read as it was written: whole. Threads that write to a line
/// at the same time can lose one of the entries, or keep two of the same position, and either is
/// harmless: each bound is true by itself.
pub struct Transpositions {
    words: Words,
    /// How many bits keys have, and how many of them choose the line.
    key_bits: u32,
    line_bits: u32,
}

impl Transpositions {
    /// The bytes of the smallest table for keys of so many bits.
    pub fn least_bytes(key_bits: u32) -> u64 {
        64 << key_bits.saturating_sub(TAG_BITS)
    }

    /// The largest table for keys of so many bits that takes no more than `bytes`, and
    /// `least_bytes` at least; nothing if the system doesn't give as much memory.
    pub fn new(key_bits: u32, bytes: u64) -> Option<Transpositions> {
        let least = key_bits.saturating_sub(TAG_BITS);
        let lines = (bytes / 64).max(1).ilog2();
        let line_bits = lines.clamp(least, key_bits);
        Some(Transpositions {
            words: Words::new(1usize.checked_shl(line_bits)?).ok()?,
            key_bits,
            line_bits,
        })
    }

    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The key scrambled: multiplication by an odd number and adding high bits to low ones both can
    /// be undone.
    #[inline(always)]
    pub fn scrambled(&self, key: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.key_bits);
        let half = self.key_bits.div_ceil(2);
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
        let mixed = (mixed ^ mixed >> half).wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        mixed ^ mixed >> half
    }

    #[inline(always)]
    fn line(&self, scrambled: u64) -> (&[AtomicU64; LINE], u64) {
        let line = (scrambled & ((1 << self.line_bits) - 1)) as usize;
        (self.words.line(line), scrambled >> self.line_bits)
    }

    /// What is known of the position with this scrambled key.
    #[inline(always)]
    pub fn get(&self, scrambled: u64) -> Option<Known> {
        let (line, tag) = self.line(scrambled);
        line.iter()
            .map(|entry| entry.load(Relaxed))
            .find(|&word| word >> TAG == tag && word != 0)
            .map(|word| Known {
                lower: (word & SCORE_MASK) as i32 - OFFSET,
                upper: (word >> UPPER & SCORE_MASK) as i32 - OFFSET,
                column: (word >> COLUMN & COLUMN_MASK) as u32,
            })
    }

    /// Adds what has been learnt about a position; `effort` is how many positions it took.
    #[inline]
    pub fn learn(&self, scrambled: u64, learnt: Known, effort: u64) {
        let (line, tag) = self.line(scrambled);
        let effort = (effort.max(1).ilog2() / 2).min(MOST_EFFORT);
        let mut place = 0;
        let mut least = u64::MAX;
        let mut lower = (learnt.lower + OFFSET) as u64;
        let mut upper = (learnt.upper + OFFSET) as u64;
        for (index, entry) in line.iter().enumerate() {
            let word = entry.load(Relaxed);
            if word >> TAG == tag && word != 0 {
                place = index;
                lower = lower.max(word & SCORE_MASK);
                upper = upper.min(word >> UPPER & SCORE_MASK);
                break;
            }
            // The entry that was the least effort goes; a free one took none.
            let effort = if word == 0 {
                0
            } else {
                1 + (word >> EFFORT & 15)
            };
            if effort < least {
                least = effort;
                place = index;
            }
        }
        let word = tag << TAG
            | u64::from(effort) << EFFORT
            | u64::from(learnt.column) << COLUMN
            | upper << UPPER
            | lower;
        line[place].store(word, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lower: i32, upper: i32, column: u32) -> Known {
        Known {
            lower,
            upper,
            column,
        }
    }

    #[test]
    fn no_two_keys_are_the_same_scrambled() {
        for bits in [1, 2, 7, 16] {
            let table = Transpositions::new(bits, 0).unwrap();
            let mut seen = vec![false; 1 << bits];
            for key in 0..1 << bits {
                let scrambled = table.scrambled(key) as usize;
                assert!(!std::mem::replace(&mut seen[scrambled], true));
            }
        }
    }

    /// Keys of as many bits as can be, in tables as small as can be: what is found is never another
    /// position's.
    #[test]
    fn positions_are_never_mistaken_for_each_other() {
        for bits in [12, 30, 43, 49, 56] {
            let table = Transpositions::new(bits, 0).unwrap();
            assert_eq!(table.bytes(), Transpositions::least_bytes(bits));
            let of = |key: u64| known(-((key % 32) as i32), (key % 31) as i32, (key % 32) as u32);
            // Neighbours, and keys that differ in high bits only.
            let keys = (0..2000).map(|i| i % 1000 + (i / 1000) * (1 << (bits - 1)));
            let mut found = 0;
            for key in keys.clone() {
                table.learn(table.scrambled(key), of(key), key % 50);
                assert_eq!(table.get(table.scrambled(key)), Some(of(key)));
            }
            for key in keys {
                if let Some(known) = table.get(table.scrambled(key)) {
                    assert_eq!(known, of(key));
                    found += 1;
                }
            }
            assert!(found >= 8, "{found}");
        }
    }

    #[test]
    fn bounds_get_tighter_and_what_took_least_goes() {
        let mut table = Transpositions::new(20, 0).unwrap();
        table.learn(1, known(-9, 4, 1), 10);
        table.learn(1, known(-2, 31, 2), 10);
        assert_eq!(table.get(1), Some(known(-2, 4, 2)));
        for key in 2..9 {
            table.learn(key, known(0, 9, 1), if key == 5 { 1 } else { 1000 });
        }
        table.learn(9, known(0, 9, 1), 1);
        assert_eq!(table.get(5), None);
        assert_eq!(table.get(1), Some(known(-2, 4, 2)));
        table.clear();
        assert_eq!(table.get(1), None);
    }
}
