//! Oracles that search.

use super::{Bounds, Effort, Oracle, OracleError};
use crate::game::{InWords, Notation, Progress, SearchError, SearchSetup, Searcher, SolveError};
use crate::search::searcher;
use std::sync::Arc;

/// Searches positions of a game, by the game's own searcher if it has one.
///
/// Results are retained from one question to the next.
pub struct BySearch<'p, G: Notation> {
    game: G,
    searcher: Arc<dyn Searcher<G>>,
    progress: &'p dyn Progress,
}

impl<'p, G: Notation> BySearch<'p, G> {
    /// Returns a search with these resources. `progress` receives reports and may cancel it.
    ///
    /// # Errors
    /// If the resources are too small for any search.
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

    /// Reports the current search as a phase: "after 3: -2 to +4, depth 21".
    fn announce(&self, what: &str, bounds: Bounds) {
        let depth = self.searcher.depth().filter(|&depth| depth > 0);
        let depth = depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
        let counts_plies = self.game.score_range().counts_plies();
        let [lower, upper] =
            [bounds.lower, bounds.upper].map(|score| InWords::new(score, counts_plies).short());
        let name = format!("{what}{lower} to {upper}{depth}");
        self.progress.phase(&name, "positions", 0);
    }
}

impl<G: Notation> Oracle<G> for BySearch<'_, G> {
    fn game(&self) -> &G {
        &self.game
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        self.score_telling(position, None, &mut |_| ())
    }

    fn score_telling(
        &self,
        position: &G::Position,
        from: Option<(i32, &str)>,
        report: &mut dyn FnMut(Bounds),
    ) -> Result<i32, OracleError> {
        if let Some(score) = self.game.final_score(position) {
            return Ok(score);
        }
        let (guess, what) = from.unwrap_or((self.game.banked(position), "score "));
        self.announce(what, self.searcher.bounds(position));
        let mut each = |bounds| {
            self.announce(what, bounds);
            report(bounds);
        };
        let found = self
            .searcher
            .score(position, guess, self.progress, &mut each)?;
        found.score().ok_or(OracleError::Interrupted(found))
    }

    fn bounds(&self, position: &G::Position) -> Bounds {
        self.searcher.bounds(position)
    }

    fn bound(&self, position: &G::Position, wanted: i32) -> Result<Bounds, OracleError> {
        if let Some(score) = self.game.final_score(position) {
            return Ok(Bounds::exactly(score));
        }
        let known = self.searcher.bounds(position);
        if known.lower >= wanted || known.upper < wanted {
            return Ok(known);
        }
        self.announce("score ", known);
        let found = self.searcher.bound(position, wanted, self.progress)?;
        // The search may have proven more than it was asked.
        let mut bounds = self.searcher.bounds(position);
        let found = found.ok_or(OracleError::Interrupted(bounds))?;
        bounds.narrow(wanted, found);
        Ok(bounds)
    }

    fn likely_best(&self, position: &G::Position) -> Option<G::Move> {
        self.searcher.likely_best(position)
    }

    fn prepare(&self, positions: &[G::Position], at_once: bool) -> Result<(), OracleError> {
        Ok(self.searcher.prepare(positions, at_once, self.progress)?)
    }

    fn with_progress<'q>(&'q self, progress: &'q dyn Progress) -> Option<Box<dyn Oracle<G> + 'q>> {
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

/// Rules without scores, for games in which nothing is asked but moves.
pub(crate) struct WithoutScores<G>(pub G);

impl<G: Notation> Oracle<G> for WithoutScores<G> {
    fn game(&self) -> &G {
        &self.0
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        let game = self.0.name();
        let unknown = || SearchError::from(SolveError::OnlyBySolving { game }).into();
        self.0.final_score(position).ok_or_else(unknown)
    }
}
