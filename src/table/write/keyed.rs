//! Writing the blocks of a keyed table.

use super::block_writer::{BATCH, BlockWriter, Buffers, Packed, add_counts};
use super::options::WriteError;
use crate::game::{Notation, SolveError};
use crate::table::codec::keyed;
use crate::table::format::{Difference, KeyedLayout, LayerRecord, Layout, Listing, codes_for};
use std::collections::BTreeMap;

/// The (key, score) pairs of all entries, by ascending key.
///
/// They are read one by one and not all in memory at once.
pub(crate) type SortedEntries<'a> =
    dyn Iterator<Item = Result<(u128, i32), SolveError>> + Send + 'a;

/// Writes `count` entries, which must be all, and returns the layout.
pub fn write<G: Notation>(
    out: &mut BlockWriter<'_>,
    game: &G,
    count: u64,
    source: &mut SortedEntries<'_>,
) -> Result<Layout, WriteError> {
    if game.capabilities().solving.ranking().is_some() {
        return Err(Difference::new("scores by rank", "(key, score) pairs").into());
    }
    let scores = game.score_range();
    codes_for(scores)?;
    let mut layout = KeyedLayout {
        key_bytes: game.key_bits().div_ceil(8).clamp(1, 16) as u8,
        block_entries: out.options.block_entries,
        scores,
        layers: Vec::new(),
    };
    let listing = Listing::new(&layout, count);
    let blocks = listing.blocks();
    let key_bytes = listing.key_bytes;
    out.progress.phase("writing the table", "blocks", blocks);
    let mut layers: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let mut entries = Vec::new();
    for first in (0..blocks).step_by(BATCH as usize) {
        let blocks = first..blocks.min(first + BATCH);
        let start = blocks.start * listing.block_entries;
        // The last block's checksum covers the next key, with which the next batch begins.
        let end = count.min(blocks.end * listing.block_entries + 1);
        entries.drain(..entries.len().saturating_sub(1));
        while (entries.len() as u64) < end - start {
            let found = start + entries.len() as u64;
            let misfit = || Difference::new(format!("{count} classes"), found);
            let entry = source.next().ok_or_else(misfit)?;
            entries.push(entry.map_err(WriteError::Entries)?);
        }
        if let Some(i) = entries.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
            let (before, after) = (entries[i].0, entries[i + 1].0);
            return Err(Difference::of_keys(before, after).into());
        }
        let pack = |buffers: &mut Buffers, block: u64| {
            let start = (block * listing.block_entries - start) as usize;
            let (block, rest) = entries[start..].split_at(listing.entries_in(block));
            Ok(pack(game, block, rest.first(), key_bytes, buffers)?)
        };
        out.write_blocks(blocks, key_bytes, pack, |_, packed| {
            for (&layer, counts) in &packed.counts {
                let sums = layers
                    .entry(layer)
                    .or_insert_with(|| vec![0; scores.codes()]);
                add_counts(sums, counts);
            }
        })?;
    }
    layout.layers = layers
        .into_iter()
        .map(|(layer, counts)| LayerRecord { layer, counts })
        .collect();
    Ok(Layout::Keyed(layout))
}

/// Compresses the entries of a block; `next` is the entry after them, if any.
fn pack<G: Notation>(
    game: &G,
    entries: &[(u128, i32)],
    next: Option<&(u128, i32)>,
    key_bytes: usize,
    buffers: &mut Buffers,
) -> Result<Packed, Difference> {
    let scores = game.score_range();
    let mut packed = Packed::default();
    let mut keys = Vec::with_capacity(entries.len());
    let mut codes = Vec::with_capacity(entries.len());
    for &(key, score) in entries {
        let position = game
            .position_of_key(key)
            .filter(|_| key_bytes == 16 || key >> (8 * key_bytes) == 0)
            .ok_or_else(|| Difference::new("keys of canonical positions", key))?;
        let code = scores.code(score).ok_or_else(|| {
            let position = game.format_position(&position);
            let expected = format!("scores from {scores}");
            Difference::new(expected, format!("{score} for {position}"))
        })?;
        packed.count(game.layer(&position))[usize::from(code)] += 1;
        keys.push(key);
        codes.push(code);
    }
    let encoder = &mut buffers.deflate;
    keyed::encode(&keys, &codes, key_bytes, encoder, &mut packed.stored);
    for (key, _) in entries[..1].iter().chain(next) {
        packed.heads.extend(&key.to_le_bytes()[..key_bytes]);
    }
    Ok(packed)
}
