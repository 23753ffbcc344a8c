//! Looks positions up in the table of a search, and saves results there.

use super::memory::{Entry, Memory, MemoryKey, Recalled};
use super::{End, INFINITY, Observer, Search, Window};
use crate::game::{Bounds, Game};

impl<G: Game, O: Observer<G>> Search<'_, G, O> {
    /// Looks the position up and narrows the window to the bounds found.
    pub(super) fn recall(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: &mut Window,
    ) -> Recalled {
        let Some((table, entry)) = self.entry(position, depth) else {
            return Recalled::TooLittle(None);
        };
        if let Some(bounds) = table.get(entry.place) {
            self.counts.table_hits += 1;
            let lower = bounds.lower + entry.banked;
            let upper = bounds.upper + entry.banked;
            let is_low = upper <= window.alpha;
            if is_low || lower >= window.beta || lower == upper {
                let enough = if is_low { upper } else { lower };
                self.observer.leave(*window, enough, End::Table);
                self.counts.table_cutoffs += 1;
                return Recalled::Enough(enough);
            }
            window.alpha = window.alpha.max(lower);
            window.beta = window.beta.min(upper);
        }
        Recalled::TooLittle(Some(entry))
    }

    /// Ends a visit, and saves the result of a search in this window in the table.
    pub(super) fn remember(&mut self, entry: Option<Entry>, window: Window, found: i32, end: End) {
        self.observer.leave(window, found, end);
        if let (Some(table), Some(Entry { place, banked })) = (&self.table, entry) {
            let to_come = found - banked;
            let lower = if found > window.alpha {
                to_come
            } else {
                -INFINITY
            };
            let upper = if found < window.beta {
                to_come
            } else {
                INFINITY
            };
            self.counts.table_stores += 1;
            if table.tighten(place, Bounds { lower, upper }) {
                self.counts.table_replacements += 1;
            }
        }
    }

    #[inline]
    fn entry(&self, position: &G::Position, depth: u32) -> Option<(&Memory<'_, G>, Entry)> {
        let table = self.table.as_ref()?;
        let canonical = self.game.canonical(position);
        let place = match table {
            Memory::BySlot(_) if self.evaluate.is_some() => return None,
            Memory::BySlot(table) => {
                let slot = table.numbers.of(&canonical);
                MemoryKey::Slot(slot.expect("every reachable class has a slot"))
            }
            Memory::Keyed(_) => {
                let mut key = self.game.key(&canonical);
                if self.evaluate.is_some() {
                    // A result depends on the remaining depth, so the depth is part of the key.
                    let bits = self.game.key_bits();
                    if bits + u32::BITS > u128::BITS {
                        return None;
                    }
                    key |= u128::from(depth) << bits;
                }
                MemoryKey::Key(key)
            }
        };
        let banked = self.game.banked(position);
        Some((table, Entry { place, banked }))
    }
}
