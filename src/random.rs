//! Random numbers whose sequences never change.
//!
//! The same seed gives the same numbers in any later version on any machine: the moves of the AI
//! `random:7`, for instance, or the sample of a `--seed`.
//!
//! The generator is PCG XSL RR 128/64 of M. E. O'Neill, "PCG: A Family of Simple Fast
//! Space-Efficient Statistically Good Algorithms for Random Number Generation" (2014), on the
//! stream of its reference program. Numbers below a limit follow D. Lemire, "Fast Random Integer
//! Generation in an Interval" (2019): they are exactly uniform, and rarely take a division.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;
use std::hash::{Hash, Hasher};

/// The stream of the reference program `check-pcg64.c`; a test has its output.
const STREAM: u128 = 54;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Pcg64);

impl Random {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Random {
        // `seed_from_u64` doesn't promise the same sequence in later versions.
        Random(Pcg64::new(seed.into(), STREAM))
    }

    /// Returns 64 uniform random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number below `limit`.
    ///
    /// # Panics
    /// If the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "there is no number below 0");
        loop {
            let product = u128::from(self.bits()) * u128::from(limit);
            // The upper half is the result. Rejecting the first 2^64 mod `limit` lower halves
            // leaves the same number of products for each upper half.
            let lower = product as u64;
            if lower >= limit || lower >= limit.wrapping_neg() % limit {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a uniform index into a sequence of length `len`.
    ///
    /// # Panics
    /// If `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }
}

/// Returns a hash of a value that is the same on any machine.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = Hash64(0);
    value.hash(&mut hasher);
    hasher.finish()
}

/// The hasher of the crate `rustc_hash` 2.1 on machines of 64 bits. On others, the crate's differs.
struct Hash64(u64);

impl Hash64 {
    fn add(&mut self, word: u64) {
        self.0 = self
            .0
            .wrapping_add(word)
            .wrapping_mul(0xf135_7aea_2e62_a9c5);
    }
}

/// Writes methods that add a number of at most 64 bits.
macro_rules! numbers {
    ($($method:ident: $type:ty),*) => { $(fn $method(&mut self, number: $type) {
        self.add(number as u64);
    })* };
}

impl Hasher for Hash64 {
    fn write(&mut self, bytes: &[u8]) {
        self.add(hash_bytes(bytes));
    }

    numbers! { write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_usize: usize }

    fn write_u128(&mut self, number: u128) {
        self.add(number as u64);
        self.add((number >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// Returns the hash of bytes that [`Hash64`] adds.
fn hash_bytes(bytes: &[u8]) -> u64 {
    let word = |at: usize, len: usize| {
        let bytes = bytes[at..at + len].iter().rev();
        bytes.fold(0, |word, &byte| (word << 8) | u64::from(byte))
    };
    let mix = |one: u64, other: u64| {
        let product = u128::from(one) * u128::from(other);
        product as u64 ^ (product >> 64) as u64
    };
    let len = bytes.len();
    let (mut one, mut other) = (0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344);
    // The last words may overlap those before.
    let (first, last) = match len {
        0 => (0, 0),
        1..=3 => (word(0, 1), (word(len - 1, 1) << 8) | word(len / 2, 1)),
        4..=7 => (word(0, 4), word(len - 4, 4)),
        8..=16 => (word(0, 8), word(len - 8, 8)),
        _ => {
            for at in (0..len - 16).step_by(16) {
                let second = word(at + 8, 8) ^ 0xa409_3822_299f_31d0;
                (one, other) = (other, mix(one ^ word(at, 8), second));
            }
            (word(len - 16, 8), word(len - 8, 8))
        }
    };
    mix(one ^ first, other ^ last) ^ len as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(seed: u64, count: usize) -> Vec<u64> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.bits()).collect()
    }

    /// Compares with the line "64bit" of the C program `check-pcg64.c` (pcg-random.org).
    #[test]
    fn bits_are_those_of_the_reference_program() {
        let wanted = [
            0x86b1_da1d_7206_2b68,
            0x1304_aa46_c985_3d39,
            0xa367_0e9e_0dd5_0358,
            0xf909_0e52_9a7d_ae00,
            0xc85b_9fd8_3799_6f2c,
            0x6061_21f8_e391_9196,
        ];
        assert_eq!(numbers(42, 6), wanted);
    }

    /// The expected numbers come from the papers' formulas, in Python's integers.
    #[test]
    fn sequences_stay_as_they_are() {
        assert_eq!(
            numbers(0, 2),
            [0x9b31_84d7_ee6b_acdb, 0x8b7b_271a_a476_9fd4]
        );
        assert_eq!(
            numbers(1, 2),
            [0x3150_032f_5c48_ac0a, 0x099b_2f21_d97d_b047]
        );
        assert_eq!(
            numbers(u64::MAX, 2),
            [0xee89_537e_cbd1_6900, 0xdcbe_53d8_a6c8_52e6]
        );
        let mut random = Random::new(42);
        let dice: Vec<u64> = (0..16).map(|_| random.below(6)).collect();
        assert_eq!(dice, [3, 0, 3, 5, 4, 2, 2, 4, 2, 4, 0, 0, 2, 5, 2, 2]);
        // This limit rejects a quarter of all outputs.
        let mut random = Random::new(42);
        let large = [(); 4].map(|()| random.below(3 << 62));
        let wanted = [
            1_027_805_555_724_643_818,
            5_208_652_089_926_692_144,
            6_749_020_072_270_004_107,
            11_012_287_714_512_921_802,
        ];
        assert_eq!(large, wanted);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn hashes_are_those_of_rustc_hash_on_64_bits() {
        use rustc_hash::FxBuildHasher;
        use std::hash::BuildHasher;

        let bytes: Vec<u8> = (0..100).map(|number| number * 2 + 11).collect();
        for len in 0..bytes.len() {
            let part = &bytes[..len];
            assert_eq!(hash(&part), FxBuildHasher.hash_one(part), "{len}");
        }
        let mixed = (
            1u8,
            2u16,
            (3u32, 4u64),
            5u128 << 70,
            6usize,
            -7i8,
            "eight",
            [9u16; 5],
        );
        assert_eq!(hash(&mixed), FxBuildHasher.hash_one(mixed));
    }

    #[test]
    fn numbers_below_a_limit_are_equally_likely() {
        let mut random = Random::new(1);
        let mut times = [0; 7];
        for _ in 0..70_000 {
            times[random.index(7)] += 1;
        }
        // A tolerance of five standard deviations, each 93.
        assert!(
            times.iter().all(|times| (9540..=10460).contains(times)),
            "{times:?}"
        );
        assert_eq!(random.below(1), 0);
        assert!((0..100).all(|_| random.below(u64::MAX) < u64::MAX));
    }
}
