//! What searches of Kalah remember: two bounds and a move for each position, in one atomic word.

use crate::games::words::Words;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Entries that share a cache line; a position may be in any of those of its line.
const LINE: usize = 8;

// An entry, from its low bits: lower bound, upper bound, best move, effort, tag. A word of zeros is
// a free entry; one that is in use and happens to be 0 is lost, which does no harm.
const UPPER: u32 = 8;
const MOVE: u32 = 16;
const EFFORT: u32 = 19;
const TAG: u32 = 24;
const TAG_BITS: u32 = 64 - TAG;
const MOST_EFFORT: u32 = 31;

/// What is known of a position: bounds of the seeds that its mover will get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub lower: u32,
    pub upper: u32,
    /// The pit that was good enough, or seemed best; one more than its distance to the store, or 0.
    pub best: u32,
}

/// A table of fixed size, a power of two of entries, shared by any number of threads without locks.
///
/// Two positions are never mistaken for each other. A position's number is scrambled by a bijection
/// of the numbers' bits; the low bits of the result choose the line and all others are the entry's
/// tag. So line and tag together give back the number, and equal tags in a line are equal
/// positions. As an entry is a single word, it is always read as it was written: whole. Threads
/// that write to a line at the same time can lose one of the entries, or keep two of the same
/// position, and either is harmless: each bound is true by itself.
pub struct Transpositions {
    words: Words,
    /// How many bits numbers have, and how many of them choose the line.
    number_bits: u32,
    line_bits: u32,
}

/// How many bits the numbers below `count` have.
fn bits_of(count: u64) -> u32 {
    (u64::BITS - (count - 1).leading_zeros()).max(1)
}

impl Transpositions {
    /// The bytes of the smallest table for numbers below `count`.
    pub fn least_bytes(count: u64) -> u64 {
        64 << bits_of(count).saturating_sub(TAG_BITS)
    }

    /// The largest table for numbers below `count` that takes no more than `bytes`, and
    /// `least_bytes` at least.
    ///
    /// # Errors
    /// If the system doesn't give as much memory.
    pub fn new(count: u64, bytes: u64) -> io::Result<Transpositions> {
        let number_bits = bits_of(count);
        let least = number_bits.saturating_sub(TAG_BITS);
        let lines = (bytes / 64).max(1).ilog2();
        let line_bits = lines.clamp(least, number_bits);
        Ok(Transpositions {
            words: Words::new(1 << line_bits)?,
            number_bits,
            line_bits,
        })
    }

    pub fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// The position's number scrambled: multiplication by an odd number and adding high bits to low
    /// ones both can be undone.
    #[inline]
    pub fn key(&self, number: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.number_bits);
        let half = self.number_bits.div_ceil(2);
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
        let mixed = (mixed ^ mixed >> half).wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        mixed ^ mixed >> half
    }

    #[inline]
    fn line(&self, key: u64) -> (&[AtomicU64; LINE], u64) {
        let line = (key & ((1 << self.line_bits) - 1)) as usize;
        (self.words.line(line), key >> self.line_bits)
    }

    /// Asks the memory for what is known of the position with this key, and doesn't wait for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.words
            .prefetch((key & ((1 << self.line_bits) - 1)) as usize);
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Known> {
        let (line, tag) = self.line(key);
        line.iter()
            .map(|entry| entry.load(Relaxed))
            .find(|&word| word >> TAG == tag && word != 0)
            .map(|word| Known {
                lower: (word & 0xff) as u32,
                upper: (word >> UPPER & 0xff) as u32,
                best: (word >> MOVE & 7) as u32,
            })
    }

    /// Adds what has been learnt about a position; `effort` is how many positions it took.
    pub fn learn(&self, key: u64, learnt: Known, effort: u64) {
        let (line, tag) = self.line(key);
        let effort = effort.max(1).ilog2().min(MOST_EFFORT);
        let mut place = 0;
        let mut least = u64::MAX;
        let (mut lower, mut upper) = (learnt.lower, learnt.upper);
        for (index, entry) in line.iter().enumerate() {
            let word = entry.load(Relaxed);
            if word >> TAG == tag && word != 0 {
                place = index;
                lower = lower.max((word & 0xff) as u32);
                upper = upper.min((word >> UPPER & 0xff) as u32);
                break;
            }
            // The entry that was the least effort goes; a free one took none.
            let effort = if word == 0 {
                0
            } else {
                1 + (word >> EFFORT & 31)
            };
            if effort < least {
                least = effort;
                place = index;
            }
        }
        let word = tag << TAG
            | u64::from(effort) << EFFORT
            | u64::from(learnt.best) << MOVE
            | u64::from(upper) << UPPER
            | u64::from(lower);
        line[place].store(word, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lower: u32, upper: u32, best: u32) -> Known {
        Known { lower, upper, best }
    }

    #[test]
    fn no_two_numbers_have_the_same_key() {
        for bits in [1, 2, 7, 16] {
            let table = Transpositions::new(1 << bits, 0).unwrap();
            let mut seen = vec![false; 1 << bits];
            for number in 0..1 << bits {
                let key = table.key(number) as usize;
                assert!(!std::mem::replace(&mut seen[key], true));
            }
        }
    }

    /// Numbers of as many bits as can be, in tables as small as can be: what is found is never
    /// another position's.
    #[test]
    fn positions_are_never_mistaken_for_each_other() {
        for bits in [12, 30, 41, 44, 50] {
            let count = 1u64 << bits;
            let table = Transpositions::new(count, 0).unwrap();
            assert_eq!(table.bytes(), Transpositions::least_bytes(count));
            let value = |number: u64| known((number % 100) as u32, 100 + (number % 97) as u32, 3);
            // Neighbours, and numbers that differ in high bits only.
            let numbers = (0..2000).map(|i| i % 1000 + (i / 1000) * (count / 2));
            let mut found = 0;
            for number in numbers.clone() {
                table.learn(table.key(number), value(number), number % 50);
                assert_eq!(table.get(table.key(number)), Some(value(number)));
            }
            for number in numbers {
                if let Some(known) = table.get(table.key(number)) {
                    assert_eq!(known, value(number));
                    found += 1;
                }
            }
            assert!(found >= 8, "{found}");
        }
    }

    #[test]
    fn bounds_get_tighter_and_what_took_least_goes() {
        let table = Transpositions::new(1 << 20, 0).unwrap();
        table.learn(1, known(0, 20, 1), 10);
        table.learn(1, known(7, 48, 2), 10);
        assert_eq!(table.get(1), Some(known(7, 20, 2)));
        for key in 2..9 {
            table.learn(key, known(0, 9, 1), if key == 5 { 1 } else { 1000 });
        }
        table.learn(9, known(0, 9, 1), 1);
        assert_eq!(table.get(5), None);
        assert_eq!(table.get(1), Some(known(7, 20, 2)));
    }

    #[test]
    fn tables_are_powers_of_two_within_the_bytes() {
        for bytes in [64, 1000, 1 << 20, (1 << 20) + 12345] {
            let fits = Transpositions::new(1 << 40, bytes).unwrap().bytes();
            assert!(fits <= bytes && 2 * fits > bytes && fits.is_power_of_two());
        }
    }
}
