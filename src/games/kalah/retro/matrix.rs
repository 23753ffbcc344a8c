//! A matrix of codes: in bytes, packed, or of the reachable positions only; in memory or a file. And
//! the codes along a line of one.

use super::bits::{BitMatrix, ReachedSplit};
use super::lines::Run;
use super::matrix_of_reached::ReachedMatrix;
use super::memory::Form;
use super::packed::PackedMatrix;
use super::plane::Plane;
use super::store::Store;
use crate::game::SolveError;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
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
    /// All that it consists of; [`Keeping::matrix_of`] makes it again of that.
    pub fn bytes(&self) -> &Plane {
        match self {
            Matrix::Bytes { codes, .. } => codes,
            Matrix::Packed(packed) => &packed.bytes,
            Matrix::Reached(reached) => &reached.codes,
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
}

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix::Bytes {
            codes: Plane::default(),
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
    /// Files for what is not kept in bytes, if it is to go there.
    pub store: Option<&'a Store>,
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
        let name = self.name(split, mover);
        let keep = |store: &Store| store.keep(&name, matrix.bytes()).transpose();
        let piece = self.store.and_then(keep).transpose()?;
        let there = piece.and_then(|piece| self.matrix_of(split, mover, Plane::InFile(piece)));
        Ok(there.unwrap_or(matrix))
    }

    /// What an earlier run has kept of a split.
    #[must_use]
    pub fn found(&self, split: Split) -> Option<ByMover<Matrix>> {
        let found = |mover| {
            let piece = self.store?.find(&self.name(split, mover))?;
            self.matrix_of(split, mover, Plane::InFile(piece))
        };
        Some(ByMover {
            rich: found(Mover::Rich)?,
            poor: match split.is_even() {
                true => Matrix::default(),
                false => found(Mover::Poor)?,
            },
        })
    }

    /// The matrix of these bytes; nothing if they are another's.
    #[must_use]
    pub fn matrix_of(&self, split: Split, mover: Mover, bytes: Plane) -> Option<Matrix> {
        let [rows, columns] = [split.rich, split.poor].map(|seeds| self.arrangements.count(seeds));
        match self.form {
            Form::Bytes => (bytes.len() == rows * columns).then_some(Matrix::Bytes {
                codes: bytes,
                columns,
            }),
            Form::Packed => PackedMatrix::of_bytes(bytes, rows, columns).map(Matrix::Packed),
            Form::Picked | Form::Sparse => {
                ReachedMatrix::of(self.bits(split, mover), bytes).map(Matrix::Reached)
            }
        }
    }

    fn bits(&self, split: Split, mover: Mover) -> &Arc<BitMatrix> {
        &self.reached[split.poor - 1].bits[mover]
    }

    /// The name of the codes of one side to move in a split. It begins with the layer.
    fn name(&self, split: Split, mover: Mover) -> String {
        let form = match self.form {
            Form::Bytes => "bytes",
            Form::Packed => "packed",
            Form::Picked | Form::Sparse => "reachable",
        };
        let mover = match mover {
            Mover::Rich => "rich",
            Mover::Poor => "poor",
        };
        format!("{}-{form}-{}-{mover}", split.seeds(), split.rich)
    }
}

/// The codes along a line.
#[derive(Clone, Copy)]
pub enum Codes<'a> {
    /// Of finished positions, which are the same all along the line.
    All(u8),
    /// A byte each, so many bytes apart.
    Bytes {
        /// Those of the line and of others beside it.
        codes: &'a [u8],
        /// The distance from one to the next.
        stride: usize,
    },
    /// Along a line of a packed matrix.
    Packed(&'a PackedMatrix, Run),
    /// Along a line of a matrix that has codes of the reachable positions only.
    Reached(&'a ReachedMatrix, Run),
}

impl<'a> Codes<'a> {
    /// A row of bytes.
    #[must_use]
    pub fn of_row(codes: &'a [u8]) -> Codes<'a> {
        Codes::Bytes { codes, stride: 1 }
    }

    /// The codes along a line of a matrix.
    #[must_use]
    pub fn along(matrix: &'a Matrix, run: Run) -> Codes<'a> {
        match (matrix, run) {
            (Matrix::Bytes { codes, columns }, Run::Row(row)) => {
                Codes::of_row(&codes[row * columns..][..*columns])
            }
            (Matrix::Bytes { codes, columns }, Run::Column(column)) => Codes::Bytes {
                codes: &codes[column..],
                stride: *columns,
            },
            (Matrix::Packed(packed), run) => Codes::Packed(packed, run),
            (Matrix::Reached(codes), run) => Codes::Reached(codes, run),
        }
    }

    /// The same, in bytes if it is a row that is not: to unpack all of it takes less time than to
    /// read one code in twenty from it.
    pub(super) fn unpacked(self, row_of_bytes: &'a mut Vec<u8>) -> Codes<'a> {
        match self {
            Codes::Packed(matrix, Run::Row(row)) => matrix.unpack(row, row_of_bytes),
            Codes::Reached(matrix, Run::Row(row)) => matrix.unpack(row, row_of_bytes),
            other => return other,
        }
        Codes::of_row(row_of_bytes)
    }

    /// After so many of these there is a look at what has been read of files: unless they are in a
    /// row, each may be in another place of one.
    pub(super) fn codes_a_look(self) -> usize {
        match self {
            Codes::All(_) | Codes::Bytes { .. } => usize::MAX,
            Codes::Packed(..) | Codes::Reached(..) => 128,
        }
    }

    /// The code at one arrangement of the free side.
    #[inline(always)]
    pub fn get(self, free: usize) -> u8 {
        match self {
            Codes::All(code) => code,
            Codes::Bytes { codes, stride } => codes[free * stride],
            Codes::Packed(matrix, Run::Row(row)) => matrix.get(row, free),
            Codes::Packed(matrix, Run::Column(column)) => matrix.get(free, column),
            Codes::Reached(matrix, Run::Row(row)) => matrix.get(row, free),
            Codes::Reached(matrix, Run::Column(column)) => matrix.get(free, column),
        }
    }
}
