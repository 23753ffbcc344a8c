//! Lookups of endgame scores for positions in two words.
//!
//! The positions in which the side to move has at least as many seeds as its opponent are always
//! stored; the others may be. The score of a position that isn't stored is that of its best move.
//! After most moves, the position is stored or finished, and a series of extra turns soon ends.

use super::board::{Board, Effect, seeds_of, sums};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::retro::matrix::Matrix;
use crate::games::kalah::sowing::{Order, Sowings};

/// The scores to come of all positions with up to some number of seeds.
pub struct Endgame {
    pub(super) pits: usize,
    /// The most seeds on the board.
    pub(super) seeds: u32,
    /// Number of positions in the endgame, without finished ones.
    pub positions: u64,
    sowings: &'static Sowings,
    /// Contributions of the seeds up to each distance to an arrangement's number.
    ///
    /// Modulo 2^32, indexed by the distance to the store and then by the seeds up to there.
    terms: Box<[[u32; 256]; MAX_PITS]>,
    /// The matrices, by the seeds of the side to move and of its opponent.
    ///
    /// Matrices that are not stored are empty. Rows are the arrangements of the side with more
    /// seeds, or of the side to move if both have the same number.
    kept: Vec<Matrix>,
}

/// The location of a stored score.
#[derive(Clone, Copy, Default)]
struct Place {
    matrix: usize,
    row: usize,
    column: usize,
}

/// The best move of a position so far.
#[derive(Clone, Copy)]
pub struct Best {
    /// The share of the seeds on the board for the side to move.
    pub share: i32,
    /// The move: the pit's distance to the store plus 1.
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

/// The moves of one position that lead to unfinished positions of the endgame.
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

    /// Compares the moves' shares with the best until one is good enough.
    ///
    /// Stored ones come first.
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
    /// Returns an endgame of up to `seeds` seeds on the board without any scores.
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

    /// Stores the scores of the positions with these seeds.
    pub(super) fn keep(&mut self, mover: usize, opponent: usize, codes: Matrix) {
        let matrix = self.matrix(mover, opponent);
        self.kept[matrix] = codes;
    }

    /// Returns the size of the scores in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let kept = self.kept.iter();
        kept.map(|codes| codes.bytes().len() as u64).sum()
    }

    /// Returns where an unfinished position's score is stored, if it is.
    ///
    /// The position must not have more seeds on the board than the endgame.
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

    /// Returns the stored share of the side to move.
    #[inline]
    fn at(&self, place: Place) -> u32 {
        u32::from(self.kept[place.matrix].get(place.row, place.column))
    }

    /// Returns a lower bound of the share if it is `wanted` or more, else an upper one.
    ///
    /// The share is that of the side to move in an unfinished position with `seeds` seeds on the
    /// board, at most the endgame's.
    pub(super) fn bound(&self, board: Board, seeds: u32, wanted: i32) -> u32 {
        match self.place(board) {
            Some(place) => self.at(place),
            None => self.bound_by_moves(board, seeds, wanted),
        }
    }

    /// Returns the bound of [`Endgame::bound`] for a position whose score isn't stored.
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

    /// Returns the number of an arrangement, the same as [`Arrangements::index`].
    #[inline]
    fn number(&self, sums: [u8; 8]) -> u32 {
        let mut number = 0u32;
        for (terms, sum) in self.terms.iter().zip(sums) {
            number = number.wrapping_add(terms[usize::from(sum)]);
        }
        number
    }
}

/// Returns the contributions of seeds to [`Arrangements::index`], by distance.
///
/// A contribution is that of the seeds up to this distance from the store, modulo 2^32.
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
