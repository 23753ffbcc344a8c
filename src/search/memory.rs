//! The memory that a search uses for score bounds, whichever table provides it.
//!
//! Games that number their positions have a table with one entry per position.

use super::transposition::TranspositionTable;
use crate::game::{Bounds, Game, NumberedSlot, SlotNumbers, SolveError};
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

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

/// Place for the result of a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) place: MemoryKey,
    /// Points already won, which the table's scores leave out.
    pub(super) banked: i32,
}

/// Score bounds by slot, shared by any number of threads.
///
/// Every slot has its own entry, so nothing is ever replaced.
///
/// The low byte of an entry is the number of scores between the lower bound and the lowest score of
/// the slot's segment. The high byte is the number of scores between the upper bound and the
/// highest. An entry of zeros therefore means that nothing is known.
pub(crate) struct SlotTable<P> {
    pub numbers: SlotNumbers<P>,
    entries: Box<[AtomicU16]>,
}

impl<P> SlotTable<P> {
    /// Returns the size in bytes of a table for `slots` slots.
    pub fn bytes_for(slots: u64) -> u64 {
        slots.saturating_mul(size_of::<AtomicU16>() as u64)
    }

    /// Returns a table in which nothing is known yet.
    ///
    /// # Errors
    /// If the system can't provide the memory.
    pub fn new(numbers: SlotNumbers<P>) -> Result<SlotTable<P>, SolveError> {
        let bytes = Self::bytes_for(numbers.count());
        let count = usize::try_from(numbers.count()).ok();
        let entries =
            count.and_then(|count| bytemuck::allocation::try_zeroed_slice_box(count).ok());
        let entries = entries.ok_or(SolveError::NoMemory { bytes })?;
        Ok(SlotTable { numbers, entries })
    }

    /// Returns the known bounds of a slot's canonical position.
    #[inline]
    pub fn get(&self, slot: NumberedSlot) -> Bounds {
        let [lower, upper] = self.entries[slot.number as usize]
            .load(Relaxed)
            .to_le_bytes();
        let scores = self.numbers.scores(slot);
        Bounds {
            lower: scores.score(lower),
            upper: scores.highest - scores.step * i32::from(upper),
        }
    }

    /// Returns the number of scores between the lowest one and a slot's lower bound.
    ///
    /// This is the score's code if the score is known.
    #[inline]
    pub fn code(&self, number: u64) -> u8 {
        self.entries[number as usize].load(Relaxed).to_le_bytes()[0]
    }

    /// Tightens a slot's bounds; ignores a bound that the score can't have.
    pub fn tighten(&self, slot: NumberedSlot, learnt: Bounds) {
        let scores = self.numbers.scores(slot);
        let lower = scores.code(learnt.lower).unwrap_or(0);
        let upper = scores.code(learnt.upper);
        let upper = upper.map_or(0, |code| scores.codes() as u32 - 1 - code);
        // Searches number only classes whose scores have codes of a byte.
        let (lower, upper) = (lower as u8, upper as u8);
        let merge = |known: u16| {
            let [known_lower, known_upper] = known.to_le_bytes();
            let merged = u16::from_le_bytes([known_lower.max(lower), known_upper.max(upper)]);
            (merged != known).then_some(merged)
        };
        let entry = &self.entries[slot.number as usize];
        let _ = entry.fetch_update(Relaxed, Relaxed, merge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Solving;
    use crate::games::kalah::Kalah;
    use crate::search::INFINITY;
    use crate::testing::tables::kalah;

    #[test]
    fn bounds_only_get_tighter_and_begin_with_all_scores() {
        let game = kalah(3, 2);
        let numbers = SlotNumbers::new(game.ranking().unwrap()).unwrap();
        let table = SlotTable::new(numbers).unwrap();
        for number in 0..table.numbers.count() {
            let slot = table.numbers.slot(number);
            let scores = table.numbers.scores(slot);
            let (lowest, highest) = (scores.lowest, scores.highest);
            let is = |lower, upper| assert_eq!(table.get(slot), Bounds { lower, upper });
            let learn = |lower, upper| table.tighten(slot, Bounds { lower, upper });
            is(lowest, highest);
            learn(-INFINITY, highest - 2);
            is(lowest, highest - 2);
            learn(lowest + 2, INFINITY);
            learn(lowest, highest);
            is(lowest + 2, highest - 2);
        }
    }

    #[test]
    fn impossible_scores_are_not_stored() {
        let game = Kalah::endgame(2, 4, false).unwrap();
        let table = SlotTable::new(SlotNumbers::new(game.ranking().unwrap()).unwrap()).unwrap();
        // Slot 0 has two seeds on the board, so odd scores are impossible.
        let slot = table.numbers.slot(0);
        let before = table.get(slot);
        table.tighten(slot, Bounds::exactly(1));
        assert_eq!(table.get(slot), before);
    }
}
