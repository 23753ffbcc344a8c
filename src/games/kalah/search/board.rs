//! Positions in two words.
//!
//! A word holds one side's pits, one byte each: byte `d` is the pit `d` steps before the owner's
//! store. If a word is multiplied by `0x0101…01`, byte `d` of the product is the number of seeds in
//! the pits up to `d` steps before the store. Positions are numbered by these sums.

use crate::games::kalah::Pits;
use crate::games::kalah::sowing::Sowings;

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

    /// Whether a side has no seeds.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
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
}
