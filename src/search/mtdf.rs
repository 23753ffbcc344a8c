//! MTD(f): null-window searches that close in on the score.
//!
//! Source: A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-first fixed-depth minimax
//! algorithms", Artificial Intelligence 87, 1996.

use super::Window;
use crate::game::Bounds;

/// Runs null-window searches until the bounds meet; returns the score.
///
/// `search` receives the window and returns its fail-soft result. The last result is the score.
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
    bounds.close_in(guess, ask, |_| ())?;
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mtdf_closes_in_on_any_score_from_any_guess() {
        for score in -3..=3 {
            for guess in (-4..=4).chain([i32::MIN, -1000, i32::MAX]) {
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
                        // A fail-soft search that returns the weakest correct bound.
                        Ok(if score >= window.beta {
                            window.beta
                        } else {
                            window.alpha
                        })
                    },
                );
                assert_eq!(found, Ok(score), "guess {guess}");
                let most = if guess.saturating_abs() <= 4 { 9 } else { 19 };
                assert!(searches <= most, "{searches}");
            }
        }
    }
}
