//! Classes by key and slot, with checks of the game's promises about them.

use crate::game::{Broken, Notation, Ranking, Slot};

/// The slot of an unfinished canonical position.
///
/// # Errors
/// If the ranking breaks a promise about it.
pub(crate) fn slot_of<G: Notation>(
    game: &G,
    ranking: &dyn Ranking<G::Position>,
    canonical: &G::Position,
) -> Result<Slot, Broken> {
    let name = || name_of(game, canonical);
    let broken = |promise, found| Err(Broken::new(game.rules(), promise, found));
    let Some(slot) = ranking.slot(canonical) else {
        let promise = "every unfinished canonical position has a slot";
        return broken(promise, format!("{} has none", name()));
    };
    let segment = ranking.segments().get(slot.segment as usize);
    let segment = segment.filter(|shape| slot.row < shape.rows && slot.column < shape.columns);
    let Some(segment) = segment else {
        let promise = "a slot lies within its segment";
        return broken(promise, format!("not the {slot:?} of {}", name()));
    };
    let found = ranking.position(slot);
    if found != *canonical {
        let found = format!("that of {} gives {}", name(), name_of(game, &found));
        return broken("a slot gives the canonical position that it is of", found);
    }
    let layer = game.layer(canonical);
    if segment.layer != layer {
        let found = format!("that of {} says {}, not {layer}", name(), segment.layer);
        return broken("a segment has the layer of its positions", found);
    }
    Ok(slot)
}

/// The canonical position of a key, and its moves.
///
/// # Errors
/// If the game breaks a promise about it.
pub(crate) fn position_of<G: Notation>(
    game: &G,
    key: u128,
    moves: &mut Vec<G::Move>,
) -> Result<G::Position, Broken> {
    let position = game.position_of_key(key);
    let Some(position) = position.filter(|position| game.key(position) == key) else {
        let found = format!("it gives another or nothing for {key:#x}");
        return Err(Broken::new(game.rules(), OF_KEY, found));
    };
    game.moves(&position, moves);
    if moves.is_empty() {
        let found = format!("{} has no moves", name_of(game, &position));
        return Err(Broken::new(game.rules(), MOVES_OR_SCORE, found));
    }
    Ok(position)
}

pub(super) const OF_KEY: &str = "position_of_key gives the canonical position that a key names";
pub(super) const MOVES_OR_SCORE: &str = "a position has moves or a final score, and not both";

pub(super) fn name_of<G: Notation>(game: &G, position: &G::Position) -> String {
    format!("\"{}\"", game.format_position(position))
}
