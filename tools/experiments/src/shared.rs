//! Functions that several of the published programs share.

use crate::experiment::OutOfMemory;
use rustc_hash::FxHashMap;
use zermelo::game::{Game, Side};
use zermelo::games::kalah::{Kalah, Move, Position};
use zermelo::search::{Bounds, Window};

/// Returns 1 for the first player, who maximises values, and -1 for the second.
pub fn sign(side: Side) -> i32 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// Returns the number of seeds in one side's pits.
pub fn sum(pits: &[u8]) -> usize {
    pits.iter().map(|&seeds| usize::from(seeds)).sum()
}

/// Iterates over the legal moves of Kalah, in ascending order, with their child positions.
///
/// Unlike [`Game::moves`] it doesn't check whether the game is over: the published programs do so
/// at different points.
pub fn children(
    game: &Kalah,
    position: &Position,
) -> impl Iterator<Item = (Move, Position)> + use<> {
    let (game, position) = (game.clone(), *position);
    (0..game.pits() as u8).filter_map(move |pit| {
        let seeds = position.pits[position.side.index()][usize::from(pit)];
        let mv = Move(pit);
        (seeds > 0).then(|| (mv, game.play(&position, mv)))
    })
}

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

/// Runs null-window searches until the bounds meet; returns the score.
///
/// `search` receives the window and returns its fail-soft result.
///
/// # Errors
/// The first error of `search`.
pub fn mtdf<E>(
    mut guess: i32,
    mut bounds: Bounds,
    mut search: impl FnMut(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    while bounds.lower < bounds.upper {
        // The score is known to reach the lower bound, so ask for more than that.
        let wanted = guess.max(bounds.lower + 1);
        guess = search(Window::at_least(wanted))?;
        if guess >= wanted {
            bounds.lower = guess;
        } else {
            bounds.upper = guess;
        }
    }
    Ok(guess)
}

/// Checks that one more entry can't make a table of positions larger than `limit` bytes.
///
/// `beside` is the memory of each entry outside the map, in bytes.
pub fn check_table<K, V>(
    table: &FxHashMap<K, V>,
    beside: usize,
    limit: u64,
) -> Result<(), OutOfMemory> {
    let (entries, capacity) = (table.len(), table.capacity());
    // While the map grows, it has its old slots and twice as many new ones. An eighth of all slots
    // stay empty.
    let places = if entries < capacity {
        capacity
    } else {
        3 * capacity
    };
    let slots = places * 8 / 7 * (size_of::<(K, V)>() + 1);
    if (slots + entries * beside) as u64 > limit {
        return Err(OutOfMemory);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bounds_settle_or_narrow_the_window() {
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
