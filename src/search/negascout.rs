//! NegaScout (A. Reinefeld, "An improvement to the scout tree search algorithm", ICCA Journal 6(4),
//! 1983), fail-soft.

use super::memory::Known;
use super::{Counters, Horizon, Search, Stopped, Window, child_score};
use crate::game::Game;

impl<G: Game, H: Horizon<G>, C: Counters> Search<'_, G, H, C> {
    /// As [`Search::alpha_beta`], but all moves except the first are only asked whether they are
    /// better than the best so far; one that is gets searched again for how much better. Pays when
    /// the first move is mostly the best.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn negascout(&mut self, position: &G::Position, window: Window) -> Result<i32, Stopped> {
        self.negascout_from(position, self.horizon.depth(), window)
    }

    pub(super) fn negascout_from(
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
        let mut is_first = true;
        let best = self.best_of_moves(position, depth, window, |search, child, best| {
            let mut scout = |window| {
                child_score(search.game, side, child, window, |window| {
                    search.negascout_from(child, depth - 1, window)
                })
            };
            let open = window.above(best);
            if std::mem::take(&mut is_first) {
                return scout(open);
            }
            let question = Window::at_least(open.alpha + 1);
            let score = scout(question)?;
            let is_answer = score <= open.alpha || score >= open.beta || question == open;
            if is_answer {
                Ok(score)
            } else {
                scout(open.above(score))
            }
        })?;
        self.remember(entry, window, best);
        Ok(best)
    }
}
