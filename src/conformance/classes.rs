//! Classes by key and slot, with checks of the game's promises about them.

use super::Checking;
use crate::game::{Broken, Notation, Ranking, Slot};
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most positions with omitted scores from which one such score may be recomputed.
const DERIVED: usize = 1000;

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

const OF_KEY: &str = "position_of_key gives the canonical position that a key names";
pub(super) const MOVES_OR_SCORE: &str = "a position has moves or a final score, and not both";

pub(super) fn name_of<G: Notation>(game: &G, position: &G::Position) -> String {
    format!("\"{}\"", game.format_position(position))
}

impl<G: Notation> Checking<'_, G> {
    pub(super) fn key(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let canonical = game.canonical(position);
        if game.final_score(&canonical).is_some() {
            return Ok(());
        }
        let key = game.key(&canonical);
        let bits = game.key_bits();
        self.hold(
            bits >= 128 || key >> bits == 0,
            "a key has no more than key_bits bits",
            || format!("{key:#x} of {} has", self.name(&canonical)),
        )?;
        // This also shows that no two positions have the same key.
        let read = game.position_of_key(key);
        self.hold(read.as_ref() == Some(&canonical), OF_KEY, || {
            let read = read.as_ref().map(|read| self.name(read));
            let read = read.unwrap_or_else(|| "nothing".to_owned());
            format!("it gives {read} for {}", self.name(&canonical))
        })
    }

    pub(super) fn slot(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let canonical = game.canonical(position);
        let Some(ranking) = self.ranking.as_deref() else {
            return Ok(());
        };
        if game.final_score(&canonical).is_some() {
            return self.hold(
                ranking.slot(&canonical).is_none(),
                "a finished position has no slot",
                || format!("{} has one", self.name(&canonical)),
            );
        }
        let is_derived = |class: &G::Position| {
            let slot = slot_of(game, ranking, class)?;
            Ok(ranking.segments()[slot.segment as usize].derived)
        };
        // Positions with omitted scores from which this one's is recomputed.
        let mut open = vec![canonical];
        let mut derived = FxHashSet::default();
        while let Some(class) = open.pop() {
            if !is_derived(&class)? || !derived.insert(class.clone()) {
                continue;
            }
            self.hold(
                derived.len() <= DERIVED,
                "a score that is derived follows in few steps from scores that are kept",
                || format!("not that of {}", self.name(position)),
            )?;
            let children = self.children(&class);
            let unfinished = children.filter(|child| game.final_score(child).is_none());
            open.extend(unfinished.map(|child| game.canonical(&child)));
        }
        Ok(())
    }

    /// Checks numbers near a position's key: each is refused, or a canonical position's key.
    pub(super) fn wrong_keys(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        if game.final_score(position).is_some() {
            return Ok(());
        }
        let key = game.key(&game.canonical(position));
        let near = (0..128).map(|bit| key ^ 1 << bit);
        let near = near.chain([0, u128::MAX, key.wrapping_add(1), key.wrapping_sub(1)]);
        for key in near {
            let read = catch_unwind(AssertUnwindSafe(|| {
                let read = game.position_of_key(key)?;
                let is_right = game.final_score(&read).is_none()
                    && game.canonical(&read) == read
                    && game.key(&read) == key;
                (!is_right).then(|| self.name(&read))
            }));
            let found = match read {
                Ok(None) => continue,
                Ok(Some(name)) => format!("{key:#x} gives {name}, which it doesn't name"),
                Err(_) => format!("{key:#x} makes it or a method with its position panic"),
            };
            let promise =
                "position_of_key refuses numbers that name no unfinished canonical position";
            return Err(Broken::new(game.rules(), promise, found));
        }
        Ok(())
    }
}
