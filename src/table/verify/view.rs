//! A table in memory, all of it or some layers: which entry belongs to which position.

use super::error::VerifyError;
use super::held::{Held, Place};
use super::tile::Entry;
use crate::game::{Notation, Progress, Ranking, ScoreRange};
use crate::table::format::TileShape;
use crate::table::read::ReadError;
use crate::table::table::Table;

pub struct View<'a, G: Notation, E> {
    pub table: &'a Table<G>,
    pub game: &'a G,
    /// The numbering of the positions; nothing if the entries are listed.
    pub ranking: Option<&'a dyn Ranking<G::Position>>,
    pub held: Held<'a, E>,
}

impl<'a, G: Notation, E: Entry> View<'a, G, E> {
    /// Nothing in memory yet; `whole` if all is to be there at once.
    pub fn new(table: &'a Table<G>, whole: bool) -> Result<View<'a, G, E>, ReadError> {
        Ok(View {
            table,
            game: table.game(),
            ranking: table.ranking(),
            held: Held::new(table.file(), whole)?,
        })
    }

    /// All of a table, if that takes no more than so many bytes.
    pub fn load(
        table: &'a Table<G>,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<View<'a, G, E>, VerifyError> {
        let mut view = View::new(table, true)?;
        let outlines = view.held.outlines.iter();
        let bytes: u64 = outlines.map(|outline| outline.bytes).sum();
        let needed = bytes.saturating_add(table.file().reading_memory());
        if needed > memory {
            return Err(VerifyError::Memory {
                path: table.file().path().to_owned(),
                needed,
                allowed: memory,
            });
        }
        table.file().check_digest(progress)?;
        for layer in 0..view.held.outlines.len() {
            view.held.load(layer, progress)?;
        }
        Ok(view)
    }

    /// The place of a class, with or without an entry; nothing if there is none. That of a listed
    /// entry has to be in memory.
    // Not as a call of its own, which costs as much as the rest.
    #[inline(always)]
    pub fn place(&self, class: &G::Position) -> Option<Place> {
        if let Some(ranking) = self.ranking {
            let slot = ranking.slot(class)?;
            let (block, index) = self.held.plan.locate(slot)?;
            return Some(Place {
                segment: slot.segment,
                index: index as u32,
                block,
            });
        }
        let key = self.game.key(class);
        let block = self.held.file.block_of_key(key)?;
        let index = self.held.keys(block).binary_search(&key).ok()?;
        Some(Place {
            segment: 0,
            index: index as u32,
            block,
        })
    }

    /// The position of an entry; nothing if its key is that of none.
    pub fn position(&self, place: Place) -> Option<G::Position> {
        let shape = self.held.plan.tile_of(place.segment, place.block);
        match self.ranking {
            Some(ranking) => Some(ranking.position(shape.slot(place.index as usize))),
            None => self
                .game
                .position_of_key(self.held.keys(place.block)[place.index as usize]),
        }
    }

    /// The positions of a row of a tile, which starts at an index: none if a key is that of none.
    #[inline]
    pub fn row(&self, block: u64, shape: &TileShape, start: usize, into: &mut Vec<G::Position>) {
        match self.ranking {
            Some(ranking) => ranking.positions(shape.slot(start), shape.width(), into),
            None => {
                into.clear();
                into.extend(self.game.position_of_key(self.held.keys(block)[start]));
            }
        }
    }

    /// Whether a position's entry is at an index of a tile.
    #[inline]
    pub fn is_at(&self, position: &G::Position, shape: &TileShape, place: Place) -> bool {
        let index = place.index as usize;
        match self.ranking {
            Some(ranking) => ranking.slot(position) == Some(shape.slot(index)),
            None => self.game.key(position) == self.held.keys(place.block)[index],
        }
    }

    /// A position for people, or where it should be.
    pub fn describe(&self, place: Place) -> String {
        match self.position(place) {
            Some(position) => self.game.format_position(&position),
            None => format!("key {}", self.held.keys(place.block)[place.index as usize]),
        }
    }

    #[inline]
    pub fn scores(&self, place: Place) -> ScoreRange {
        self.held.plan.scores(place.segment)
    }
}
