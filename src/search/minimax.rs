//! Minimax: one player takes the highest value, the other the lowest.
//!
//! Source: C. E. Shannon, "Programming a computer for playing chess", Philosophical Magazine 41,
//! 1950.

#[cfg(doc)]
use super::Algorithm;
use super::memory::Known;
use super::{Observer, Search, Stopped, Window};
use crate::game::{Game, Side, one_move_before};

impl<G: Game, O: Observer<G>> Search<'_, G, O> {
    /// Returns the position's value, seen from the first player.
    ///
    /// The first player maximizes and the second minimizes. Visits the same positions as
    /// [`Algorithm::Negamax`]. With a table, it searches each class once, as long as the table
    /// remembers that class.
    pub(super) fn minimax(&mut self, position: &G::Position, depth: u32) -> Result<i32, Stopped> {
        let game = self.game;
        // The rules and the table see scores from the side to move. The same conversion works both
        // ways.
        let other_way = |score| game.seen_from(Side::First, position, score);
        if let Some(score) = self.visit(position, depth, Window::FULL)? {
            return Ok(other_way(score));
        }
        let entry = match self.recall(position, depth, &mut { Window::FULL }) {
            Known::Enough(score) => return Ok(other_way(score)),
            Known::TooLittle(entry) => entry,
        };
        let counts_plies = game.score_range().counts_plies();
        // The highest value for the first player, and the lowest for the second.
        let (best, end) =
            self.best_of_moves(position, depth, Window::FULL, |search, child, _| {
                let value = search.minimax(child, depth - 1)?;
                Ok(other_way(one_move_before(value, counts_plies)))
            })?;
        self.remember(entry, Window::FULL, best, end);
        Ok(other_way(best))
    }
}
