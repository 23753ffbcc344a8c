//! The judge: whether an entry's score is the best of its moves, and what to say if it is not.
//!
//! Entries that pass have the right scores, for three reasons. A finished position has the score
//! that the rules give it. An unfinished one has the best of its moves' scores. And no position
//! comes up twice in one play, so that going on from entry to entry comes to finished positions in
//! the end. What else a proof has to show is that no class is missing, for which the judge asks for
//! the entry of every move, and that no entry is one too many.
//!
//! Whatever brings positions and scores here, from files, from other processes, from an earlier
//! run, does no more than that.

use super::error::VerifyError;
use super::verdict::Refutation;
use crate::game::{Followed, Notation};
use crate::table::read::ReadError;
use std::cmp::Ordering;

/// The best of those of an entry's moves that have been tried, seen from its side to move.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Less than any score if no move has been tried.
    best: i32,
}

/// What is known of an entry when some of its moves, or all, have been tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Its score is that of a move, and of none less than that of another.
    Attained,
    /// No move has a better score than it.
    NotExceeded,
    /// A move has a better score.
    Exceeded,
}

impl Trial {
    #[inline]
    pub fn new() -> Trial {
        Trial { best: i32::MIN }
    }

    /// Tries a move: `to_come` is the score of the class that it leads to, 0 if the play is over.
    /// Says whether it is better than all before.
    #[inline]
    pub fn try_move(&mut self, followed: Followed, to_come: i32) -> bool {
        let score = followed.seen_before(followed.points + to_come);
        let is_better = score > self.best;
        self.best = self.best.max(score);
        is_better
    }

    /// The best score; nothing if no move has been tried.
    #[inline]
    pub fn best(self) -> Option<i32> {
        (self.best > i32::MIN).then_some(self.best)
    }

    /// What the moves say of a score.
    #[inline]
    pub fn finding(self, stored: i32) -> Finding {
        match self.best.cmp(&stored) {
            Ordering::Greater => Finding::Exceeded,
            Ordering::Equal => Finding::Attained,
            Ordering::Less => Finding::NotExceeded,
        }
    }
}

/// Why an entry doesn't pass, or can't be judged.
#[derive(Debug)]
pub enum Stop {
    Refuted(Box<Refutation>),
    Error(VerifyError),
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Stop {
        Stop::Error(error.into())
    }
}

impl From<Refutation> for Stop {
    fn from(refutation: Refutation) -> Stop {
        Stop::Refuted(Box::new(refutation))
    }
}

/// The rules that entries are judged by.
#[derive(Clone, Copy)]
pub struct Judge<'a, G>(pub &'a G);

impl<G: Notation> Judge<'_, G> {
    /// Tries all moves of an unfinished canonical position, and gives the best score with its first
    /// move. `score` gives the score of the class after a move.
    pub fn best<S: From<Refutation>>(
        &self,
        position: &G::Position,
        mut score: impl FnMut(&G::Position, G::Move) -> Result<i32, S>,
    ) -> Result<(i32, G::Move), S> {
        let mut trial = Trial::new();
        let mut best_move = None;
        let mut class = position.clone();
        for mv in self.0.legal_moves(position) {
            let followed = self.0.follow(position, mv, &mut class);
            let to_come = match followed.is_finished {
                true => 0,
                false => score(&class, mv)?,
            };
            if trial.try_move(followed, to_come) {
                best_move = Some(mv);
            }
        }
        match (trial.best(), best_move) {
            (Some(best), Some(mv)) => Ok((best, mv)),
            _ => Err(self.stuck(position).into()),
        }
    }

    /// Judges an entry; `probe` gives the scores of others, nothing if there is no such entry.
    pub fn entry(
        &self,
        position: &G::Position,
        stored: i32,
        mut probe: impl FnMut(&G::Position) -> Result<Option<i32>, ReadError>,
    ) -> Result<(), Stop> {
        let (found, mv) = self.best(position, |class, mv| {
            probe(class)?.ok_or_else(|| Stop::from(self.missing(position, mv)))
        })?;
        if found == stored {
            return Ok(());
        }
        let wrong = Refutation::Wrong {
            position: self.0.format_position(position),
            stored,
            best: self.0.format_move(mv),
            found,
        };
        Err(wrong.into())
    }

    /// An unfinished position has no moves.
    pub fn stuck(&self, position: &G::Position) -> Refutation {
        let position = self.0.format_position(position);
        Refutation::Stuck { position }
    }

    /// A move leads to a class that has no entry.
    pub fn missing(&self, position: &G::Position, mv: G::Move) -> Refutation {
        let game = self.0;
        let child = game.canonical(&game.play(position, mv));
        Refutation::Missing {
            position: game.format_position(&child),
            from: format!(
                "follows {} by the move {}",
                game.format_position(position),
                game.format_move(mv)
            ),
        }
    }

    /// The start has no entry.
    pub fn start_is_missing(&self) -> Refutation {
        Refutation::Missing {
            position: self.0.format_position(&self.0.canonical(&self.0.start())),
            from: "is the start".into(),
        }
    }
}
