//! Loading layers into memory and dropping them.
//!
//! The parts of a dropped layer that can't be read again are saved.

use super::proof_dir::{Marks, codes_name};
use super::tile::{Entry, LayerTile};
use super::verdict::VerifyError;
use super::view::{Layer, View};
use crate::game::{Notation, Progress};
use crate::pool::{each, map_of, try_map_of};
use crate::table::format::Difference;
use crate::table::table::Table;
use crate::work::DiskError;
use crate::work::folder::damaged;
use std::io::{BufRead, Read};
use std::iter::repeat_with;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

impl<'a, G: Notation, E: Entry> View<'a, G, E> {
    /// Loads a whole table, if that takes at most `memory` bytes.
    pub fn load_all(
        table: &'a Table<G>,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<View<'a, G, E>, VerifyError> {
        let mut view = View::new(table, true);
        let bytes: u64 = view.layers.iter().map(|layer| layer.bytes).sum();
        table.file().memory_besides_reading(bytes, memory)?;
        table.file().check_digest(progress)?;
        for layer in 0..view.layers.len() {
            view.load(layer, progress)?;
        }
        Ok(view)
    }

    /// Loads a layer, unless it is in memory.
    pub fn load(&mut self, layer: usize, progress: &dyn Progress) -> Result<(), VerifyError> {
        if self.is_there(layer) {
            return Ok(());
        }
        let (file, most) = (self.file, self.layers[layer].entries);
        let segments = self.layers[layer].segments.iter();
        let blocks = segments.flat_map(|&segment| self.plan.blocks_of(segment as usize));
        let blocks: Vec<u64> = blocks.collect();
        let found = AtomicU64::new(0);
        let read = |&number: &u64| -> Result<(LayerTile<E>, Vec<u128>), VerifyError> {
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
            Ok((LayerTile::new(&block), block.keys))
        };
        // Decode all blocks of the layer on all threads.
        let (tiles, keys): (Vec<_>, Vec<_>) = try_map_of(&blocks, read)?.into_iter().unzip();
        self.layers[layer].tiles = Some(tiles.into());
        if self.plan.listing.is_some() {
            self.keys = keys;
        }
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
    /// A code that is omitted and not recomputed yet counts as code 0.
    pub fn counts(&self, segment: u32) -> Vec<u64> {
        let tiles: Vec<&LayerTile<E>> = self.tiles_of(segment).map(|(_, tile)| tile).collect();
        let tasks: Vec<_> = tiles.chunks(16).collect();
        let mut all = vec![0; self.plan.scores(segment).codes()];
        let by_task = map_of(&tasks, |tiles| {
            let mut counts = vec![0; all.len()];
            for entry in tiles.iter().flat_map(|tile| tile.entries()) {
                let code = Some(entry.value()).filter(|&value| value != E::NONE);
                counts[usize::from(code.unwrap_or(0))] += 1;
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
    fn each_numbered(&self, layer: usize, work: impl Fn(u64, &E) + Sync) {
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
                entry.store(entry.load() | E::MARK);
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
            if !entry.is_marked() {
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
                entries.for_each(|(entry, code)| entry.put_alone(code.into()));
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
        let is_due = layer < self.finished && !self.layers[layer].is_saved;
        if let Some(dir) = self
            .dir
            .as_ref()
            .filter(|_| is_due && self.leaves_out(layer))
        {
            let name = codes_name(self.layers[layer].number);
            dir.folder.put(&name, &dir.title, &mut |out| {
                self.derived_tiles(layer).try_for_each(|tile| {
                    let codes = tile.entries().map(|entry| entry.value() as u8);
                    out.write_all(&codes.collect::<Vec<u8>>())
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
        entries.for_each(|entry| entry.store(entry.load() | E::MARK));
    }
}
