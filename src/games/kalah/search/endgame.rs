//! The endgame: scores of all positions with few seeds, reachable or not.
//!
//! The positions in which the side to move has at least as many seeds as its opponent are always
//! stored; the others may be. The score of a position that isn't stored is that of its best move.
//! After most moves, the position is stored or finished, and a series of extra turns soon ends.

use super::board::{Board, Effect, seeds_of, sums};
use crate::game::{
    Bounds, EndgameError, Family, KnownScores, Notation, Progress, SearchError, SearchSetup,
    SolveError, check_cancelled,
};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split, segment_index};
use crate::games::kalah::retro::dense::{self, KnownCodes};
use crate::games::kalah::retro::distributed::{for_all, slots_of};
use crate::games::kalah::retro::layers::Layers;
use crate::games::kalah::retro::matrix;
use crate::games::kalah::retro::matrix::{CodeFormat, Matrix};
use crate::games::kalah::retro::moves::Steps;
use crate::games::kalah::retro::storage::Plane;
use crate::games::kalah::sowing::{Order, Sowings};
use crate::games::kalah::{Kalah, KalahFamily, MAX_PITS, Pits, sum};
use crate::pool::try_map_of;
use std::sync::Arc;

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
    matrices: Vec<Matrix>,
}

/// The location of a stored score.
#[derive(Clone, Copy, Default)]
struct EntryPlace {
    matrix: usize,
    row: usize,
    column: usize,
}

/// The best move of a position so far.
#[derive(Clone, Copy)]
pub(super) struct Best {
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
pub(super) struct EndgameMoves {
    stored: [(EntryPlace, Effect); MAX_PITS],
    stored_count: usize,
    unstored: [(Board, Effect); MAX_PITS],
    unstored_count: usize,
}

impl EndgameMoves {
    #[inline]
    pub fn new() -> EndgameMoves {
        EndgameMoves {
            stored: [(EntryPlace::default(), Effect::default()); MAX_PITS],
            stored_count: 0,
            unstored: [(Board::default(), Effect::default()); MAX_PITS],
            unstored_count: 0,
        }
    }

    /// Adds a move to an unfinished position.
    #[inline]
    pub fn add(&mut self, endgame: &Endgame, board: Board, effect: Effect) {
        if let Some(place) = endgame.place(board) {
            self.stored[self.stored_count] = (place, effect);
            self.stored_count += 1;
        } else {
            self.unstored[self.unstored_count] = (board, effect);
            self.unstored_count += 1;
        }
    }

    /// Compares the moves' shares with the best until one is good enough.
    ///
    /// Stored ones come first.
    #[inline]
    pub fn compare(&self, endgame: &Endgame, seeds: u32, wanted: i32, best: &mut Best) {
        for &(place, effect) in &self.stored[..self.stored_count] {
            if best.share >= wanted {
                return;
            }
            best.raise(effect.mine(seeds, endgame.at(place)), effect.mv);
        }
        for &(board, effect) in &self.unstored[..self.unstored_count] {
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
        let mut matrices = Vec::new();
        matrices.resize_with((seeds + 1) * (seeds + 1), Matrix::default);
        Endgame {
            pits,
            seeds: seeds as u32,
            positions: 0,
            sowings: Sowings::of(pits, Order::FromTheStore, empty_capture),
            terms: terms(pits, seeds),
            matrices,
        }
    }

    fn matrix(&self, mover: usize, opponent: usize) -> usize {
        mover * (self.seeds as usize + 1) + opponent
    }

    /// Stores the scores of the positions with these seeds.
    pub(super) fn store(&mut self, mover: usize, opponent: usize, codes: Matrix) {
        let matrix = self.matrix(mover, opponent);
        self.matrices[matrix] = codes;
    }

    /// Returns the size of the scores in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let matrices = self.matrices.iter();
        matrices.map(|codes| codes.bytes().len() as u64).sum()
    }

    /// Returns where an unfinished position's score is stored, if it is.
    ///
    /// The position must not have more seeds on the board than the endgame.
    #[inline]
    fn place(&self, board: Board) -> Option<EntryPlace> {
        let (mover, opponent) = (sums(board.mover), sums(board.opponent));
        let last = self.pits - 1;
        let (mover_seeds, opponent_seeds) = (usize::from(mover[last]), usize::from(opponent[last]));
        let matrix = self.matrix(mover_seeds, opponent_seeds);
        if self.matrices[matrix].is_empty() {
            return None;
        }
        let (mover, opponent) = (self.number(mover), self.number(opponent));
        let (row, column) = if mover_seeds >= opponent_seeds {
            (mover, opponent)
        } else {
            (opponent, mover)
        };
        Some(EntryPlace {
            matrix,
            row: row as usize,
            column: column as usize,
        })
    }

    /// Returns the stored share of the side to move.
    #[inline]
    fn at(&self, place: EntryPlace) -> u32 {
        u32::from(self.matrices[place.matrix].get(place.row, place.column))
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
        let mut moves_to_endgame = EndgameMoves::new();
        for distance in 0..self.pits {
            if board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let (after, effect) = board.play(self.sowings, distance);
            if after.is_finished() {
                best.raise(effect.mine(seeds, seeds_of(after.mover)), effect.mv);
            } else {
                moves_to_endgame.add(self, after, effect);
            }
        }
        moves_to_endgame.compare(self, seeds, wanted, &mut best);
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

/// The form in which an endgame is stored in memory.
///
/// Scores are the same in any form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One byte per position: the fastest.
    Bytes,
    /// Four bits per position.
    ///
    /// Solving takes 1.5 times as long.
    Packed,
    /// Four bits per position in which the side to move has at least as many seeds.
    ///
    /// The scores of the other positions are recomputed from their moves, which makes a search a
    /// sixth slower. Solving needs as much memory as `Packed`. Reading from a table needs no more
    /// than the endgame itself.
    Half,
}

/// A source of known scores; see [`Endgame::from_scores`].
pub(crate) type ScoreSource<'a, E> = dyn Fn(usize, usize, &mut [u8]) -> Result<bool, E> + Sync + 'a;

impl Endgame {
    /// Solves all positions with up to `seeds` seeds on the board.
    ///
    /// There are `pits` pits per side, 1 to 6. Runs on the threads of the current pool. The endgame
    /// takes one byte per position: 226 MB for 6 pits and 20 seeds, 1.25 GB for 24.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`], [`SolveError::NoMemory`].
    pub fn new(
        pits: usize,
        seeds: usize,
        empty_capture: bool,
        progress: &dyn Progress,
    ) -> Result<Endgame, SolveError> {
        let none = |_, _, _: &mut [u8]| Ok(false);
        Endgame::from_scores(Form::Bytes, pits, seeds, empty_capture, progress, &none)
    }

    /// Makes an endgame in any form from the scores of `source`; solves the others.
    ///
    /// `source` receives the seeds of the side to move, the seeds of its opponent, and a matrix for
    /// all positions with these seeds. It fills the matrix with the seeds that the side to move
    /// will get, or returns false if it doesn't have them. Rows are the arrangements of the side
    /// with more seeds, columns those of the other side. If both have the same number, rows are
    /// those of the side to move. Missing scores are computed only if they are needed.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and the errors of `source`.
    pub(crate) fn from_scores<E: From<SolveError> + Send>(
        form: Form,
        pits: usize,
        seeds: usize,
        empty_capture: bool,
        progress: &dyn Progress,
        source: &ScoreSource<E>,
    ) -> Result<Endgame, E> {
        let arrangements = Arc::new(Arrangements::new(pits, seeds));
        let get = |mover: usize, opponent: usize| -> Result<Option<Plane>, E> {
            let slots = arrangements.count(mover) * arrangements.count(opponent);
            let mut codes = Plane::new(slots)?;
            Ok(source(mover, opponent, &mut codes)?.then_some(codes))
        };
        let format = CodeFormat {
            arrangements: &arrangements,
            form: match form {
                Form::Bytes => matrix::Form::Bytes,
                Form::Packed | Form::Half => matrix::Form::Packed,
            },
            reached: &[],
            store: None,
        };
        let splits: Vec<Split> = (0..=seeds).flat_map(Split::of_layer).collect();
        let halves = match form {
            // If `source` has all scores of this half, nothing needs to be solved.
            Form::Half => halves(&format, &splits, progress, get)?,
            Form::Bytes | Form::Packed => None,
        };
        let matrices = match halves {
            Some(halves) => halves,
            None => {
                let known = |split: Split| -> Result<KnownCodes, E> {
                    Ok(ByMover {
                        larger: get(split.larger, split.smaller)?,
                        smaller: match split.is_even() {
                            true => None,
                            false => get(split.smaller, split.larger)?,
                        },
                    })
                };
                solve(&format, empty_capture, progress, known)?
            }
        };
        // Save the matrices by the seeds of both sides; `Half` leaves out the smaller side's.
        let mut endgame = Endgame::blank(pits, seeds, empty_capture);
        for (split, ByMover { larger, smaller }) in splits.into_iter().zip(matrices) {
            endgame.positions += slots_of(&arrangements, split);
            if form != Form::Half && !split.is_even() {
                endgame.store(split.smaller, split.larger, smaller);
            }
            endgame.store(split.larger, split.smaller, larger);
        }
        Ok(endgame)
    }

    /// Returns the shares of the side to move, in the order of [`Endgame::from_scores`].
    ///
    /// Both sides must have at least one seed.
    #[cfg(test)]
    pub(super) fn codes(&self, mover: usize, opponent: usize) -> Vec<u8> {
        let numbering = Arrangements::new(self.pits, mover + opponent);
        let code = |mover: &Pits, opponent: &Pits| {
            let score = self.score(mover, opponent).unwrap();
            ((score + (sum(mover) + sum(opponent)) as i32) / 2) as u8
        };
        let (larger, smaller) = (mover.max(opponent), mover.min(opponent));
        let mut codes = Vec::new();
        for row in numbering.all(larger) {
            for column in numbering.all(smaller) {
                codes.push(if mover >= opponent {
                    code(&row, &column)
                } else {
                    code(&column, &row)
                });
            }
        }
        codes
    }

    /// Returns the score to come, seen from the side to move.
    ///
    /// `None` if there are more seeds on the board than in the endgame.
    #[must_use]
    pub fn score(&self, mover: &Pits, opponent: &Pits) -> Option<i32> {
        let seeds = (sum(mover) + sum(opponent)) as u32;
        if seeds > self.seeds {
            return None;
        }
        let board = Board::new(self.pits, mover, opponent);
        let to_come = |share: usize| 2 * share as i32 - seeds as i32;
        if board.is_finished() {
            return Some(to_come(sum(mover)));
        }
        let mut shares = Bounds {
            lower: 0,
            upper: seeds as i32,
        };
        let ask = |wanted| Ok::<_, ()>(self.bound(board, seeds, wanted) as i32);
        // The search can't fail, because nothing cancels it.
        let _ = shares.close_in(seeds as i32 / 2, ask, |_| ());
        Some(to_come(shares.lower as usize))
    }
}

/// Returns these splits' codes with the larger side to move, from `get`.
///
/// `None` if some scores are missing.
fn halves<E: From<SolveError> + Send>(
    format: &CodeFormat<'_>,
    splits: &[Split],
    progress: &dyn Progress,
    get: impl Fn(usize, usize) -> Result<Option<Plane>, E> + Sync,
) -> Result<Option<Vec<ByMover<Matrix>>>, E> {
    let half = |&split: &Split| -> Result<Option<ByMover<Matrix>>, E> {
        check_cancelled(progress, SolveError::Interrupted)?;
        let solved = get(split.larger, split.smaller)?.map(|larger| ByMover {
            larger,
            smaller: Plane::default(),
        });
        let matrices = solved.map(|solved| format.convert(split, solved));
        Ok(matrices.transpose()?)
    };
    Ok(try_map_of(splits, half)?.into_iter().collect())
}

/// Solves all splits layer by layer, except for the scores that `known` returns.
fn solve<E: From<SolveError> + Send>(
    format: &CodeFormat<'_>,
    empty_capture: bool,
    progress: &dyn Progress,
    known: impl Fn(Split) -> Result<KnownCodes, E> + Sync,
) -> Result<Vec<ByMover<Matrix>>, E> {
    let arrangements = Arc::new(format.arrangements.clone());
    let steps = Steps::new(arrangements, empty_capture);
    let mut layers = Layers::default();
    for seeds in 0..=format.arrangements.max_seeds() {
        let splits: Vec<Split> = Split::of_layer(seeds).collect();
        let layer = for_all(&splits, progress, |&split| {
            let codes = dense::solve_split(&steps, &layers, split, known(split)?, progress)?;
            Ok::<_, E>(format.convert(split, codes)?)
        });
        layers.layers.push(layer?);
    }
    Ok(layers.layers.into_iter().flatten().collect())
}

/// An endgame whose scores are known already.
pub(super) struct GivenEndgame {
    scores: Arc<dyn KnownScores>,
    /// The most seeds on the board.
    pub up_to: usize,
}

impl GivenEndgame {
    /// Returns the setup's endgame if there is one; an error if it is of another game.
    pub fn of(setup: &SearchSetup, game: &Kalah) -> Result<Option<GivenEndgame>, EndgameError> {
        let Some(scores) = &setup.known else {
            return Ok(None);
        };
        let (rules, found) = (game.parameters(), scores.name());
        let (family, parameters) = scores.rules().split_once(' ').unwrap_or_default();
        let read = KalahFamily.read_rules(parameters).ok();
        let read = read.filter(|_| family == game.family());
        let suitable = |up_to| Kalah::endgame(rules.pits, up_to, rules.empty_capture);
        let problem = match read.map(|read| (read.up_to(), read)) {
            None => format!("it is a table of {found}"),
            Some((None, _)) => format!("{found} holds only what can come up from its start"),
            Some((Some(up_to), read)) if suitable(up_to).as_ref() == Ok(&read) => {
                let scores = Arc::clone(scores);
                return Ok(Some(GivenEndgame { scores, up_to }));
            }
            Some(_) => format!("{found} has other rules than {}", game.name()),
        };
        let variant = rules.variant(" --empty-capture");
        let make = Some(format!("kalah --pits {} --up-to 20{variant}", rules.pits));
        Err(EndgameError::Unsuitable { problem, make })
    }

    /// Copies the shares of the side to move, as [`ScoreSource`] does.
    pub fn copy(
        &self,
        mover: usize,
        opponent: usize,
        codes: &mut [u8],
    ) -> Result<bool, SearchError> {
        let segment = segment_index(mover, opponent) as u32;
        let read = self.scores.codes_of_segment(segment, codes);
        read.map_err(|error| EndgameError::Read(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, NoProgress};
    use crate::games::kalah::{Kalah, Position, Rules};

    const FORMS: [Form; 3] = [Form::Bytes, Form::Packed, Form::Half];

    fn endgame(form: Form, (pits, seeds): (usize, usize), empty_capture: bool) -> Endgame {
        let none = |_, _, _: &mut [u8]| Ok::<bool, SolveError>(false);
        Endgame::from_scores(form, pits, seeds, empty_capture, &NoProgress, &none).unwrap()
    }

    #[test]
    fn some_of_the_scores_give_the_rest() {
        for (pits, seeds, empty_capture) in [(1, 20, false), (3, 12, true), (6, 8, false)] {
            let whole = endgame(Form::Bytes, (pits, seeds), empty_capture);
            // Either half, nothing, everything, and an irregular selection.
            let choices: [fn(usize, usize) -> bool; 5] = [
                |mover, opponent| mover <= opponent,
                |mover, opponent| mover >= opponent,
                |_, _| false,
                |_, _| true,
                |mover, opponent| (mover + 2 * opponent) % 3 == 0,
            ];
            for (is_known, form) in choices.iter().flat_map(|is| FORMS.map(|form| (is, form))) {
                let source = |mover: usize, opponent: usize, codes: &mut [u8]| {
                    if is_known(mover, opponent) {
                        codes.copy_from_slice(&whole.codes(mover, opponent));
                    }
                    Ok::<bool, SolveError>(is_known(mover, opponent))
                };
                let progress = &NoProgress;
                let again =
                    Endgame::from_scores(form, pits, seeds, empty_capture, progress, &source)
                        .unwrap();
                for mover in 1..seeds {
                    for opponent in 1..=seeds - mover {
                        assert_eq!(again.codes(mover, opponent), whole.codes(mover, opponent));
                    }
                }
            }
        }
    }

    /// Returns all boards on which both sides have seeds.
    fn all_boards(numbering: &Arrangements) -> impl Iterator<Item = (Pits, Pits)> + '_ {
        let seeds = numbering.max_seeds();
        let splits = (1..seeds).flat_map(move |mover| (1..=seeds - mover).map(move |o| (mover, o)));
        splits.flat_map(move |(mover, opponent)| {
            let opponents = move || numbering.all(opponent);
            let movers = numbering.all(mover);
            movers.flat_map(move |mover| opponents().map(move |opponent| (mover, opponent)))
        })
    }

    /// Compares bounds of all positions with their known scores.
    #[test]
    fn bounds_are_true_and_say_what_is_asked() {
        let mut asked = 0;
        for ((pits, seeds), form) in [(1, 30), (2, 13), (3, 9), (6, 6)]
            .into_iter()
            .flat_map(|size| FORMS.map(|form| (size, form)))
        {
            for empty_capture in [false, true] {
                let whole = endgame(Form::Bytes, (pits, seeds), empty_capture);
                let endgame = endgame(form, (pits, seeds), empty_capture);
                for (mover, opponent) in all_boards(&Arrangements::new(pits, seeds)) {
                    let score = whole.score(&mover, &opponent).unwrap();
                    let seeds = sum(&mover) + sum(&opponent);
                    let share = (score + seeds as i32) / 2;
                    let board = Board::new(pits, &mover, &opponent);
                    for wanted in 0..=seeds as i32 + 1 {
                        let found = endgame.bound(board, seeds as u32, wanted) as i32;
                        assert_eq!(found >= wanted, share >= wanted, "{board:?}");
                        if found >= wanted {
                            assert!(found <= share, "{board:?}");
                        } else {
                            assert!(found >= share, "{board:?}");
                        }
                        asked += 1;
                    }
                }
            }
        }
        assert!(asked > 500_000, "{asked}");
    }

    #[test]
    fn packed_it_takes_half_and_a_quarter() {
        let bytes = FORMS.map(|form| endgame(form, (6, 11), false).bytes());
        let positions = endgame(Form::Half, (6, 11), false).positions;
        assert_eq!(bytes[0], positions);
        // There is a small overhead for each row, and small endgames have many rows.
        assert!(bytes[1] < bytes[0] * 2 / 3, "{bytes:?}");
        assert!(bytes[2] < bytes[0] * 35 / 100, "{bytes:?}");
    }

    /// Checks that every score is the best of the position's moves by the rules.
    #[test]
    fn every_score_is_the_best_of_its_moves() {
        let mut checked = 0;
        for (pits, seeds) in [(1, 40), (2, 30), (3, 14), (4, 10), (6, 9)] {
            for (empty_capture, form) in [
                (false, Form::Bytes),
                (true, Form::Bytes),
                (false, Form::Half),
                (true, Form::Half),
            ] {
                let endgame = endgame(form, (pits, seeds), empty_capture);
                // The game has enough seeds that every position is one of its own.
                let game = Kalah::new(Rules {
                    pits,
                    seeds: seeds.div_ceil(2 * pits),
                    empty_capture,
                })
                .unwrap();
                let value = |position: &Position| {
                    game.final_score(position).unwrap_or_else(|| {
                        let (mover, opponent) = position.mover_and_opponent();
                        game.banked(position) + endgame.score(mover, opponent).unwrap()
                    })
                };
                let numbering = Arrangements::new(pits, seeds);
                for (mover, opponent) in all_boards(&numbering) {
                    let position = Position::bare(mover, opponent);
                    let moves = game.legal_moves(&position).into_iter();
                    let scores = moves.map(|mv| {
                        let child = game.play(&position, mv);
                        let sign = if child.side == position.side { 1 } else { -1 };
                        sign * value(&child)
                    });
                    assert_eq!(scores.max(), Some(value(&position)), "{position:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 500_000, "{checked} positions checked");
    }
}
