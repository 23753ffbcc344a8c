//! Checks of a position's key and slot.

use super::{Checking, OF_KEY, slot_of};
use crate::game::{Broken, Notation};
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most positions with omitted scores from which one such score may be recomputed.
const DERIVED: usize = 1000;

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
