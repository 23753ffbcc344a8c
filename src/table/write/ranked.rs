//! Writing the blocks of a ranked table by groups of segments.

use super::block_writer::{BlockWriter, Buffers, Packed, add_counts};
use super::options::{WriteError, WriteOptions};
use super::output::GroupState;
use crate::game::{Notation, Scores, Tile};
use crate::pool::{Spare, each};
use crate::table::codec::{self, Counts, tile};
use crate::table::format::for_each_present;
use crate::table::format::{
    Difference, GroupRecord, Plan, RankedLayout, SegmentRecord, TileShape, codes_for, group_ends,
};
use std::ops::Range;

/// Least number of tiles, on average, in the sample for a group's distributions.
///
/// The sample has up to twice as many. A group with fewer tiles is read completely.
const SAMPLE_TILES: u64 = 2048;

/// A writer of a ranked table's blocks by groups of segments.
pub struct RankedWriter {
    pub plan: Plan,
    /// Layout with the groups written so far.
    pub layout: RankedLayout,
    /// End of each group of segments.
    ends: Vec<usize>,
}

impl RankedWriter {
    pub fn new<G: Notation>(
        game: &G,
        options: WriteOptions,
    ) -> Result<Option<RankedWriter>, Difference> {
        let Some(ranking) = game.capabilities().solving.ranking() else {
            return Ok(None);
        };
        let segments = ranking.segments();
        for segment in segments {
            codes_for(segment.scores, 256)?;
        }
        let layout = RankedLayout {
            tile_side: options.tile_side,
            segments: segments.iter().map(SegmentRecord::new).collect(),
            derived: (0..)
                .zip(segments)
                .filter(|(_, segment)| segment.derived)
                .map(|(number, _)| number)
                .collect(),
            groups: Vec::new(),
        };
        let plan = Plan::numbered(&layout)
            .ok_or_else(|| Difference::new("fewer slots", "more than can be counted"))?;
        Ok(Some(RankedWriter {
            plan,
            layout,
            ends: group_ends(
                segments
                    .iter()
                    .map(|segment| (segment.slots(), segment.layer)),
            ),
        }))
    }

    /// Describes what else than the rules determines the bytes.
    pub fn how(&self) -> String {
        format!("coded by context, tiles of {}", self.layout.tile_side)
    }

    /// Returns the segments of a group.
    fn segments_of(&self, group: usize) -> Range<usize> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[group]
    }

    /// Returns whether this can be the state of the group with this number.
    pub fn fits(&self, group: usize, state: &GroupState) -> bool {
        if group >= self.ends.len() || state.group.end as usize != self.ends[group] {
            return false;
        }
        let segments = &self.layout.segments[self.segments_of(group)];
        let codes = segments.iter().map(|segment| segment.counts.len());
        state.counts.iter().map(Vec::len).eq(codes)
    }

    /// Adds a group that an earlier run has written.
    pub fn restore(&mut self, state: GroupState) {
        let segments = self.segments_of(self.layout.groups.len());
        for (segment, counts) in self.layout.segments[segments].iter_mut().zip(state.counts) {
            segment.counts = counts;
        }
        self.layout.groups.push(state.group);
    }

    /// Returns the number of segments written.
    pub fn written_segments(&self) -> usize {
        self.layout
            .groups
            .last()
            .map_or(0, |group| group.end as usize)
    }

    pub fn is_complete(&self) -> bool {
        self.written_segments() == self.layout.segments.len()
    }

    /// Returns the number of entries written.
    pub fn entries(&self) -> u64 {
        let segments = self.layout.segments.iter();
        segments.flat_map(|segment| &segment.counts).sum()
    }

    /// Writes the remaining groups that end at or before segment `segments`.
    pub fn write(
        &mut self,
        segments: usize,
        scores: &dyn Scores,
        out: &mut BlockWriter<'_>,
    ) -> Result<(), WriteError> {
        while let Some(&end) = self.ends.get(self.layout.groups.len()) {
            if end > segments {
                break;
            }
            let start = self.written_segments();
            let written = self.write_group(start..end, scores, out);
            if !matches!(written, Err(WriteError::Interrupted { .. })) {
                // Check the scores first: if they were changed on disk, that is the error to
                // report.
                let checked = scores.check(start as u32..end as u32);
                checked.map_err(WriteError::Entries)?;
            }
            let distributions = written?;
            let group = GroupRecord {
                end: end as u32,
                distributions,
            };
            if out.checkpoints
                && let Some(workspace) = &mut out.workspace
            {
                let segments = self.layout.segments[start..end].iter();
                let state = GroupState {
                    group: group.clone(),
                    counts: segments.map(|segment| segment.counts.clone()).collect(),
                };
                workspace.checkpoint(&mut out.output, state)?;
            }
            self.layout.groups.push(group);
        }
        Ok(())
    }

    fn write_group(
        &mut self,
        segments: Range<usize>,
        scores: &dyn Scores,
        out: &mut BlockWriter<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        let first = |segment| self.plan.first_block(segment);
        let blocks = first(segments.start)..first(segments.end);
        let distributions = self.distributions(blocks.clone(), scores);
        // Unpack them as readers do. By now, the memory used for choosing them is free again.
        let model = codec::unpack(&distributions).expect("distributions that were just packed");
        let pack = |buffers: &mut Buffers, block: u64| {
            let mut packed = Packed::default();
            let tile = &mut buffers.tile;
            let Some(shape) = tile_of(&self.plan, block, scores, tile) else {
                return Ok(packed);
            };
            let codes = self.plan.scores(shape.segment).codes();
            let counts = packed.count(shape.segment);
            let mut highest = 0;
            for_each_present(&tile.present, |index| {
                let code = tile.codes[index];
                highest = highest.max(code);
                counts[usize::from(code)] += 1;
            });
            if usize::from(highest) >= codes {
                let expected = format!("codes below {codes} in segment {}", shape.segment);
                return Err(Difference::new(expected, highest).into());
            }
            let cells = self.plan.cells(&shape);
            let codes = (!self.plan.is_derived(shape.segment)).then_some(codes);
            let out = &mut packed.stored;
            tile::encode(&mut buffers.cells, &model, tile, cells, codes, out);
            Ok(packed)
        };
        let layout = &mut self.layout;
        out.write_blocks(blocks, 0, pack, |_, packed| {
            for (&segment, counts) in &packed.counts {
                add_counts(&mut layout.segments[segment as usize].counts, counts);
            }
        })?;
        Ok(distributions)
    }

    /// Chooses distributions for these blocks from a sample of their tiles.
    fn distributions(&self, blocks: Range<u64>, scores: &dyn Scores) -> Vec<u8> {
        let rate = ((blocks.end - blocks.start) / SAMPLE_TILES).max(1);
        // Scatter the sample by a hash, so that it includes all columns of tiles.
        let chosen =
            |&block: &u64| (block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).is_multiple_of(rate);
        let sample: Vec<u64> = blocks.filter(chosen).collect();
        let spare = Spare::new();
        each(sample.len(), &|task| {
            let new = || (Counts::new(), Tile::default());
            spare.with(new, |(counts, tile)| {
                let Some(shape) = tile_of(&self.plan, sample[task], scores, tile) else {
                    return;
                };
                let kept = !self.plan.is_derived(shape.segment);
                let codes = kept.then(|| self.plan.scores(shape.segment).codes());
                // Skip tiles with wrong codes: writing them will report the error.
                let is_right = |codes| tile.codes.iter().all(|&it| usize::from(it) < codes);
                if codes.is_none_or(is_right) {
                    tile::count(counts, tile, self.plan.cells(&shape), codes);
                }
            });
        });
        let by_thread = spare.into_iter();
        let all = by_thread.fold(Counts::new(), |all, (counts, _)| all.merge(&counts));
        codec::pack(&all, rate)
    }
}

/// Fills in the tile of a block, or returns `None` if it has no entries.
fn tile_of(plan: &Plan, block: u64, scores: &dyn Scores, tile: &mut Tile) -> Option<TileShape> {
    let shape = plan.tile(block);
    let (rows, columns) = (shape.rows.clone(), shape.columns.clone());
    if scores.is_vacant(shape.segment, rows.clone(), columns.clone()) {
        return None;
    }
    scores.tile(shape.segment, rows, columns, tile);
    Some(shape)
}
