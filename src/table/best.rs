//! The best move of a position.

use crate::game::Game;

/// Returns the best score of an unfinished position and the first move with it.
///
/// The position must be canonical. `score` returns the score of the class after a move, or `None`
/// to skip the move. The result is `None` if all moves are skipped.
pub fn best_move<G: Game, S>(
    game: &G,
    position: &G::Position,
    mut score: impl FnMut(&G::Position, G::Move) -> Result<Option<i32>, S>,
) -> Result<Option<(i32, G::Move)>, S> {
    let mut best: Option<(i32, G::Move)> = None;
    let mut class = position.clone();
    for mv in game.legal_moves(position) {
        let followed = game.follow(position, mv, &mut class);
        let to_come = match followed.is_finished {
            true => Some(0),
            false => score(&class, mv)?,
        };
        let score = to_come.map(|to_come| followed.score(to_come));
        if score > best.map(|best| best.0) {
            best = score.map(|score| (score, mv));
        }
    }
    Ok(best)
}
