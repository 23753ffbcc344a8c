//! The blocks of a keyed table.

use super::error::{Misfit, WriteError};
use super::job::{Buffers, Job, Packed, add_counts};
use super::output::Sink;
use crate::game::Notation;
use crate::table::codec::keyed;
use crate::table::format::{KeyedLayout, KeyedPlan, LayerRecord, Layout};
use std::collections::BTreeMap;

/// Writes all entries, which must be sorted by key, and says how.
pub fn write<G: Notation, S: Sink>(
    job: &mut Job<S>,
    game: &G,
    entries: &[(u128, i32)],
) -> Result<Layout, WriteError> {
    let scores = game.score_range();
    job.check_range(scores)?;
    let mut layout = KeyedLayout {
        key_bytes: game.key_bits().div_ceil(8).clamp(1, 16) as u8,
        block_entries: job.options.block_entries,
        lowest: scores.lowest,
        step: scores.step,
        highest: scores.highest,
        layers: Vec::new(),
    };
    if let Some(i) = entries.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
        let (before, after) = (entries[i].0, entries[i + 1].0);
        return Err(job.misfit(Misfit::Order { before, after }));
    }
    let plan = KeyedPlan::new(&layout, entries.len() as u64);
    let key_bytes = plan.key_bytes;
    let path = job.path;
    let misfit = |misfit| WriteError::Solution {
        path: path.to_owned(),
        misfit,
    };
    job.progress
        .phase("writing the table", "blocks", plan.blocks);
    let pack = |buffers: &mut Buffers, block: u64| {
        let start = (block * plan.block_entries) as usize;
        let end = start + plan.entries_in(block);
        let mut packed = Packed::default();
        let mut keys = Vec::with_capacity(end - start);
        let mut codes = Vec::with_capacity(end - start);
        for &(key, score) in &entries[start..end] {
            let position = game
                .position_of_key(key)
                .filter(|_| key_bytes == 16 || key >> (8 * key_bytes) == 0)
                .ok_or_else(|| misfit(Misfit::Key(key)))?;
            let code = scores.code(score).ok_or_else(|| {
                let position = game.format_position(&position);
                misfit(Misfit::Score {
                    scores,
                    found: score,
                    position,
                })
            })?;
            packed.count(game.layer(&position))[usize::from(code)] += 1;
            keys.push(key);
            codes.push(code);
        }
        let encoder = &mut buffers.deflate;
        keyed::encode(&keys, &codes, key_bytes, encoder, &mut packed.stored);
        packed
            .heads
            .extend_from_slice(&keys[0].to_le_bytes()[..key_bytes]);
        if let Some((next, _)) = entries.get(end) {
            packed
                .heads
                .extend_from_slice(&next.to_le_bytes()[..key_bytes]);
        }
        Ok(packed)
    };
    let mut layers: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    job.blocks(0..plan.blocks, key_bytes, pack, |_, packed| {
        for (&layer, counts) in &packed.counts {
            let sums = layers
                .entry(layer)
                .or_insert_with(|| vec![0; scores.codes()]);
            add_counts(sums, counts);
        }
    })?;
    layout.layers = layers
        .into_iter()
        .map(|(layer, counts)| LayerRecord { layer, counts })
        .collect();
    Ok(Layout::Keyed(layout))
}
