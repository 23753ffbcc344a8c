//! Interpretation of answers as legal moves or faults.

use super::player::{Fault, FaultKind};
use crate::game::Notation;
use crate::text::legal_moves;

/// Returns the move if it is legal, and otherwise a fault.
pub(super) fn legal<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
) -> Result<G::Move, Fault> {
    if game.is_legal(position, mv) {
        return Ok(mv);
    }
    let legal = game.legal_moves(position).into_iter();
    let legal: Vec<String> = legal.map(|mv| game.format_move(mv)).collect();
    let mv = game.format_move(mv);
    let legal = legal_moves(&legal, game.move_noun());
    let detail = format!("answered {mv}, but {legal}");
    Err(Fault::new(FaultKind::Illegal, detail).answering(&mv))
}

/// Parses an answer as a legal move, or returns a fault.
pub(super) fn read_move<G: Notation>(
    game: &G,
    position: &G::Position,
    text: &str,
) -> Result<G::Move, Fault> {
    match game.parse_move(text) {
        Ok(mv) => legal(game, position, mv),
        Err(error) => Err(Fault::new(
            FaultKind::Malformed,
            format!(
                "answered {:?}; {}, such as {}",
                shorten(text, 60),
                error.problem,
                error.example
            ),
        )
        .answering(text)),
    }
}

/// Returns the text, cut off after this number of characters.
pub(super) fn shorten(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
