//! Which layers are in memory, and what stays of those that are not.

use super::layer::{
    FLAG, LayerTile, MARK, MOST_CODES, NONE, VALUE, most_bytes, overhead, set_alone,
};
use super::marks::{Home, Marks, Outline, is_clear};
use super::shelf::Shelf;
use crate::game::{Progress, Slot};
use crate::table::format::{Plan, RankedPlan};
use crate::table::read::{CheckedFile, ReadError};
use crate::table::verify::error::VerifyError;
use crate::table::verify::numbering::Bits;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

pub struct Held<'a> {
    file: &'a CheckedFile,
    pub plan: &'a RankedPlan,
    /// All layers that have entries, the lowest first.
    pub outlines: Vec<Outline>,
    homes: Vec<Home>,
    /// Their numbers in the game, ascending.
    numbers: Vec<u32>,
    tiles: Vec<Option<Box<[LayerTile]>>>,
    /// Of which layers the entries are as many as the table says.
    counted: Vec<bool>,
    pub marks: Vec<Marks>,
    /// At most the bytes that the marks of a layer take while it is not in memory.
    most_marks: Vec<u64>,
    /// Layers before this one are finished: their scores are right, and those left out derived.
    pub finished: usize,
    pub shelf: Option<Shelf>,
    /// Whether codes matter, and not only which entries there are.
    with_codes: bool,
}

impl<'a> Held<'a> {
    /// Nothing in memory yet; nothing at all if the table isn't one that can be gone through layer
    /// by layer.
    pub fn new(file: &'a CheckedFile) -> Result<Option<Held<'a>>, ReadError> {
        let (Plan::Ranked(plan), Some(layout)) = (file.plan(), file.metadata().layout.ranked())
        else {
            return Ok(None);
        };
        let records = &layout.segments;
        if plan.segments.iter().any(|s| s.scores.codes() >= MOST_CODES) {
            return Ok(None);
        }
        let mut layers: Vec<u32> = records.iter().map(|record| record.layer).collect();
        layers.sort_unstable();
        layers.dedup();
        let outline = |&layer: &u32| Outline {
            layer,
            segments: Vec::new(),
            entries: 0,
            bytes: 0,
        };
        let mut outlines: Vec<Outline> = layers.iter().map(outline).collect();
        let mut tile_counts = vec![0; layers.len()];
        let mut homes = Vec::with_capacity(records.len());
        for (number, record) in records.iter().enumerate() {
            let layer = layers.partition_point(|&layer| layer < record.layer);
            homes.push(Home {
                layer,
                first: tile_counts[layer],
            });
            let blocks = plan.first_block(number)..plan.first_block(number + 1);
            tile_counts[layer] += (blocks.end - blocks.start) as usize;
            let entries: u64 = record.counts.iter().sum();
            // How many a tile has is not known.
            let (mut sparse, mut full) = (entries, 0);
            let outline = &mut outlines[layer];
            for block in blocks {
                outline.bytes += size_of::<LayerTile>() as u64;
                if !file.is_empty(block)? {
                    let slots = plan.tile(block).slots() as u64;
                    sparse += overhead(slots);
                    full += most_bytes(slots);
                }
            }
            outline.segments.push(number as u32);
            outline.entries += entries;
            outline.bytes += sparse.min(full);
        }
        Ok(Some(Held {
            file,
            plan,
            numbers: layers,
            homes,
            tiles: outlines.iter().map(|_| None).collect(),
            counted: vec![false; outlines.len()],
            marks: outlines.iter().map(|_| Marks::Unknown).collect(),
            most_marks: outlines.iter().map(Outline::most_marks).collect(),
            outlines,
            finished: 0,
            shelf: None,
            with_codes: true,
        }))
    }

    /// Starts anew with nothing in memory and without marks, to find out which entries can be
    /// reached.
    pub fn forget_codes(&mut self) {
        self.tiles.iter_mut().for_each(|tiles| *tiles = None);
        self.marks.fill(Marks::Unknown);
        self.most_marks = self.outlines.iter().map(Outline::most_marks).collect();
        self.finished = 0;
        self.with_codes = false;
    }

    /// At most the bytes of memory that the marks of a layer take while it is not there.
    pub fn marks_bytes(&self, layer: usize) -> u64 {
        self.most_marks[layer]
    }

    /// Looks at how much that is for the finished layers in memory: entries only ever get marks.
    pub fn count_marks(&mut self) {
        for layer in 0..self.finished {
            // Less is not worth a look.
            let is_much = self.most_marks[layer] > self.outlines[layer].entries / 256 + 64;
            if is_much && self.is_there(layer) {
                let clear = self.clear_entries(layer);
                if self.is_list(layer, clear) {
                    self.most_marks[layer] = 8 * clear + 64;
                }
            }
        }
    }

    /// How many entries of a layer in memory have no mark.
    fn clear_entries(&self, layer: usize) -> u64 {
        let segments = self.outlines[layer].segments.par_iter();
        let of_segment = |&segment: &u32| -> u64 {
            let bytes = self.tiles_of(segment).flat_map(|(_, tile)| tile.entries());
            bytes.filter(|byte| is_clear(byte)).count() as u64
        };
        segments.map(of_segment).sum()
    }

    /// Whether the marks of a layer are kept as a list if so many of its entries have none.
    fn is_list(&self, layer: usize, clear: u64) -> bool {
        clear <= self.outlines[layer].entries / 64
    }

    /// Which of the layers has this number in the game.
    #[inline]
    pub fn number_of(&self, layer: u32) -> Option<usize> {
        let numbers = &self.numbers;
        // Most often there are none between them that have no entries.
        let at = layer.wrapping_sub(*numbers.first()?) as usize;
        match numbers.get(at) == Some(&layer) {
            true => Some(at),
            false => numbers.binary_search(&layer).ok(),
        }
    }

    #[inline]
    pub fn layer_of(&self, segment: u32) -> usize {
        self.homes[segment as usize].layer
    }

    /// The tile of a slot, and its index in it; nothing if there is no such slot, or its layer is
    /// not in memory.
    #[inline]
    pub fn tile(&self, slot: Slot) -> Option<(&LayerTile, usize)> {
        let (block, index) = self.plan.locate(slot)?;
        let home = &self.homes[slot.segment as usize];
        let first = self.plan.segments[slot.segment as usize].first_block;
        let tiles = self.tiles[home.layer].as_ref()?;
        Some((&tiles[home.first + (block - first) as usize], index))
    }

    /// The blocks of a segment, with their tiles; none if its layer is not in memory.
    pub fn tiles_of(&self, segment: u32) -> impl Iterator<Item = (u64, &LayerTile)> {
        let home = &self.homes[segment as usize];
        let blocks = self.blocks_of(segment);
        let tiles = self.tiles[home.layer].as_deref().unwrap_or(&[]);
        blocks.zip(tiles.iter().skip(home.first))
    }

    fn blocks_of(&self, segment: u32) -> Range<u64> {
        let segment = segment as usize;
        self.plan.first_block(segment)..self.plan.first_block(segment + 1)
    }

    fn entries_of(&self, layer: usize, derived: bool) -> impl Iterator<Item = &AtomicU8> {
        let segments = self.outlines[layer].segments.iter();
        segments
            .filter(move |&&segment| !derived || self.plan.is_derived(segment))
            .flat_map(|&segment| self.tiles_of(segment))
            .flat_map(|(_, tile)| tile.entries())
    }

    /// Whether the table leaves out codes of a layer.
    pub fn leaves_out(&self, layer: usize) -> bool {
        let segments = &self.outlines[layer].segments;
        segments
            .iter()
            .any(|&segment| self.plan.is_derived(segment))
    }

    pub fn is_there(&self, layer: usize) -> bool {
        self.tiles[layer].is_some()
    }

    /// Reads a layer, unless it is in memory.
    pub fn load(&mut self, layer: usize, progress: &dyn Progress) -> Result<(), VerifyError> {
        if self.is_there(layer) {
            return Ok(());
        }
        let Outline {
            segments, entries, ..
        } = &self.outlines[layer];
        let blocks: Vec<u64> = segments.iter().flat_map(|&s| self.blocks_of(s)).collect();
        let file = self.file;
        let found = AtomicU64::new(0);
        let read = |&block: &u64| -> Result<LayerTile, VerifyError> {
            if progress.cancelled() {
                return Err(self.interrupted());
            }
            let block = file.block(block)?;
            let count = block.count();
            // More than there is memory for.
            if found.fetch_add(count, Relaxed) + count > *entries {
                return Err(self.interrupted());
            }
            Ok(LayerTile::new(&block))
        };
        let tiles: Result<Vec<LayerTile>, VerifyError> = blocks.par_iter().map(read).collect();
        let is_too_much = found.into_inner() > *entries;
        let tiles = match tiles {
            Err(error) if is_too_much || matches!(error, VerifyError::Read(_)) => {
                return Err(self.first_damage(error, progress));
            }
            tiles => tiles?,
        };
        self.tiles[layer] = Some(tiles.into());
        if !self.counted[layer] {
            if !self.is_as_counted(layer) {
                return Err(self.first_damage(self.interrupted(), progress));
            }
            self.counted[layer] = true;
        }
        if layer < self.finished && self.with_codes {
            self.restore(layer)?;
        }
        if !self.with_codes {
            for byte in self.entries_of(layer, false) {
                byte.store(byte.load(Relaxed) & !FLAG, Relaxed);
            }
        }
        let marks = std::mem::take(&mut self.marks[layer]);
        if marks != Marks::Unknown {
            self.mark(layer, &marks);
        }
        Ok(())
    }

    /// The tiles of a layer that is in memory, each with the number of its first entry.
    fn numbered_tiles(&self, layer: usize) -> Vec<(u64, &LayerTile)> {
        let segments = self.outlines[layer].segments.iter();
        let tiles: Vec<&LayerTile> = segments
            .flat_map(|&segment| self.tiles_of(segment).map(|(_, tile)| tile))
            .collect();
        let count = |tile: &&LayerTile| tile.entries().count() as u64;
        let counts: Vec<u64> = tiles.par_iter().map(count).collect();
        let mut start = 0;
        let number = |(tile, count)| {
            let first = start;
            start += count;
            (first, tile)
        };
        tiles.into_iter().zip(counts).map(number).collect()
    }

    /// Marks the entries of a layer that has just been read.
    fn mark(&self, layer: usize, marks: &Marks) {
        let tiles = self.numbered_tiles(layer);
        tiles.into_par_iter().for_each(|(first, tile)| {
            let entries = (first..).zip(tile.entries());
            match marks {
                Marks::Unknown => {}
                Marks::AllBut(list) => {
                    let from = list.partition_point(|&number| number < first);
                    let mut clear = list[from..].iter().copied().peekable();
                    for (number, byte) in entries {
                        if clear.next_if_eq(&number).is_none() {
                            set_alone(byte, MARK);
                        }
                    }
                }
                Marks::Clear(bits) => {
                    for (number, byte) in entries {
                        if bits[(number / 64) as usize] >> (number % 64) & 1 == 0 {
                            set_alone(byte, MARK);
                        }
                    }
                }
            }
        });
    }

    /// What is damaged first in the order of the file, if a scan finds anything, or else this. There
    /// is nothing to go on with then.
    fn first_damage(&mut self, found: VerifyError, progress: &dyn Progress) -> VerifyError {
        let error = self.file.scan(progress, |_| {}).err().unwrap_or(found);
        let is_damaged = matches!(error, VerifyError::Read(ReadError::Damaged { .. }));
        if let Some(shelf) = self.shelf.as_mut().filter(|_| is_damaged) {
            shelf.clear();
        }
        error
    }

    /// Whether a layer that has just been read has as many entries of each code as the table says,
    /// and as many in all where codes are left out.
    fn is_as_counted(&self, layer: usize) -> bool {
        let Some(layout) = self.file.metadata().layout.ranked() else {
            return false;
        };
        self.outlines[layer].segments.iter().all(|&segment| {
            let mut said = vec![0; usize::from(VALUE) + 1];
            let counts = &layout.segments[segment as usize].counts;
            match self.plan.is_derived(segment) {
                true => said[usize::from(NONE)] = counts.iter().sum(),
                false => said[..counts.len()].copy_from_slice(counts),
            }
            self.counts(segment) == said
        })
    }

    /// Brings back the codes of a finished layer that the table leaves out.
    fn restore(&self, layer: usize) -> Result<(), VerifyError> {
        if !self.leaves_out(layer) || self.outlines[layer].entries == 0 {
            return Ok(());
        }
        let shelf = self.shelf.as_ref();
        let shelf = shelf.ok_or_else(|| self.interrupted())?;
        shelf.read(self.outlines[layer].layer, self.entries_of(layer, true))
    }

    /// Puts the codes of a finished layer that the table leaves out on the shelf, unless they are
    /// there.
    pub fn store(&mut self, layer: usize) -> Result<(), VerifyError> {
        let number = self.outlines[layer].layer;
        let Some(mut shelf) = self.shelf.take() else {
            return Ok(());
        };
        let mut done = Ok(());
        let has_some = self.leaves_out(layer) && self.outlines[layer].entries > 0;
        if has_some && layer < self.finished && self.with_codes && !shelf.has(number) {
            let codes = self.entries_of(layer, true);
            done = shelf.write(number, codes.map(|byte| byte.load(Relaxed) & VALUE));
        }
        self.shelf = Some(shelf);
        done
    }

    /// Which entries of a layer that is in memory have marks.
    pub fn marks_of(&self, layer: usize) -> Marks {
        let tiles = self.numbered_tiles(layer);
        let clear_of = |&(first, tile): &(u64, &LayerTile)| -> Vec<u64> {
            let entries = (first..).zip(tile.entries());
            let clear = entries.filter(|(_, byte)| is_clear(byte));
            clear.map(|(number, _)| number).collect()
        };
        let entries = self.outlines[layer].entries;
        if self.is_list(layer, self.clear_entries(layer)) {
            let lists: Vec<Vec<u64>> = tiles.par_iter().map(clear_of).collect();
            return Marks::AllBut(lists.concat());
        }
        let bits = Bits::new(entries);
        tiles.par_iter().for_each(|tile| {
            for number in clear_of(tile) {
                bits.set(number);
            }
        });
        Marks::Clear(bits.into_words())
    }

    /// Drops a layer from memory but for what can't be read again.
    pub fn drop(&mut self, layer: usize) -> Result<(), VerifyError> {
        if self.is_there(layer) {
            self.store(layer)?;
            self.marks[layer] = self.marks_of(layer);
            self.tiles[layer] = None;
        }
        Ok(())
    }

    /// Marks all entries of a layer that is in memory.
    pub fn mark_all(&self, layer: usize) {
        self.entries_of(layer, false)
            .for_each(|byte| set_alone(byte, MARK));
    }

    /// The place of an entry of a layer that is in memory, by its number in the layer, and its byte.
    pub fn entry(&self, layer: usize, number: u64) -> Option<(Slot, u8)> {
        let mut left = number;
        for &segment in &self.outlines[layer].segments {
            for (block, tile) in self.tiles_of(segment) {
                let count = tile.entries().count() as u64;
                if left >= count {
                    left -= count;
                    continue;
                }
                let mut found = None;
                tile.for_each(|index, byte| {
                    if left == 0 && found.is_none() {
                        let slot = self.plan.tile(block).slot(index);
                        found = Some((slot, byte.load(Relaxed)));
                    }
                    left = left.saturating_sub(1);
                });
                return found;
            }
        }
        None
    }

    /// How many entries of each code a segment has; its layer is in memory.
    pub fn counts(&self, segment: u32) -> Vec<u64> {
        let tiles: Vec<&LayerTile> = self.tiles_of(segment).map(|(_, tile)| tile).collect();
        let none = || vec![0; usize::from(VALUE) + 1];
        let add = |mut counts: Vec<u64>, tile: &&LayerTile| {
            for byte in tile.entries() {
                counts[usize::from(byte.load(Relaxed) & VALUE)] += 1;
            }
            counts
        };
        let sum = |mut sums: Vec<u64>, counts: Vec<u64>| {
            sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
            sums
        };
        tiles.par_iter().fold(none, add).reduce(none, sum)
    }

    pub fn interrupted(&self) -> VerifyError {
        VerifyError::Interrupted {
            path: self.file.path().to_owned(),
        }
    }
}
