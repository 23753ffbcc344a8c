//! The best move of a position.

use crate::game::{Followed, Game};
use std::cmp::Ordering;

/// The best score of the moves tried so far, seen from the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// `i32::MIN`, which is less than any score, if no move has been tried.
    best: i32,
}

impl Trial {
    #[inline]
    pub fn new() -> Trial {
        Trial { best: i32::MIN }
    }

    /// Tries a move and returns whether it is better than all moves before.
    ///
    /// `to_come` is the score of the class after the move, or 0 if the game is over.
    #[inline]
    pub fn try_move(&mut self, followed: Followed, to_come: i32) -> bool {
        let score = followed.score(to_come);
        let is_better = score > self.best;
        self.best = self.best.max(score);
        is_better
    }

    /// Returns the best score, or `None` if no move has been tried.
    #[inline]
    pub fn best(self) -> Option<i32> {
        (self.best > i32::MIN).then_some(self.best)
    }

    /// Compares the best score with another one.
    #[inline]
    pub fn compare(self, stored: i32) -> Ordering {
        self.best.cmp(&stored)
    }
}

/// Returns the best score of an unfinished position and the first move with it.
///
/// The position must be canonical. `score` returns the score of the class after a move, or `None`
/// to skip the move. The result is `None` if all moves are skipped.
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
