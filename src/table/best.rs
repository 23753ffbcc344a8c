//! The best of a position's moves.

use crate::game::{Followed, Game};
use std::cmp::Ordering;

/// The best of those of an entry's moves that have been tried, seen from its side to move.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Less than any score if no move has been tried.
    best: i32,
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
        let score = followed.score(to_come);
        let is_better = score > self.best;
        self.best = self.best.max(score);
        is_better
    }

    /// The best score; nothing if no move has been tried.
    #[inline]
    pub fn best(self) -> Option<i32> {
        (self.best > i32::MIN).then_some(self.best)
    }

    /// How the best score compares with another.
    #[inline]
    pub fn compare(self, stored: i32) -> Ordering {
        self.best.cmp(&stored)
    }
}

/// Tries all moves of an unfinished canonical position, and gives the best score with its first
/// move; nothing if there is none. `score` gives the score of the class after a move, or nothing if
/// the move is to be passed over.
pub fn best_move<G: Game, S>(
    game: &G,
    position: &G::Position,
    mut score: impl FnMut(&G::Position, G::Move) -> Result<Option<i32>, S>,
) -> Result<Option<(i32, G::Move)>, S> {
    let mut trial = Trial::new();
    let mut best = None;
    let mut class = position.clone();
    for mv in game.legal_moves(position) {
        let followed = game.follow(position, mv, &mut class);
        let to_come = match followed.is_finished {
            true => Some(0),
            false => score(&class, mv)?,
        };
        if to_come.is_some_and(|to_come| trial.try_move(followed, to_come)) {
            best = Some(mv);
        }
    }
    Ok(trial.best().zip(best))
}
