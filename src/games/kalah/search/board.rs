//! Positions in two words, and their numbers, which are the transposition table's keys.
//!
//! A word holds one side's pits, one byte each: byte `d` is the pit `d` steps before the owner's
//! store. If a word is multiplied by `0x0101…01`, byte `d` of the product is the number of seeds in
//! the pits up to `d` steps before the store. Positions are numbered by these sums.

use crate::games::kalah::arrangement::below;
use crate::games::kalah::sowing::Sowings;
use crate::games::kalah::{MAX_PITS, Pits};

const ONES: u64 = 0x0101_0101_0101_0101;

/// The pits of the side to move and of the other side, without stores and players.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Board {
    pub mover: u64,
    pub opponent: u64,
}

impl Board {
    pub fn new(pits: usize, mover: &Pits, opponent: &Pits) -> Board {
        let word = |side: &Pits| {
            side[..pits]
                .iter()
                .fold(0, |word, &seeds| word << 8 | u64::from(seeds))
        };
        Board {
            mover: word(mover),
            opponent: word(opponent),
        }
    }

    /// Returns whether a side has no seeds.
    #[inline]
    pub fn is_finished(self) -> bool {
        self.mover == 0 || self.opponent == 0
    }

    /// Sows the pit `distance` steps before the store of the side to move.
    ///
    /// The pit must not be empty. The resulting board is seen from the next side to move. `sowings`
    /// must number pits by their distance to the store.
    #[inline]
    pub fn play(self, sowings: &Sowings, distance: usize) -> (Board, Effect) {
        let sown = sowings.sow(self.mover, self.opponent, distance);
        let (mover, opponent) = match sown.turns {
            true => (sown.other, sown.own),
            false => (sown.own, sown.other),
        };
        let effect = Effect {
            mv: distance as u32 + 1,
            gained: sown.stored.into(),
            again: !sown.turns,
        };
        (Board { mover, opponent }, effect)
    }
}

/// Returns the number of seeds in one side's pits.
#[inline]
pub fn seeds_of(word: u64) -> u32 {
    (word.wrapping_mul(ONES) >> 56) as u32
}

/// Returns, for each pit, the seeds in it and in the pits nearer the store.
#[inline]
pub fn sums(word: u64) -> [u8; 8] {
    word.wrapping_mul(ONES).to_le_bytes()
}

/// The effect of a move apart from the resulting board.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The move: the pit's distance to the store plus 1.
    pub mv: u32,
    /// Seeds added to the store of the side that moved.
    pub gained: u32,
    /// Whether the same side moves again.
    pub again: bool,
}

impl Effect {
    /// Returns the share of the side that moved.
    ///
    /// `share` is that of the next side to move, and `seeds` are those on the board before the
    /// move.
    #[inline]
    pub fn mine(self, seeds: u32, share: u32) -> i32 {
        (if self.again {
            self.gained + share
        } else {
            seeds - share
        }) as i32
    }

    /// Returns the share to ask about in the child.
    ///
    /// Its answer shows whether the side that moved gets `wanted`.
    #[inline]
    pub fn wanted_of_child(self, seeds: u32, wanted: i32) -> i32 {
        if self.again {
            wanted - self.gained as i32
        } else {
            seeds as i32 - wanted + 1
        }
    }
}

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
    use crate::game::Game;
    use crate::games::kalah::index::Arrangements;
    use crate::games::kalah::sowing::Order;
    use crate::games::kalah::{Kalah, MAX_PITS, Position, Rules};
    use crate::random::Random;

    /// Compares every move in many random positions with the rules.
    #[test]
    fn moves_are_those_of_the_rules() {
        let mut random = Random::new(1);
        let (mut laps, mut captures, mut extra_turns) = (0, 0, 0);
        for pits in 1..=MAX_PITS {
            for empty_capture in [false, true] {
                let rules = Rules {
                    pits,
                    seeds: 255 / (2 * pits),
                    empty_capture,
                };
                let game = Kalah::new(rules).unwrap();
                let sowings = Sowings::of(pits, Order::FromTheStore, empty_capture);
                for _ in 0..4000 {
                    let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
                    let most = 2 + random.index(2 * pits * rules.seeds - 1);
                    for _ in 0..most {
                        position.pits[random.index(2)][random.index(pits)] += random.index(2) as u8;
                    }
                    if random.below(2) == 0 {
                        // Put many seeds into one pit, so that there are laps.
                        let [from, to] = [random.index(pits), random.index(pits)];
                        if from != to {
                            position.pits[0][to] += std::mem::take(&mut position.pits[0][from]);
                        }
                    }
                    let board = Board::new(pits, &position.pits[0], &position.pits[1]);
                    assert_eq!(board.is_finished(), game.final_score(&position).is_some());
                    for mv in game.legal_moves(&position) {
                        let after = game.play(&position, mv);
                        let (mover, opponent) = after.mover_and_opponent();
                        let found = board.play(sowings, pits - 1 - usize::from(mv.0));
                        let again = after.side == position.side;
                        let (board_after, found) = found;
                        assert_eq!(board_after, Board::new(pits, mover, opponent));
                        assert_eq!(found.gained, u32::from(after.stores[0]));
                        assert_eq!(found.again, again);
                        let seeds = usize::from(position.pits[0][usize::from(mv.0)]);
                        let passes = (seeds + usize::from(mv.0)) / pits;
                        let sown = (seeds + usize::from(mv.0) + pits + 1) / (2 * pits + 1);
                        let is_capture = found.gained as usize > sown;
                        laps += usize::from(passes >= 2 && is_capture);
                        captures += usize::from(is_capture);
                        extra_turns += usize::from(again);
                    }
                }
            }
        }
        assert!(
            laps > 100 && captures > 1000 && extra_turns > 1000,
            "{laps} {captures} {extra_turns}"
        );
    }

    #[test]
    fn sums_run_from_the_store_outwards() {
        let board = Board::new(4, &[1, 2, 3, 4, 0, 0], &[0, 0, 0, 9, 0, 0]);
        assert_eq!(sums(board.mover)[..4], [4, 7, 9, 10]);
        assert_eq!(sums(board.opponent)[..4], [9, 9, 9, 9]);
        assert_eq!(seeds_of(board.mover), 10);
    }

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
