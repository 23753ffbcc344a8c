//! MTD(f) (A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-first fixed-depth minimax
//! algorithms", Artificial Intelligence 87, 1996).

use super::{Counters, Horizon, Search, Stopped, Window};
use crate::game::{Bounds, Game};

/// Null-window searches until the bounds meet. `search` gets the window and returns its fail-soft
/// result; the last result is the score.
///
/// # Errors
/// The first error of `search`.
pub(crate) fn mtdf<E>(
    guess: i32,
    mut bounds: Bounds,
    mut search: impl FnMut(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    let mut last = guess;
    let ask = |wanted| {
        last = search(Window::at_least(wanted))?;
        Ok(last)
    };
    bounds.close_in(guess, 1, ask, |_| ())?;
    Ok(last)
}

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
        let bounds = Bounds {
            lower: window.alpha,
            upper: window.beta,
        };
        mtdf(first_guess, bounds, |window| {
            self.alpha_beta_from(position, depth, window)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mtdf_closes_in_on_any_score_from_any_guess() {
        for score in -3..=3 {
            for guess in -4..=4 {
                let mut searches = 0;
                let found = mtdf::<()>(
                    guess,
                    Bounds {
                        lower: -9,
                        upper: 9,
                    },
                    |window| {
                        searches += 1;
                        assert_eq!(window.beta, window.alpha + 1);
                        // A fail-soft search that finds the least that it can.
                        Ok(if score >= window.beta {
                            window.beta
                        } else {
                            window.alpha
                        })
                    },
                );
                assert_eq!(found, Ok(score), "guess {guess}");
                assert!(searches <= 9, "{searches}");
            }
        }
    }
}
