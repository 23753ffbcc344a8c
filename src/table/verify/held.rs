//! Which layers are in memory, and what stays of those that are not.

use super::error::VerifyError;
use super::marks::{Bits, Home, Marks, Outline};
use super::shelf::Shelf;
use super::tile::{Entry, LayerTile, is_vacant, most_bytes, overhead};
use crate::game::Progress;
use crate::pool::{each, map_of, try_map_of};
use crate::table::format::Plan;
use crate::table::read::{CheckedFile, ReadError};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where an entry is: its segment, its block, and its index in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub segment: u32,
    pub index: u32,
    pub block: u64,
}

pub struct Held<'a, E> {
    pub file: &'a CheckedFile,
    pub plan: &'a Plan,
    /// All layers that have entries, the lowest first; a single one if all are gone through at
    /// once.
    pub outlines: Vec<Outline>,
    homes: Vec<Home>,
    /// Their numbers in the game, ascending.
    numbers: Vec<u32>,
    tiles: Vec<Option<Box<[LayerTile<E>]>>>,
    /// The keys of each block whose entries are listed, as soon as they are in memory.
    keys: Vec<Vec<u128>>,
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

impl<'a, E: Entry> Held<'a, E> {
    /// Nothing in memory yet; `whole` if all is to be gone through at once.
    pub fn new(file: &'a CheckedFile, whole: bool) -> Result<Held<'a, E>, ReadError> {
        let (plan, layout) = (file.plan(), &file.metadata().layout);
        let segments = 0..plan.segments.len() as u32;
        let layer_of = |segment| layout.layer(segment).filter(|_| !whole).unwrap_or(0);
        let mut layers: Vec<u32> = segments.clone().map(layer_of).collect();
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
        let mut homes = Vec::with_capacity(plan.segments.len());
        for segment in segments {
            let layer = layers.partition_point(|&layer| layer < layer_of(segment));
            homes.push(Home {
                layer,
                first: tile_counts[layer],
            });
            let blocks = plan.blocks_of(segment as usize);
            tile_counts[layer] += (blocks.end - blocks.start) as usize;
            let entries: u64 = layout.counts(segment).iter().sum();
            // How many a tile has is not known.
            let (mut sparse, mut full) = (entries * size_of::<E>() as u64, 0);
            let outline = &mut outlines[layer];
            for block in blocks {
                outline.bytes += size_of::<LayerTile<E>>() as u64;
                if !file.is_empty(block)? {
                    let slots = plan.tile(block).slots() as u64;
                    sparse += overhead(slots);
                    full += most_bytes::<E>(slots);
                }
            }
            if plan.listing.is_some() {
                outline.bytes += entries * size_of::<u128>() as u64;
            }
            outline.segments.push(segment);
            outline.entries += entries;
            outline.bytes += sparse.min(full);
        }
        Ok(Held {
            file,
            plan,
            numbers: layers,
            homes,
            tiles: outlines.iter().map(|_| None).collect(),
            keys: Vec::new(),
            counted: vec![false; outlines.len()],
            marks: outlines.iter().map(|_| Marks::Unknown).collect(),
            most_marks: outlines.iter().map(Outline::most_marks).collect(),
            outlines,
            finished: 0,
            shelf: None,
            with_codes: true,
        })
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
        let of_segment = |&segment: &u32| -> u64 {
            let entries = self.tiles_of(segment).flat_map(|(_, tile)| tile.entries());
            entries.filter(|entry| !entry.is_marked()).count() as u64
        };
        let counts = map_of(&self.outlines[layer].segments, of_segment);
        counts.into_iter().sum()
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

    /// The tile of a block; nothing if its layer is not in memory.
    #[inline]
    pub fn tile(&self, place: Place) -> Option<&LayerTile<E>> {
        let home = &self.homes[place.segment as usize];
        let first = self.plan.segments[place.segment as usize].first_block;
        let tiles = self.tiles[home.layer].as_ref()?;
        Some(&tiles[home.first + (place.block - first) as usize])
    }

    /// The entry at a place, if there is one, in memory.
    pub fn entry_at(&self, place: Place) -> Option<&E> {
        let entry = self.tile(place)?.entry(place.index as usize);
        entry.filter(|entry| !is_vacant::<E>(entry.load()))
    }

    /// The keys of a block whose entries are listed, in memory.
    pub fn keys(&self, block: u64) -> &[u128] {
        self.keys.get(block as usize).map_or(&[], |keys| keys)
    }

    /// The blocks of a segment, with their tiles; none if its layer is not in memory.
    pub fn tiles_of(&self, segment: u32) -> impl Iterator<Item = (u64, &LayerTile<E>)> {
        let home = &self.homes[segment as usize];
        let blocks = self.plan.blocks_of(segment as usize);
        let tiles = self.tiles[home.layer].as_deref().unwrap_or(&[]);
        blocks.zip(tiles.iter().skip(home.first))
    }

    fn entries_of(&self, layer: usize, derived: bool) -> impl Iterator<Item = &E> {
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
        let blocks = segments
            .iter()
            .flat_map(|&s| self.plan.blocks_of(s as usize));
        let blocks: Vec<u64> = blocks.collect();
        let file = self.file;
        let found = AtomicU64::new(0);
        let read = |&block: &u64| -> Result<(LayerTile<E>, Vec<u128>), VerifyError> {
            if progress.cancelled() {
                return Err(self.file.interrupted());
            }
            let block = file.block(block)?;
            let count = block.count();
            // More than there is memory for.
            if found.fetch_add(count, Relaxed) + count > *entries {
                return Err(self.file.interrupted());
            }
            Ok((LayerTile::new(&block), block.keys))
        };
        let tiles = try_map_of(&blocks, read);
        let is_too_much = found.into_inner() > *entries;
        let tiles = match tiles {
            Err(error) if is_too_much || matches!(error, VerifyError::Read(_)) => {
                return Err(self.first_damage(error, progress));
            }
            tiles => tiles?,
        };
        let (tiles, keys): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
        self.tiles[layer] = Some(tiles.into());
        if self.plan.listing.is_some() {
            self.keys = keys;
        }
        if !self.counted[layer] {
            if !self.is_as_counted(layer) {
                return Err(self.first_damage(self.file.interrupted(), progress));
            }
            self.counted[layer] = true;
        }
        if layer < self.finished && self.with_codes {
            self.restore(layer)?;
        }
        if !self.with_codes {
            for entry in self.entries_of(layer, false) {
                entry.store(entry.load() & !E::FLAG);
            }
        }
        let marks = std::mem::take(&mut self.marks[layer]);
        if marks != Marks::Unknown {
            self.mark(layer, &marks);
        }
        Ok(())
    }

    /// The tiles of a layer that is in memory, each with the number of its first entry.
    fn numbered_tiles(&self, layer: usize) -> Vec<(u64, &LayerTile<E>)> {
        let segments = self.outlines[layer].segments.iter();
        let tiles: Vec<&LayerTile<E>> = segments
            .flat_map(|&segment| self.tiles_of(segment).map(|(_, tile)| tile))
            .collect();
        let count = |tile: &&LayerTile<E>| tile.entries().count() as u64;
        let counts = map_of(&tiles, count);
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
        each(tiles.len(), &|task| {
            let (first, tile) = tiles[task];
            let entries = (first..).zip(tile.entries());
            match marks {
                Marks::Unknown => {}
                Marks::AllBut(list) => {
                    let from = list.partition_point(|&number| number < first);
                    let mut clear = list[from..].iter().copied().peekable();
                    for (number, entry) in entries {
                        if clear.next_if_eq(&number).is_none() {
                            entry.store(entry.load() | E::MARK);
                        }
                    }
                }
                Marks::Clear(bits) => {
                    for (number, entry) in entries {
                        if bits[(number / 64) as usize] >> (number % 64) & 1 == 0 {
                            entry.store(entry.load() | E::MARK);
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
        self.outlines[layer].segments.iter().all(|&segment| {
            let mut said = vec![0; usize::from(E::VALUE) + 1];
            let counts = self.file.metadata().layout.counts(segment);
            match self.plan.is_derived(segment) {
                true => said[usize::from(E::NONE)] = counts.iter().sum(),
                false => said[..counts.len()].copy_from_slice(&counts),
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
        let shelf = shelf.ok_or_else(|| self.file.interrupted())?;
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
            done = shelf.write(number, codes.map(|entry| entry.value() as u8));
        }
        self.shelf = Some(shelf);
        done
    }

    /// Which entries of a layer that is in memory have marks.
    pub fn marks_of(&self, layer: usize) -> Marks {
        let tiles = self.numbered_tiles(layer);
        let clear_of = |&(first, tile): &(u64, &LayerTile<E>)| -> Vec<u64> {
            let entries = (first..).zip(tile.entries());
            let clear = entries.filter(|(_, entry)| !entry.is_marked());
            clear.map(|(number, _)| number).collect()
        };
        let entries = self.outlines[layer].entries;
        if self.is_list(layer, self.clear_entries(layer)) {
            return Marks::AllBut(map_of(&tiles, clear_of).concat());
        }
        let bits = Bits::new(entries);
        each(tiles.len(), &|task| {
            for number in clear_of(&tiles[task]) {
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
            .for_each(|entry| entry.store(entry.load() | E::MARK));
    }

    /// The place of an entry of a layer that is in memory, by its number in the layer.
    pub fn place_of(&self, layer: usize, number: u64) -> Option<Place> {
        let mut left = number;
        for &segment in &self.outlines[layer].segments {
            for (block, tile) in self.tiles_of(segment) {
                let count = tile.entries().count() as u64;
                if left >= count {
                    left -= count;
                    continue;
                }
                let mut indexes = Vec::with_capacity(count as usize);
                tile.for_each(|index, _| indexes.push(index as u32));
                return Some(Place {
                    segment,
                    index: indexes[left as usize],
                    block,
                });
            }
        }
        None
    }

    /// How many entries of each code a segment has; its layer is in memory.
    pub fn counts(&self, segment: u32) -> Vec<u64> {
        let tiles: Vec<&LayerTile<E>> = self.tiles_of(segment).map(|(_, tile)| tile).collect();
        let mut sums = vec![0; usize::from(E::VALUE) + 1];
        let tasks: Vec<_> = tiles.chunks(16).collect();
        let counts = map_of(&tasks, |tiles| {
            let mut counts = vec![0; sums.len()];
            for entry in tiles.iter().flat_map(|tile| tile.entries()) {
                counts[usize::from(entry.value())] += 1;
            }
            counts
        });
        for counts in counts {
            sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        }
        sums
    }
}
