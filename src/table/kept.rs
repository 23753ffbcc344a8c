//! Tables as known scores of a search.

use super::table::Table;
use crate::game::{KnownScores, Notation};
use std::error::Error;

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
