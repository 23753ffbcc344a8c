//! Endgame scores for packed positions.
//!
//! The positions in which the mover has at least as many seeds as the opponent are kept, and the
//! others may be. One that is not kept is as good as its best move: after most of these the position
//! is one of those kept, or finished, and the extra turns in a row are soon at an end.

use super::board::{Board, Effect, seeds_of, sums};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::retro::matrix::Matrix;
use crate::games::kalah::sowing::{Order, Sowings};

/// The scores to come of all positions with at most some number of seeds on the board.
pub struct Endgame {
    pub(super) pits: usize,
    /// The most seeds on the board.
    pub(super) seeds: u32,
    /// How many positions it knows, those with an empty side not counted.
    pub positions: u64,
    sowings: &'static Sowings,
    /// What the seeds in the pits up to `d` steps before the store add to an arrangement's number,
    /// modulo 2^32.
    terms: Box<[[u32; 256]; MAX_PITS]>,
    /// By the mover's and the opponent's seeds; what is not kept is empty. Rows are the arrangements
    /// of the side with more seeds, or the mover's.
    kept: Vec<Matrix>,
}

/// Where a score is kept.
#[derive(Clone, Copy, Default)]
struct Place {
    matrix: usize,
    row: usize,
    column: usize,
}

/// The best of a position's moves so far.
#[derive(Clone, Copy)]
pub struct Best {
    /// The mover's share of the seeds on the board.
    pub share: i32,
    /// The move; one more than the pit's distance to the store.
    pub mv: u32,
}

impl Best {
    #[inline]
    pub fn raise(&mut self, share: i32, mv: u32) {
        if share > self.share {
            *self = Best { share, mv };
        }
    }
}

/// Moves of one position to positions of the endgame.
pub struct Ways {
    kept: [(Place, Effect); MAX_PITS],
    kept_count: usize,
    others: [(Board, Effect); MAX_PITS],
    other_count: usize,
}

impl Ways {
    #[inline]
    pub fn new() -> Ways {
        Ways {
            kept: [(Place::default(), Effect::default()); MAX_PITS],
            kept_count: 0,
            others: [(Board::default(), Effect::default()); MAX_PITS],
            other_count: 0,
        }
    }

    /// Adds a move to an unfinished position.
    #[inline]
    pub fn add(&mut self, endgame: &Endgame, board: Board, effect: Effect) {
        if let Some(place) = endgame.place(board) {
            self.kept[self.kept_count] = (place, effect);
            self.kept_count += 1;
        } else {
            self.others[self.other_count] = (board, effect);
            self.other_count += 1;
        }
    }

    /// Compares their scores with the best, those first that are kept, until one is good enough.
    #[inline]
    pub fn compare(&self, endgame: &Endgame, seeds: u32, wanted: i32, best: &mut Best) {
        for &(place, effect) in &self.kept[..self.kept_count] {
            if best.share >= wanted {
                return;
            }
            best.raise(effect.mine(seeds, endgame.at(place)), effect.mv);
        }
        for &(board, effect) in &self.others[..self.other_count] {
            if best.share >= wanted {
                return;
            }
            let wanted_there = effect.wanted_of_child(seeds, wanted);
            let share = endgame.bound_by_moves(board, seeds - effect.gained, wanted_there);
            best.raise(effect.mine(seeds, share), effect.mv);
        }
    }
}

impl Endgame {
    /// One of positions with at most so many seeds on the board, none of which is there yet.
    pub(super) fn blank(pits: usize, seeds: usize, empty_capture: bool) -> Endgame {
        let mut kept = Vec::new();
        kept.resize_with((seeds + 1) * (seeds + 1), Matrix::default);
        Endgame {
            pits,
            seeds: seeds as u32,
            positions: 0,
            sowings: Sowings::of(pits, Order::FromTheStore, empty_capture),
            terms: terms(pits, seeds),
            kept,
        }
    }

    fn matrix(&self, mover: usize, opponent: usize) -> usize {
        mover * (self.seeds as usize + 1) + opponent
    }

    /// Keeps the positions with so many seeds of the mover's and of the opponent's.
    pub(super) fn keep(&mut self, mover: usize, opponent: usize, codes: Matrix) {
        let matrix = self.matrix(mover, opponent);
        self.kept[matrix] = codes;
    }

    /// What their scores take in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let kept = self.kept.iter();
        kept.map(|codes| codes.bytes().len() as u64).sum()
    }

    /// Where the score of an unfinished position with at most as many seeds as it knows on the board is kept,
    /// and nothing if it is not.
    #[inline]
    fn place(&self, board: Board) -> Option<Place> {
        let (mover, opponent) = (sums(board.mover), sums(board.opponent));
        let last = self.pits - 1;
        let (mover_seeds, opponent_seeds) = (usize::from(mover[last]), usize::from(opponent[last]));
        let matrix = self.matrix(mover_seeds, opponent_seeds);
        if self.kept[matrix].is_empty() {
            return None;
        }
        let (mover, opponent) = (self.number(mover), self.number(opponent));
        let (row, column) = if mover_seeds >= opponent_seeds {
            (mover, opponent)
        } else {
            (opponent, mover)
        };
        Some(Place {
            matrix,
            row: row as usize,
            column: column as usize,
        })
    }

    /// The seeds that the mover will get there.
    #[inline]
    fn at(&self, place: Place) -> u32 {
        u32::from(self.kept[place.matrix].get(place.row, place.column))
    }

    /// A bound of the seeds that the mover will get in an unfinished position with so many seeds on
    /// the board, at most as many as it knows: a lower one if it is `wanted` or more, an upper one otherwise.
    pub(super) fn bound(&self, board: Board, seeds: u32, wanted: i32) -> u32 {
        match self.place(board) {
            Some(place) => self.at(place),
            None => self.bound_by_moves(board, seeds, wanted),
        }
    }

    /// The same for a position that is not kept.
    fn bound_by_moves(&self, board: Board, seeds: u32, wanted: i32) -> u32 {
        let mut best = Best { share: 0, mv: 0 };
        let mut ways = Ways::new();
        for distance in 0..self.pits {
            if board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let (after, effect) = board.play(self.sowings, distance);
            if after.is_finished() {
                best.raise(effect.mine(seeds, seeds_of(after.mover)), effect.mv);
            } else {
                ways.add(self, after, effect);
            }
        }
        ways.compare(self, seeds, wanted, &mut best);
        best.share as u32
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

/// What the seeds in the pits up to each distance from the store add to [`Arrangements::index`],
/// modulo 2^32.
fn terms(pits: usize, seeds: usize) -> Box<[[u32; 256]; MAX_PITS]> {
    let numbering = Arrangements::new(pits, seeds);
    let mut all = Box::new([[0u32; 256]; MAX_PITS]);
    for (distance, terms) in all[..pits].iter_mut().enumerate() {
        for (seeds, term) in terms[..=seeds].iter_mut().enumerate() {
            *term = numbering.share(pits - 1 - distance, seeds) as u32;
        }
    }
    all
}
