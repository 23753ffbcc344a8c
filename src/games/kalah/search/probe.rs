//! Endgame scores for packed positions.
//!
//! The positions in which the mover has at least as many seeds as the opponent are kept, and the
//! others may be. One that is not kept is as good as its best move: after most of these the position
//! is one of those kept, or finished, and the extra turns in a row are soon at an end.

use super::board::{Board, Played, Sower, seeds_of, sums};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::retro::matrix::Matrix;
use std::fmt;

/// The scores of an endgame, arranged for many probes.
pub struct Probe {
    pits: usize,
    seeds: usize,
    sower: Sower,
    /// What the seeds in the pits up to `d` steps before the store add to an arrangement's number,
    /// modulo 2^32.
    terms: Box<[[u32; 256]; MAX_PITS]>,
    /// By the mover's and the opponent's seeds; what is not kept is empty. Rows are the arrangements
    /// of the side with more seeds, or the mover's.
    kept: Vec<Matrix>,
}

/// Where a score is kept.
#[derive(Clone, Copy, Default)]
pub struct Place {
    matrix: usize,
    row: usize,
    column: usize,
}

/// A move to a position of the endgame.
#[derive(Clone, Copy, Default)]
struct Move {
    board: Board,
    place: Place,
    gained: u32,
    again: bool,
}

impl Probe {
    /// One of positions with at most so many seeds on the board, none of which is there yet.
    pub fn new(pits: usize, seeds: usize, empty_capture: bool) -> Probe {
        let mut kept = Vec::new();
        kept.resize_with((seeds + 1) * (seeds + 1), Matrix::default);
        Probe {
            pits,
            seeds,
            sower: Sower::new(pits, empty_capture),
            terms: terms(pits, seeds),
            kept,
        }
    }

    /// Keeps the positions with so many seeds of the mover's and of the opponent's.
    pub fn keep(&mut self, mover: usize, opponent: usize, codes: Matrix) {
        self.kept[mover * (self.seeds + 1) + opponent] = codes;
    }

    /// The most seeds on the board.
    pub fn seeds(&self) -> u32 {
        self.seeds as u32
    }

    /// What the kept scores take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.kept.iter().map(|codes| codes.bytes() as u64).sum()
    }

    /// Where the score of an unfinished position with at most `seeds()` seeds on the board is kept,
    /// and nothing if it is not.
    #[inline]
    pub fn place(&self, board: Board) -> Option<Place> {
        let (mover, opponent) = (sums(board.mover), sums(board.opponent));
        let last = self.pits - 1;
        let (mover_seeds, opponent_seeds) = (usize::from(mover[last]), usize::from(opponent[last]));
        let matrix = mover_seeds * (self.seeds + 1) + opponent_seeds;
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
    pub fn at(&self, place: Place) -> u32 {
        u32::from(self.kept[place.matrix].get(place.row, place.column))
    }

    /// A bound of the seeds that the mover will get in an unfinished position with so many seeds on
    /// the board, at most `seeds()`: a lower one if it is `wanted` or more, an upper one otherwise.
    /// Scores that are read are counted.
    pub fn bound(&self, board: Board, seeds: u32, wanted: i32, reads: &mut u64) -> u32 {
        match self.place(board) {
            Some(place) => {
                *reads += 1;
                self.at(place)
            }
            None => self.bound_by_moves(board, seeds, wanted, reads),
        }
    }

    /// The same for a position that is not kept.
    pub fn bound_by_moves(&self, board: Board, seeds: u32, wanted: i32, reads: &mut u64) -> u32 {
        let mine = |gained: u32, again: bool, share: u32| {
            if again { gained + share } else { seeds - share }
        };
        let is_enough = |share: u32| share as i32 >= wanted;
        let mut best = 0;
        let (mut kept, mut others) = ([Move::default(); MAX_PITS], [Move::default(); MAX_PITS]);
        let (mut kept_count, mut other_count) = (0, 0);
        for distance in 0..self.pits {
            if board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let Played {
                board,
                gained,
                again,
                ..
            } = self.sower.play(board, distance);
            if board.is_finished() {
                best = best.max(mine(gained, again, seeds_of(board.mover)));
                continue;
            }
            let (list, count, place) = match self.place(board) {
                Some(place) => (&mut kept, &mut kept_count, place),
                None => (&mut others, &mut other_count, Place::default()),
            };
            list[*count] = Move {
                board,
                place,
                gained,
                again,
            };
            *count += 1;
        }
        for mv in &kept[..kept_count] {
            if is_enough(best) {
                break;
            }
            *reads += 1;
            best = best.max(mine(mv.gained, mv.again, self.at(mv.place)));
        }
        for mv in &others[..other_count] {
            if is_enough(best) {
                break;
            }
            let wanted_there = if mv.again {
                wanted - mv.gained as i32
            } else {
                seeds as i32 - wanted + 1
            };
            let left = seeds - mv.gained;
            let share = self.bound_by_moves(mv.board, left, wanted_there, reads);
            best = best.max(mine(mv.gained, mv.again, share));
        }
        best
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

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe")
            .field("pits", &self.pits)
            .field("seeds", &self.seeds)
            .finish_non_exhaustive()
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
