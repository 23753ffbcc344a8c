//! The plainest search of all: every line of play to its end.

use super::{Counters, Horizon, Known, Search, Stopped, Window, child_score};
use crate::game::Game;

impl<G: Game, H: Horizon<G>, C: Counters> Search<'_, G, H, C> {
    /// The position's score, seen from its side to move, by looking at all moves everywhere.
    ///
    /// Slow and obviously right: what the other searches are held against. With a table, each class
    /// is searched once (as long as the table remembers it).
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn negamax(&mut self, position: &G::Position) -> Result<i32, Stopped> {
        self.negamax_from(position, self.horizon.depth())
    }

    pub(super) fn negamax_from(
        &mut self,
        position: &G::Position,
        depth: u32,
    ) -> Result<i32, Stopped> {
        if let Some(score) = self.visit(position, depth)? {
            return Ok(score);
        }
        let entry = match self.recall(position, depth, &mut { Window::FULL }) {
            Known::Enough(score) => return Ok(score),
            Known::TooLittle(entry) => entry,
        };
        let side = self.game.side_to_move(position);
        let best = self.best_of_moves(position, depth, Window::FULL, |search, child, _| {
            child_score(search.game, side, child, Window::FULL, |_| {
                search.negamax_from(child, depth - 1)
            })
        })?;
        self.remember(entry, Window::FULL, best);
        Ok(best)
    }
}
