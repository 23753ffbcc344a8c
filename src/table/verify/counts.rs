//! How many entries of which layer have which score: what a table says, held against what is there.

use super::verdict::Refutation;
use crate::table::read::CheckedFile;
use std::collections::BTreeMap;

/// Entries by layer and score.
#[derive(Default)]
pub struct LayerCounts(BTreeMap<(u32, i32), u64>);

impl LayerCounts {
    pub fn add(&mut self, layer: u32, score: i32, entries: u64) {
        *self.0.entry((layer, score)).or_default() += entries;
    }

    pub fn merge(mut self, other: LayerCounts) -> LayerCounts {
        for ((layer, score), entries) in other.0 {
            self.add(layer, score, entries);
        }
        self
    }

    /// Where the table, in those of its layers that are wanted, says something else.
    pub fn differ(&self, file: &CheckedFile, wanted: impl Fn(u32) -> bool) -> Option<Refutation> {
        let mut stored = LayerCounts::default();
        for (layer, score, entries) in file.counts().filter(|&(layer, ..)| wanted(layer)) {
            stored.add(layer, score, entries);
        }
        let places = stored.0.keys().chain(self.0.keys());
        let of = |counts: &LayerCounts, place| counts.0.get(place).copied().unwrap_or(0);
        places
            .filter(|place| of(&stored, place) != of(self, place))
            .min()
            .map(|place| Refutation::Miscounted {
                part: format!("layer {}", place.0),
                score: place.1,
                stored: of(&stored, place),
                found: of(self, place),
            })
    }
}
