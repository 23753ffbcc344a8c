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
use crate::game::Notation;
use crate::table::best::best_move;
use crate::table::read::ReadError;

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
    /// Judges an entry; `probe` gives the scores of others, nothing if there is no such entry.
    pub fn entry(
        &self,
        position: &G::Position,
        stored: i32,
        mut probe: impl FnMut(&G::Position) -> Result<Option<i32>, ReadError>,
    ) -> Result<(), Stop> {
        let score = |class: &G::Position, mv| match probe(class)? {
            None => Err(Stop::from(self.missing(position, mv))),
            score => Ok(score),
        };
        match best_move(self.0, position, score)? {
            Some((found, _)) if found == stored => Ok(()),
            Some((found, mv)) => Err(Stop::from(Refutation::Wrong {
                position: self.0.format_position(position),
                stored,
                best: self.0.format_move(mv),
                found,
            })),
            None => Err(self.stuck(position).into()),
        }
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
