//! Exact answers about positions.
//!
//! An [`Oracle`] answers the questions that people ask: the score of a position, the scores of its
//! moves, its outcome, its principal variation. It reads a table or searches; the caller need not
//! know which.
//!
//! ```
//! use zermelo::game::{NoProgress, Notation, Outcome, SearchSetup};
//! use zermelo::games::tictactoe::TicTacToe;
//! use zermelo::oracle::{BySearch, Oracle};
//!
//! let game = TicTacToe::default();
//! let position = game.parse_position("X...O....")?;
//! let setup = SearchSetup::new(1, 1 << 20);
//! let oracle = BySearch::new(&game, &setup, &NoProgress)?;
//! assert_eq!(oracle.outcome(&position)?, Outcome::Draw);
//! assert_eq!(oracle.principal_variation(&position)?.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod by_search;
mod compare;
#[cfg(not(target_family = "wasm"))]
mod known;
mod question;
#[cfg(test)]
mod tests;

pub(crate) use ask::unfinished;
pub use ask::{Answer, AskError, Only, Wanted, ask};
pub use by_search::BySearch;
pub(crate) use by_search::WithoutScores;
pub use compare::{CompareError, Compared, Comparison, Run, RunResult, SearchMethod, compare};
#[cfg(not(target_family = "wasm"))]
pub(crate) use known::Known;
pub use question::Question;

pub use crate::game::Bounds;

use crate::game::{Endless, Notation, Outcome, Progress, SearchError, repetition, sort_best_first};
use crate::search::{Window, child_score};
use crate::table::{LayerEntries, Loaded, ReadError, Table};
use rustc_hash::FxHashSet;

/// The effort of all answers so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Number of positions visited.
    pub nodes: u64,
    /// Number of threads that search.
    pub threads: usize,
    /// Elapsed seconds; 0 if not measured.
    pub seconds: f64,
}

/// Why an oracle can't answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The position is not in the table, or the table can't be read.
    #[error(transparent)]
    Table(Box<ReadError>),
    /// The position can't be searched.
    #[error(transparent)]
    Search(Box<SearchError>),
    /// A position's score is not that of any of its moves: the table has other rules.
    #[error(
        "the score of {0} is that of none of its moves: the rules have changed since the table \
         was made, or the table is wrong; `verify` proves or refutes it"
    )]
    Contradiction(String),
    /// The position is not among those whose scores are listed.
    #[error("{0} is not one of the listed positions")]
    Unlisted(String),
    /// Cancelled before the score was known, with the bounds proven until then.
    #[error("interrupted; the score is from {} to {}", .0.lower, .0.upper)]
    Interrupted(Bounds),
}

impl OracleError {
    /// Returns whether the oracle failed only because it was cancelled.
    pub(crate) fn is_interruption(&self) -> bool {
        match self {
            OracleError::Interrupted(_) => true,
            OracleError::Search(error) => matches!(**error, SearchError::Interrupted),
            _ => false,
        }
    }
}

impl From<SearchError> for OracleError {
    fn from(error: SearchError) -> OracleError {
        OracleError::Search(Box::new(error))
    }
}

impl From<ReadError> for OracleError {
    fn from(error: ReadError) -> OracleError {
        OracleError::Table(Box::new(error))
    }
}

/// Returns the position after a move, and bounds that show whether the move scores `score`.
///
/// The bounds are seen from the side that makes the move.
fn bound_after<G: Notation>(
    oracle: &(impl Oracle<G> + ?Sized),
    position: &G::Position,
    mv: G::Move,
    score: i32,
) -> Result<(G::Position, Bounds), OracleError> {
    let game = oracle.game();
    let side = game.side_to_move(position);
    let child = game.play(position, mv);
    let window = Window::at_least(score);
    let mut seen = Bounds::exactly(score);
    child_score(game, side, &child, window, |window| {
        seen = oracle.bound(&child, window.beta)?;
        Ok::<_, OracleError>(score)
    })?;
    let [one, other] = [seen.lower, seen.upper].map(|it| game.score_of_move(side, &child, it));
    let (lower, upper) = (one.min(other), one.max(other));
    Ok((child, Bounds { lower, upper }))
}

/// Answers questions about one game's positions with exact scores.
///
/// Scores are seen from the side to move. Several threads may ask at once.
///
/// # Errors
/// Every question fails with an [`OracleError`] if the oracle doesn't know the position, its data
/// is damaged, or it was cancelled.
pub trait Oracle<G: Notation>: Send + Sync {
    /// Returns the game.
    fn game(&self) -> &G;

    /// Returns the score of a position, finished or not, including banked points.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn score(&self, position: &G::Position) -> Result<i32, OracleError>;

    /// Returns [`Oracle::score`], with `report` receiving the proven bounds whenever they improve.
    ///
    /// `from` is a first guess for a search and a name for its progress reports. An oracle that
    /// answers at once ignores both.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn score_telling(
        &self,
        position: &G::Position,
        from: Option<(i32, &str)>,
        report: &mut dyn FnMut(Bounds),
    ) -> Result<i32, OracleError> {
        let _ = (from, report);
        self.score(position)
    }

    /// Returns bounds of an unfinished position's score that need no look-up and no search.
    fn bounds(&self, position: &G::Position) -> Bounds {
        Bounds::of_range(self.game(), position)
    }

    /// Returns bounds that decide whether the score of a position is at least `wanted`.
    ///
    /// Either the lower bound is at least `wanted` or the upper bound is less. By search, this is
    /// much faster than the score.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn bound(&self, position: &G::Position, wanted: i32) -> Result<Bounds, OracleError> {
        let _ = wanted;
        self.score(position).map(Bounds::exactly)
    }

    /// Returns win, draw or loss for the side to move.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn outcome(&self, position: &G::Position) -> Result<Outcome, OracleError> {
        let bounds = self.bound(position, 1)?;
        let bounds = match bounds.outcome() {
            Some(outcome) => return Ok(outcome),
            None => self.bound(position, 0)?,
        };
        // The first bounds exclude a win.
        Ok(Outcome::of(bounds.lower.clamp(-1, 0)))
    }

    /// Returns the score of a legal move, seen from the side that makes it.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn score_after(&self, position: &G::Position, mv: G::Move) -> Result<i32, OracleError> {
        let game = self.game();
        let child = game.play(position, mv);
        let score = self.score(&child)?;
        Ok(game.score_of_move(game.side_to_move(position), &child, score))
    }

    /// Returns whether a legal move preserves the position's score, which is `score`.
    ///
    /// By search, this is much faster than the move's score.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn keeps(&self, position: &G::Position, mv: G::Move, score: i32) -> Result<bool, OracleError> {
        let (_, found) = bound_after(self, position, mv, score)?;
        // No move is better than the score, unless scores contradict each other.
        Ok(found
            .score()
            .map_or(found.lower >= score, |after| after == score))
    }

    /// Returns [`Oracle::score_after`], given the position's score, which speeds up a search.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn score_after_knowing(
        &self,
        position: &G::Position,
        mv: G::Move,
        score: i32,
    ) -> Result<i32, OracleError> {
        let (child, found) = bound_after(self, position, mv, score)?;
        if let Some(after) = found.score() {
            return Ok(after);
        }
        if found.lower >= score {
            return Ok(score);
        }
        let game = self.game();
        let side = game.side_to_move(position);
        // Most mistakes have a small regret, so guess one.
        let guess = game.score_after_move(side, &child, score - 1);
        let what = format!("after {}: ", game.format_move(mv));
        let found = self.score_telling(&child, Some((guess, &what)), &mut |_| ())?;
        Ok(game.score_of_move(side, &child, found))
    }

    /// Returns all legal moves with their scores, seen from the side to move at `position`.
    ///
    /// Best first, and in the game's order where equal; empty if the position is finished.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn move_scores(&self, position: &G::Position) -> Result<Vec<(G::Move, i32)>, OracleError> {
        let mut scores = Vec::new();
        for mv in self.game().legal_moves(position) {
            scores.push((mv, self.score_after(position, mv)?));
        }
        sort_best_first(&mut scores);
        Ok(scores)
    }

    /// Returns a best move of a position whose score is `score`, or `None` if it is finished.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn best_move(
        &self,
        position: &G::Position,
        score: i32,
    ) -> Result<Option<G::Move>, OracleError> {
        let moves = self.game().legal_moves(position);
        let mut last = None;
        for mv in self.likely_best(position).into_iter().chain(moves) {
            last = Some(mv);
            if self.keeps(position, mv, score)? {
                break;
            }
        }
        Ok(last)
    }

    /// Returns a move to try first, if an earlier question suggests one.
    fn likely_best(&self, position: &G::Position) -> Option<G::Move> {
        let _ = position;
        None
    }

    /// Returns a principal variation: a line of best play to the end of the game.
    ///
    /// # Errors
    /// See the [trait](Oracle).
    fn principal_variation(&self, position: &G::Position) -> Result<Vec<G::Move>, OracleError> {
        self.line(position, usize::MAX)
    }

    /// Returns the first `most` moves of [`Oracle::principal_variation`], or all if fewer.
    ///
    /// If endless play is a draw, it ends before a move that would repeat a position.
    ///
    /// # Errors
    /// See the [trait](Oracle); also if the line repeats a position although the game says that
    /// none can.
    fn line(&self, position: &G::Position, most: usize) -> Result<Vec<G::Move>, OracleError> {
        let game = self.game();
        let mut score = self.score(position)?;
        let mut position = position.clone();
        let mut line = Vec::new();
        let may_repeat = game.endless() == Endless::Draw;
        // Without endless play, not even a class comes up again.
        let met = |position: &G::Position| match may_repeat {
            true => position.clone(),
            false => game.canonical(position),
        };
        let mut seen = FxHashSet::from_iter([met(&position)]);
        while line.len() < most
            && let Some(mv) = self.best_move(&position, score)?
        {
            let child = game.play(&position, mv);
            score = game.score_after_move(game.side_to_move(&position), &child, score);
            if !seen.insert(met(&child)) {
                if may_repeat {
                    break;
                }
                return Err(SearchError::Solve(repetition(game, &child)).into());
            }
            line.push(mv);
            position = child;
        }
        Ok(line)
    }

    /// Returns the list of all positions with a score, if the oracle has one.
    fn inventory(&self) -> Option<Box<dyn Inventory<G> + '_>> {
        None
    }

    /// Announces upcoming positions, so that a search can prepare for them.
    ///
    /// With `at_once`, it does all of the work now, before the first answer.
    ///
    /// # Errors
    /// If one of the positions can't be asked about.
    fn prepare(&self, _positions: &[G::Position], _at_once: bool) -> Result<(), OracleError> {
        Ok(())
    }

    /// Returns the same oracle for one of several clients, whose `progress` it reports to.
    ///
    /// The client's `progress` may cancel its questions ([`OracleError::Interrupted`]). Results
    /// serve all clients. `None` if the oracle answers at once.
    fn with_progress<'q>(&'q self, progress: &'q dyn Progress) -> Option<Box<dyn Oracle<G> + 'q>> {
        let _ = progress;
        None
    }

    /// Returns the effort of all answers so far, or `None` if they cost almost nothing.
    fn effort(&self) -> Option<Effort> {
        None
    }
}

impl<G: Notation> Oracle<G> for Table<G> {
    fn game(&self) -> &G {
        Table::game(self)
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Table::score(self, position)?)
    }

    fn inventory(&self) -> Option<Box<dyn Inventory<G> + '_>> {
        Some(Box::new(LayerEntries::all(self)))
    }
}

impl<G: Notation> Oracle<G> for Loaded<'_, G> {
    fn game(&self) -> &G {
        self.table().game()
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Loaded::score(self, position)?)
    }

    fn inventory(&self) -> Option<Box<dyn Inventory<G> + '_>> {
        self.table().inventory()
    }
}

/// A list of canonical positions, divided into blocks.
pub trait Inventory<G: Notation>: Send + Sync {
    /// Returns the number of positions.
    fn entries(&self) -> u64;

    /// Returns the number of blocks.
    fn blocks(&self) -> u64;

    /// Returns the positions of a block.
    ///
    /// # Errors
    /// If they can't be read.
    fn block_positions(&self, block: u64) -> Result<Vec<G::Position>, ReadError>;

    /// Returns a random position, if there is any; `random` returns a number below its argument.
    ///
    /// # Errors
    /// If it can't be read.
    fn choose(&self, random: &mut dyn FnMut(u64) -> u64) -> Result<Option<G::Position>, ReadError>;
}

impl<G: Notation> Inventory<G> for LayerEntries<'_, G> {
    fn entries(&self) -> u64 {
        self.table().file().entries()
    }

    fn blocks(&self) -> u64 {
        self.table().file().blocks()
    }

    fn block_positions(&self, block: u64) -> Result<Vec<G::Position>, ReadError> {
        self.table().block_positions(block)
    }

    fn choose(&self, random: &mut dyn FnMut(u64) -> u64) -> Result<Option<G::Position>, ReadError> {
        LayerEntries::choose(self, random)
    }
}
