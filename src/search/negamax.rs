//! The plainest search of all: every line of play to its end.

use super::Counters;
use crate::game::Game;

/// The score of a position, seen from its side to move, by walking the whole game tree below it.
///
/// Slow and obviously right: what the other searches are held against.
pub fn negamax<G: Game>(game: &G, position: &G::Position, counters: &mut Counters) -> i32 {
    counters.positions += 1;
    if let Some(score) = game.final_score(position) {
        counters.finished += 1;
        return score;
    }
    let side = game.side_to_move(position);
    game.legal_moves(position)
        .into_iter()
        .map(|mv| {
            let child = game.play(position, mv);
            let score = negamax(game, &child, counters);
            if game.side_to_move(&child) == side {
                score
            } else {
                -score
            }
        })
        .max()
        .expect("an unfinished position has a move")
}
