//! Numbers of positions: the transposition table's keys.

use super::board::{Board, sums};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::arrangement::below;

/// A dense numbering of all positions with up to some number of seeds on the board.
///
/// It is the combinatorial number system. Put the pits of both sides in a row, and let `c_i` be the
/// seeds in the pits up to pit `i`, plus `i`. These values ascend strictly, and every strictly
/// ascending `c_0 < c_1 < …` has the unique number `Σ C(c_i, i + 1)`.
pub struct Numbers {
    pits: usize,
    /// `terms[i][sum] = C(sum + i, i + 1)`, 0 for pits that the game doesn't have.
    mover: Box<[[u64; 256]; MAX_PITS]>,
    opponent: Box<[[u64; 256]; MAX_PITS]>,
    count: u64,
}

impl Numbers {
    /// Returns the numbering, or `None` if the numbers don't fit in 64 bits.
    pub fn new(pits: usize, seeds: usize) -> Option<Numbers> {
        let below = below(2 * pits, seeds)?;
        // C(sum + i, i + 1) is the number of arrangements with a smaller sum in one pit more.
        let side = |first: usize| {
            let mut terms = Box::new([[0; 256]; MAX_PITS]);
            for (terms, below) in terms.iter_mut().zip(&below[first + 1..][..pits]) {
                terms[1..=seeds].copy_from_slice(&below[..seeds]);
            }
            terms
        };
        Some(Numbers {
            pits,
            mover: side(0),
            opponent: side(pits),
            count: below[2 * pits][seeds],
        })
    }

    /// Returns the number of positions; their numbers are below it.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of a position with at most the numbering's seeds.
    #[inline]
    pub fn of(&self, board: Board) -> u64 {
        let mover = sums(board.mover);
        let opponent = sums(board.opponent);
        let before = mover[self.pits - 1];
        let mut number = 0;
        for pit in 0..MAX_PITS {
            number += self.mover[pit][usize::from(mover[pit])];
            number += self.opponent[pit][usize::from(before.wrapping_add(opponent[pit]))];
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::index::Arrangements;

    #[test]
    fn all_positions_have_numbers_of_their_own() {
        for (pits, seeds) in [(1, 60), (2, 12), (3, 7), (6, 5)] {
            let numbers = Numbers::new(pits, seeds).unwrap();
            let arrangements = Arrangements::new(pits, seeds);
            let mut seen = vec![false; numbers.count() as usize];
            for mover_seeds in 0..=seeds {
                for opponent_seeds in 0..=seeds - mover_seeds {
                    for mover in arrangements.all(mover_seeds) {
                        for opponent in arrangements.all(opponent_seeds) {
                            let number = numbers.of(Board::new(pits, &mover, &opponent));
                            assert!(!std::mem::replace(&mut seen[number as usize], true));
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&seen| seen));
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_refused() {
        // C(218, 12) is below 2^64, C(219, 12) above.
        assert!(Numbers::new(6, 206).is_some());
        assert!(Numbers::new(6, 207).is_none());
    }
}
