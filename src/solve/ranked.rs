//! Scores found key by key, for a game that numbers its positions.

use super::reach::canonical;
use crate::game::{Notation, Ranking, Scores, Slot, Tile};
use rayon::prelude::*;
use std::ops::Range;

/// Slots and score codes, sorted by slot.
pub(crate) struct RankedScores(Vec<(Slot, u8)>);

impl RankedScores {
    /// # Panics
    /// If the ranking breaks its word: a reachable class without a slot, two in one slot, or a
    /// score that is not in its segment's range.
    pub(crate) fn new<G: Notation>(
        game: &G,
        ranking: &dyn Ranking<G::Position>,
        keys: &[u128],
        scores: &[i32],
    ) -> Self {
        let segments = ranking.segments();
        let mut entries: Vec<(Slot, u8)> = keys
            .par_iter()
            .zip(scores)
            .map(|(&key, &score)| {
                let position = canonical(game, key);
                let slot = ranking
                    .slot(&position)
                    .expect("every reachable class has a slot");
                let range = segments[slot.segment as usize].scores;
                let code = range
                    .code(score)
                    .unwrap_or_else(|| panic!("score {score} is not one of {range:?}"));
                (slot, code)
            })
            .collect();
        entries.par_sort_unstable();
        assert!(
            entries.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "two classes have the same slot"
        );
        RankedScores(entries)
    }

    /// The entries of one row's columns.
    fn in_row(&self, segment: u32, row: u32, columns: &Range<u32>) -> &[(Slot, u8)] {
        let at = |column| Slot {
            segment,
            row,
            column,
        };
        self.between(at(columns.start), at(columns.end))
    }

    fn between(&self, begin: Slot, end: Slot) -> &[(Slot, u8)] {
        let begin = self.0.partition_point(|entry| entry.0 < begin);
        let length = self.0[begin..].partition_point(|entry| entry.0 < end);
        &self.0[begin..begin + length]
    }
}

impl Scores for RankedScores {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn is_vacant(&self, segment: u32, rows: Range<u32>, columns: Range<u32>) -> bool {
        rows.into_iter()
            .all(|row| self.in_row(segment, row, &columns).is_empty())
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(
            rows.end.saturating_sub(rows.start),
            columns.end.saturating_sub(columns.start),
        );
        for row in rows.clone() {
            for &(slot, code) in self.in_row(segment, row, &columns) {
                let index = tile.index(row - rows.start, slot.column - columns.start);
                tile.set(index, code);
            }
        }
    }
}
