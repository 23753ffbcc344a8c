//! The memory that a search uses for score bounds, whichever table provides it.

use super::by_slot::SlotTable;
use super::transposition::TranspositionTable;
use crate::game::{Bounds, Game, NumberedSlot};

/// A table of bounds.
pub(super) enum Memory<'a, G: Game> {
    Keyed(&'a TranspositionTable),
    BySlot(&'a SlotTable<G::Position>),
}

/// The location of a position's bounds in a [`Memory`].
#[derive(Clone, Copy)]
pub(super) enum MemoryKey {
    Key(u128),
    Slot(NumberedSlot),
}

impl<G: Game> Memory<'_, G> {
    #[inline]
    pub(super) fn get(&self, place: MemoryKey) -> Option<Bounds> {
        match (self, place) {
            (Memory::Keyed(table), MemoryKey::Key(key)) => table.get(key),
            (Memory::BySlot(table), MemoryKey::Slot(slot)) => Some(table.get(slot)),
            _ => None,
        }
    }

    /// Tightens the bounds; returns whether that replaced another position's entry.
    #[inline]
    pub(super) fn tighten(&self, place: MemoryKey, bounds: Bounds) -> bool {
        match (self, place) {
            (Memory::Keyed(table), MemoryKey::Key(key)) => table.tighten(key, bounds),
            (Memory::BySlot(table), MemoryKey::Slot(slot)) => {
                table.tighten(slot, bounds);
                false
            }
            _ => false,
        }
    }
}

/// The knowledge about a position before any of its moves is searched.
pub(super) enum Recalled {
    /// Its score, or a bound sufficient for the window.
    Enough(i32),
    /// Not enough to skip the search; with the position's entry if there is a table.
    TooLittle(Option<Entry>),
}

/// Where to save the result for a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) place: MemoryKey,
    /// Points already won, which the table's scores leave out.
    pub(super) banked: i32,
}
