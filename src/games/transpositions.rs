//! A lock-free transposition table with one atomic word per position.

use super::pages::{Atomics, Pages, prefetch};
use crate::game::{SearchError, SearchSetup, SolveError};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Entries per line, which is half a cache line.
///
/// A position may be in any entry of its line.
const LINE: usize = 4;
/// Size of a line in bytes.
const LINE_BYTES: u64 = 8 * LINE as u64;
/// Least effort, in positions, of the entries worth saving: some milliseconds.
const WORTH_SAVING: u64 = 1 << 12;

/// Two bounds and a move of a position, as numbers that are never negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownBounds {
    /// Lower bound of the score.
    pub lower: u32,
    /// Upper bound of the score.
    pub upper: u32,
    /// The move that was good enough, or seemed best.
    pub best: u32,
}

/// A table of fixed size, shared by any number of threads without locks.
///
/// The number of entries is a power of two. An entry has these parts, from its low bits up: `SCORE`
/// bits for each of the bounds, `MOVE` bits for the move and `EFFORT` bits for the effort. The
/// remaining bits are its tag. A word of zeros is a free entry. An entry whose word happens to be 0
/// is lost, which does no harm.
///
/// Two positions are never mistaken for each other. A bijection of the key's bits scrambles a
/// position's key. The low bits of the result choose the line, and all others are the tag. So line
/// and tag together determine the key, and equal tags in a line mean equal positions. An entry is a
/// single word, so a read never sees half of a write. Threads that write to a line at the same time
/// can lose an entry or save one position twice. Both are harmless, because each bound is true by
/// itself.
pub struct Transpositions<const SCORE: u32, const MOVE: u32, const EFFORT: u32> {
    words: Atomics,
    /// Bits of a key, and the number of those that choose the line.
    key_bits: u32,
    line_bits: u32,
}

/// Returns the number of bits of the numbers below `count`, at least 1.
pub fn bits_of(count: u64) -> u32 {
    (u64::BITS - (count - 1).leading_zeros()).max(1)
}

#[inline(always)]
fn low(word: u64, bits: u32) -> u64 {
    word & ((1 << bits) - 1)
}

impl<const SCORE: u32, const MOVE: u32, const EFFORT: u32> Transpositions<SCORE, MOVE, EFFORT> {
    const UPPER: u32 = SCORE;
    const MOVE: u32 = 2 * SCORE;
    const EFFORT: u32 = 2 * SCORE + MOVE;
    const TAG: u32 = 2 * SCORE + MOVE + EFFORT;
    const TAG_BITS: u32 = u64::BITS - Self::TAG;

    /// Returns the size in bytes of the smallest table for keys of this many bits.
    pub fn least_bytes(key_bits: u32) -> u64 {
        LINE_BYTES << key_bits.saturating_sub(Self::TAG_BITS)
    }

    /// Returns the largest table for keys of `key_bits` bits within `bytes`.
    ///
    /// The table takes at least `least_bytes`, even if that is more.
    ///
    /// # Errors
    /// If the system can't provide the memory.
    pub fn new(key_bits: u32, bytes: u64) -> Result<Self, SolveError> {
        let least = key_bits.saturating_sub(Self::TAG_BITS);
        let lines = (bytes / LINE_BYTES).max(1).ilog2();
        let line_bits = lines.clamp(least, key_bits);
        let words = LINE.checked_shl(line_bits);
        let words = words.filter(|words| words >> line_bits == LINE);
        Ok(Transpositions {
            words: Atomics::new(words.unwrap_or(usize::MAX), Pages::Large)?,
            key_bits,
            line_bits,
        })
    }

    /// Writes the entries that took at least [`WORTH_SAVING`] positions.
    ///
    /// Threads may tighten bounds meanwhile.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        const { assert!(Self::TAG <= 32) }
        let least = Self::effort(WORTH_SAVING);
        for (index, entry) in self.words.iter().enumerate() {
            let word = entry.load(Relaxed);
            if low(word >> Self::EFFORT, EFFORT) >= least {
                let line = (index / LINE) as u64;
                let scrambled = (word >> Self::TAG) << self.line_bits | line;
                out.write_all(&scrambled.to_le_bytes())?;
                out.write_all(&(low(word, Self::TAG) as u32).to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Learns the entries that a table of any size has saved for the same keys.
    ///
    /// # Errors
    /// Those of `input`, and [`io::ErrorKind::InvalidData`] if a key is too long.
    pub fn resume(&self, input: &mut dyn BufRead) -> io::Result<()> {
        let mut bytes = [0; 12];
        while !input.fill_buf()?.is_empty() {
            input.read_exact(&mut bytes)?;
            let scrambled = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            if scrambled >> self.key_bits != 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let word = u64::from(u32::from_le_bytes(bytes[8..].try_into().unwrap()));
            let effort = low(word >> Self::EFFORT, EFFORT) << 5_u32.saturating_sub(EFFORT);
            self.learn(scrambled, Self::known(word), 1 << effort);
        }
        Ok(())
    }

    /// Returns the highest bits of the logarithm of a number of positions, as an entry stores it.
    #[inline(always)]
    fn effort(positions: u64) -> u64 {
        let effort = positions.max(1).ilog2() >> 5_u32.saturating_sub(EFFORT);
        u64::from(effort.min((1 << EFFORT) - 1))
    }

    #[inline(always)]
    fn known(word: u64) -> KnownBounds {
        KnownBounds {
            lower: low(word, SCORE) as u32,
            upper: low(word >> Self::UPPER, SCORE) as u32,
            best: low(word >> Self::MOVE, MOVE) as u32,
        }
    }

    /// Returns the largest table for keys of `key_bits` bits within the setup's memory.
    ///
    /// # Errors
    /// If the memory is too little for any table, or the system can't provide it.
    pub fn for_search(key_bits: u32, setup: &SearchSetup) -> Result<Self, SearchError> {
        SearchError::check_memory(Self::least_bytes(key_bits), setup.memory)?;
        Ok(Self::new(key_bits, setup.memory)?)
    }

    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// Clears all entries.
    pub fn clear(&mut self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Returns the scrambled key.
    ///
    /// This is a bijection: multiplying by an odd number and adding high bits to low ones can both
    /// be undone.
    #[inline(always)]
    pub fn scrambled(&self, key: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.key_bits);
        let half = self.key_bits.div_ceil(2);
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
        let mixed = (mixed ^ mixed >> half).wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        mixed ^ mixed >> half
    }

    /// Returns the line of a scrambled key, and the key's tag.
    #[inline(always)]
    fn line(&self, scrambled: u64) -> (&[AtomicU64; LINE], u64) {
        let line = low(scrambled, self.line_bits) as usize;
        (&self.words.as_chunks().0[line], scrambled >> self.line_bits)
    }

    /// Loads the line of this scrambled key into the cache without waiting for it.
    #[inline]
    pub fn prefetch(&self, scrambled: u64) {
        prefetch(&self.line(scrambled).0[0]);
    }

    /// Returns the entry of the position with this scrambled key.
    #[inline(always)]
    pub fn get(&self, scrambled: u64) -> Option<KnownBounds> {
        let (line, tag) = self.line(scrambled);
        let (_, word) = Self::hit(line, tag)?;
        (word != 0).then(|| Self::known(word))
    }

    /// Returns the first place of a tag in a line, and the entry's word.
    ///
    /// Tag 0 may be found in a free entry. Free entries come after all others.
    ///
    /// All entries are compared, because the processor can't predict which one it is.
    #[inline(always)]
    fn hit(line: &[AtomicU64; LINE], tag: u64) -> Option<(usize, u64)> {
        let hits = (0..LINE).fold(0, |hits, at| {
            hits | u32::from(line[at].load(Relaxed) >> Self::TAG == tag) << at
        });
        let at = hits.trailing_zeros() as usize % LINE;
        // Another thread may have replaced the entry meanwhile.
        let word = line[at].load(Relaxed);
        (hits != 0 && word >> Self::TAG == tag).then_some((at, word))
    }

    /// Tightens a position's bounds.
    ///
    /// `effort` is the number of positions searched for them.
    #[inline]
    pub fn learn(&self, scrambled: u64, learnt: KnownBounds, effort: u64) {
        let (line, tag) = self.line(scrambled);
        let effort = Self::effort(effort);
        let (mut lower, mut upper) = (u64::from(learnt.lower), u64::from(learnt.upper));
        let place = if let Some((place, word)) = Self::hit(line, tag) {
            if word != 0 {
                lower = lower.max(low(word, SCORE));
                upper = upper.min(low(word >> Self::UPPER, SCORE));
            }
            place
        } else {
            // Replace the entry with the least effort; a free one counts as none.
            let least = (0..LINE).map(|at| {
                let word = line[at].load(Relaxed);
                let effort = low(word >> Self::EFFORT, EFFORT) + u64::from(word != 0);
                effort << 8 | at as u64
            });
            least.min().unwrap_or(0) as usize % LINE
        };
        let word = tag << Self::TAG
            | effort << Self::EFFORT
            | u64::from(learnt.best) << Self::MOVE
            | upper << Self::UPPER
            | lower;
        line[place].store(word, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Wide = Transpositions<8, 3, 5>;
    type Narrow = Transpositions<6, 5, 4>;

    fn known(lower: u32, upper: u32, best: u32) -> KnownBounds {
        KnownBounds { lower, upper, best }
    }

    #[test]
    fn no_two_keys_are_the_same_scrambled() {
        for bits in [1, 2, 7, 16] {
            let table = Wide::new(bits, 0).unwrap();
            let mut seen = vec![false; 1 << bits];
            for key in 0..1 << bits {
                let scrambled = table.scrambled(key) as usize;
                assert!(!std::mem::replace(&mut seen[scrambled], true));
            }
        }
    }

    /// Checks that a lookup never returns another position's entry.
    ///
    /// Keys are long and tables small.
    fn keys_are_never_mistaken<const SCORE: u32, const MOVE: u32, const EFFORT: u32>(
        bits: u32,
        of: impl Fn(u64) -> KnownBounds,
    ) {
        let table = Transpositions::<SCORE, MOVE, EFFORT>::new(bits, 0).unwrap();
        let least = Transpositions::<SCORE, MOVE, EFFORT>::least_bytes(bits);
        assert_eq!(table.bytes(), least);
        // Adjacent keys, and keys that differ only in their highest bit.
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
        assert!(found >= LINE, "{found}");
    }

    #[test]
    fn positions_are_never_mistaken_for_each_other() {
        for bits in [12, 30, 41, 44, 50] {
            let of = |key: u64| known((key % 100) as u32, 100 + (key % 97) as u32, 3);
            keys_are_never_mistaken::<8, 3, 5>(bits, of);
        }
        for bits in [12, 30, 43, 49, 56] {
            let of = |key: u64| {
                let [lower, above, best] = [key % 32, key % 31, key % 32].map(|it| it as u32);
                known(32 - lower, 32 + above, best)
            };
            keys_are_never_mistaken::<6, 5, 4>(bits, of);
        }
    }

    /// Several threads replace each other's entries in a single line while all look them up.
    #[test]
    fn threads_never_mistake_positions_for_each_other() {
        let table = Narrow::new(20, 0).unwrap();
        let of = |key: u64| known(key as u32 % 31, 32 + key as u32 % 31, key as u32 % 32);
        std::thread::scope(|scope| {
            for first in 1..4 {
                let table = &table;
                scope.spawn(move || {
                    for step in 0..100_000 {
                        let key = 1 + (first * 7919 + step * 31) % 64;
                        table.learn(key, of(key), step % 3);
                        let other = 1 + (key * 17 + step) % 64;
                        if let Some(found) = table.get(other) {
                            assert_eq!(found, of(other));
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn bounds_get_tighter_and_what_took_least_goes() {
        let mut table = Narrow::new(20, 0).unwrap();
        table.learn(1, known(0, 20, 1), 10);
        table.learn(1, known(7, 48, 2), 10);
        assert_eq!(table.get(1), Some(known(7, 20, 2)));
        for key in 2..=LINE as u64 {
            table.learn(key, known(0, 9, 1), if key == 3 { 1 } else { 1000 });
        }
        table.learn(99, known(0, 9, 1), 1);
        assert_eq!(table.get(3), None);
        assert_eq!(table.get(1), Some(known(7, 20, 2)));
        table.clear();
        assert_eq!(table.get(1), None);
    }

    #[test]
    fn tables_are_powers_of_two_within_the_bytes() {
        for bytes in [64, 1000, 1 << 20, (1 << 20) + 12345] {
            let fits = Wide::new(40, bytes).unwrap().bytes();
            assert!(fits <= bytes && 2 * fits > bytes && fits.is_power_of_two());
        }
    }

    /// Saves what took effort, and learns it again in tables of other sizes.
    #[test]
    fn entries_that_took_effort_are_saved() {
        let table = Narrow::new(43, 1 << 20).unwrap();
        let key = |number: u64| table.scrambled(number.wrapping_mul(0x1234_5678_9abc) % (1 << 43));
        for number in 0..1000 {
            let effort = if number % 2 == 0 { WORTH_SAVING } else { 1 };
            table.learn(key(number), known(number as u32 % 32, 40, 3), effort);
        }
        let mut saved = Vec::new();
        table.save(&mut saved).unwrap();
        for bytes in [1 << 19, 1 << 20, 1 << 21] {
            let other = Narrow::new(43, bytes).unwrap();
            other.resume(&mut &saved[..]).unwrap();
            for number in 0..1000 {
                let expected = (number % 2 == 0).then(|| known(number as u32 % 32, 40, 3));
                assert_eq!(other.get(key(number)), expected);
            }
            let mut again = Vec::new();
            other.save(&mut again).unwrap();
            assert_eq!(again.len(), saved.len());
        }
        assert!(Narrow::new(20, 0).unwrap().resume(&mut &saved[..]).is_err());
        assert!(table.resume(&mut &saved[..saved.len() - 1]).is_err());
    }
}
