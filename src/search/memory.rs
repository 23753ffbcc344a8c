//! What searches remember of positions.

use super::by_slot::SlotTable;
use super::transposition::TranspositionTable;
use crate::game::{Bounds, Game, NumberedSlot};

/// Where bounds are remembered.
pub(super) enum Memory<'a, G: Game> {
    Keyed(&'a TranspositionTable),
    BySlot(&'a SlotTable<G::Position>),
}

/// Where in there those of a position are.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Key(u128),
    Slot(NumberedSlot),
}

impl<G: Game> Memory<'_, G> {
    #[inline]
    pub(super) fn get(&self, place: Place) -> Option<Bounds> {
        match (self, place) {
            (Memory::Keyed(table), Place::Key(key)) => table.get(key),
            (Memory::BySlot(table), Place::Slot(slot)) => Some(table.get(slot)),
            _ => None,
        }
    }

    /// Says whether another position's entry had to make room.
    #[inline]
    pub(super) fn tighten(&self, place: Place, bounds: Bounds) -> bool {
        match (self, place) {
            (Memory::Keyed(table), Place::Key(key)) => table.tighten(key, bounds),
            (Memory::BySlot(table), Place::Slot(slot)) => {
                table.tighten(slot, bounds);
                false
            }
            _ => false,
        }
    }
}

/// What is known of a position before its moves are looked at.
pub(super) enum Known {
    /// Its score, or a bound that the window doesn't need more than.
    Enough(i32),
    /// Not enough; its entry in the table, if there is a table.
    TooLittle(Option<Entry>),
}

/// Where to remember what a position turns out to be worth.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) place: Place,
    /// Points that the table's scores leave out.
    pub(super) banked: i32,
}
