//! Reading whole segments.

use super::checked::CheckedFile;
use super::error::ReadError;
use crate::game::KeptScores;
use std::error::Error;

impl KeptScores for CheckedFile {
    fn rules(&self) -> &str {
        (**self).rules()
    }

    fn name(&self) -> &str {
        self.game_name()
    }

    /// Reads the codes of a segment.
    ///
    /// It must be a ranked table with a reachable class in every slot of the segment.
    fn codes_of_segment(
        &self,
        segment: u32,
        codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let wrong = |found| ReadError::NoSegment {
            path: self.path().to_owned(),
            segment,
            found,
        };
        let plan = self.plan();
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
            let block = self.block(number)?;
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
}
