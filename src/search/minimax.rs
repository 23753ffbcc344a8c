//! Minimax: one player takes the highest value, the other the lowest.
//!
//! Source: C. E. Shannon, "Programming a computer for playing chess", Philosophical Magazine 41,
//! 1950.

#[cfg(doc)]
use super::Algorithm;
use super::memory::Known;
use super::{End, INFINITY, Observer, Search, Stopped, Window};
use crate::game::{Game, Side, one_move_before};

impl<G: Game, O: Observer<G>> Search<'_, G, O> {
    /// Returns the position's value, seen from the first player.
    ///
    /// The first player maximizes and the second minimizes. Visits the same positions as
    /// [`Algorithm::Negamax`]. With a table, it searches each class once, as long as the table
    /// remembers that class.
    pub(super) fn minimax(&mut self, position: &G::Position, depth: u32) -> Result<i32, Stopped> {
        let game = self.game;
        let side = game.side_to_move(position);
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
        let mut moves = self.spare.pop().unwrap_or_default();
        game.moves(position, &mut moves);
        self.observer.expand(position, depth, &mut moves);
        let mut best = match side {
            Side::First => -INFINITY,
            Side::Second => INFINITY,
        };
        for &mv in &moves {
            self.observer.descend();
            let value = self.minimax(&game.play(position, mv), depth - 1)?;
            let value = one_move_before(value, counts_plies);
            let is_better = match side {
                Side::First => value > best,
                Side::Second => value < best,
            };
            if is_better {
                best = value;
                self.choose(depth, mv);
            }
        }
        self.spare.push(moves);
        self.remember(entry, Window::FULL, other_way(best), End::Searched);
        Ok(best)
    }
}
