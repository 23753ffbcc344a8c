//! The layers that are solved.

use super::codes::Codes;
use super::lines::{Line, Place};
use super::matrix::{Matrices, Matrix};
use crate::game::SolveError;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use crate::pool::try_map_of;
use crate::work::{Piece, Scratch};
use std::sync::Arc;

/// All layers solved so far.
#[derive(Debug, Default)]
pub struct Layers {
    /// The layers of 0, 1, 2, … seeds.
    pub layers: Vec<Matrices>,
    /// Where some of them are, if not in memory.
    pub scratch: Option<Arc<Scratch>>,
}

impl Layers {
    /// None yet; some may come to files.
    #[must_use]
    pub fn new(scratch: Option<Arc<Scratch>>) -> Layers {
        Layers {
            layers: Vec::new(),
            scratch,
        }
    }

    /// How many: the next one's seeds on the board.
    #[must_use]
    pub fn count(&self) -> usize {
        self.layers.len()
    }

    /// Keeps what has been read of files from piling up; see [`Scratch::look`]. Called after a few
    /// codes, or a row, were read.
    #[inline]
    pub fn look(&self) {
        if let Some(scratch) = &self.scratch {
            scratch.look();
        }
    }

    /// Makes sure that the codes which are in files are still those that were written.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn check(&self) -> Result<(), SolveError> {
        let matrices = self.layers.iter().flatten().flat_map(ByMover::both);
        let pieces: Vec<&Piece> = matrices
            .filter_map(|matrix| matrix.bytes().piece())
            .collect();
        try_map_of(&pieces, |piece| Ok(piece.check()?)).map(drop)
    }

    /// The codes of one side to move in a split.
    #[must_use]
    pub fn matrix(&self, split: Split, mover: Mover) -> &Matrix {
        &self.layers[split.seeds()][split.poor - 1][mover]
    }

    /// The codes of a line.
    #[must_use]
    pub fn codes(&self, line: Line) -> Codes<'_> {
        match line.place() {
            Some(Place { split, mover, run }) => Codes::along(self.matrix(split, mover), run),
            None => Codes::All(line.final_code()),
        }
    }
}
