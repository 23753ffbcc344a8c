//! Writing a table.

use super::bits::for_each_present;
use super::cells;
use super::codec::Encoder;
use super::context::{CellEncoder, Counts};
use super::error::TableError;
use super::file::Sections;
use super::format::{HEADER_LENGTH, Header, Section, block_crc};
use super::keyed;
use super::metadata::{
    GroupRecord, KeyedLayout, LayerRecord, Layout, Metadata, RankedLayout, SegmentRecord,
    check_range,
};
use super::models;
use super::plan::{BLOCK_ENTRIES, KeyedPlan, RankedPlan, TILE_SIDE};
use super::workspace::Workspace;
use crate::game::{
    Journal, Notation, Progress, ScoreRange, Scores, Segment, Solution, SolveError, Tile,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

/// How a table is to be written. Only `tile_side` and `block_entries` change its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Replace a file that is there already.
    pub force: bool,
    /// Discard what an earlier run has left unfinished, instead of going on from it.
    pub restart: bool,
    /// How many threads compress; 0 for those of the pool that the caller is in.
    pub threads: usize,
    /// A tile of a ranked table has at most `tile_side * tile_side` slots; 8 to 256. Smaller tiles
    /// are read sooner as a whole, but make the index larger.
    pub tile_side: u32,
    /// The entries of a block of a keyed table, 1 to 65,536. A probe decodes a block.
    pub block_entries: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            force: false,
            restart: false,
            threads: 0,
            tile_side: TILE_SIDE,
            block_entries: BLOCK_ENTRIES,
        }
    }
}

/// How hard deflate tries to make keyed tables small.
// Measured on kalah(6,2): 75.3 MB at level 6, 74.2 at 7, 75.7 at 9.
const DEFLATE_LEVEL: u32 = 7;

/// What has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The bytes of the file.
    pub bytes: u64,
    /// How many entries it has.
    pub entries: u64,
    /// How many blocks it has.
    pub blocks: u64,
    /// The bytes of each of its parts.
    pub sections: Sections,
    /// The SHA-256 digest of all that follows the header.
    pub digest: [u8; 32],
}

/// Writes a solved game to a file: either all of it, or nothing.
///
/// Goes on from what an earlier run has left that wrote the same table by way of a [`TableWriter`].
///
/// # Errors
/// If the file can't be written or is there already, if the scores don't fit the game, or the
/// caller wants it to stop.
pub fn write_table<G: Notation>(
    game: &G,
    solution: &Solution,
    path: &Path,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Written, TableError> {
    let mut writer = TableWriter::begin(game, path, options, progress)?;
    writer.write(solution)?;
    writer.finish()
}

/// A table on its way to its file.
///
/// It grows in a folder beside the file, `.NAME.partial`, which no other run can use at the same
/// time. As a [`Journal`] it writes each layer as soon as that is solved, and when the same is
/// begun again after a stop, goes on from there. Whatever happens, there is never an unfinished
/// file of the table's name; dropped before it is finished, it leaves the folder if there is
/// something in it to go on from, and nothing otherwise.
pub struct TableWriter<'a, G> {
    game: &'a G,
    job: Job<'a>,
    ranked: Option<RankedWriter<'a>>,
    layout: Option<Layout>,
}

impl<'a, G: Notation> TableWriter<'a, G> {
    /// Opens the folder, and sees what there is to go on from.
    ///
    /// # Errors
    /// If the file is there already or can't be written, if another run is writing it, if an
    /// earlier run has left the beginnings of another table of this name, or if the game is none
    /// that a table can hold.
    pub fn begin(
        game: &'a G,
        path: &'a Path,
        options: WriteOptions,
        progress: &'a dyn Progress,
    ) -> Result<TableWriter<'a, G>, TableError> {
        let options = WriteOptions {
            tile_side: options.tile_side.clamp(8, 256),
            block_entries: options.block_entries.clamp(1, 1 << 16),
            ..options
        };
        let mut ranked = RankedWriter::new(game, path, options)?;
        let how = match &ranked {
            Some(ranked) => ranked.how(),
            None => format!("deflate {DEFLATE_LEVEL}, {} entries", options.block_entries),
        };
        let fits = |number: usize, state: &GroupState| match &ranked {
            Some(ranked) => ranked.fits(number, state),
            None => false,
        };
        let (workspace, found) = Workspace::open(
            path,
            options.force,
            options.restart,
            &game.rules(),
            &how,
            fits,
        )?;
        if let Some(discarded) = found.discarded {
            progress.note(&format!(
                "what an earlier run has left in {} can't all be used: {discarded}",
                workspace.folder().display()
            ));
        }
        let mut job = Job {
            path,
            progress,
            options,
            workspace,
            blocks: 0,
            checkpoints: false,
        };
        if let Some(ranked) = &mut ranked
            && !found.states.is_empty()
        {
            found
                .states
                .into_iter()
                .for_each(|state| ranked.restore(state));
            let end = ranked.written_segments();
            job.blocks = ranked.plan.first_block(end);
            let segments = &ranked.layout.segments;
            progress.note(&format!(
                "table: written by an earlier run up to {} of {} {}",
                segments[end - 1].layer,
                segments[segments.len() - 1].layer,
                game.layer_name()
            ));
        }
        Ok(TableWriter {
            game,
            job,
            ranked,
            layout: None,
        })
    }

    /// Whether all scores are written, so that it can be finished without solving anything.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.layout.is_some() || self.ranked.as_ref().is_some_and(RankedWriter::is_complete)
    }

    /// The folder, if there is something in it that a later run can go on from.
    #[must_use]
    pub fn kept_in(&self) -> Option<&Path> {
        self.job.workspace.kept_in()
    }

    /// Writes all of the solution that is not written yet.
    ///
    /// # Errors
    /// If the scores don't fit the game, the file can't be written, or the caller wants it to stop.
    pub fn write(&mut self, solution: &Solution) -> Result<(), TableError> {
        let threads = self.job.options.threads;
        let written = super::in_pool(threads, || match (solution, &mut self.ranked) {
            (Solution::Ranked(scores), Some(ranked)) => {
                self.job.checkpoints = false;
                let blocks = ranked.plan.blocks - self.job.blocks;
                self.job
                    .progress
                    .phase("writing the table", "blocks", blocks);
                ranked.write(usize::MAX, &**scores, &mut self.job)?;
                Ok(ranked.entries())
            }
            (Solution::Ranked(_), None) => {
                let expected = "(key, score) pairs".into();
                Err(self.job.misfit(expected, "scores by rank".into()))
            }
            (Solution::Keyed(_), _) if self.job.blocks > 0 => {
                let expected = "scores by rank".into();
                Err(self.job.misfit(expected, "(key, score) pairs".into()))
            }
            (Solution::Keyed(entries), _) => {
                self.layout = Some(self.job.keyed(self.game, entries)?);
                Ok(entries.len() as u64)
            }
        });
        let written = written.and_then(|entries| match solution.count() {
            count if count == entries => Ok(()),
            count => Err(self
                .job
                .misfit(format!("{count} classes"), entries.to_string())),
        });
        self.job.or_discard(written)
    }

    /// Describes all that has been written, and gives the file its name; then all is done.
    ///
    /// # Errors
    /// If not all is written, if that can't be done, or the caller wants it to stop.
    pub fn finish(&mut self) -> Result<Written, TableError> {
        let layout = match (self.layout.take(), self.ranked.take()) {
            (Some(layout), _) => layout,
            (None, Some(ranked)) if ranked.is_complete() => Layout::Ranked(ranked.layout),
            _ => {
                let expected = "all scores".into();
                return Err(self.job.misfit(expected, "a part of them".into()));
            }
        };
        let metadata = Metadata {
            rules: self.game.rules(),
            name: self.game.name(),
            family: self.game.family().into(),
            layer_name: self.game.layer_name().into(),
            layout,
        };
        let entries = metadata.entries().unwrap_or(u64::MAX);
        let metadata = metadata.encode().map_err(|found| {
            self.job
                .misfit("a table that can be described in 64 MiB".into(), found)
        });
        let metadata = self.job.or_discard(metadata)?;
        let header = self
            .job
            .describe(&metadata, entries)
            .map_err(|cause| write_error(self.job.path, cause))?;
        if self.job.progress.cancelled() {
            return Err(self.job.interrupted());
        }
        self.job.workspace.finish(&header.encode())?;
        Ok(Written {
            bytes: header.file_length,
            entries,
            blocks: header.block_count,
            sections: Sections {
                header: HEADER_LENGTH as u64,
                blocks: header.blocks.length,
                index: header.index.length,
                metadata: header.metadata.length,
            },
            digest: header.digest,
        })
    }
}

impl<G: Notation> Journal for TableWriter<'_, G> {
    fn kept(&mut self, name: &str) -> Option<Box<dyn Read + Send + '_>> {
        match self.job.workspace.kept(name) {
            Ok(piece) => Some(Box::new(piece?)),
            Err(cause) => {
                let folder = self.job.workspace.folder().display();
                self.job.progress.note(&format!(
                    "what an earlier run has left in {folder} can't all be used: {name}: {cause}"
                ));
                None
            }
        }
    }

    fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        self.job.workspace.keep(name, write).map_err(|cause| {
            let folder = self.job.workspace.folder();
            in_solve(TableError::Io {
                path: folder.to_owned(),
                action: "keep what has been found",
                cause,
            })
        })
    }

    /// Holds what an earlier run has written against what has been found now.
    fn found(&mut self, classes: &[u64]) -> Result<(), SolveError> {
        let Some(ranked) = &self.ranked else {
            return Ok(());
        };
        let mut written = vec![0; classes.len()];
        let segments = &ranked.layout.segments[..ranked.written_segments()];
        for segment in segments {
            let entries: u64 = segment.counts.iter().sum();
            if let Some(sum) = written.get_mut(segment.layer as usize) {
                *sum += entries;
            }
        }
        let layers = segments.last().map_or(0, |last| last.layer as usize + 1);
        let differ = |&layer: &usize| written[layer] != classes[layer];
        let fits = match (0..layers.min(classes.len())).find(differ) {
            None => Ok(()),
            Some(layer) => Err(self.job.misfit(
                format!("{} classes in layer {layer}", classes[layer]),
                format!("{} from an earlier run", written[layer]),
            )),
        };
        self.job.or_discard(fits).map_err(in_solve)
    }

    fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
        let Some(ranked) = &mut self.ranked else {
            return Ok(());
        };
        self.job.checkpoints = true;
        let segments = &ranked.layout.segments;
        let end = segments.partition_point(|segment| segment.layer <= layer);
        let written = ranked.write(end, scores, &mut self.job);
        self.job.or_discard(written).map_err(in_solve)
    }
}

/// What a solver says of an error in writing.
fn in_solve(error: TableError) -> SolveError {
    match error {
        TableError::Interrupted { .. } => SolveError::Interrupted,
        other => SolveError::Journal(Box::new(other)),
    }
}

/// What a later run has to know of a group of segments that is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct GroupState {
    end: u32,
    distributions: Vec<u8>,
    /// For each of its segments how many entries have each code.
    counts: Vec<Vec<u64>>,
}

fn write_error(path: &Path, cause: io::Error) -> TableError {
    TableError::Io {
        path: path.to_owned(),
        action: "write the table",
        cause,
    }
}

/// How many blocks are compressed before they are written: enough to keep all threads busy, little
/// enough for memory.
const BATCH: u64 = 512;

struct Job<'a> {
    path: &'a Path,
    progress: &'a dyn Progress,
    options: WriteOptions,
    workspace: Workspace,
    /// How many blocks are written.
    blocks: u64,
    /// Whether a later run is to go on from what is written now.
    checkpoints: bool,
}

/// What one thread compresses with.
struct Buffers {
    deflate: Encoder,
    cells: CellEncoder,
    tile: Tile,
}

impl Buffers {
    fn new() -> Buffers {
        Buffers {
            deflate: Encoder::new(DEFLATE_LEVEL),
            cells: CellEncoder::default(),
            tile: Tile::default(),
        }
    }
}

/// A compressed block and how many of its entries have each code, in each of its layers.
#[derive(Default)]
struct Packed {
    stored: Vec<u8>,
    heads: Vec<u8>,
    crc: u32,
    counts: BTreeMap<u32, Box<[u32; 256]>>,
}

impl Packed {
    fn count(&mut self, layer: u32) -> &mut [u32; 256] {
        self.counts
            .entry(layer)
            .or_insert_with(|| Box::new([0; 256]))
    }
}

fn add_counts(sums: &mut [u64], counts: &[u32; 256]) {
    sums.iter_mut()
        .zip(counts)
        .for_each(|(sum, &count)| *sum += u64::from(count));
}

impl Job<'_> {
    /// From scores that don't fit there is nothing to go on.
    fn or_discard<T>(&mut self, result: Result<T, TableError>) -> Result<T, TableError> {
        if let Err(TableError::Solution { .. }) = result {
            self.workspace.discard();
        }
        result
    }

    fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()> {
        let Workspace { table, index, .. } = &mut self.workspace;
        index.write_all(&table.length().to_le_bytes())?;
        index.write_all(&crc.to_le_bytes())?;
        index.write_all(head)?;
        table.write_all(stored)?;
        self.blocks += 1;
        Ok(())
    }

    /// From here a later run can go on.
    fn checkpoint(
        &mut self,
        group: &GroupRecord,
        segments: &[SegmentRecord],
    ) -> Result<(), TableError> {
        let state = GroupState {
            end: group.end,
            distributions: group.distributions.clone(),
            counts: segments
                .iter()
                .map(|segment| segment.counts.clone())
                .collect(),
        };
        self.workspace
            .checkpoint(&state)
            .map_err(|cause| write_error(self.path, cause))
    }

    /// Writes index and metadata; the header, without which the file is no table, is left to be
    /// written.
    fn describe(&mut self, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let Workspace { table, index, .. } = &mut self.workspace;
        let mut end = HEADER_LENGTH as u64;
        let mut section = |to: u64| {
            let offset = std::mem::replace(&mut end, to);
            let length = to - offset;
            Section { offset, length }
        };
        index.write_all(&table.length().to_le_bytes())?;
        let blocks = section(table.length());
        table.append_all(index)?;
        let index = section(table.length());
        table.write_all(metadata)?;
        Ok(Header {
            file_length: table.length(),
            blocks,
            index,
            metadata: section(table.length()),
            block_count: self.blocks,
            entries,
            metadata_crc: crc32fast::hash(metadata),
            digest: table.digest(),
        })
    }

    fn misfit(&self, expected: String, found: String) -> TableError {
        TableError::Solution {
            path: self.path.to_owned(),
            expected,
            found,
        }
    }

    fn check_range(&self, scores: ScoreRange) -> Result<(), TableError> {
        check_range(scores)
            .map(drop)
            .map_err(|fault| self.misfit(fault.expected, fault.found))
    }

    fn interrupted(&self) -> TableError {
        TableError::Interrupted {
            path: self.path.to_owned(),
        }
    }

    /// Compresses blocks in batches and writes them in order; `take` gets each of them.
    fn blocks(
        &mut self,
        blocks: Range<u64>,
        head_bytes: usize,
        pack: impl Fn(&mut Buffers, u64) -> Result<Packed, TableError> + Sync,
        mut take: impl FnMut(u64, &Packed),
    ) -> Result<(), TableError> {
        let mut start = blocks.start;
        while start < blocks.end {
            if self.progress.cancelled() {
                return Err(self.interrupted());
            }
            let end = blocks.end.min(start + BATCH);
            let packed: Vec<Result<Packed, TableError>> = (start..end)
                .into_par_iter()
                .map_init(Buffers::new, |buffers, block| {
                    let mut packed = pack(buffers, block)?;
                    packed.crc = block_crc(block, &packed.heads, &packed.stored);
                    Ok(packed)
                })
                .collect();
            for (block, packed) in (start..end).zip(packed) {
                let packed = packed?;
                take(block, &packed);
                self.block(&packed.stored, packed.crc, &packed.heads[..head_bytes])
                    .map_err(|cause| write_error(self.path, cause))?;
            }
            if !self.checkpoints {
                // Otherwise it is the solver that says how far it is.
                self.progress.advance(end - start);
            }
            start = end;
        }
        Ok(())
    }

    fn keyed<G: Notation>(
        &mut self,
        game: &G,
        entries: &[(u128, i32)],
    ) -> Result<Layout, TableError> {
        let scores = game.score_range();
        self.check_range(scores)?;
        let mut layout = KeyedLayout {
            key_bytes: game.key_bits().div_ceil(8).clamp(1, 16) as u8,
            block_entries: self.options.block_entries,
            lowest: scores.lowest,
            step: scores.step,
            highest: scores.highest,
            layers: Vec::new(),
        };
        if let Some(i) = entries.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
            let found = format!("{} followed by {}", entries[i].0, entries[i + 1].0);
            return Err(self.misfit("ascending keys".into(), found));
        }
        let plan = KeyedPlan::new(&layout, entries.len() as u64);
        let key_bytes = plan.key_bytes;
        let path = self.path;
        let misfit = |expected: String, found: String| TableError::Solution {
            path: path.to_owned(),
            expected,
            found,
        };
        self.progress
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
                    .ok_or_else(|| misfit("keys of canonical positions".into(), key.to_string()))?;
                let code = scores.code(score).ok_or_else(|| {
                    let (lowest, highest, step) = (scores.lowest, scores.highest, scores.step);
                    misfit(
                        format!("scores from {lowest} to {highest} in steps of {step}"),
                        format!("{score} for {}", game.format_position(&position)),
                    )
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
        self.blocks(0..plan.blocks, key_bytes, pack, |_, packed| {
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
}

/// Segments are grouped until the group has so many slots: distributions of its own have to pay for
/// their place.
const GROUP_SLOTS: u64 = 1 << 22;

/// So many tiles of a group, or a few more, are looked at for its distributions.
const SAMPLE_TILES: u64 = 2048;

/// Writes the blocks of a ranked table, group of segments after group.
struct RankedWriter<'a> {
    path: &'a Path,
    plan: RankedPlan,
    /// With the groups that are written.
    layout: RankedLayout,
    /// The end of each group of segments.
    ends: Vec<usize>,
}

impl<'a> RankedWriter<'a> {
    fn new<G: Notation>(
        game: &G,
        path: &'a Path,
        options: WriteOptions,
    ) -> Result<Option<RankedWriter<'a>>, TableError> {
        let misfit = |expected: String, found: String| TableError::Solution {
            path: path.to_owned(),
            expected,
            found,
        };
        let Some(ranking) = game.capabilities().solving.ranking() else {
            return Ok(None);
        };
        let segments = ranking.segments();
        for segment in segments {
            check_range(segment.scores).map_err(|fault| misfit(fault.expected, fault.found))?;
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
        let plan = RankedPlan::new(&layout)
            .ok_or_else(|| misfit("fewer slots".into(), "more than can be counted".into()))?;
        Ok(Some(RankedWriter {
            path,
            plan,
            layout,
            ends: group_ends(segments),
        }))
    }

    /// What makes its bytes, beside the rules.
    fn how(&self) -> String {
        format!("coded by context, tiles of {}", self.layout.tile_side)
    }

    /// The first and the end of the segments of the group with a number.
    fn segments_of(&self, group: usize) -> Range<usize> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[group]
    }

    /// Whether this can be the state of the group with a number.
    fn fits(&self, group: usize, state: &GroupState) -> bool {
        if group >= self.ends.len() || state.end as usize != self.ends[group] {
            return false;
        }
        let segments = &self.layout.segments[self.segments_of(group)];
        let codes = segments.iter().map(|segment| segment.counts.len());
        state.counts.iter().map(Vec::len).eq(codes)
    }

    /// Takes a group as written.
    fn restore(&mut self, state: GroupState) {
        let segments = self.segments_of(self.layout.groups.len());
        for (segment, counts) in self.layout.segments[segments].iter_mut().zip(state.counts) {
            segment.counts = counts;
        }
        self.layout.groups.push(GroupRecord {
            end: state.end,
            distributions: state.distributions,
        });
    }

    /// How many segments are written.
    fn written_segments(&self) -> usize {
        self.layout
            .groups
            .last()
            .map_or(0, |group| group.end as usize)
    }

    fn is_complete(&self) -> bool {
        self.written_segments() == self.layout.segments.len()
    }

    /// How many entries are written.
    fn entries(&self) -> u64 {
        let segments = self.layout.segments.iter();
        segments.flat_map(|segment| &segment.counts).sum()
    }

    /// Writes all groups that end before or at this segment and aren't written yet.
    fn write(
        &mut self,
        segments: usize,
        scores: &dyn Scores,
        job: &mut Job,
    ) -> Result<(), TableError> {
        while let Some(&end) = self.ends.get(self.layout.groups.len()) {
            if end > segments {
                break;
            }
            let start = self.written_segments();
            let distributions = self.write_group(start..end, scores, job)?;
            let group = GroupRecord {
                end: end as u32,
                distributions,
            };
            if job.checkpoints {
                let segments = &self.layout.segments[start..end];
                job.checkpoint(&group, segments)?;
            }
            self.layout.groups.push(group);
        }
        Ok(())
    }

    fn write_group(
        &mut self,
        segments: Range<usize>,
        scores: &dyn Scores,
        job: &mut Job,
    ) -> Result<Vec<u8>, TableError> {
        let first = |segment| self.plan.first_block(segment);
        let blocks = first(segments.start)..first(segments.end);
        let distributions = self.distributions(blocks.clone(), scores);
        // What is stored is what readers will have.
        let model = models::unpack(&distributions).map_err(|fault| fault.at(self.path))?;
        let pack = |buffers: &mut Buffers, block: u64| {
            let shape = self.plan.tile(block);
            let mut packed = Packed::default();
            let (rows, columns) = (shape.rows.clone(), shape.columns.clone());
            if scores.is_vacant(shape.segment, rows.clone(), columns.clone()) {
                return Ok(packed);
            }
            let tile = &mut buffers.tile;
            scores.tile(shape.segment, rows, columns, tile);
            let codes = self.plan.scores(shape.segment).codes();
            let counts = packed.count(shape.segment);
            let mut highest = 0;
            for_each_present(&tile.present, |index| {
                let code = tile.codes[index];
                highest = highest.max(code);
                counts[usize::from(code)] += 1;
            });
            if usize::from(highest) >= codes {
                return Err(TableError::Solution {
                    path: self.path.to_owned(),
                    expected: format!("codes below {codes} in segment {}", shape.segment),
                    found: highest.to_string(),
                });
            }
            let cells = self.plan.cells(&shape);
            let codes = (!self.plan.is_derived(shape.segment)).then_some(codes);
            let out = &mut packed.stored;
            cells::encode(&mut buffers.cells, &model, tile, cells, codes, out);
            Ok(packed)
        };
        let layout = &mut self.layout;
        job.blocks(blocks, 0, pack, |_, packed| {
            for (&segment, counts) in &packed.counts {
                add_counts(&mut layout.segments[segment as usize].counts, counts);
            }
        })?;
        Ok(distributions)
    }

    /// The distributions for these blocks, from some of their tiles.
    fn distributions(&self, blocks: Range<u64>, scores: &dyn Scores) -> Vec<u8> {
        let rate = ((blocks.end - blocks.start) / SAMPLE_TILES).max(1);
        // Scattered, so that no column of tiles is left out.
        let chosen =
            |&block: &u64| (block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).is_multiple_of(rate);
        let sample: Vec<u64> = blocks.filter(chosen).collect();
        let counts = sample
            .into_par_iter()
            .with_min_len(SAMPLE_TILES as usize / 16)
            .fold(
                || (Counts::new(), Tile::default()),
                |(mut counts, mut tile), block| {
                    let shape = self.plan.tile(block);
                    let (rows, columns) = (shape.rows.clone(), shape.columns.clone());
                    if !scores.is_vacant(shape.segment, rows.clone(), columns.clone()) {
                        scores.tile(shape.segment, rows, columns, &mut tile);
                        let kept = !self.plan.is_derived(shape.segment);
                        let codes = kept.then(|| self.plan.scores(shape.segment).codes());
                        cells::count(&mut counts, &mut tile, self.plan.cells(&shape), codes);
                    }
                    (counts, tile)
                },
            )
            .map(|(counts, _)| counts)
            .reduce(Counts::new, |a, b| a.merge(&b));
        models::pack(&counts, rate)
    }
}

/// Where the groups of segments end: each has segments of whole layers, and slots enough; the last
/// takes what is left.
fn group_ends(segments: &[Segment]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut slots = 0;
    for (number, segment) in segments.iter().enumerate() {
        slots += segment.slots();
        let next = segments.get(number + 1);
        if slots >= GROUP_SLOTS && next.is_none_or(|next| next.layer != segment.layer) {
            ends.push(number + 1);
            slots = 0;
        }
    }
    if slots > 0 {
        ends.pop();
        ends.push(segments.len());
    }
    ends
}
