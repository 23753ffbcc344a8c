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
