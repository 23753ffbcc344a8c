//! Numbers the arrangements of seeds in one side's pits.
//!
//! Arrangements of `seeds` seeds in `pits` pits are numbered in lexicographic order, pit 1 most
//! significant. This is the combinatorial number system for weak compositions. A move that scores
//! nothing only shifts seeds from a pit to pits nearer the store, so it always lowers the number.

pub(crate) use crate::games::kalah::MAX_PITS;
pub(crate) use crate::games::kalah::Pits;
use crate::games::kalah::sowing::{at, pits_of, seeds_at, word};
use crate::games::kalah::{MAX_TOTAL_SEEDS, sum};

/// The numbering for one number of pits and up to a number of seeds.
#[derive(Clone, Debug)]
pub struct Arrangements {
    pits: usize,
    max_seeds: usize,
    /// Numbers of arrangements with fewer seeds; see [`below`].
    below: Vec<Vec<u64>>,
    /// Contributions to an arrangement's number; see [`Arrangements::share`].
    ///
    /// Indexed by the seeds in the pit and those to its right, and then by pit.
    shares: Box<[[u64; 8]; 256]>,
}

impl Arrangements {
    /// Returns the numbering of arrangements of up to `max_seeds` seeds in `pits` pits.
    ///
    /// # Panics
    /// If `max_seeds` is more than 255, or `pits` is not 1 to 6.
    pub fn new(pits: usize, max_seeds: usize) -> Self {
        assert!((1..=MAX_PITS).contains(&pits) && max_seeds <= MAX_TOTAL_SEEDS);
        let below = below(pits, max_seeds).expect("six pits are few");
        // The number of an arrangement is the number of those before it. For each of its pits,
        // these are the arrangements with fewer seeds in that pit and the same seeds to its left.
        // If `left` seeds are in this pit and the `right` pits after it, and `after` seeds in those
        // alone, they number at_most(right, left) - at_most(right, after). The shares group these
        // differences by the pit where the counted seeds begin.
        let mut shares = Box::new([[0u64; 8]; 256]);
        for pit in 0..pits - 1 {
            let right = pits - 1 - pit;
            for (seeds, &at_most) in below[right].iter().enumerate() {
                let [here, next] = [pit, pit + 1].map(|pit| shares[seeds][pit]);
                shares[seeds][pit] = here.wrapping_add(at_most);
                shares[seeds][pit + 1] = next.wrapping_sub(at_most);
            }
        }
        Arrangements {
            pits,
            max_seeds,
            below,
            shares,
        }
    }

    /// Returns a pit's contribution to an arrangement's number, modulo 2^64.
    ///
    /// `seeds` are those in the pit and to its right.
    pub(in crate::games::kalah) fn share(&self, pit: usize, seeds: usize) -> u64 {
        self.shares[seeds][pit]
    }

    /// Returns the number of pits.
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// Returns the most seeds that can be numbered.
    pub fn max_seeds(&self) -> usize {
        self.max_seeds
    }

    /// Returns the number of arrangements of exactly this many seeds.
    pub fn count(&self, seeds: usize) -> usize {
        // Exactly `seeds` in `pits` pits is at most `seeds` in one pit fewer: the last pit takes
        // the rest.
        self.below[self.pits - 1][seeds] as usize
    }

    /// Returns the number of an arrangement, in `0..self.count(seeds)`.
    ///
    /// `seeds` must be the sum of its pits.
    ///
    /// # Panics
    /// If it has more seeds than [`Arrangements::max_seeds`].
    #[inline]
    pub fn index(&self, pits: &Pits, seeds: usize) -> usize {
        let (index, all) = self.number(pits).expect("too many seeds to be numbered");
        debug_assert_eq!(all, seeds);
        index
    }

    /// Returns an arrangement's number and its seeds; `None` if these are too many.
    #[inline]
    pub(in crate::games::kalah) fn number(&self, pits: &Pits) -> Option<(usize, usize)> {
        let all = sum(pits);
        if all > self.max_seeds {
            return None;
        }
        // Byte k counts the seeds in the last k + 1 pits: all of them at once by a multiplication.
        // No byte carries, because all seeds together are fewer than 256.
        let sums = (word(pits).swap_bytes() >> 16).wrapping_mul(0x0101_0101_0101_0101);
        // Pits beyond the game's are empty and contribute 0.
        let share = |pit: usize| self.shares[usize::from(at(sums, MAX_PITS - 1 - pit))][pit];
        let index = (0..MAX_PITS).map(share).fold(0, u64::wrapping_add);
        Some((index as usize, all))
    }

    /// Returns the arrangement after this one, or `None` after the last.
    #[inline]
    pub(in crate::games::kalah) fn next(&self, current: &Pits) -> Option<Pits> {
        let current = word(current);
        // The rightmost pit with seeds gives one of them to the pit on its left, and the rest to
        // the last pit.
        let right = (u64::BITS - 1).checked_sub(current.leading_zeros())? as usize / 8;
        let left = right.checked_sub(1)?;
        let in_pit = at(current, right);
        let rest = seeds_at(in_pit - 1, self.pits - 1);
        let without = current - seeds_at(in_pit, right);
        Some(pits_of(without + seeds_at(1, left) + rest))
    }

    /// Returns the arrangement with this number.
    ///
    /// # Panics
    /// If `index` is not below `self.count(seeds)`.
    pub fn arrangement(&self, index: usize, seeds: usize) -> Pits {
        assert!(index < self.count(seeds));
        let mut pits = [0; MAX_PITS];
        let mut left = seeds;
        let mut index = index as u64;
        for i in 0..self.pits - 1 {
            let at_most = &self.below[self.pits - 1 - i];
            let all = at_most[left];
            let mut after = left;
            // Find the largest content whose first arrangement is not beyond `index`.
            while after > 0 && all - at_most[after - 1] <= index {
                after -= 1;
            }
            index -= all - at_most[after];
            pits[i] = (left - after) as u8;
            left = after;
        }
        pits[self.pits - 1] = left as u8;
        pits
    }

    /// Returns all arrangements of this many seeds, in order.
    pub fn all(&self, seeds: usize) -> impl Iterator<Item = Pits> + '_ {
        let mut next = Some({
            let mut first = [0; MAX_PITS];
            first[self.pits - 1] = seeds as u8;
            first
        });
        std::iter::from_fn(move || {
            let current = next?;
            next = self.next(&current);
            Some(current)
        })
    }
}

/// Returns `below[i][r]`: the arrangements of at most `r` seeds in `i` pits.
///
/// It is C(r + i, i). `None` if a number doesn't fit in 64 bits.
pub(in crate::games::kalah) fn below(pits: usize, max_seeds: usize) -> Option<Vec<Vec<u64>>> {
    let mut below = vec![vec![1u64; max_seeds + 1]];
    for fewer in 0..pits {
        let mut sum = 0u64;
        let row = below[fewer].iter().map(|&count| {
            sum = sum.checked_add(count)?;
            Some(sum)
        });
        below.push(row.collect::<Option<_>>()?);
    }
    Some(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_a_bijection_in_lexicographic_order() {
        for pits in 1..=MAX_PITS {
            let numbering = Arrangements::new(pits, 9);
            for seeds in 0..=9 {
                let all: Vec<Pits> = numbering.all(seeds).collect();
                assert_eq!(all.len(), numbering.count(seeds));
                assert!(all.is_sorted_by(|a, b| a < b));
                for (index, pits) in all.iter().enumerate() {
                    assert_eq!(pits.iter().map(|&n| usize::from(n)).sum::<usize>(), seeds);
                    assert_eq!(numbering.index(pits, seeds), index);
                    assert_eq!(numbering.arrangement(index, seeds), *pits);
                }
            }
        }
    }
}
