//! Endgame scores for packed positions.

use super::board::{Board, sums};
use super::endgame::Endgame;
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::index::Arrangements;

/// An endgame, arranged for many probes.
pub struct Probe<'a> {
    pits: usize,
    seeds: usize,
    /// What the seeds in the pits up to `d` steps before the store add to an arrangement's number,
    /// modulo 2^32.
    terms: Box<[[u32; 256]; MAX_PITS]>,
    /// By the mover's and the opponent's seeds; those of finished positions are empty.
    codes: Vec<(&'a [u8], [u32; 2])>,
}

impl<'a> Probe<'a> {
    pub fn new(pits: usize, endgame: &'a Endgame) -> Probe<'a> {
        let seeds = endgame.seeds();
        let mut codes = Vec::with_capacity((seeds + 1) * (seeds + 1));
        for mover in 0..=seeds {
            for opponent in 0..=seeds {
                let none = mover == 0 || opponent == 0 || mover + opponent > seeds;
                codes.push(if none {
                    (&[][..], [0, 0])
                } else {
                    endgame.codes(mover, opponent)
                });
            }
        }
        Probe {
            pits,
            seeds,
            terms: terms(pits, seeds),
            codes,
        }
    }

    /// The most seeds on the board.
    pub fn seeds(&self) -> u32 {
        self.seeds as u32
    }

    /// Where the score of an unfinished position with at most `seeds()` seeds on the board is.
    #[inline]
    pub fn place(&self, board: Board) -> (usize, usize) {
        let (mover, opponent) = (sums(board.mover), sums(board.opponent));
        let last = self.pits - 1;
        let split = usize::from(mover[last]) * (self.seeds + 1) + usize::from(opponent[last]);
        let (_, [mover_step, opponent_step]) = self.codes[split];
        let at = self.number(mover) as usize * mover_step as usize
            + self.number(opponent) as usize * opponent_step as usize;
        (split, at)
    }

    /// The seeds that the mover will get there.
    #[inline]
    pub fn at(&self, split: usize, at: usize) -> u32 {
        u32::from(self.codes[split].0[at])
    }

    #[cfg(test)]
    pub fn mover_gets(&self, board: Board) -> u32 {
        let (split, at) = self.place(board);
        self.at(split, at)
    }

    /// The number of an arrangement, as [`Arrangements::index`] gives it.
    #[inline]
    fn number(&self, sums: [u8; 8]) -> u32 {
        let mut number = 0u32;
        for (terms, sum) in self.terms.iter().zip(sums) {
            number = number.wrapping_add(terms[usize::from(sum)]);
        }
        number
    }
}

/// [`Arrangements::index`] is, with `m` pits, `S_d` the seeds in the pits up to `d` steps before
/// the store and `A(d, s)` the number of ways to put at most `s` seeds in `d` pits, the sum over
/// `d = 1..m` of `A(d, S_d) - A(d, S_(d-1))`. Here it is taken apart into what each `S_d` adds.
fn terms(pits: usize, seeds: usize) -> Box<[[u32; 256]; MAX_PITS]> {
    // The ways to put exactly so many seeds in one pit more are those of at most so many in these.
    let at_most = |pits: usize| -> Vec<u32> {
        let numbering = Arrangements::new((pits + 1).min(MAX_PITS), seeds);
        (0..=seeds)
            .map(|seeds| numbering.count(seeds) as u32)
            .collect()
    };
    let mut all = Box::new([[0u32; 256]; MAX_PITS]);
    for (distance, terms) in all.iter_mut().enumerate() {
        if (1..pits).contains(&distance) {
            for (term, ways) in terms.iter_mut().zip(at_most(distance)) {
                *term = term.wrapping_add(ways);
            }
        }
        if distance + 1 < pits {
            for (term, ways) in terms.iter_mut().zip(at_most(distance + 1)) {
                *term = term.wrapping_sub(ways);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::NoProgress;

    #[test]
    fn probes_are_the_endgames_scores() {
        for (pits, seeds) in [(1, 30), (2, 15), (3, 9), (5, 8), (6, 7)] {
            for empty_capture in [false, true] {
                let endgame = Endgame::new(pits, seeds, empty_capture, &NoProgress).unwrap();
                let probe = Probe::new(pits, &endgame);
                let arrangements = Arrangements::new(pits, seeds);
                for mover_seeds in 1..seeds {
                    for opponent_seeds in 1..=seeds - mover_seeds {
                        for mover in arrangements.all(mover_seeds) {
                            for opponent in arrangements.all(opponent_seeds) {
                                let board = Board::new(pits, &mover, &opponent);
                                let score = 2 * probe.mover_gets(board) as i32
                                    - (mover_seeds + opponent_seeds) as i32;
                                assert_eq!(Some(score), endgame.score(&mover, &opponent));
                            }
                        }
                    }
                }
            }
        }
    }
}
