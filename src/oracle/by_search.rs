//! Answers by search.

use super::{Bounds, Effort, NEVER, Oracle, OracleError, Stop};
use crate::game::{Notation, Progress, SearchError, SearchSetup, Searcher, Until};
use crate::search::searcher;
use crate::text::signed;
use std::sync::Arc;

/// Searches positions of a game, by the game's own search if it has one. What it has learnt from
/// one question serves the next.
pub struct BySearch<'p, G: Notation> {
    game: G,
    searcher: Arc<dyn Searcher<G>>,
    progress: &'p dyn Progress,
}

impl<'p, G: Notation> BySearch<'p, G> {
    /// A search that may use this much. It tells `progress` what it is doing, and stops when that
    /// says so.
    ///
    /// # Errors
    /// If that is not enough for any search.
    pub fn new(
        game: &G,
        setup: &SearchSetup,
        progress: &'p dyn Progress,
    ) -> Result<BySearch<'p, G>, SearchError> {
        Ok(BySearch {
            game: game.clone(),
            searcher: Arc::from(searcher(game, setup)?),
            progress,
        })
    }

    /// Says what is being searched, in a name of a phase such as "after 3: -2 to +4, depth 21".
    fn announce(&self, what: &str, bounds: Bounds) {
        let depth = self.searcher.depth().filter(|&depth| depth > 0);
        let depth = depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
        let (lower, upper) = (signed(bounds.lower), signed(bounds.upper));
        let name = format!("{what}{lower} to {upper}{depth}");
        self.progress.phase(&name, "positions", 0);
    }

    /// The score of a position; the first question about it is whether it is `guess` or more.
    fn search(
        &self,
        position: &G::Position,
        guess: i32,
        what: &str,
        stop: Stop<'_>,
        tell: &mut dyn FnMut(Bounds),
    ) -> Result<i32, OracleError> {
        if let Some(score) = self.game.final_score(position) {
            return Ok(score);
        }
        self.announce(what, self.searcher.bounds(position));
        let progress = &Until::new(self.progress, stop);
        let mut each = |bounds| {
            self.announce(what, bounds);
            tell(bounds);
        };
        let found = self.searcher.score(position, guess, progress, &mut each)?;
        found.score().ok_or(OracleError::Interrupted(found))
    }

    /// Bounds that settle whether the score of an unfinished position is `wanted` or more.
    fn bound(
        &self,
        position: &G::Position,
        wanted: i32,
        stop: Stop<'_>,
    ) -> Result<Bounds, OracleError> {
        let known = self.searcher.bounds(position);
        if known.lower >= wanted || known.upper < wanted {
            return Ok(known);
        }
        self.announce("score ", known);
        let progress = &Until::new(self.progress, stop);
        let found = self.searcher.bound(position, wanted, progress)?;
        // The search may know more by now than what it was asked for.
        let mut bounds = self.searcher.bounds(position);
        match found {
            None => return Err(OracleError::Interrupted(bounds)),
            Some(found) if found >= wanted => bounds.lower = bounds.lower.max(found),
            Some(found) => bounds.upper = bounds.upper.min(found),
        }
        Ok(bounds)
    }
}

impl<G: Notation> Oracle<G> for BySearch<'_, G> {
    fn game(&self) -> &G {
        &self.game
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        self.score_until(position, NEVER, &mut |_| ())
    }

    fn score_until(
        &self,
        position: &G::Position,
        stop: Stop<'_>,
        tell: &mut dyn FnMut(Bounds),
    ) -> Result<i32, OracleError> {
        let guess = self.game.banked(position);
        self.search(position, guess, "score ", stop, tell)
    }

    fn bounds(&self, position: &G::Position) -> Bounds {
        self.searcher.bounds(position)
    }

    fn settle(&self, position: &G::Position, wanted: i32) -> Result<Bounds, OracleError> {
        self.bound(position, wanted, NEVER)
    }

    fn keeps(
        &self,
        position: &G::Position,
        mv: G::Move,
        score: i32,
        stop: Stop<'_>,
    ) -> Result<bool, OracleError> {
        let child = self.game.play(position, mv);
        let same = self.game.side_to_move(&child) == self.game.side_to_move(position);
        // Where the turn passes, the opponent must not get more than that.
        let wanted = if same { score } else { 1 - score };
        let reached = match self.game.final_score(&child) {
            Some(score) => score >= wanted,
            None => self.bound(&child, wanted, stop)?.lower >= wanted,
        };
        Ok(reached == same)
    }

    fn score_after_knowing(
        &self,
        position: &G::Position,
        mv: G::Move,
        score: i32,
        stop: Stop<'_>,
    ) -> Result<i32, OracleError> {
        if self.keeps(position, mv, score, stop)? {
            return Ok(score);
        }
        let child = self.game.play(position, mv);
        let side = self.game.side_to_move(position);
        // Most moves that lose anything lose little.
        let guess = self.game.seen_from(side, &child, score - 1);
        let what = format!("after {}: ", self.game.format_move(mv));
        let found = self.search(&child, guess, &what, stop, &mut |_| ())?;
        Ok(self.game.seen_from(side, &child, found))
    }

    /// Of every move it only asks whether it keeps the score.
    fn best_move(
        &self,
        position: &G::Position,
        score: i32,
    ) -> Result<Option<G::Move>, OracleError> {
        let moves = self.game.legal_moves(position);
        let likely = self.searcher.likely_best(position);
        let mut last = None;
        for mv in likely.into_iter().chain(moves) {
            last = Some(mv);
            if self.keeps(position, mv, score, NEVER)? {
                break;
            }
        }
        Ok(last)
    }

    fn prepare(&self, positions: &[G::Position]) {
        // Whoever asks about a position that can't be searched hears of it then.
        let _ = self.searcher.prepare(positions, self.progress);
    }

    fn make_ready(&self, positions: &[G::Position]) -> Result<(), OracleError> {
        Ok(self.searcher.make_ready(positions, self.progress)?)
    }

    fn heard_by<'q>(&'q self, progress: &'q dyn Progress) -> Option<Box<dyn Oracle<G> + 'q>> {
        Some(Box::new(BySearch {
            game: self.game.clone(),
            searcher: Arc::clone(&self.searcher),
            progress,
        }))
    }

    fn effort(&self) -> Option<Effort> {
        Some(Effort {
            nodes: self.searcher.nodes(),
            threads: self.searcher.threads(),
            seconds: 0.0,
        })
    }
}
