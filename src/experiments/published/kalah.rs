//! The adapter between this crate's rules of Kalah and the two published programs.

use crate::game::{Game, Side};
use crate::games::kalah::{Kalah, Move, Position};

/// Iterates over the legal moves, in ascending order, with their child positions.
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

/// Returns 1 for the first player, who maximises values, and -1 for the second.
pub fn sign(side: Side) -> i32 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}
