//! What both programs that play Kalah share with the project's rules.

use crate::game::{Game, Side};
use crate::games::kalah::{Kalah, Move, Position};

/// The pits that the mover can play, in ascending order, and the positions after that.
///
/// [`Game::moves`] without its question whether the game is over, which these programs ask in their
/// own way and time.
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

/// 1 for the first player, who wants high values, -1 for the second.
pub fn sign(side: Side) -> i32 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}
