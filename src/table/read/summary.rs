//! Statistics of all entries, from the metadata.

use super::checked::CheckedFile;
use super::error::ReadError;
use crate::game::Outcome;
use crate::table::format::pairs;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of entries by outcome for the side to move, without points already won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Outcomes {
    /// Entries that the side to move wins.
    pub wins: u64,
    /// Entries that end in a tie.
    pub draws: u64,
    /// Entries that the side to move loses.
    pub losses: u64,
}

impl Outcomes {
    /// Returns the number of entries.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(&mut self, score: i32, count: u64) {
        *match Outcome::of(score) {
            Outcome::Win => &mut self.wins,
            Outcome::Draw => &mut self.draws,
            Outcome::Loss => &mut self.losses,
        } += count;
    }
}

/// The size of one layer in a table with ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayerSize {
    /// Slots of the layer's segments, with or without an entry.
    pub slots: u64,
    /// Size of the layer's blocks in bytes.
    pub bytes: u64,
}

impl CheckedFile {
    /// Returns the numbers of entries by outcome.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let mut sum = Outcomes::default();
        self.counts()
            .for_each(|(_, score, count)| sum.add(score, count));
        sum
    }

    /// Returns the number of entries with each score that occurs, lowest score first.
    #[must_use]
    pub fn histogram(&self) -> Vec<(i32, u64)> {
        let mut sums = BTreeMap::new();
        for (_, score, count) in self.counts() {
            *sums.entry(score).or_insert(0) += count;
        }
        sums.into_iter().collect()
    }

    /// Returns the outcomes of each layer that has entries, lowest layer first.
    #[must_use]
    pub fn layers(&self) -> BTreeMap<u32, Outcomes> {
        let mut sums: BTreeMap<u32, Outcomes> = BTreeMap::new();
        for (layer, score, count) in self.counts() {
            sums.entry(layer).or_default().add(score, count);
        }
        sums
    }

    /// Returns the size of each layer, lowest layer first.
    ///
    /// The result is empty for a table with keys, whose blocks may have entries of several layers.
    ///
    /// # Errors
    /// If the last block of a segment can't be read or is damaged.
    pub fn layer_sizes(&self) -> Result<BTreeMap<u32, LayerSize>, ReadError> {
        let mut sizes: BTreeMap<u32, LayerSize> = BTreeMap::new();
        let Some(layout) = self.metadata.layout.ranked() else {
            return Ok(sizes);
        };
        for (number, record) in layout.segments.iter().enumerate() {
            let blocks = self.plan.blocks_of(number);
            // The checksum of a segment's last block covers its end in the index.
            if let Some(last) = blocks.end.checked_sub(1) {
                self.stored(last)?;
            }
            let bytes = self.index.start(blocks.end) - self.index.start(blocks.start);
            let size = sizes.entry(record.layer).or_default();
            size.slots += record.slots();
            size.bytes += bytes;
        }
        Ok(sizes)
    }

    /// Returns whether a block has no entries according to the index, unchecked.
    pub(in crate::table) fn is_empty(&self, block: u64) -> bool {
        self.index.block(block).length == 0
    }

    /// Returns the blocks that may have entries of these layers, or of any, in order.
    ///
    /// Without the game, this can only exclude segments of other layers and empty blocks.
    #[must_use]
    pub fn blocks_with_entries(&self, layers: Option<&[u32]>) -> Vec<u64> {
        let is_wanted = |&segment: &usize| {
            let layer = self.metadata.layout.layer(segment as u32);
            layers
                .zip(layer)
                .is_none_or(|(layers, layer)| layers.contains(&layer))
        };
        let segments = (0..self.plan.segments.len()).filter(is_wanted);
        let blocks = segments.flat_map(|segment| self.plan.blocks_of(segment));
        blocks.filter(|&block| !self.is_empty(block)).collect()
    }

    /// Returns triples of a layer, a score and the number of entries with both.
    ///
    /// Scores are for the side to move, without points already won. A pair of layer and score can
    /// occur more than once.
    pub fn counts(&self) -> impl Iterator<Item = (u32, i32, u64)> {
        self.metadata.parts().flat_map(|(layer, scores, counts)| {
            pairs(scores, counts).map(move |(code, count)| (layer, scores.score(code), count))
        })
    }

    /// Returns whether scores are outcomes with distances in plies.
    #[must_use]
    pub fn counts_plies(&self) -> bool {
        let mut parts = self.metadata.parts();
        parts.any(|(_, scores, _)| scores.counts_plies())
    }
}
