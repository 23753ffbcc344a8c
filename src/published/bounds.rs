//! What the published programs share beyond [`crate::search`]: bounds kept between visits, and
//! MTD(f)'s driver.

use crate::search::{Bounds, Window};

/// The score, where what is known of it settles it for this window; otherwise narrows the window to
/// what is known.
pub fn narrow(window: &mut Window, known: Bounds) -> Option<i32> {
    if known.lower >= window.beta {
        return Some(known.lower);
    }
    if known.upper <= window.alpha || known.upper == known.lower {
        return Some(known.upper);
    }
    window.alpha = window.alpha.max(known.lower);
    window.beta = window.beta.min(known.upper);
    None
}

/// What is known after a fail-soft search with this window returned `best`.
#[must_use]
pub fn learnt(window: Window, known: Bounds, best: i32) -> Bounds {
    let lower = if best <= window.alpha {
        known.lower
    } else {
        best
    };
    let upper = if best >= window.beta {
        known.upper
    } else {
        best
    };
    Bounds { lower, upper }
}

/// MTD(f): null-window searches, each at the bound that the one before gave, until the bounds meet.
///
/// `search` gets the null window and returns its fail-soft result; the last result is the score.
///
/// # Errors
/// The first error of `search`.
pub fn mtdf<E>(
    guess: i32,
    mut bounds: Bounds,
    mut search: impl FnMut(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    let mut score = guess;
    while bounds.lower < bounds.upper {
        let bound = if score == bounds.lower {
            score + 1
        } else {
            score
        };
        score = search(Window::at_least(bound))?;
        if score < bound {
            bounds.upper = score;
        } else {
            bounds.lower = score;
        }
    }
    Ok(score)
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

    #[test]
    fn what_is_known_settles_or_narrows() {
        let settled = |alpha, beta, lower, upper| {
            let mut window = Window { alpha, beta };
            let score = narrow(&mut window, Bounds { lower, upper });
            (score, window.alpha, window.beta)
        };
        assert_eq!(settled(0, 5, 5, 9), (Some(5), 0, 5));
        assert_eq!(settled(0, 5, -3, 0), (Some(0), 0, 5));
        assert_eq!(settled(0, 5, 2, 2), (Some(2), 0, 5));
        assert_eq!(settled(0, 5, 1, 4), (None, 1, 4));
        assert_eq!(settled(0, 5, -1, 8), (None, 0, 5));
    }
}
