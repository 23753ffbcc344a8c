//! Writing the blocks of a keyed table.

use super::block_writer::{BATCH, Buffers, Packed, add_counts};
use super::options::WriteError;
use super::writer::TableWriter;
use crate::game::{MOST_CODES, Notation, SolveError};
use crate::pool::{STACK, in_pool};
use crate::table::codec::keyed;
use crate::table::format::{Difference, KeyedLayout, LayerRecord, Layout, Listing, codes_for};
use std::collections::BTreeMap;

/// The (key, score) pairs of all entries, by ascending key.
///
/// They are read one by one and not all in memory at once.
pub(crate) type SortedEntries<'a> =
    dyn Iterator<Item = Result<(u128, i32), SolveError>> + Send + 'a;

impl<G: Notation> TableWriter<'_, G> {
    /// Writes all `count` entries of a game without ranks, which are read one by one.
    ///
    /// # Errors
    /// The errors of [`TableWriter::write`], and [`WriteError::Entries`] if the source fails.
    pub fn write_sorted(
        &mut self,
        count: u64,
        source: &mut SortedEntries<'_>,
    ) -> Result<(), WriteError> {
        let (out, game) = (&mut self.out, self.game);
        let written = in_pool(out.options.threads, STACK, || {
            if game.capabilities().solving.ranking().is_some() {
                return Err(Difference::new("scores by rank", "(key, score) pairs").into());
            }
            let scores = game.score_range();
            codes_for(scores, MOST_CODES)?;
            let mut layout = KeyedLayout {
                key_bytes: game.key_bits().div_ceil(8).clamp(1, 16) as u8,
                block_entries: out.options.block_entries,
                scores,
                layers: Vec::new(),
            };
            let listing = Listing::new(&layout, count);
            let (blocks, key_bytes) = (listing.blocks(), listing.key_bytes);
            out.progress.phase("writing the table", "blocks", blocks);
            let mut layers: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            let mut wide: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            let mut entries = Vec::new();
            for first in (0..blocks).step_by(BATCH as usize) {
                let blocks = first..blocks.min(first + BATCH);
                let start = blocks.start * listing.block_entries;
                // The last block's checksum covers the next key, with which the next batch begins.
                let end = count.min(blocks.end * listing.block_entries + 1);
                entries.drain(..entries.len().saturating_sub(1));
                read_up_to(end, start, count, source, &mut entries)?;
                let pack = |buffers: &mut Buffers, block: u64| {
                    let start = (block * listing.block_entries - start) as usize;
                    let (block, rest) = entries[start..].split_at(listing.entries_in(block));
                    Ok(pack(game, block, rest.first(), key_bytes, buffers)?)
                };
                out.write_blocks(blocks, key_bytes, pack, |_, packed| {
                    for (&layer, counts) in &packed.counts {
                        let sums = layers.entry(layer);
                        add_counts(sums.or_insert_with(|| vec![0; scores.codes()]), counts);
                    }
                    for (&place, count) in &packed.wide_counts {
                        *wide.entry(place).or_default() += count;
                    }
                })?;
            }
            for ((layer, code), count) in wide {
                layers
                    .entry(layer)
                    .or_default()
                    .extend([code.into(), count]);
            }
            let layers = layers.into_iter();
            layout.layers = layers
                .map(|(layer, counts)| LayerRecord { layer, counts })
                .collect();
            Ok(Layout::Keyed(layout))
        });
        self.layout = Some(self.out.or_discard(written)?);
        Ok(())
    }
}

/// Reads the entries up to number `end` of `count`; `entries` has those from number `start` on.
///
/// # Errors
/// If there are fewer, or their keys don't ascend.
fn read_up_to(
    end: u64,
    start: u64,
    count: u64,
    source: &mut SortedEntries<'_>,
    entries: &mut Vec<(u128, i32)>,
) -> Result<(), WriteError> {
    for found in start + entries.len() as u64..end {
        let missing = || Difference::new(format!("{count} classes"), found);
        let entry = source.next().ok_or_else(missing)?;
        entries.push(entry.map_err(WriteError::Entries)?);
    }
    match entries.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        Some(pair) => Err(Difference::of_keys(pair[0].0, pair[1].0).into()),
        None => Ok(()),
    }
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
    let count = entries.len();
    let mut codes = vec![0; count * scores.code_bytes()];
    for (index, &(key, score)) in entries.iter().enumerate() {
        let position = game
            .position_of_key(key)
            .filter(|_| key_bytes == 16 || key >> (8 * key_bytes) == 0)
            .ok_or_else(|| Difference::new("keys of canonical positions", key))?;
        let code = scores.code(score).ok_or_else(|| {
            let position = game.format_position(&position);
            let expected = format!("scores from {scores}");
            Difference::new(expected, format!("{score} for {position}"))
        })?;
        let layer = game.layer(&position);
        match scores.code_bytes() {
            1 => packed.count(layer)[code as usize] += 1,
            _ => *packed.wide_counts.entry((layer, code)).or_default() += 1,
        }
        keys.push(key);
        for (byte, place) in codes[index..].iter_mut().step_by(count).enumerate() {
            *place = (code >> (8 * byte)) as u8;
        }
    }
    let encoder = &mut buffers.deflate;
    keyed::encode(&keys, &codes, key_bytes, encoder, &mut packed.stored);
    for (key, _) in entries[..1].iter().chain(next) {
        packed.heads.extend(&key.to_le_bytes()[..key_bytes]);
    }
    Ok(packed)
}
