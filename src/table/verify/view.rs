//! A table in memory, completely or by layers, and the places of positions.

use super::layers::Layers;
use super::tile::EntryPlace;
use super::verdict::VerifyError;
use crate::game::{Notation, Progress, Ranking};
use crate::table::format::TileShape;
use crate::table::table::Table;
use std::ops::Deref;

/// A table in memory, completely or by layers.
pub struct View<'a, G: Notation> {
    pub table: &'a Table<G>,
    pub game: &'a G,
    /// Numbering of positions; `None` for a table with keys.
    pub ranking: Option<&'a dyn Ranking<G::Position>>,
    pub loaded: Layers<'a>,
}

impl<'a, G: Notation> Deref for View<'a, G> {
    type Target = Layers<'a>;

    fn deref(&self) -> &Layers<'a> {
        &self.loaded
    }
}

impl<'a, G: Notation> View<'a, G> {
    /// Creates a view with nothing in memory; if `whole`, with a single layer.
    pub fn new(table: &'a Table<G>, whole: bool) -> View<'a, G> {
        View {
            table,
            game: table.game(),
            ranking: table.ranking().map(|ranking| &**ranking),
            loaded: Layers::new(table.file(), whole),
        }
    }

    /// Loads a whole table, if that takes at most `memory` bytes.
    pub fn load_all(
        table: &'a Table<G>,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<View<'a, G>, VerifyError> {
        let mut view = View::new(table, true);
        let bytes: u64 = view.layers.iter().map(|layer| layer.bytes).sum();
        table.file().memory_besides_reading(bytes, memory)?;
        table.file().check_digest(progress)?;
        for layer in 0..view.layers.len() {
            view.loaded.load(layer, progress)?;
        }
        Ok(view)
    }

    /// Returns the place of a class, if there is one; it may have no entry.
    ///
    /// In a table with keys, the keys must be in memory.
    // Inlined because a call would cost as much as the rest.
    #[inline(always)]
    pub fn place(&self, class: &G::Position) -> Option<EntryPlace> {
        match self.ranking {
            Some(ranking) => self.place_of_slot(ranking.slot(class)?),
            None => self.keys.find(&[self.game.key(class)])[0],
        }
    }

    /// Returns the position of an entry, or `None` if its key is of no position.
    pub fn position(&self, place: EntryPlace) -> Option<G::Position> {
        let shape = self.plan.tile_of(place.segment, place.block);
        match self.ranking {
            Some(ranking) => Some(ranking.position(shape.slot(place.index as usize))),
            None => self
                .game
                .position_of_key(self.keys.key(place.block, place.index as usize)),
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
                into.extend(self.game.position_of_key(self.keys.key(block, start)));
            }
        }
    }

    /// Describes a position for messages, or its place if it has none.
    pub fn describe(&self, place: EntryPlace) -> String {
        match self.position(place) {
            Some(position) => self.game.format_position(&position),
            None => format!("key {}", self.keys.key(place.block, place.index as usize)),
        }
    }
}
