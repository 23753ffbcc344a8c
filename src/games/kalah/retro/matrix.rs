//! A matrix of codes: in bytes, packed, or of the reachable positions only; in memory or a file.

use super::bits::{BitMatrix, ReachedSplit};
use super::matrix_of_reached::ReachedMatrix;
use super::memory::Form;
use super::packed::PackedMatrix;
use super::plane::Plane;
use super::store::{Bytes, Store, name_of};
use crate::game::SolveError;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use crate::work::{Part, Piece};
use std::sync::Arc;

/// The codes of one side to move in a split, which don't change any more.
#[derive(Debug)]
pub enum Matrix {
    /// A byte each, row by row.
    Bytes {
        /// The codes.
        codes: Plane,
        /// How long a row is.
        columns: usize,
    },
    /// Four bits each.
    Packed(PackedMatrix),
    /// A byte for each of the reachable positions.
    Reached(ReachedMatrix),
}

impl Matrix {
    /// The parts that it consists of, in bytes, of which [`Keeping::matrix_of`] makes it again.
    pub fn parts(&self) -> Vec<&[u8]> {
        match self {
            Matrix::Bytes { codes, .. } => vec![codes],
            Matrix::Packed(packed) => packed.parts().into(),
            Matrix::Reached(reached) => vec![&reached.codes],
        }
    }

    /// Whether there are no codes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Matrix::Bytes { codes, .. } if codes.is_empty())
    }

    /// The code at a place; some code if that can't be reached, and only those are kept.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        match self {
            Matrix::Bytes { codes, columns } => codes[row * columns + column],
            Matrix::Packed(packed) => packed.get(row, column),
            Matrix::Reached(reached) => reached.get(row, column),
        }
    }

    /// The file that holds it.
    #[must_use]
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Matrix::Bytes { .. } => None,
            Matrix::Packed(packed) => packed.pairs.piece(),
            Matrix::Reached(reached) => reached.codes.piece(),
        }
    }

    /// What it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix::Bytes {
            codes: Plane::empty(),
            columns: 0,
        }
    }
}

/// The codes of one layer: one entry a split, by the poor side's seeds from 1 on. Where the split is
/// even, the poor side's matrix is empty.
pub type Matrices = Vec<ByMover<Matrix>>;

/// How the codes of a layer are kept, and where.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    pub arrangements: &'a Arrangements,
    pub form: Form,
    /// The layer's reachable positions, if only their codes are kept.
    pub reached: &'a [ReachedSplit],
    pub store: &'a Store,
}

impl Keeping<'_> {
    /// Brings the codes of a solved split into this form. The poor side's plane is empty if the split
    /// is even.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn keep(
        &self,
        split: Split,
        solved: ByMover<Plane>,
    ) -> Result<ByMover<Matrix>, SolveError> {
        let columns = self.arrangements.count(split.poor);
        // One after the other, so that the codes of the first are gone when the second are packed.
        let keep = |codes: Plane, mover: Mover| {
            let matrix = match self.form {
                _ if codes.is_empty() => return Ok(Matrix::default()),
                Form::Bytes => return Ok(Matrix::Bytes { codes, columns }),
                Form::Packed => Matrix::Packed(PackedMatrix::of(&codes, columns)?),
                Form::Picked | Form::Sparse => {
                    Matrix::Reached(ReachedMatrix::picked(self.bits(split, mover), &codes))
                }
            };
            drop(codes);
            self.stored(split, mover, matrix)
        };
        Ok(ByMover {
            rich: keep(solved.rich, Mover::Rich)?,
            poor: keep(solved.poor, Mover::Poor)?,
        })
    }

    /// A matrix with its codes in the store, if that is one of files and they are many.
    ///
    /// # Errors
    /// Those of the store.
    pub fn stored(&self, split: Split, mover: Mover, matrix: Matrix) -> Result<Matrix, SolveError> {
        if self.form == Form::Bytes {
            return Ok(matrix);
        }
        let piece = self
            .store
            .write(&self.name(split, mover), &matrix.parts())?;
        let there = piece.and_then(|piece| self.matrix_in(split, mover, &piece));
        Ok(there.unwrap_or(matrix))
    }

    /// What an earlier run has kept of a split.
    #[must_use]
    pub fn found(&self, split: Split) -> Option<ByMover<Matrix>> {
        let found = |mover| {
            let piece = self.store.find(&self.name(split, mover))?;
            self.matrix_in(split, mover, &piece)
        };
        Some(ByMover {
            rich: found(Mover::Rich)?,
            poor: match split.is_even() {
                true => Matrix::default(),
                false => found(Mover::Poor)?,
            },
        })
    }

    /// The matrix whose parts are in a file, one after the other; nothing if it is another's.
    fn matrix_in(&self, split: Split, mover: Mover, piece: &Arc<Piece>) -> Option<Matrix> {
        let (rows, columns) = self.shape(split);
        let there = |part| Bytes::There(Part::new(piece, part));
        let parts = match self.form {
            Form::Bytes => return None,
            Form::Packed => PackedMatrix::parts_of(piece.len(), rows, columns)?
                .map(there)
                .into(),
            Form::Picked | Form::Sparse => vec![there(0..piece.len())],
        };
        self.matrix_of(split, mover, parts)
    }

    /// How many parts a matrix in this form has.
    #[must_use]
    pub fn parts(&self) -> usize {
        match self.form {
            Form::Packed => PackedMatrix::PARTS,
            Form::Bytes | Form::Picked | Form::Sparse => 1,
        }
    }

    /// The matrix of these parts; nothing if they are another's.
    #[must_use]
    pub fn matrix_of(&self, split: Split, mover: Mover, parts: Vec<Bytes>) -> Option<Matrix> {
        let (rows, columns) = self.shape(split);
        match self.form {
            Form::Bytes => match <[Bytes; 1]>::try_from(parts).ok()? {
                [Bytes::Here(codes)] if codes.len() == rows * columns => {
                    Some(Matrix::Bytes { codes, columns })
                }
                _ => None,
            },
            Form::Packed => PackedMatrix::of_parts(rows, columns, parts).map(Matrix::Packed),
            Form::Picked | Form::Sparse => {
                let [codes] = parts.try_into().ok()?;
                ReachedMatrix::of(self.bits(split, mover), codes).map(Matrix::Reached)
            }
        }
    }

    fn bits(&self, split: Split, mover: Mover) -> &Arc<BitMatrix> {
        &self.reached[split.poor - 1].bits[mover]
    }

    fn shape(&self, split: Split) -> (usize, usize) {
        let count = |seeds| self.arrangements.count(seeds);
        (count(split.rich), count(split.poor))
    }

    fn name(&self, split: Split, mover: Mover) -> String {
        let form = match self.form {
            Form::Bytes | Form::Packed => "packed",
            Form::Picked | Form::Sparse => "reachable",
        };
        name_of(form, split, mover)
    }
}
