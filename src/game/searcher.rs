//! The interface of a game's own search for the score of one position.

use super::{Game, Outcome, Progress, SolveError};
use crate::text::{bytes, bytes_up};
use crate::work::{DiskError, SavedSearch};
use std::error::Error;
use std::sync::Arc;

/// A lower and an upper bound of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The score is not lower.
    pub lower: i32,
    /// The score is not higher.
    pub upper: i32,
}

impl Bounds {
    /// Returns the bounds of a known score.
    #[must_use]
    pub fn exactly(score: i32) -> Bounds {
        Bounds {
            lower: score,
            upper: score,
        }
    }

    /// Returns the bounds of an unfinished position's score that follow from the range of scores.
    pub(crate) fn of_range<G: Game>(game: &G, position: &G::Position) -> Bounds {
        let (range, banked) = (game.score_range(), game.banked(position));
        Bounds {
            lower: banked + range.lowest,
            upper: banked + range.highest,
        }
    }

    /// Returns the score, if the bounds are equal.
    #[must_use]
    pub fn score(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Returns the outcome, if it is the same for both bounds.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        let outcome = Outcome::of(self.lower);
        (outcome == Outcome::of(self.upper)).then_some(outcome)
    }

    /// Returns the same bounds seen from the other side.
    #[must_use]
    pub fn reversed(self) -> Bounds {
        Bounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }

    /// Narrows the bounds by a bound of [`Searcher::bound`], which was asked for `wanted`.
    pub(crate) fn narrow(&mut self, wanted: i32, found: i32) {
        match found >= wanted {
            true => self.lower = self.lower.max(found),
            false => self.upper = self.upper.min(found),
        }
    }

    /// Narrows the bounds by the algorithm MTD(f).
    ///
    /// It asks whether the score reaches one value after another; the first is `guess`. `ask`
    /// answers as [`Searcher::bound`] does, and `each` receives the bounds after every answer.
    ///
    /// # Errors
    /// The first error of `ask`. The bounds proven until then remain.
    pub(crate) fn close_in<E>(
        &mut self,
        guess: i32,
        mut ask: impl FnMut(i32) -> Result<i32, E>,
        mut each: impl FnMut(Bounds),
    ) -> Result<(), E> {
        let mut guess = guess.min(self.upper);
        while self.lower < self.upper {
            // The score is known to reach the lower bound, so ask for more than that.
            let wanted = guess.max(self.lower + 1);
            guess = ask(wanted)?;
            self.narrow(wanted, guess);
            each(*self);
        }
        Ok(())
    }
}

/// A search for the scores of single positions of one game.
///
/// It retains its results from one question to the next, and any thread may ask. All scores are
/// seen from the position's side to move and include banked points.
pub trait Searcher<G: Game>: Send + Sync {
    /// Prepares for questions about these positions and those reachable from them.
    ///
    /// An optional hint, so that a search can size its data for the largest position once instead
    /// of during a batch. With `at_once`, it also does the work that would otherwise wait for the
    /// first question.
    ///
    /// # Errors
    /// If one of the positions can't be searched.
    fn prepare(
        &self,
        _positions: &[G::Position],
        _at_once: bool,
        _progress: &dyn Progress,
    ) -> Result<(), SearchError> {
        Ok(())
    }

    /// Returns the bounds of the score before any search.
    fn bounds(&self, position: &G::Position) -> Bounds;

    /// Returns a bound of the score: a lower one if at least `wanted`, otherwise an upper one.
    ///
    /// `None` if `progress` cancelled the search.
    ///
    /// # Errors
    /// If the position can't be searched.
    fn bound(
        &self,
        position: &G::Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError>;

    /// Returns the bounds of the score: equal, unless `progress` cancelled the search.
    ///
    /// `guess` is the first value to try. `each` receives the bounds as they close in.
    ///
    /// # Errors
    /// If the position can't be searched.
    fn score(
        &self,
        position: &G::Position,
        guess: i32,
        progress: &dyn Progress,
        each: &mut dyn FnMut(Bounds),
    ) -> Result<Bounds, SearchError> {
        let mut bounds = self.bounds(position);
        let ask = |wanted| match self.bound(position, wanted, progress) {
            Ok(Some(bound)) => Ok(bound),
            Ok(None) => Err(None),
            Err(error) => Err(Some(error)),
        };
        match bounds.close_in(guess, ask, each) {
            Err(Some(error)) => Err(error),
            Ok(()) | Err(None) => Ok(bounds),
        }
    }

    /// Returns a move to try first, if an earlier question suggests one.
    fn likely_best(&self, _position: &G::Position) -> Option<G::Move> {
        None
    }

    /// Returns the number of positions visited so far, over all questions.
    fn nodes(&self) -> u64;

    /// Returns the depth in moves of the deepest position visited, if the search counts it.
    fn depth(&self) -> Option<u32> {
        None
    }

    /// Returns the number of threads that search at the same time.
    fn threads(&self) -> usize {
        1
    }
}

/// The resources of a search.
#[derive(Clone)]
pub struct SearchSetup {
    /// Number of threads, at least 1.
    pub threads: usize,
    /// The most memory to use, in bytes.
    pub memory: u64,
    /// Scores that need not be searched: an endgame or an opening, for a search that can use it.
    pub known: Option<Arc<dyn KnownScores>>,
    /// Whether a search without `kept` may use the opening book that the program has for it.
    pub own_opening: bool,
    /// File in which to save the search, and from which to resume it, if it can be saved.
    pub(crate) saved: Option<Arc<SavedSearch>>,
}

impl SearchSetup {
    /// Returns a setup with these resources and no known scores.
    #[must_use]
    pub const fn new(threads: usize, memory: u64) -> SearchSetup {
        SearchSetup {
            threads,
            memory,
            known: None,
            own_opening: true,
            saved: None,
        }
    }

    /// Refuses an endgame, for a search of the game with this name that can't use one.
    pub(crate) fn refuse_endgame(&self, name: impl FnOnce() -> String) -> Result<(), EndgameError> {
        match self.known {
            None => Ok(()),
            Some(_) => Err(EndgameError::NotTaken { game: name() }),
        }
    }
}

/// Known scores, such as those of a table, from which a search can start.
pub trait KnownScores: Send + Sync {
    /// Returns the rules string of the game that they belong to.
    fn rules(&self) -> &str;

    /// Returns the game's name, for people.
    fn name(&self) -> &str;

    /// Copies the codes of a segment's slots to `codes`, row by row.
    ///
    /// `codes` has one byte per slot. Returns whether the scores of this segment of the game's
    /// [`super::Ranking`] are available.
    ///
    /// # Errors
    /// If they can't be read.
    fn codes_of_segment(
        &self,
        _segment: u32,
        _codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        Ok(false)
    }

    /// Returns the score of the class with this key ([`Game::key`]), if there is one.
    ///
    /// # Errors
    /// If it can't be read.
    fn score_of_key(&self, _key: u128) -> Result<Option<i32>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }
}

/// Why a position can't be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// There are more positions than the search can distinguish.
    #[error("{found} are too many to search: at most {most} are possible")]
    TooMany {
        /// The amount that is too large: "252 seeds on the board with 6 pits per side".
        found: String,
        /// The highest layer that can be searched.
        most: u32,
    },
    /// The search needs more memory than is allowed.
    #[error(
        "searching this position needs at least {} of memory, and {} may be used",
        bytes_up(*.least),
        bytes(*.allowed)
    )]
    Memory {
        /// The smallest sufficient amount, in bytes.
        least: u64,
        /// The allowed amount, in bytes.
        allowed: u64,
    },
    /// The search can't be saved or resumed.
    #[error(transparent)]
    Saved(#[from] DiskError),
    /// The given scores aren't a suitable endgame, or can't be read.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// The search was cancelled before it began; nothing is proven.
    #[error("interrupted before the search began; nothing is proven yet")]
    Interrupted,
    /// A precondition of the search could not be computed.
    #[error(transparent)]
    Solve(SolveError),
}

impl SearchError {
    /// Returns an error if `allowed` bytes of memory are less than `least`.
    pub(crate) fn check_memory(least: u64, allowed: u64) -> Result<(), SearchError> {
        match allowed < least {
            true => Err(SearchError::Memory { least, allowed }),
            false => Ok(()),
        }
    }
}

impl From<SolveError> for SearchError {
    fn from(error: SolveError) -> SearchError {
        match error {
            SolveError::Interrupted => SearchError::Interrupted,
            other => SearchError::Solve(other),
        }
    }
}

/// Why [`KnownScores`] can't be used as a search's endgame.
#[derive(Debug, thiserror::Error)]
pub enum EndgameError {
    /// The game's search uses no endgame.
    #[error("the search of {game} takes no endgame")]
    NotTaken {
        /// The game's name.
        game: String,
    },
    /// They belong to another game or other rules, or lack positions.
    #[error("{problem}")]
    Unsuitable {
        /// The problem, such as "it is a table of tictactoe".
        problem: String,
        /// Arguments of `solve` that make a suitable table, if some do.
        make: Option<String>,
    },
    /// They can't be read.
    #[error(transparent)]
    Read(Box<dyn Error + Send + Sync>),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closes in on every score from every guess, with bounds off by some slack.
    #[test]
    fn bounds_close_in_on_every_score() {
        for score in -6..=6 {
            for guess in -9..=9 {
                for slack in 0..3 {
                    let mut bounds = Bounds {
                        lower: -6,
                        upper: 6,
                    };
                    let mut asked = Vec::new();
                    let ask = |wanted: i32| {
                        assert!(!asked.contains(&wanted));
                        asked.push(wanted);
                        Ok::<i32, ()>(if score >= wanted {
                            (score - slack).max(wanted)
                        } else {
                            (score + slack).min(wanted - 1)
                        })
                    };
                    let mut heard = 0;
                    let closed = bounds.close_in(guess, ask, |bounds| {
                        heard += 1;
                        assert!(bounds.lower <= score && score <= bounds.upper);
                    });
                    assert_eq!(closed, Ok(()));
                    assert_eq!(bounds.score(), Some(score));
                    assert_eq!(heard, asked.len());
                }
            }
        }
    }
}
