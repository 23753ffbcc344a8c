//! Where a game's own search of one position meets the rest.

use super::{Game, Outcome, Progress, SolveError};
use crate::text::{bytes, bytes_up};
use std::error::Error;
use std::sync::Arc;

/// What is known of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The score is not lower.
    pub lower: i32,
    /// The score is not higher.
    pub upper: i32,
}

impl Bounds {
    /// Of a score that is known.
    #[must_use]
    pub fn exactly(score: i32) -> Bounds {
        Bounds {
            lower: score,
            upper: score,
        }
    }

    /// The score, if nothing is left open.
    #[must_use]
    pub fn score(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The outcome, if there is no doubt about it.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        let outcome = Outcome::of(self.lower);
        (outcome == Outcome::of(self.upper)).then_some(outcome)
    }

    /// The same, seen from the other side.
    #[must_use]
    pub fn reversed(self) -> Bounds {
        Bounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }

    /// MTD(f): asks of one score after the other whether it is reached, the first time `guess`,
    /// until nothing is left open. `ask` answers as [`Searcher::bound`] does, and `each` hears the
    /// bounds after every answer. The scores in question lie `step` apart, the lower bound among
    /// them.
    ///
    /// # Errors
    /// The first of `ask`; what was proven until then stays.
    pub(crate) fn close_in<E>(
        &mut self,
        guess: i32,
        step: i32,
        mut ask: impl FnMut(i32) -> Result<i32, E>,
        mut each: impl FnMut(Bounds),
    ) -> Result<(), E> {
        let mut guess = guess.min(self.upper);
        while self.lower < self.upper {
            // That the score is as high as its lower bound is no question.
            let next = guess + (guess - self.lower).rem_euclid(step);
            let wanted = next.max(self.lower + step);
            guess = ask(wanted)?;
            if guess >= wanted {
                self.lower = guess;
            } else {
                self.upper = guess;
            }
            each(*self);
        }
        Ok(())
    }
}

/// A search for the scores of single positions of one game. It keeps what it has learnt from one
/// question to the next, and any thread may ask it.
///
/// All scores are seen from the position's side to move, banked points included.
pub trait Searcher<G: Game>: Send + Sync {
    /// Gets ready for questions about these positions and those that come after them: plans for the
    /// largest of them at once, where it would otherwise have to plan anew in the midst of a batch.
    /// Only a hint: without it the first questions take longer. `at_once` says to do what would
    /// otherwise wait for the first question that needs it, too.
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

    /// What is known of the score before anything is searched.
    fn bounds(&self, position: &G::Position) -> Bounds;

    /// A bound of the score: a lower one if it is `wanted` or more, otherwise an upper one. None if
    /// `progress` said to stop.
    ///
    /// # Errors
    /// If the position can't be searched.
    fn bound(
        &self,
        position: &G::Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError>;

    /// The score, or what was proven of it until `progress` said to stop. `guess` is where to
    /// begin; `each` hears the bounds as they close in.
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
        match bounds.close_in(guess, 1, ask, each) {
            Err(Some(error)) => Err(error),
            Ok(()) | Err(None) => Ok(bounds),
        }
    }

    /// The move to try first, if an earlier question has left one to suggest itself.
    fn likely_best(&self, _position: &G::Position) -> Option<G::Move> {
        None
    }

    /// Positions visited so far, in all questions together.
    fn nodes(&self) -> u64;

    /// Moves from a position asked about to the farthest one visited, if that is counted.
    fn depth(&self) -> Option<u32> {
        None
    }

    /// How many threads search at the same time.
    fn threads(&self) -> usize {
        1
    }
}

/// What a searcher may use.
#[derive(Clone)]
pub struct SearchSetup {
    /// How many threads, at least 1.
    pub threads: usize,
    /// The most memory to use, in bytes.
    pub memory: u64,
    /// Scores that need not be searched, for a search that can begin above them.
    pub endgame: Option<Arc<dyn KeptScores>>,
}

/// Scores that are there already, such as those in a table, for a searcher to begin with.
pub trait KeptScores: Send + Sync {
    /// The rules string of the game whose scores they are.
    fn rules(&self) -> &str;

    /// The game's name, for people.
    fn name(&self) -> &str;

    /// Copies the codes of all slots of a segment of the game's [`super::Ranking`], row by row, to
    /// `codes`, which has as many places; says whether they are there.
    ///
    /// # Errors
    /// If they can't be read.
    fn codes_of_segment(
        &self,
        segment: u32,
        codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>>;
}

/// Why a position can't be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// There are more positions than the search can tell apart.
    #[error("{layer} {layer_name} are too many to search {board}: at most {most} are possible")]
    TooMany {
        /// The layer of the position ([`Game::layer`]).
        layer: u32,
        /// What the layer counts, in the plural: "seeds on the board".
        layer_name: &'static str,
        /// The board that is too large for that: "with 6 pits per side".
        board: String,
        /// The highest layer that can be searched.
        most: u32,
    },
    /// It would need more memory than it may use.
    #[error(
        "searching with {layer} {layer_name} needs at least {} of memory, and {} may be used",
        bytes_up(*.least),
        bytes(*.allowed)
    )]
    Memory {
        /// The layer of the position ([`Game::layer`]).
        layer: u32,
        /// What the layer counts, in the plural: "seeds on the board".
        layer_name: &'static str,
        /// The least that works, in bytes.
        least: u64,
        /// What may be used, in bytes.
        allowed: u64,
    },
    /// The system doesn't give the memory.
    #[error("can't get {} of memory for the transposition table", crate::text::bytes(*.bytes))]
    NoMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// What was offered as an endgame isn't one, or can't be read.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// Told to stop before the search began: nothing is proven yet.
    #[error("interrupted before the search began; nothing is proven yet")]
    Interrupted,
    /// What the search needs to know before it begins could not be computed.
    #[error(transparent)]
    Solve(SolveError),
}

impl From<SolveError> for SearchError {
    fn from(error: SolveError) -> SearchError {
        match error {
            SolveError::Interrupted => SearchError::Interrupted,
            other => SearchError::Solve(other),
        }
    }
}

/// Why [`KeptScores`] can't serve as a search's endgame.
#[derive(Debug, thiserror::Error)]
pub enum EndgameError {
    /// The game's search has no use for any.
    #[error("the search of {game} takes no endgame")]
    NotTaken {
        /// The game's name.
        game: String,
    },
    /// They are another game's.
    #[error("it is a table of {found}")]
    OtherGame {
        /// The name of the game whose scores they are.
        found: String,
    },
    /// They are an endgame of other rules.
    #[error("{found} has other rules than {game}")]
    OtherRules {
        /// The name of the game whose scores they are.
        found: String,
        /// The name of the game to be searched.
        game: String,
    },
    /// They are those of a game, not all of an endgame.
    #[error("{found} holds only what can come up from its start")]
    FromStart {
        /// The name of the game whose scores they are.
        found: String,
    },
    /// They can't be read.
    #[error(transparent)]
    Read(Box<dyn Error + Send + Sync>),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every score, guess and distance between scores: closes in from a true bound a question.
    #[test]
    fn bounds_close_in_on_every_score() {
        for step in [1, 2] {
            for score in (-6..=6).step_by(step) {
                for guess in -9..=9 {
                    for slack in 0..3 {
                        let slack = slack * step as i32;
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
                                (score + slack).min(wanted - step as i32)
                            })
                        };
                        let mut heard = 0;
                        let closed = bounds.close_in(guess, step as i32, ask, |bounds| {
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
}
