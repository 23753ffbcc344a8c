//! The use of saved bounds in the published programs, beyond [`crate::search`].

use crate::search::{Bounds, Window};

/// Returns the score if the known bounds decide it for this window.
///
/// Otherwise narrows the window to the known bounds.
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

/// Returns the bounds known after a fail-soft search, which returned `best`.
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

#[cfg(test)]
mod tests {
    use super::*;

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
