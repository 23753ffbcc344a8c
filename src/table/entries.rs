//! All entries of a table, block by block.

use super::bits::for_each_present;
use super::format::{Damage, Plan};
use super::read::{Block, DerivedTile, FilePart, ReadError};
use super::table::{Known, Table};
use crate::game::{Notation, Tile};

impl<G: Notation> Table<G> {
    /// All entries in the order of the table: each canonical position with its score.
    #[must_use]
    pub fn entries(&self) -> Entries<'_, G> {
        Entries {
            table: self,
            next_block: 0,
            block: Vec::new().into_iter(),
        }
    }

    /// The entries of one block, `0..self.file().blocks()`: a unit of work for one thread.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn block_entries(&self, number: u64) -> Result<Vec<(G::Position, i32)>, ReadError> {
        let mut entries = Vec::new();
        if number >= self.file().blocks() {
            return Ok(entries);
        }
        let fresh;
        let piece;
        let block = match self.file().plan() {
            // Cells are kept one by one, not as blocks.
            Plan::Ranked(_) => {
                fresh = self.file().block(number)?;
                &fresh
            }
            Plan::Keyed(_) => {
                piece = self.block(number)?;
                &piece.block
            }
        };
        match (block, self.file().plan(), self.ranking()) {
            (Block::Tile(tile), Plan::Ranked(plan), Some(ranking)) => {
                let shape = plan.tile(number);
                let scores = plan.scores(shape.segment);
                for_each_present(&tile.present, |index| {
                    let position = ranking.position(shape.slot(index));
                    entries.push((position, scores.score(tile.codes[index])));
                });
            }
            (Block::Derived(tile), Plan::Ranked(plan), Some(ranking)) => {
                let shape = plan.tile(number);
                let scores = plan.scores(shape.segment);
                let mut known = Known::default();
                let mut indexes = Vec::new();
                for_each_present(&tile.present, |index| indexes.push(index));
                for index in indexes {
                    let position = ranking.position(shape.slot(index));
                    let score = self.derived(tile, index, scores, &position, &mut known)?;
                    entries.push((position, score));
                }
            }
            (Block::Keyed(block), Plan::Keyed(plan), _) => {
                for (&key, &code) in block.keys.iter().zip(&block.codes) {
                    entries.push((self.position_of_key(number, key)?, plan.scores.score(code)));
                }
            }
            _ => {}
        }
        Ok(entries)
    }

    /// The positions of [`Table::block_entries`], without their scores.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn block_positions(&self, number: u64) -> Result<Vec<G::Position>, ReadError> {
        let mut positions = Vec::new();
        if number >= self.file().blocks() {
            return Ok(positions);
        }
        let (Plan::Ranked(plan), Some(ranking)) = (self.file().plan(), self.ranking()) else {
            let entries = self.block_entries(number)?.into_iter();
            return Ok(entries.map(|entry| entry.0).collect());
        };
        let shape = plan.tile(number);
        if let Block::Tile(Tile { present, .. }) | Block::Derived(DerivedTile { present, .. }) =
            &self.file().block(number)?
        {
            for_each_present(present, |index| {
                positions.push(ranking.position(shape.slot(index)))
            });
        }
        Ok(positions)
    }

    fn position_of_key(&self, block: u64, key: u128) -> Result<G::Position, ReadError> {
        self.game().position_of_key(key).ok_or_else(|| {
            let damage = Damage::content("keys of canonical positions", key);
            self.file().damaged(FilePart::Block { block }, damage)
        })
    }
}

/// All entries of a table; see [`Table::entries`].
pub struct Entries<'a, G: Notation> {
    table: &'a Table<G>,
    next_block: u64,
    block: std::vec::IntoIter<(G::Position, i32)>,
}

impl<G: Notation> Iterator for Entries<'_, G> {
    type Item = Result<(G::Position, i32), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.block.next() {
                return Some(Ok(entry));
            }
            if self.next_block >= self.table.file().blocks() {
                return None;
            }
            let number = self.next_block;
            self.next_block += 1;
            match self.table.block_entries(number) {
                Ok(entries) => self.block = entries.into_iter(),
                Err(error) => {
                    // Nothing after damage: what follows a gap is easily taken for all there is.
                    self.next_block = self.table.file().blocks();
                    return Some(Err(error));
                }
            }
        }
    }
}
