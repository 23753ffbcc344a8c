//! An open table file, of whatever game.

use super::cells;
use super::codec::Decoder;
use super::context::middle;
use super::error::{Fault, TableError};
use super::format::{HEADER_LENGTH, Header, Section, block_crc, u32_at, u64_at};
use super::keyed::{self, KeyedBlock};
use super::metadata::{METADATA_LIMIT, Metadata};
use super::models::{self, Model};
use super::plan::{Plan, RankedPlan, Spot};
use super::source::{Mapped, Plain, Source};
use crate::game::{Outcome, Tile};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How a table file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Mapped into memory.
    #[default]
    Mmap,
    /// With plain reads, for file systems that can't map or files that might change.
    Plain,
}

/// How many entries have which outcome, seen from the mover and without banked points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// The bytes that each part of a file takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sections {
    /// The fixed header.
    pub header: u64,
    /// The compressed blocks.
    pub blocks: u64,
    /// The index of the blocks.
    pub index: u64,
    /// What the table says about itself.
    pub metadata: u64,
}

/// A decoded block.
pub(super) enum Block {
    Tile(Tile),
    Derived(DerivedTile),
    Keyed(KeyedBlock),
}

/// A tile whose codes were left out: which slots are present, and those codes that have been
/// derived so far.
pub(super) struct DerivedTile {
    pub present: Vec<u64>,
    /// One more than the code, or 0 where it has not been derived yet; derived segments have at
    /// most 255 codes.
    codes: Box<[AtomicU8]>,
}

/// Is never the code of a derived score: derived segments have at most 255 codes.
pub(super) const NOT_YET: u8 = u8::MAX;

impl DerivedTile {
    fn new(tile: Tile) -> DerivedTile {
        DerivedTile {
            codes: bytemuck::allocation::zeroed_slice_box(tile.codes.len()),
            present: tile.present,
        }
    }

    /// Whether a reachable class is in a slot.
    pub fn is_present(&self, index: usize) -> bool {
        self.present[index / 64] >> (index % 64) & 1 == 1
    }

    /// How many slots hold a reachable class.
    pub fn count(&self) -> u64 {
        let words = self.present.iter();
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// The code of a slot, if it has been derived already.
    pub fn known(&self, index: usize) -> Option<u8> {
        self.codes[index].load(Relaxed).checked_sub(1)
    }

    /// Keeps a derived code; every thread derives the same.
    pub fn keep(&self, index: usize, code: u8) {
        debug_assert_ne!(code, NOT_YET);
        self.codes[index].store(code + 1, Relaxed);
    }
}

impl Block {
    fn of_tile(tile: Tile, derived: bool) -> Block {
        if derived {
            Block::Derived(DerivedTile::new(tile))
        } else {
            Block::Tile(tile)
        }
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        match self {
            Block::Tile(tile) => 128 + tile.codes.len() + 8 * tile.present.len(),
            Block::Derived(tile) => 128 + tile.codes.len() + 8 * tile.present.len(),
            Block::Keyed(block) => 128 + 17 * block.keys.len(),
        }
    }
}

/// An open table file. Its header and metadata have been checked; blocks are checked when they are
/// read.
pub struct TableFile {
    path: PathBuf,
    source: Box<dyn Source>,
    header: Header,
    metadata: Metadata,
    plan: Plan,
    /// The first keys of all blocks of a keyed table, read when first needed.
    heads: OnceLock<Vec<u128>>,
    decoders: Mutex<Vec<Decoder>>,
    /// The distributions of each group of a table made of cells, unpacked when first needed.
    models: Vec<OnceLock<Model>>,
}

impl std::fmt::Debug for TableFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFile")
            .field("path", &self.path)
            .field("rules", &self.metadata.rules)
            .finish_non_exhaustive()
    }
}

impl TableFile {
    /// Opens a table and checks its header and metadata; how long that takes does not depend on the
    /// number of entries.
    ///
    /// # Errors
    /// If the file can't be read or isn't an undamaged table of a known version.
    pub fn open(path: &Path, access: Access) -> Result<TableFile, TableError> {
        let io_error = |action| {
            move |cause| TableError::Io {
                path: path.to_owned(),
                action,
                cause,
            }
        };
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let kind = std::fs::metadata(path).map_err(io_error("open it"))?;
        if !kind.is_file() {
            return Err(TableError::Unsuitable {
                path: path.to_owned(),
                expected: "a table file",
                found: if kind.is_dir() {
                    "a directory"
                } else {
                    "something that is no regular file"
                },
            });
        }
        let file = File::open(path).map_err(io_error("open it"))?;
        let length = file.metadata().map_err(io_error("read its length"))?.len();
        let source: Box<dyn Source> = match access {
            // There is nothing to map in a file without bytes.
            Access::Mmap if length > 0 => {
                Box::new(Mapped::new(&file).map_err(io_error("map it into memory"))?)
            }
            _ => Box::new(Plain::new(file, length)),
        };
        TableFile::from_source(path, source)
    }

    /// A table whose bytes are in memory already.
    ///
    /// # Errors
    /// If they aren't those of an undamaged table of a known version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<TableFile, TableError> {
        TableFile::from_source(Path::new("(memory)"), Box::new(bytes))
    }

    fn from_source(path: &Path, source: Box<dyn Source>) -> Result<TableFile, TableError> {
        let read_error = |cause| read_error(path, cause);
        let length = source.length();
        let start = source
            .read(0, length.min(HEADER_LENGTH as u64) as usize)
            .map_err(read_error)?;
        let header = Header::decode(&start, length, path)?;
        drop(start);
        if header.metadata.length > METADATA_LIMIT as u64 {
            let found = format!("{} bytes", header.metadata.length);
            return Err(
                Fault::new("metadata", format!("at most {METADATA_LIMIT} bytes"), found).at(path),
            );
        }
        let bytes = source
            .read(header.metadata.offset, header.metadata.length as usize)
            .map_err(read_error)?;
        let sum = crc32fast::hash(&bytes);
        if sum != header.metadata_crc {
            let (expected, found) = (header.metadata_crc, sum);
            return Err(Fault::new(
                "metadata",
                format!("CRC {expected:08x}"),
                format!("{found:08x}"),
            )
            .at(path));
        }
        let metadata = Metadata::decode(&bytes).map_err(|fault| fault.at(path))?;
        drop(bytes);
        let plan = check_counts(&header, &metadata).map_err(|fault| fault.at(path))?;
        let groups = metadata
            .layout
            .ranked()
            .map_or(0, |ranked| ranked.groups.len());
        Ok(TableFile {
            models: std::iter::repeat_with(OnceLock::new).take(groups).collect(),
            path: path.to_owned(),
            source,
            header,
            metadata,
            plan,
            heads: OnceLock::new(),
            decoders: Mutex::default(),
        })
    }

    /// The file's name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rules string of its game.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.metadata.rules
    }

    /// The name of its game: `kalah(6,2)`.
    #[must_use]
    pub fn game_name(&self) -> &str {
        &self.metadata.name
    }

    /// The family of its game: `kalah`.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.metadata.family
    }

    /// How many entries (reachable classes that are not finished).
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.header.entries
    }

    /// How many blocks.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.header.block_count
    }

    /// All that the table says about itself.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// How many bytes the file has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.header.file_length
    }

    /// How many bytes each part of the file takes.
    #[must_use]
    pub fn sections(&self) -> Sections {
        Sections {
            header: HEADER_LENGTH as u64,
            blocks: self.header.blocks.length,
            index: self.header.index.length,
            metadata: self.header.metadata.length,
        }
    }

    /// The SHA-256 digest of all that follows the header, as the header gives it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.header.digest
    }

    /// How many entries have which outcome.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let mut sum = Outcomes::default();
        self.for_each_count(|_, score, count| sum.add(score, count));
        sum
    }

    /// How many entries have each score that occurs, lowest first.
    #[must_use]
    pub fn histogram(&self) -> Vec<(i32, u64)> {
        let mut sums = BTreeMap::new();
        self.for_each_count(|_, score, count| *sums.entry(score).or_insert(0) += count);
        sums.into_iter().collect()
    }

    /// How many entries each layer that has any has, with their outcomes; lowest layer first.
    #[must_use]
    pub fn layers(&self) -> Vec<LayerCount> {
        let mut sums: BTreeMap<u32, Outcomes> = BTreeMap::new();
        self.for_each_count(|layer, score, count| sums.entry(layer).or_default().add(score, count));
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
    pub fn layer_sizes(&self) -> Result<Vec<LayerSize>, TableError> {
        let (Plan::Ranked(plan), Some(layout)) = (&self.plan, self.metadata.layout.ranked()) else {
            return Ok(Vec::new());
        };
        let mut sizes: BTreeMap<u32, LayerSize> = BTreeMap::new();
        let mut start = self.header.blocks.offset;
        for (number, record) in layout.segments.iter().enumerate() {
            let next = plan.segments.get(number + 1);
            let block = next.map_or(plan.blocks, |next| next.first_block);
            let offset = self.header.index.offset + block * 12;
            let end = u64_at(&self.read(Section { offset, length: 8 })?, 0);
            let bytes = end.checked_sub(start).ok_or_else(|| {
                let part = format!("index of block {block}");
                Fault::new(part, format!("at least {start}"), end).at(&self.path)
            })?;
            start = end;
            let layer = record.layer;
            let empty = LayerSize {
                layer,
                slots: 0,
                bytes: 0,
            };
            let size = sizes.entry(layer).or_insert(empty);
            size.slots += u64::from(record.rows) * u64::from(record.columns);
            size.bytes += bytes;
        }
        Ok(sizes.into_values().collect())
    }

    /// Calls `each` with a layer, a score and how many of the layer's entries have it, seen from
    /// the mover and without banked points; a layer and a score may come up together several times.
    pub fn for_each_count(&self, mut each: impl FnMut(u32, i32, u64)) {
        self.metadata.for_each_histogram(|layer, scores, counts| {
            for (code, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                each(layer, scores.score(code as u8), count);
            }
        });
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn read(&self, section: Section) -> Result<Cow<'_, [u8]>, TableError> {
        let error = |cause| read_error(&self.path, cause);
        let length = usize::try_from(section.length)
            .map_err(|_| error(io::ErrorKind::FileTooLarge.into()))?;
        self.source.read(section.offset, length).map_err(error)
    }

    /// The bytes of a block, after a check of their CRC, and its first key (keyed layout only).
    fn stored(&self, block: u64) -> Result<(Cow<'_, [u8]>, u128), TableError> {
        let key_bytes = self.plan.key_bytes();
        let entry = 12 + key_bytes;
        // This block's entry of the index and the start of the next, whose offset is this one's
        // end.
        let last = block + 1 == self.header.block_count;
        let offset = self.header.index.offset + block * entry as u64;
        let length = entry + if last { 8 } else { entry };
        let index = self.read(Section {
            offset,
            length: length as u64,
        })?;
        let (start, end) = (u64_at(&index, 0), u64_at(&index, entry));
        let blocks = self.header.blocks;
        let part = |what: &str| format!("{what} of block {block}");
        if start < blocks.offset || end > blocks.offset + blocks.length || start > end {
            let expected = format!(
                "a part of bytes {} to {}",
                blocks.offset,
                blocks.offset + blocks.length
            );
            return Err(
                Fault::new(part("index"), expected, format!("{start} to {end}")).at(&self.path),
            );
        }
        let stored = self.read(Section {
            offset: start,
            length: end - start,
        })?;
        let mut heads = Vec::with_capacity(2 * key_bytes);
        heads.extend_from_slice(&index[12..entry]);
        if !last {
            heads.extend_from_slice(&index[entry + 12..]);
        }
        let (expected, found) = (u32_at(&index, 8), block_crc(block, &heads, &stored));
        if expected != found {
            let (expected, found) = (format!("CRC {expected:08x}"), format!("{found:08x}"));
            return Err(Fault::new(part("CRC"), expected, found).at(&self.path));
        }
        Ok((stored, key_at(&index[12..entry])))
    }

    /// Whether a block has no entries, as far as the index says; it is not checked here.
    pub(super) fn is_empty(&self, block: u64) -> Result<bool, TableError> {
        let entry = 12 + self.plan.key_bytes();
        let offset = self.header.index.offset + block * entry as u64;
        let index = self.read(Section {
            offset,
            length: entry as u64 + 8,
        })?;
        Ok(u64_at(&index, 0) == u64_at(&index, entry))
    }

    /// The distributions that a segment of a ranked table is coded with.
    fn model(&self, segment: u32) -> Result<&Model, TableError> {
        let groups = self
            .metadata
            .layout
            .ranked()
            .map_or(&[][..], |ranked| &ranked.groups);
        let group = groups.partition_point(|group| group.end <= segment);
        if let Some(model) = self.models[group].get() {
            return Ok(model);
        }
        let model =
            models::unpack(&groups[group].distributions).map_err(|fault| fault.at(&self.path))?;
        // Another thread may have been quicker, with the same.
        Ok(self.models[group].get_or_init(|| model))
    }

    /// Reads and checks a block of a ranked table and decodes what a probe of a slot needs: the
    /// slot's cell from its middle to the slot's row or, if `whole`, all of it. Gives the rows that
    /// were decoded, too.
    pub(super) fn cell(
        &self,
        plan: &RankedPlan,
        segment: u32,
        spot: &Spot,
        whole: bool,
    ) -> Result<(Block, Range<u32>), TableError> {
        let model = self.model(segment)?;
        let (stored, _) = self.stored(spot.block)?;
        let cells = plan.cells(&plan.tile(spot.block)).len();
        let derived = plan.is_derived(segment);
        let codes = (!derived).then(|| plan.scores(segment).codes());
        let middle = middle(spot.shape);
        let rows = if whole {
            0..spot.shape.rows
        } else {
            middle.min(spot.row)..middle.max(spot.row) + 1
        };
        let mut tile = Tile::default();
        let part = (spot.cell as usize, spot.shape, rows.clone());
        cells::decode_one(model, &stored, cells, part, codes, &mut tile)
            .map_err(|fault| self.in_block(spot.block, fault))?;
        Ok((Block::of_tile(tile, derived), rows))
    }

    /// Reads, checks and decodes a block, which must be below `self.blocks()`.
    pub(super) fn block(&self, block: u64) -> Result<Block, TableError> {
        let (stored, head) = self.stored(block)?;
        let decoded = match &self.plan {
            Plan::Ranked(plan) => {
                let shape = plan.tile(block);
                let model = self.model(shape.segment)?;
                let derived = plan.is_derived(shape.segment);
                let codes = (!derived).then(|| plan.scores(shape.segment).codes());
                let mut tile = Tile::default();
                tile.reset(shape.height(), shape.width());
                cells::decode(model, &stored, plan.cells(&shape), codes, &mut tile)
                    .map(|()| Block::of_tile(tile, derived))
            }
            Plan::Keyed(plan) => {
                let mut decoder = self.decoders().pop().unwrap_or_default();
                let (count, codes) = (plan.entries_in(block), plan.scores.codes());
                let decoded =
                    keyed::decode(&stored, head, count, plan.key_bytes, codes, &mut decoder);
                self.decoders().push(decoder);
                decoded.map(Block::Keyed)
            }
        };
        decoded.map_err(|fault| self.in_block(block, fault))
    }

    fn in_block(&self, block: u64, mut fault: Fault) -> TableError {
        fault.part = format!("block {block}");
        fault.at(&self.path)
    }

    fn decoders(&self) -> std::sync::MutexGuard<'_, Vec<Decoder>> {
        self.decoders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block of a keyed table that a key would be in; nothing if there are no blocks. For a key
    /// below all others that is the first block, whose CRC says whether its head is to be believed.
    pub(super) fn block_of_key(&self, key: u128) -> Result<Option<u64>, TableError> {
        let heads = match self.heads.get() {
            Some(heads) => heads,
            None => {
                let read = self.read_heads()?;
                self.heads.get_or_init(|| read)
            }
        };
        let after = heads.partition_point(|&head| head <= key) as u64;
        Ok((!heads.is_empty()).then(|| after.saturating_sub(1)))
    }

    fn read_heads(&self) -> Result<Vec<u128>, TableError> {
        let entry = 12 + self.plan.key_bytes();
        let index = self.read(self.header.index)?;
        // The index is as long as the header's number of blocks demands, and no longer than the
        // file.
        let heads: Vec<u128> = index
            .chunks_exact(entry)
            .map(|entry| key_at(&entry[12..]))
            .collect();
        let heads = heads[..self.header.block_count as usize].to_vec();
        if let Some(i) = heads.windows(2).position(|pair| pair[0] >= pair[1]) {
            let found = format!("{} followed by {}", heads[i], heads[i + 1]);
            return Err(
                Fault::new(format!("index of block {i}"), "ascending keys", found).at(&self.path),
            );
        }
        Ok(heads)
    }
}

fn read_error(path: &Path, cause: io::Error) -> TableError {
    TableError::Io {
        path: path.to_owned(),
        action: "read it",
        cause,
    }
}

fn key_at(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .rev()
        .fold(0, |key, &byte| key << 8 | u128::from(byte))
}

/// Whether header and metadata tell the same story.
fn check_counts(header: &Header, metadata: &Metadata) -> Result<Plan, Fault> {
    let or_many = |count: Option<u64>| {
        count.map_or("more than can be counted".into(), |count| count.to_string())
    };
    let entries = metadata.entries();
    if entries != Some(header.entries) {
        return Err(Fault::new(
            "header",
            format!("{} entries", or_many(entries)),
            header.entries,
        ));
    }
    let plan = Plan::new(metadata, header.entries);
    let blocks = plan.as_ref().map(Plan::blocks);
    let Some(plan) = plan.filter(|plan| plan.blocks() == header.block_count) else {
        return Err(Fault::new(
            "header",
            format!("{} blocks", or_many(blocks)),
            header.block_count,
        ));
    };
    let length = header
        .block_count
        .checked_mul(12 + plan.key_bytes() as u64)
        .and_then(|length| length.checked_add(8));
    if length != Some(header.index.length) {
        let expected = format!("an index of {} bytes", or_many(length));
        return Err(Fault::new("header", expected, header.index.length));
    }
    Ok(plan)
}
