//! Questions about positions, and who answers them.
//!
//! Everything that a person asks is one of these: what is the score here, what is it after each
//! move, is it a win, what is the principal variation. An [`Oracle`] answers with exact scores,
//! whether a table reads them or a search finds them; the one who asks need not know which.
//!
//! ```
//! use zermelo::game::{NoProgress, Notation, Outcome, SearchSetup};
//! use zermelo::games::tictactoe::TicTacToe;
//! use zermelo::oracle::{BySearch, Oracle};
//!
//! let game = TicTacToe::default();
//! let position = game.parse_position("X...O....")?;
//! let setup = SearchSetup { threads: 1, memory: 1 << 20, endgame: None };
//! let oracle = BySearch::new(&game, &setup, &NoProgress)?;
//! assert_eq!(oracle.outcome(&position)?, Outcome::Draw);
//! assert_eq!(oracle.principal_variation(&position)?.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod by_search;
mod by_table;
mod error;
#[cfg(test)]
mod tests;

pub(crate) use ask::unfinished;
pub use ask::{Answer, AskError, NoQuestion, Question, Wanted, ask, ask_telling};
pub use by_search::BySearch;
pub use error::OracleError;

pub use crate::game::Bounds;

use crate::game::{Notation, Outcome, Progress, SearchError, repetition};
use crate::table::Table;
use std::cmp::Reverse;

/// Whether whoever asks no longer waits for the answer.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Of who waits for ever.
pub const NEVER: Stop<'static> = &|| false;

/// What answers have cost so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Positions visited.
    pub nodes: u64,
    /// Threads that search.
    pub threads: usize,
    /// Seconds by the clock; 0 where nobody has looked.
    pub seconds: f64,
}

/// The position after a move, and bounds of the move's score, seen from who makes it, that settle
/// whether it is `score` or more.
fn bound_after<G: Notation>(
    oracle: &(impl Oracle<G> + ?Sized),
    position: &G::Position,
    mv: G::Move,
    score: i32,
    stop: Stop<'_>,
) -> Result<(G::Position, Bounds), OracleError> {
    let game = oracle.game();
    let child = game.play(position, mv);
    if game.side_to_move(&child) == game.side_to_move(position) {
        let found = oracle.bound(&child, score, stop)?;
        return Ok((child, found));
    }
    // The opponent must not get more than that.
    let found = oracle.bound(&child, 1 - score, stop)?;
    Ok((child, found.reversed()))
}

/// Answers with exact scores, seen from the side to move, of one game's positions. Can be asked
/// from several threads at once.
///
/// # Errors
/// Every question ends with an [`OracleError`] if the position is not one that the oracle knows,
/// what it reads from is damaged, or it was told to stop.
pub trait Oracle<G: Notation>: Send + Sync {
    /// The game.
    fn game(&self) -> &G;

    /// The score of a position, finished or not, banked points included.
    ///
    /// # Errors
    /// As the trait says.
    fn score(&self, position: &G::Position) -> Result<i32, OracleError>;

    /// The same, unless `stop` says yes first: then the error is [`OracleError::Interrupted`]. `tell`
    /// receives what is proven of the score whenever that is more than before. A search begins with the
    /// guess in `from`, if there is one, and says that it searches what is named there. What answers at
    /// once uses none of them.
    ///
    /// # Errors
    /// As the trait says.
    fn score_until(
        &self,
        position: &G::Position,
        from: Option<(i32, &str)>,
        stop: Stop<'_>,
        tell: &mut dyn FnMut(Bounds),
    ) -> Result<i32, OracleError> {
        let _ = (from, stop, tell);
        self.score(position)
    }

    /// What is known of an unfinished position's score before anything is looked up or searched.
    fn bounds(&self, position: &G::Position) -> Bounds {
        let range = self.game().score_range();
        let banked = self.game().banked(position);
        Bounds {
            lower: banked + range.lowest,
            upper: banked + range.highest,
        }
    }

    /// Bounds that settle whether the score of a position, finished or not, is `wanted` or more: the
    /// lower one is, or the upper one is not. For a search much cheaper than the score; `stop` as in
    /// [`Oracle::score_until`].
    ///
    /// # Errors
    /// As the trait says.
    fn bound(
        &self,
        position: &G::Position,
        wanted: i32,
        stop: Stop<'_>,
    ) -> Result<Bounds, OracleError> {
        let _ = (wanted, stop);
        self.score(position).map(Bounds::exactly)
    }

    /// Win, draw or loss, without more than that.
    ///
    /// # Errors
    /// As the trait says.
    fn outcome(&self, position: &G::Position) -> Result<Outcome, OracleError> {
        let bounds = self.bound(position, 1, NEVER)?;
        let bounds = match bounds.outcome() {
            Some(outcome) => return Ok(outcome),
            None => self.bound(position, 0, NEVER)?,
        };
        // Not a win, as the first bounds showed.
        Ok(Outcome::of(bounds.lower.clamp(-1, 0)))
    }

    /// The score after a legal move, seen from who makes it.
    ///
    /// # Errors
    /// As the trait says.
    fn score_after(&self, position: &G::Position, mv: G::Move) -> Result<i32, OracleError> {
        let game = self.game();
        let child = game.play(position, mv);
        let score = self.score(&child)?;
        Ok(game.seen_from(game.side_to_move(position), &child, score))
    }

    /// Whether a legal move keeps the score of a position, which is `score`; `stop` as in
    /// [`Oracle::score_until`]. For a search much cheaper than the move's score.
    ///
    /// # Errors
    /// As the trait says.
    fn keeps(
        &self,
        position: &G::Position,
        mv: G::Move,
        score: i32,
        stop: Stop<'_>,
    ) -> Result<bool, OracleError> {
        let (_, found) = bound_after(self, position, mv, score, stop)?;
        // Nothing is better than the score, unless the scores contradict each other.
        Ok(found
            .score()
            .map_or(found.lower >= score, |after| after == score))
    }

    /// [`Oracle::score_after`] of a position whose score is `score`, which makes it cheaper for a
    /// search; `stop` as in [`Oracle::score_until`].
    ///
    /// # Errors
    /// As the trait says.
    fn score_after_knowing(
        &self,
        position: &G::Position,
        mv: G::Move,
        score: i32,
        stop: Stop<'_>,
    ) -> Result<i32, OracleError> {
        let (child, found) = bound_after(self, position, mv, score, stop)?;
        if let Some(after) = found.score() {
            return Ok(after);
        }
        if found.lower >= score {
            return Ok(score);
        }
        let game = self.game();
        let side = game.side_to_move(position);
        // Most moves that lose anything lose little.
        let guess = game.seen_from(side, &child, score - 1);
        let what = format!("after {}: ", game.format_move(mv));
        let found = self.score_until(&child, Some((guess, &what)), stop, &mut |_| ())?;
        Ok(game.seen_from(side, &child, found))
    }

    /// Every legal move with its score, seen from the side to move at `position`: best first, and
    /// in the game's order where equal. None if the position is finished.
    ///
    /// # Errors
    /// As the trait says.
    fn move_scores(&self, position: &G::Position) -> Result<Vec<(G::Move, i32)>, OracleError> {
        let mut scores = Vec::new();
        for mv in self.game().legal_moves(position) {
            scores.push((mv, self.score_after(position, mv)?));
        }
        scores.sort_by_key(|&(_, score)| Reverse(score));
        Ok(scores)
    }

    /// One of the best moves of a position whose score is `score`; none if it is finished.
    ///
    /// # Errors
    /// As the trait says.
    fn best_move(
        &self,
        position: &G::Position,
        score: i32,
    ) -> Result<Option<G::Move>, OracleError> {
        let moves = self.game().legal_moves(position);
        let mut last = None;
        for mv in self.likely_best(position).into_iter().chain(moves) {
            last = Some(mv);
            if self.keeps(position, mv, score, NEVER)? {
                break;
            }
        }
        Ok(last)
    }

    /// The move to try first, if an earlier question has left one to suggest itself.
    fn likely_best(&self, position: &G::Position) -> Option<G::Move> {
        let _ = position;
        None
    }

    /// A line of best play from a position to the end of the game.
    ///
    /// # Errors
    /// As the trait says.
    fn principal_variation(&self, position: &G::Position) -> Result<Vec<G::Move>, OracleError> {
        self.line(position, usize::MAX)
    }

    /// The first `most` moves of [`Oracle::principal_variation`], or all if there are fewer.
    ///
    /// # Errors
    /// As the trait says, and if the line comes back to where it was.
    fn line(&self, position: &G::Position, most: usize) -> Result<Vec<G::Move>, OracleError> {
        let game = self.game();
        let mut score = self.score(position)?;
        let mut position = position.clone();
        let mut line = Vec::new();
        // An earlier position, from which the line is twice as far away when another takes its place.
        let mut earlier = game.canonical(&position);
        while line.len() < most
            && let Some(mv) = self.best_move(&position, score)?
        {
            let child = game.play(&position, mv);
            score = game.seen_from(game.side_to_move(&child), &position, score);
            line.push(mv);
            position = child;
            let canonical = game.canonical(&position);
            if canonical == earlier {
                return Err(SearchError::Solve(repetition(game, &position)).into());
            }
            if line.len().is_power_of_two() {
                earlier = canonical;
            }
        }
        Ok(line)
    }

    /// The list of all positions that have a score, if there is one: the oracle's table.
    fn inventory(&self) -> Option<&Table<G>> {
        None
    }

    /// Announces which positions will be asked about, so that a search can plan for them.
    fn prepare(&self, _positions: &[G::Position]) {}

    /// The same, and whatever takes time before the first answer is done now, so that no answer's
    /// time has it in it.
    ///
    /// # Errors
    /// If one of the positions can't be asked about.
    fn make_ready(&self, _positions: &[G::Position]) -> Result<(), OracleError> {
        Ok(())
    }

    /// The same oracle for one asker of several: it tells `progress` what it is doing for them, and
    /// stops when that says so. What it learns serves all. Nothing if it answers at once.
    fn heard_by<'q>(&'q self, progress: &'q dyn Progress) -> Option<Box<dyn Oracle<G> + 'q>> {
        let _ = progress;
        None
    }

    /// What the answers have cost; nothing where they cost next to nothing.
    fn effort(&self) -> Option<Effort> {
        None
    }
}
