//! MTD(f) (A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-first fixed-depth minimax
//! algorithms", Artificial Intelligence 87, 1996).

use super::{Counters, Horizon, Search, Stopped, Window};
use crate::game::{Bounds, Game};

impl<G: Game, H: Horizon<G>, C: Counters> Search<'_, G, H, C> {
    /// As [`Search::alpha_beta`], by a row of alpha-beta searches that each ask whether the score
    /// is at least this or less: at first the guess, then what the last answer leaves open. Pays
    /// when the guess is good and a table remembers the answers.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn mtdf(
        &mut self,
        position: &G::Position,
        window: Window,
        first_guess: i32,
    ) -> Result<i32, Stopped> {
        self.mtdf_from(position, self.horizon.depth(), window, first_guess)
    }

    pub(super) fn mtdf_from(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: Window,
        first_guess: i32,
    ) -> Result<i32, Stopped> {
        // What lies beyond the window is of no interest.
        let mut bounds = Bounds {
            lower: window.alpha,
            upper: window.beta,
        };
        let mut last = first_guess;
        let ask = |wanted| {
            last = self.alpha_beta_from(position, depth, Window::at_least(wanted))?;
            Ok(last)
        };
        bounds.close_in(first_guess, 1, ask, |_| ())?;
        Ok(last)
    }
}
