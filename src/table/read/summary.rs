//! What the metadata tell about all entries.

use super::checked::CheckedFile;
use super::error::ReadError;
use crate::game::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many entries have which outcome, seen from the mover and without banked points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Outcomes {
    /// The mover wins.
    pub wins: u64,
    /// Neither wins.
    pub draws: u64,
    /// The mover loses.
    pub losses: u64,
}

impl Outcomes {
    /// How many entries in all.
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

/// The entries of one layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerCount {
    /// The layer.
    pub layer: u32,
    /// How many of its entries have which outcome.
    pub outcomes: Outcomes,
}

/// The room that one layer takes in a table with ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerSize {
    /// The layer.
    pub layer: u32,
    /// How many slots its segments have, with or without an entry.
    pub slots: u64,
    /// The bytes of its blocks.
    pub bytes: u64,
}

impl CheckedFile {
    /// How many entries have which outcome.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let mut sum = Outcomes::default();
        self.counts()
            .for_each(|(_, score, count)| sum.add(score, count));
        sum
    }

    /// How many entries have each score that occurs, lowest first.
    #[must_use]
    pub fn histogram(&self) -> Vec<(i32, u64)> {
        let mut sums = BTreeMap::new();
        for (_, score, count) in self.counts() {
            *sums.entry(score).or_insert(0) += count;
        }
        sums.into_iter().collect()
    }

    /// How many entries each layer that has any has, with their outcomes; lowest layer first.
    #[must_use]
    pub fn layers(&self) -> Vec<LayerCount> {
        let mut sums: BTreeMap<u32, Outcomes> = BTreeMap::new();
        for (layer, score, count) in self.counts() {
            sums.entry(layer).or_default().add(score, count);
        }
        let counts = sums.into_iter();
        counts
            .map(|(layer, outcomes)| LayerCount { layer, outcomes })
            .collect()
    }

    /// The room that each layer takes, lowest layer first; nothing for a table with keys, in whose
    /// blocks layers may mix.
    ///
    /// # Errors
    /// If the index can't be read or isn't one.
    pub fn layer_sizes(&self) -> Result<Vec<LayerSize>, ReadError> {
        let Some(layout) = self.metadata.layout.ranked() else {
            return Ok(Vec::new());
        };
        let mut sizes: BTreeMap<u32, LayerSize> = BTreeMap::new();
        for (number, record) in layout.segments.iter().enumerate() {
            let blocks = self.plan.blocks_of(number);
            // A sum shows whether the block before really ends there.
            if let Some(last) = blocks.end.checked_sub(1) {
                self.stored(last)?;
            }
            let bytes = self.index.start(blocks.end) - self.index.start(blocks.start);
            let layer = record.layer;
            let empty = LayerSize {
                layer,
                slots: 0,
                bytes: 0,
            };
            let size = sizes.entry(layer).or_insert(empty);
            size.slots += record.slots();
            size.bytes += bytes;
        }
        Ok(sizes.into_values().collect())
    }

    /// Whether a block has no entries, as far as the index says; it is not checked here.
    pub(in crate::table) fn is_empty(&self, block: u64) -> bool {
        self.index.block(block).length == 0
    }

    /// The blocks that may have entries, in their order: those of these layers, as far as that can
    /// be told without the game, or all.
    #[must_use]
    pub fn blocks_with_entries(&self, layers: Option<&[u32]>) -> Vec<u64> {
        let mut blocks = match layers {
            Some(layers) => self.blocks_of_layers(layers),
            None => (0..self.blocks()).collect(),
        };
        blocks.retain(|&block| !self.is_empty(block));
        blocks
    }

    /// The blocks that may have entries of these layers, as far as that can be told without the
    /// game.
    pub(in crate::table) fn blocks_of_layers(&self, layers: &[u32]) -> Vec<u64> {
        let layout = &self.metadata.layout;
        let is_wanted = |&segment: &usize| {
            let layer = layout.layer(segment as u32);
            layer.is_none_or(|layer| layers.contains(&layer))
        };
        let segments = (0..self.plan.segments.len()).filter(is_wanted);
        segments
            .flat_map(|segment| self.plan.blocks_of(segment))
            .collect()
    }

    /// A layer, a score and how many of the layer's entries have it, seen from the mover and without
    /// banked points, of all that come up; a layer and a score may come up together several times.
    pub fn counts(&self) -> impl Iterator<Item = (u32, i32, u64)> {
        self.metadata.parts().flat_map(|(layer, scores, counts)| {
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(code, &count)| (layer, scores.score(code as u8), count))
        })
    }
}
