//! A table in memory, completely or by layers, and the places of positions.

use super::proof_dir::{Marks, ProofDir};
use super::tile::{Entry, LayerTile, is_vacant, most_bytes, overhead};
use crate::game::{Notation, Ranking, ScoreRange, Slot};
use crate::table::format::{Plan, TileShape};
use crate::table::read::CheckedFile;
use crate::table::table::Table;

/// The place of an entry: its segment, its block, and its index in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryPlace {
    pub segment: u32,
    pub index: u32,
    pub block: u64,
}

/// A layer of a table, and its entries while they are in memory.
#[derive(Default)]
pub struct Layer<E> {
    /// Number of the layer in the game.
    pub number: u32,
    /// Segments of the layer, in the file's order.
    pub segments: Vec<u32>,
    pub entries: u64,
    /// Largest size of the layer in memory, in bytes.
    pub bytes: u64,
    /// Tiles of all blocks, if the layer is in memory.
    pub(super) tiles: Option<Box<[LayerTile<E>]>>,
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

/// A table in memory, completely or by layers.
pub struct View<'a, G: Notation, E> {
    pub table: &'a Table<G>,
    pub game: &'a G,
    pub file: &'a CheckedFile,
    pub plan: &'a Plan,
    /// Numbering of positions; `None` for a table with keys.
    pub ranking: Option<&'a dyn Ranking<G::Position>>,
    /// All layers with segments, lowest first, or a single one for the whole table.
    pub layers: Vec<Layer<E>>,
    homes: Vec<Home>,
    /// Keys of each block of a keyed table, once they are in memory.
    pub(super) keys: Vec<Vec<u128>>,
    /// Number of finished layers, whose scores are right and all known.
    pub finished: usize,
    pub dir: Option<ProofDir>,
}

impl<'a, G: Notation, E: Entry> View<'a, G, E> {
    /// Creates a view with nothing in memory; if `whole`, with a single layer.
    pub fn new(table: &'a Table<G>, whole: bool) -> View<'a, G, E> {
        let file = table.file();
        let (plan, layout) = (file.plan(), &file.metadata().layout);
        let segments = 0..plan.segments.len() as u32;
        let number_of = |segment| layout.layer(segment).filter(|_| !whole).unwrap_or(0);
        let mut numbers: Vec<u32> = segments.clone().map(number_of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut tile_counts = vec![0; numbers.len()];
        let layer = |number| Layer {
            number,
            ..Layer::default()
        };
        let mut layers: Vec<Layer<E>> = numbers.into_iter().map(layer).collect();
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
            layers[at].add(segment, file);
        }
        View {
            table,
            game: table.game(),
            file,
            plan,
            ranking: table.ranking().map(|ranking| &**ranking),
            layers,
            homes,
            keys: Vec::new(),
            finished: 0,
            dir: None,
        }
    }

    /// Returns the place of a slot, if a block has it.
    #[inline(always)]
    pub fn place_of_slot(&self, slot: Slot) -> Option<EntryPlace> {
        let (block, index) = self.plan.locate(slot)?;
        Some(EntryPlace {
            segment: slot.segment,
            index: index as u32,
            block,
        })
    }

    /// Returns the place of a class, if there is one; it may have no entry.
    ///
    /// In a table with keys, the keys must be in memory.
    // Inlined because a call would cost as much as the rest.
    #[inline(always)]
    pub fn place(&self, class: &G::Position) -> Option<EntryPlace> {
        if let Some(ranking) = self.ranking {
            return self.place_of_slot(ranking.slot(class)?);
        }
        let key = self.game.key(class);
        let block = self.file.block_of_key(key)?;
        let index = self.keys(block).binary_search(&key).ok()?;
        Some(EntryPlace {
            segment: 0,
            index: index as u32,
            block,
        })
    }

    /// Returns the position of an entry, or `None` if its key is of no position.
    pub fn position(&self, place: EntryPlace) -> Option<G::Position> {
        let shape = self.plan.tile_of(place.segment, place.block);
        match self.ranking {
            Some(ranking) => Some(ranking.position(shape.slot(place.index as usize))),
            None => self
                .game
                .position_of_key(self.keys(place.block)[place.index as usize]),
        }
    }

    /// Replaces `into` by the positions in a row of a tile.
    ///
    /// There are none if a key is of no position.
    #[inline]
    pub fn row(&self, block: u64, shape: &TileShape, start: usize, into: &mut Vec<G::Position>) {
        match self.ranking {
            Some(ranking) => ranking.positions(shape.slot(start), shape.width(), into),
            None => {
                into.clear();
                into.extend(self.game.position_of_key(self.keys(block)[start]));
            }
        }
    }

    /// Returns whether a position's entry is at this place.
    #[inline]
    pub fn is_at(&self, position: &G::Position, shape: &TileShape, place: EntryPlace) -> bool {
        let index = place.index as usize;
        match self.ranking {
            Some(ranking) => ranking.slot(position) == Some(shape.slot(index)),
            None => self.game.key(position) == self.keys(place.block)[index],
        }
    }

    /// Describes a position for messages, or its place if it has none.
    pub fn describe(&self, place: EntryPlace) -> String {
        match self.position(place) {
            Some(position) => self.game.format_position(&position),
            None => format!("key {}", self.keys(place.block)[place.index as usize]),
        }
    }

    #[inline]
    pub fn scores(&self, place: EntryPlace) -> ScoreRange {
        self.plan.scores(place.segment)
    }

    /// Returns the keys of a block in memory, in a table with keys.
    pub fn keys(&self, block: u64) -> &[u128] {
        self.keys.get(block as usize).map_or(&[], |keys| keys)
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
    pub fn tile(&self, place: EntryPlace) -> Option<&LayerTile<E>> {
        let home = &self.homes[place.segment as usize];
        let tiles = self.layers[home.layer].tiles.as_ref()?;
        Some(&tiles[(place.block - home.shift) as usize])
    }

    /// Returns the entry at a place, if there is one and it is in memory.
    pub fn entry_at(&self, place: EntryPlace) -> Option<&E> {
        let entry = self.tile(place)?.entry(place.index as usize);
        entry.filter(|entry| !is_vacant::<E>(entry.load()))
    }

    /// Returns the tiles of a segment with their blocks; none if it is not in memory.
    pub fn tiles_of(&self, segment: u32) -> impl Iterator<Item = (u64, &LayerTile<E>)> {
        let home = &self.homes[segment as usize];
        let blocks = self.plan.blocks_of(segment as usize);
        let tiles = self.layers[home.layer].tiles.as_deref().unwrap_or(&[]);
        let first = (blocks.start - home.shift) as usize;
        blocks.zip(tiles.iter().skip(first))
    }

    /// Returns the tiles of a layer; none if it is not in memory.
    pub fn tiles(&self, layer: usize) -> &[LayerTile<E>] {
        self.layers[layer].tiles.as_deref().unwrap_or(&[])
    }

    /// Returns the tiles of a layer in memory whose codes are omitted.
    pub fn derived_tiles(&self, layer: usize) -> impl Iterator<Item = &LayerTile<E>> {
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
                    if first.is_none() && !entry.is_marked() {
                        first = Some(index as u32);
                    }
                });
                first.map(|index| EntryPlace {
                    segment,
                    index,
                    block,
                })
            })
        })
    }
}

impl<E: Entry> Layer<E> {
    /// Adds a segment.
    fn add(&mut self, segment: u32, file: &CheckedFile) {
        let plan = file.plan();
        let entries: u64 = file.metadata().layout.counts(segment).iter().sum();
        // The number of entries in each tile isn't known, so take the smaller of two upper limits.
        let (mut sparse, mut full) = (entries * size_of::<E>() as u64, 0);
        for block in plan.blocks_of(segment as usize) {
            self.bytes += size_of::<LayerTile<E>>() as u64;
            if !file.is_empty(block) {
                let slots = plan.tile(block).slots() as u64;
                sparse += overhead(slots);
                full += most_bytes::<E>(slots);
            }
        }
        if plan.listing.is_some() {
            self.bytes += entries * size_of::<u128>() as u64;
        }
        self.segments.push(segment);
        self.entries += entries;
        self.bytes += sparse.min(full);
    }
}
