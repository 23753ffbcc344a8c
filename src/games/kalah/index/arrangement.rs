//! Numbering the ways to spread seeds over one side's pits.
//!
//! Arrangements of `seeds` seeds in `pits` pits are numbered in lexicographic order, pit 1 most
//! significant: the combinatorial number system for weak compositions. A move that scores nothing
//! only shifts seeds from a pit to pits nearer the store, so it always lowers the number.

pub use crate::games::kalah::{MAX_PITS, Pits};

/// The numbering for one number of pits and up to a number of seeds.
#[derive(Clone, Debug)]
pub struct Arrangements {
    pits: usize,
    max_seeds: usize,
    /// `below[i][r]`: arrangements of at most `r` seeds in `i` pits, C(r + i, i); at index
    /// `i * (max_seeds + 1) + r`.
    below: Vec<u64>,
}

impl Arrangements {
    /// The numbering of arrangements of up to `max_seeds` seeds in `pits` pits, 1 to 6.
    #[must_use]
    pub fn new(pits: usize, max_seeds: usize) -> Self {
        assert!((1..=MAX_PITS).contains(&pits));
        let width = max_seeds + 1;
        let mut below = vec![1u64; (pits + 1) * width];
        for i in 1..=pits {
            for r in 1..width {
                below[i * width + r] = below[(i - 1) * width + r] + below[i * width + r - 1];
            }
        }
        Arrangements {
            pits,
            max_seeds,
            below,
        }
    }

    fn at_most(&self, pits: usize, seeds: usize) -> u64 {
        self.below[pits * (self.max_seeds + 1) + seeds]
    }

    /// How many pits.
    #[must_use]
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// The most seeds that can be numbered.
    #[must_use]
    pub fn max_seeds(&self) -> usize {
        self.max_seeds
    }

    /// How many arrangements of exactly this many seeds there are.
    #[must_use]
    pub fn count(&self, seeds: usize) -> usize {
        // Exactly `seeds` in `pits` pits is at most `seeds` in one pit fewer: the last pit takes
        // the rest.
        self.at_most(self.pits - 1, seeds) as usize
    }

    /// The number of an arrangement of `seeds` seeds (which must be their sum),
    /// `0..self.count(seeds)`.
    #[must_use]
    pub fn index(&self, pits: &Pits, seeds: usize) -> usize {
        let mut left = seeds;
        let mut index = 0;
        for (i, &in_pit) in pits[..self.pits - 1].iter().enumerate() {
            let right = self.pits - 1 - i;
            let after = left - usize::from(in_pit);
            index += self.at_most(right, left) - self.at_most(right, after);
            left = after;
        }
        index as usize
    }

    /// The arrangement with this number.
    ///
    /// # Panics
    /// If `index` is not below `self.count(seeds)`.
    #[must_use]
    pub fn arrangement(&self, index: usize, seeds: usize) -> Pits {
        assert!(index < self.count(seeds));
        let mut pits = [0; MAX_PITS];
        let mut left = seeds;
        let mut index = index as u64;
        for i in 0..self.pits - 1 {
            let right = self.pits - 1 - i;
            let all = self.at_most(right, left);
            let mut after = left;
            // The largest content whose first arrangement is not beyond `index`.
            while after > 0 && all - self.at_most(right, after - 1) <= index {
                after -= 1;
            }
            index -= all - self.at_most(right, after);
            pits[i] = (left - after) as u8;
            left = after;
        }
        pits[self.pits - 1] = left as u8;
        pits
    }

    /// All arrangements of this many seeds, in order.
    pub fn all(&self, seeds: usize) -> impl Iterator<Item = Pits> + '_ {
        let mut next = Some({
            let mut first = [0; MAX_PITS];
            first[self.pits - 1] = seeds as u8;
            first
        });
        let last = self.pits - 1;
        std::iter::from_fn(move || {
            let current = next?;
            let mut following = current;
            // The rightmost pit that has seeds to its right gets one of them; the rest goes to the
            // last pit.
            let mut right = following[last];
            let mut pit = last;
            next = loop {
                if pit == 0 {
                    break None;
                }
                pit -= 1;
                if right > 0 {
                    following[pit] += 1;
                    following[pit + 1..=last].fill(0);
                    following[last] = right - 1;
                    break Some(following);
                }
                right += following[pit];
            };
            Some(current)
        })
    }
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
