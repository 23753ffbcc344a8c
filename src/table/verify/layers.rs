//! The layers of a table in memory, all or some of them.
//!
//! When a layer is dropped, the parts that can't be read again are saved.

use super::keys::{EntryKeys, entry_keys};
use super::proof_dir::{Marks, ProofDir, codes_name};
use super::tile::{
    Entry, EntryPlace, LayerTile, MARK, bits_of, is_vacant, most_bytes, overhead, width_of,
};
use super::verdict::VerifyError;
use crate::game::{Progress, ScoreRange, Slot};
use crate::pool::{each, map_of, try_map_of};
use crate::table::format::{Difference, Plan};
use crate::table::read::CheckedFile;
use crate::work::DiskError;
use crate::work::folder::damaged;
use std::io::{BufRead, Read};
use std::iter::repeat_with;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of blocks that are decoded at once.
const TASKS: usize = 1 << 10;

/// A layer of a table, and its entries while they are in memory.
#[derive(Default)]
pub struct Layer {
    /// Number of the layer in the game.
    pub number: u32,
    /// Segments of the layer, in the file's order.
    pub segments: Vec<u32>,
    pub entries: u64,
    /// Largest size of the layer in memory, in bytes.
    pub bytes: u64,
    /// Tiles of all blocks, if the layer is in memory.
    pub(super) tiles: Option<Box<[LayerTile]>>,
    /// Marks that the entries had when the layer was last in memory.
    pub marks: Option<Marks>,
    /// Whether the omitted codes are saved in the directory.
    pub is_saved: bool,
}

/// The layer and tiles of a segment.
struct Home {
    layer: usize,
    /// Difference between the number of a block and that of its tile in the layer.
    shift: u64,
}

/// The layers of a table, and the state of their proof.
///
/// They don't know the type of the game, so that their code is compiled once.
pub struct Layers<'a> {
    pub file: &'a CheckedFile,
    pub plan: &'a Plan,
    /// All layers with segments, lowest first, or a single one for the whole table.
    pub layers: Vec<Layer>,
    homes: Vec<Home>,
    /// Number of bytes of an entry.
    width: u64,
    /// Keys of a table with keys, once its layer is in memory.
    pub keys: Box<dyn EntryKeys>,
    /// Memory for layers and marks in bytes.
    pub memory: u64,
    /// Number of finished layers, whose scores are right and all known.
    pub finished: usize,
    /// Number of moves tried in the finished layers.
    pub moves: u64,
    pub dir: Option<ProofDir>,
}

impl<'a> Layers<'a> {
    /// Creates the layers with nothing in memory; if `whole`, a single one.
    pub fn new(file: &'a CheckedFile, whole: bool) -> Layers<'a> {
        let (plan, layout) = (file.plan(), &file.metadata().layout);
        let segments = 0..plan.segments.len() as u32;
        let codes = plan.segments.iter().map(|it| it.scores.codes()).max();
        let width = width_of(codes.unwrap_or(0) as u32);
        let number_of = |segment| layout.layer(segment).filter(|_| !whole).unwrap_or(0);
        let mut numbers: Vec<u32> = segments.clone().map(number_of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut tile_counts = vec![0; numbers.len()];
        let layer = |number| Layer {
            number,
            ..Layer::default()
        };
        let mut layers: Vec<Layer> = numbers.into_iter().map(layer).collect();
        let mut homes = Vec::with_capacity(plan.segments.len());
        // Append the blocks of each segment to its layer.
        for segment in segments {
            let number = number_of(segment);
            let at = layers.partition_point(|layer| layer.number < number);
            let blocks = plan.blocks_of(segment as usize);
            homes.push(Home {
                layer: at,
                shift: blocks.start - tile_counts[at],
            });
            tile_counts[at] += blocks.end - blocks.start;
            layers[at].add(segment, file, width);
        }
        Layers {
            file,
            plan,
            layers,
            homes,
            width,
            keys: entry_keys(plan).0,
            memory: 0,
            finished: 0,
            moves: 0,
            dir: None,
        }
    }

    /// Returns the place of a slot, if a block has it.
    #[inline(always)]
    pub fn place_of_slot(&self, slot: Slot) -> Option<EntryPlace> {
        let (block, index) = self.plan.locate(slot)?;
        Some(EntryPlace::new(slot.segment, block, index))
    }

    #[inline]
    pub fn scores(&self, place: EntryPlace) -> ScoreRange {
        self.plan.scores(place.segment)
    }

    /// Returns the index of the layer with this number in the game.
    #[inline]
    pub fn layer_of_number(&self, number: u32) -> Option<usize> {
        // Usually all layers between the first and the last have entries.
        let at = number.wrapping_sub(self.layers.first()?.number) as usize;
        match self.layers.get(at) {
            Some(layer) if layer.number == number => Some(at),
            _ => (self.layers)
                .binary_search_by_key(&number, |layer| layer.number)
                .ok(),
        }
    }

    #[inline]
    pub fn layer_of(&self, segment: u32) -> usize {
        self.homes[segment as usize].layer
    }

    /// Returns the tile of a block, or `None` if its layer is not in memory.
    #[inline]
    pub fn tile(&self, place: EntryPlace) -> Option<&LayerTile> {
        let home = &self.homes[place.segment as usize];
        let tiles = self.layers[home.layer].tiles.as_ref()?;
        Some(&tiles[(place.block - home.shift) as usize])
    }

    /// Returns the entry at a place, if there is one and it is in memory.
    pub fn entry_at(&self, place: EntryPlace) -> Option<Entry<'_>> {
        let entry = self.tile(place)?.entry(place.index as usize);
        entry.filter(|entry| !is_vacant(entry.load()))
    }

    /// Returns the tiles of a segment with their blocks; none if it is not in memory.
    pub fn tiles_of(&self, segment: u32) -> impl Iterator<Item = (u64, &LayerTile)> {
        let home = &self.homes[segment as usize];
        let blocks = self.plan.blocks_of(segment as usize);
        let tiles = self.layers[home.layer].tiles.as_deref().unwrap_or(&[]);
        let first = (blocks.start - home.shift) as usize;
        blocks.zip(tiles.iter().skip(first))
    }

    /// Returns the tiles of a layer; none if it is not in memory.
    pub fn tiles(&self, layer: usize) -> &[LayerTile] {
        self.layers[layer].tiles.as_deref().unwrap_or(&[])
    }

    /// Returns the tiles of a layer in memory whose codes are omitted.
    pub fn derived_tiles(&self, layer: usize) -> impl Iterator<Item = &LayerTile> {
        let segments = self.layers[layer].segments.iter();
        let derived = segments.filter(|&&segment| self.plan.is_derived(segment));
        let tiles = derived.flat_map(|&segment| self.tiles_of(segment));
        tiles.map(|(_, tile)| tile)
    }

    /// Returns whether the table omits codes of a layer that has entries.
    pub fn leaves_out(&self, layer: usize) -> bool {
        let Layer {
            segments, entries, ..
        } = &self.layers[layer];
        let mut segments = segments.iter();
        *entries > 0 && segments.any(|&segment| self.plan.is_derived(segment))
    }

    pub fn is_there(&self, layer: usize) -> bool {
        self.layers[layer].tiles.is_some()
    }

    /// Returns the place of the first unmarked entry in a layer in memory.
    pub fn first_unmarked(&self, layer: usize) -> Option<EntryPlace> {
        let mut segments = self.layers[layer].segments.iter();
        segments.find_map(|&segment| {
            self.tiles_of(segment).find_map(|(block, tile)| {
                let mut first = None;
                tile.for_each(|index, entry| {
                    if first.is_none() && entry.load() & MARK == 0 {
                        first = Some(index);
                    }
                });
                first.map(|index| EntryPlace::new(segment, block, index))
            })
        })
    }
}

impl Layer {
    /// Adds a segment.
    fn add(&mut self, segment: u32, file: &CheckedFile, width: u64) {
        let plan = file.plan();
        let entries: u64 = file.metadata().layout.counts(segment).iter().sum();
        // The number of entries in each tile isn't known, so take the smaller of two upper limits.
        let (mut sparse, mut full) = (entries * width, 0);
        for block in plan.blocks_of(segment as usize) {
            self.bytes += size_of::<LayerTile>() as u64;
            if !file.is_empty(block) {
                let slots = plan.tile(block).slots() as u64;
                sparse += overhead(slots);
                full += most_bytes(slots, width);
            }
        }
        if plan.listing.is_some() {
            self.bytes += entries * entry_keys(plan).1;
        }
        self.segments.push(segment);
        self.entries += entries;
        self.bytes += sparse.min(full);
    }
}

impl Layers<'_> {
    /// Loads these layers and drops all others.
    pub fn load_only(
        &mut self,
        layers: &[Range<usize>],
        progress: &dyn Progress,
    ) -> Result<(), VerifyError> {
        let wanted = |layer: usize| layers.iter().any(|range| range.contains(&layer));
        for layer in (0..self.layers.len()).filter(|&layer| !wanted(layer)) {
            self.drop(layer)?;
        }
        for layer in layers.iter().cloned().flatten() {
            self.file.check_stop(progress)?;
            self.load(layer, progress)?;
        }
        Ok(())
    }

    /// Loads a layer, unless it is in memory.
    pub fn load(&mut self, layer: usize, progress: &dyn Progress) -> Result<(), VerifyError> {
        if self.is_there(layer) {
            return Ok(());
        }
        let (file, width, most) = (self.file, self.width, self.layers[layer].entries);
        let segments = self.layers[layer].segments.iter();
        let blocks = segments.flat_map(|&segment| self.plan.blocks_of(segment as usize));
        let blocks: Vec<u64> = blocks.collect();
        let found = AtomicU64::new(0);
        let read = |&number: &u64| -> Result<(LayerTile, Vec<u128>), VerifyError> {
            file.check_stop(progress)?;
            let block = file.block(number)?;
            let count = block.count();
            // The memory was estimated from the counts, which are wrong if there are more entries.
            if found.fetch_add(count, Relaxed) + count > most {
                let layer = self.layers[layer].number;
                let damage = Difference::new(format!("{most} entries"), "more");
                return Err(file
                    .damaged(format!("counts of layer {layer}"), damage)
                    .into());
            }
            Ok((LayerTile::new(&block, width), block.keys))
        };
        // Decode the blocks on all threads: not all at once, because keys take more memory then.
        let mut tiles = Vec::with_capacity(blocks.len());
        self.keys = entry_keys(self.plan).0;
        for blocks in blocks.chunks(TASKS) {
            for (tile, keys) in try_map_of(blocks, read)? {
                tiles.push(tile);
                self.keys.append(&keys);
            }
        }
        self.layers[layer].tiles = Some(tiles.into());
        // Omitted codes of a finished layer come from the directory. Other layers are counted.
        match layer < self.finished {
            true => self.load_codes(layer)?,
            false => {
                for &segment in &self.layers[layer].segments {
                    file.check_counts(segment, &self.counts(segment))?;
                }
            }
        }
        if let Some(marks) = self.layers[layer].marks.take() {
            self.mark(layer, &marks);
        }
        Ok(())
    }

    /// Returns the number of entries with each code, in a segment that is in memory.
    ///
    /// A code that is omitted and not recomputed yet counts as code 0, as do codes of more than a
    /// byte.
    pub fn counts(&self, segment: u32) -> Vec<u64> {
        let tiles: Vec<&LayerTile> = self.tiles_of(segment).map(|(_, tile)| tile).collect();
        let tasks: Vec<_> = tiles.chunks(16).collect();
        let is_wide = self.plan.has_wide_codes();
        let mut all = self.plan.no_counts(segment);
        let by_task = map_of(&tasks, |tiles| {
            let mut counts = vec![0; all.len()];
            for entry in tiles.iter().flat_map(|tile| tile.entries()) {
                let code = entry.code().filter(|_| !is_wide);
                counts[code.unwrap_or(0) as usize] += 1;
            }
            counts
        });
        for counts in by_task {
            all.iter_mut()
                .zip(counts)
                .for_each(|(all, count)| *all += count);
        }
        all
    }

    /// Calls `work` with the number of each entry of a layer in memory, on all threads.
    fn each_numbered(&self, layer: usize, work: impl Fn(u64, Entry<'_>) + Sync) {
        let tiles = self.tiles(layer);
        let mut firsts = map_of(tiles, |tile| tile.entries().count() as u64);
        // Replace the number of entries in each tile by the number of its first entry.
        let mut start = 0;
        for first in &mut firsts {
            start += std::mem::replace(first, start);
        }
        each(tiles.len(), &|task| {
            let entries = (firsts[task]..).zip(tiles[task].entries());
            entries.for_each(|(number, entry)| work(number, entry));
        });
    }

    /// Marks the entries of a layer that was just loaded.
    fn mark(&self, layer: usize, marks: &Marks) {
        let clear = marks.clear_bits(self.layers[layer].entries);
        let clear = clear.unwrap_or_default();
        self.each_numbered(layer, |number, entry| {
            let word = clear.get((number / 64) as usize);
            if word.is_some_and(|word| word >> (number % 64) & 1 == 0) {
                entry.set(MARK);
            }
        });
    }

    /// Returns a set bit for each entry of a layer that has no mark.
    pub fn clear_bits(&self, layer: usize) -> Vec<u64> {
        let Layer { entries, marks, .. } = &self.layers[layer];
        if !self.is_there(layer) {
            let known = marks.as_ref().and_then(|marks| marks.clear_bits(*entries));
            // A layer that was never loaded has no marks.
            return known.unwrap_or_else(|| vec![u64::MAX; entries.div_ceil(64) as usize]);
        }
        let words = entries.div_ceil(64) as usize;
        let words: Vec<AtomicU64> = repeat_with(AtomicU64::default).take(words).collect();
        self.each_numbered(layer, |number, entry| {
            if entry.load() & MARK == 0 {
                words[(number / 64) as usize].fetch_or(1 << (number % 64), Relaxed);
            }
        });
        words.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// Restores the omitted codes of a finished layer from the directory.
    fn load_codes(&self, layer: usize) -> Result<(), VerifyError> {
        if !self.leaves_out(layer) {
            return Ok(());
        }
        let dir = self.dir.as_ref();
        let dir = dir.ok_or_else(|| self.file.interrupted())?;
        let name = codes_name(self.layers[layer].number);
        let mut file = dir.folder.find(&name, &dir.title)?.read()?;
        let mut read = || {
            for tile in self.derived_tiles(layer) {
                let mut codes = vec![0; tile.entries().count()];
                file.read_exact(&mut codes)?;
                let entries = tile.entries().zip(codes);
                entries.for_each(|(entry, code): (_, u8)| entry.put(bits_of(code.into())));
            }
            match file.fill_buf()? {
                [] => Ok(()),
                _ => Err(damaged()),
            }
        };
        let error = DiskError::of(&dir.folder.place(&name), "read it");
        Ok(read().map_err(error)?)
    }

    /// Saves the omitted codes of a finished layer in the directory, if not done yet.
    pub fn save_codes(&mut self, layer: usize) -> Result<(), VerifyError> {
        if let Some(dir) = &self.dir
            && layer < self.finished
            && !self.layers[layer].is_saved
            && self.leaves_out(layer)
        {
            let name = codes_name(self.layers[layer].number);
            dir.folder.put(&name, &dir.title, &mut |out| {
                self.derived_tiles(layer).try_for_each(|tile| {
                    let codes = tile.entries().map(|entry| Some(entry.code()? as u8));
                    let codes: Option<Vec<u8>> = codes.collect();
                    out.write_all(&codes.ok_or_else(damaged)?)
                })
            })?;
            self.layers[layer].is_saved = true;
        }
        Ok(())
    }

    /// Drops a layer from memory, and saves what can't be read again.
    pub fn drop(&mut self, layer: usize) -> Result<(), VerifyError> {
        if self.is_there(layer) {
            self.save_codes(layer)?;
            self.layers[layer].marks = Some(Marks::new(&self.clear_bits(layer)));
            self.layers[layer].tiles = None;
        }
        Ok(())
    }

    /// Marks all entries of a layer in memory.
    pub fn mark_all(&self, layer: usize) {
        let entries = self.tiles(layer).iter().flat_map(LayerTile::entries);
        entries.for_each(|entry| _ = entry.set(MARK));
    }
}
