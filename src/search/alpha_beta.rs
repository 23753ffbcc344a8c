//! Alpha-beta (D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial
//! Intelligence 6, 1975), fail-soft.

use super::{Counters, Horizon, Known, Search, Stopped, Window, child_score};
use crate::game::Game;

impl<G: Game, H: Horizon<G>, C: Counters> Search<'_, G, H, C> {
    /// What the window can tell about the position's score, leaving out moves that can't change it
    /// any more; see [`Search::in_window`].
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn alpha_beta(&mut self, position: &G::Position, window: Window) -> Result<i32, Stopped> {
        self.alpha_beta_from(position, self.horizon.depth(), window)
    }

    pub(super) fn alpha_beta_from(
        &mut self,
        position: &G::Position,
        depth: u32,
        mut window: Window,
    ) -> Result<i32, Stopped> {
        if let Some(score) = self.visit(position, depth)? {
            return Ok(score);
        }
        let entry = match self.recall(position, depth, &mut window) {
            Known::Enough(score) => return Ok(score),
            Known::TooLittle(entry) => entry,
        };
        let side = self.game.side_to_move(position);
        let best = self.best_of_moves(position, depth, window, |search, child, best| {
            child_score(search.game, side, child, window.above(best), |window| {
                search.alpha_beta_from(child, depth - 1, window)
            })
        })?;
        self.remember(entry, window, best);
        Ok(best)
    }
}
