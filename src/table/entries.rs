//! Reading all entries of a table block by block, and segments for a search.

use super::format::Difference;
use super::read::ReadError;
use super::table::{CachedBlock, ScoresByEntry, Table};
use crate::game::{KnownScores, Notation};
use std::error::Error;
use std::sync::Arc;

/// A block, and the positions of its entries with their indexes in it.
type Indexed<P> = (Arc<CachedBlock>, Vec<(usize, P)>);

impl<G: Notation> Table<G> {
    /// Returns an iterator over all entries: each canonical position with its score.
    ///
    /// The order is that of the table. The iterator ends after the first error.
    pub fn entries(&self) -> impl Iterator<Item = Result<(G::Position, i32), ReadError>> + '_ {
        let blocks = (0..self.file().blocks()).map(|number| self.block_entries(number));
        // After damage the iterator ends: callers could overlook a gap.
        let mut is_damaged = false;
        let until_damage =
            blocks.take_while(move |block| !std::mem::replace(&mut is_damaged, block.is_err()));
        until_damage.flat_map(|block| {
            let (entries, error) = match block {
                Ok(entries) => (entries, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            entries.into_iter().map(Ok).chain(error)
        })
    }

    /// Returns the entries of a block, numbered `0..self.file().blocks()`.
    ///
    /// A block is a unit of work for one thread.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn block_entries(&self, number: u64) -> Result<Vec<(G::Position, i32)>, ReadError> {
        let Some((cached, positions)) = self.indexed_positions(number)? else {
            return Ok(Vec::new());
        };
        let plan = self.file().plan();
        let scores = plan.scores(plan.segment_of(number));
        let mut known = ScoresByEntry::default();
        let entry = |(index, position)| {
            let score = self.entry_score(&cached.block, index, scores, &position, &mut known)?;
            Ok((position, score))
        };
        positions.into_iter().map(entry).collect()
    }

    /// Returns the positions of a block without their scores.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn block_positions(&self, number: u64) -> Result<Vec<G::Position>, ReadError> {
        let found = self.indexed_positions(number)?;
        let positions = found.into_iter().flat_map(|(_, positions)| positions);
        Ok(positions.map(|(_, position)| position).collect())
    }

    /// Returns a block with its positions and their indexes, if the block exists.
    fn indexed_positions(&self, number: u64) -> Result<Option<Indexed<G::Position>>, ReadError> {
        if number >= self.file().blocks() {
            return Ok(None);
        }
        let mut positions = Vec::new();
        let cached = match self.ranking() {
            // The cache has cells of ranked tables, not whole blocks, so read the block from the
            // file.
            Some(ranking) => {
                let cached = Arc::new(CachedBlock::whole(self.file().block(number)?));
                let shape = self.file().plan().tile(number);
                cached.block.for_each(|index| {
                    positions.push((index, ranking.position(shape.slot(index))));
                });
                cached
            }
            None => {
                let cached = self.block(number)?;
                for (index, &key) in cached.block.keys.iter().enumerate() {
                    positions.push((index, self.position_of_key(number, key)?));
                }
                cached
            }
        };
        Ok(Some((cached, positions)))
    }

    /// Returns the position of a key in a block.
    pub(super) fn position_of_key(&self, block: u64, key: u128) -> Result<G::Position, ReadError> {
        self.game().position_of_key(key).ok_or_else(|| {
            let damage = Difference::new("keys of canonical positions", key);
            self.file().damaged(format!("block {block}"), damage)
        })
    }
}

impl<G: Notation> KnownScores for Table<G> {
    fn rules(&self) -> &str {
        self.file().rules()
    }

    fn name(&self) -> &str {
        self.file().game_name()
    }

    /// Reads the codes of a segment.
    ///
    /// It must be a ranked table with a reachable class in every slot of the segment.
    fn codes_of_segment(
        &self,
        segment: u32,
        codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let file = self.file();
        let wrong = |found| {
            let path = file.path().display();
            format!("{path}: expected scores of all slots of segment {segment}, found {found}")
        };
        let plan = file.plan();
        if plan.listing.is_some() {
            return Err(wrong("keys").into());
        }
        let Some(this) = plan.segments.get(segment as usize) else {
            return Err(wrong("no such segment").into());
        };
        if this.derived {
            return Ok(false);
        }
        let columns = this.tiles.columns as usize;
        assert_eq!(codes.len(), this.tiles.rows as usize * columns);
        for number in plan.blocks_of(segment as usize) {
            let shape = plan.tile(number);
            let block = file.block(number)?;
            if block.count() != shape.slots() as u64 {
                return Err(wrong("vacant slots").into());
            }
            let rows = block.codes().chunks_exact(shape.width() as usize);
            for (row, from) in (shape.rows.start as usize..).zip(rows) {
                let start = row * columns + shape.columns.start as usize;
                codes[start..start + from.len()].copy_from_slice(from);
            }
        }
        Ok(true)
    }

    fn score_of_key(&self, key: u128) -> Result<Option<i32>, Box<dyn Error + Send + Sync>> {
        let score = |position| self.probe(&position);
        let position = self.game().position_of_key(key);
        Ok(position.map_or(Ok(None), score)?)
    }
}
