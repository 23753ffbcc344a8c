//! Positions in two words, and moves as additions.
//!
//! A word holds one side's pits, a byte each: byte `d` is the pit `d` steps before the owner's
//! store. Sowing adds a tabulated word to each side. Multiplying a word by `0x0101…01` gives, in
//! byte `d`, the seeds in the pits up to `d` steps before the store: from these sums positions get
//! their numbers.

use crate::games::kalah::{MAX_PITS, Pits};

const ONES: u64 = 0x0101_0101_0101_0101;

/// The pits of the side to move and of the other side; stores and names are left out.
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
}

/// The seeds in one side's pits.
#[inline]
pub fn seeds_of(word: u64) -> u32 {
    (word.wrapping_mul(ONES) >> 56) as u32
}

/// For each pit the seeds in it and in those nearer the store.
#[inline]
pub fn sums(word: u64) -> [u8; 8] {
    word.wrapping_mul(ONES).to_le_bytes()
}

const STORE: u8 = 0xff;
const OTHER_SIDE: u8 = 0xfe;

/// What sowing some number of seeds from some pit adds to each side.
#[derive(Clone, Copy, Default)]
struct Sowing {
    own: u64,
    other: u64,
    stored: u8,
    /// The mover's pit, by its distance to the store, or one of the two constants.
    landing: u8,
}

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Seen from whoever moves next.
    pub board: Board,
    /// Seeds that went to the mover's store.
    pub gained: u32,
    /// Whether the mover moves again.
    pub again: bool,
    /// Whether seeds were captured.
    pub captured: bool,
}

/// The rules, tabulated.
pub struct Sower {
    pits: usize,
    empty_capture: bool,
    sowings: Box<[[Sowing; 256]; MAX_PITS]>,
}

impl Sower {
    pub fn new(pits: usize, empty_capture: bool) -> Sower {
        let mut sowings = Box::new([[Sowing::default(); 256]; MAX_PITS]);
        for (from, by_seeds) in sowings.iter_mut().enumerate().take(pits) {
            let mut sowing = Sowing::default();
            // Places in sowing direction: the mover's pits 0..pits, the store, the opponent's pits.
            let mut place = pits - 1 - from;
            for entry in &mut by_seeds[1..] {
                place = (place + 1) % (2 * pits + 1);
                if place < pits {
                    let distance = pits - 1 - place;
                    sowing.own += 1 << (8 * distance);
                    sowing.landing = distance as u8;
                } else if place == pits {
                    sowing.stored += 1;
                    sowing.landing = STORE;
                } else {
                    sowing.other += 1 << (8 * (2 * pits - place));
                    sowing.landing = OTHER_SIDE;
                }
                *entry = sowing;
            }
        }
        Sower {
            pits,
            empty_capture,
            sowings,
        }
    }

    /// Sows the pit `distance` steps before the mover's store, which must not be empty.
    #[inline]
    pub fn play(&self, board: Board, distance: usize) -> Played {
        let shift = 8 * distance;
        let seeds = (board.mover >> shift & 0xff) as usize;
        debug_assert!(seeds > 0);
        let sowing = &self.sowings[distance][seeds];
        let mut own = (board.mover & !(0xff << shift)) + sowing.own;
        let mut other = board.opponent + sowing.other;
        let mut gained = u32::from(sowing.stored);
        if sowing.landing == STORE {
            return Played {
                board: Board {
                    mover: own,
                    opponent: other,
                },
                gained,
                again: true,
                captured: false,
            };
        }
        let mut captured = false;
        if sowing.landing < OTHER_SIDE {
            let landing = 8 * u32::from(sowing.landing);
            if own >> landing & 0xff == 1 {
                let opposite = 8 * (self.pits as u32 - 1 - u32::from(sowing.landing));
                let seeds = other >> opposite & 0xff;
                captured = seeds > 0 || self.empty_capture;
                if captured {
                    gained += 1 + seeds as u32;
                    own &= !(0xff << landing);
                    other &= !(0xff << opposite);
                }
            }
        }
        Played {
            board: Board {
                mover: other,
                opponent: own,
            },
            gained,
            again: false,
            captured,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::kalah::{Kalah, Position, Rules};
    use crate::random::Random;

    /// Every move in many random positions of every kind of board, against the rules.
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
                let sower = Sower::new(pits, empty_capture);
                for _ in 0..4000 {
                    let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
                    let most = 2 + random.index(2 * pits * rules.seeds - 1);
                    for _ in 0..most {
                        position.pits[random.index(2)][random.index(pits)] += random.index(2) as u8;
                    }
                    if random.below(2) == 0 {
                        // Many seeds in one pit, so that there are laps.
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
                        let found = sower.play(board, pits - 1 - usize::from(mv.0));
                        let again = after.side == position.side;
                        assert_eq!(found.board, Board::new(pits, mover, opponent));
                        assert_eq!(found.gained, u32::from(after.stores[0]));
                        assert_eq!(found.again, again);
                        let seeds = usize::from(position.pits[0][usize::from(mv.0)]);
                        let passes = (seeds + usize::from(mv.0)) / pits;
                        laps += usize::from(passes >= 2 && found.captured);
                        captures += usize::from(found.captured);
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
