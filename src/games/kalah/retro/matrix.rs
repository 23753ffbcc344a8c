//! A matrix of codes: in bytes, packed, or of the reachable positions only; in memory or a file.

use super::bits::ReachedSplit;
use super::matrix_of_reached::ReachedMatrix;
use super::memory::Form;
use super::packed::{PackedMatrix, PackedRow, Packing};
use super::plane::Plane;
use super::store::{Store, name_of};
use crate::game::SolveError;
use crate::game::scratch::Piece;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};

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
    /// Appends a row as [`PackedRow`] has it.
    pub fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Matrix::Bytes { codes, columns } => {
                PackedRow::put_codes(&codes[row * columns..][..*columns], out);
            }
            Matrix::Packed(packed) => packed.row(row).put(out),
            Matrix::Reached(reached) => PackedRow::put_codes(reached.row(row), out),
        }
    }

    /// Whether there are no codes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Matrix::Bytes { codes, .. } => codes.is_empty(),
            Matrix::Packed(packed) => packed.row_bytes == 0,
            Matrix::Reached(reached) => reached.codes.is_empty(),
        }
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
        match self {
            Matrix::Bytes { codes, .. } => codes.len(),
            Matrix::Packed(packed) => packed.bytes(),
            Matrix::Reached(reached) => reached.codes.len(),
        }
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

/// The codes of one split, as they were solved.
#[derive(Debug)]
pub struct DenseSplit {
    /// Which split.
    pub split: Split,
    /// Row by row; the poor side's plane is empty if the split is even.
    pub codes: ByMover<Plane>,
    /// How long a row is.
    pub columns: usize,
}

/// How the codes of a layer are kept, and where.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    pub arrangements: &'a Arrangements,
    pub form: Form,
    /// The layer's reachable positions, if only their codes are kept.
    pub reached: &'a [ReachedSplit],
    pub store: &'a Store,
}

impl<'a> Keeping<'a> {
    /// A matrix of which no row is there yet.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub fn begin(&self, split: Split, mover: Mover) -> Result<Builder<'a>, SolveError> {
        let (rows, columns) = self.shape(split);
        let making = match self.form {
            Form::Bytes => Making::Bytes {
                codes: Plane::new(rows * columns)?,
                columns,
            },
            Form::Packed => Making::Packed(Packing::new(rows, columns)?),
            Form::Picked | Form::Sparse => {
                let bits = &self.reached[split.poor - 1].bits[mover];
                Making::Reached(ReachedMatrix::blank(bits))
            }
        };
        Ok(Builder {
            making,
            rows,
            row: 0,
            store: self.store,
            name: self.name(split, mover),
        })
    }

    /// Brings a solved split into this form.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn keep(&self, solved: DenseSplit) -> Result<ByMover<Matrix>, SolveError> {
        let (split, columns) = (solved.split, solved.columns);
        // One after the other, so that the codes of the first are gone when the second are packed.
        let keep = |codes: Plane, mover: Mover| {
            if self.form == Form::Bytes {
                return Ok(Matrix::Bytes { codes, columns });
            }
            if codes.is_empty() {
                return Ok(Matrix::default());
            }
            let mut matrix = self.begin(split, mover)?;
            codes.chunks(columns).for_each(|row| matrix.push(row));
            drop(codes);
            matrix.finish()
        };
        Ok(ByMover {
            rich: keep(solved.codes.rich, Mover::Rich)?,
            poor: keep(solved.codes.poor, Mover::Poor)?,
        })
    }

    /// What an earlier run has kept of a split.
    #[must_use]
    pub fn found(&self, split: Split) -> Option<ByMover<Matrix>> {
        let (rows, columns) = self.shape(split);
        let found = |mover| {
            let name = self.name(split, mover);
            match self.form {
                Form::Bytes | Form::Packed => {
                    PackedMatrix::found(rows, columns, self.store, &name).map(Matrix::Packed)
                }
                Form::Picked | Form::Sparse => {
                    let bits = &self.reached[split.poor - 1].bits[mover];
                    ReachedMatrix::found(bits, self.store, &name).map(Matrix::Reached)
                }
            }
        };
        Some(ByMover {
            rich: found(Mover::Rich)?,
            poor: match split.is_even() {
                true => Matrix::default(),
                false => found(Mover::Poor)?,
            },
        })
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

/// A matrix that is being made, row by row.
pub struct Builder<'a> {
    making: Making,
    rows: usize,
    /// The next row.
    row: usize,
    store: &'a Store,
    name: String,
}

enum Making {
    Bytes { codes: Plane, columns: usize },
    Packed(Packing),
    Reached(ReachedMatrix),
}

impl Builder<'_> {
    /// Whether all rows are there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.row == self.rows
    }

    /// How many codes of the next row are kept.
    #[must_use]
    pub fn codes(&self) -> usize {
        match &self.making {
            Making::Bytes { columns, .. } => *columns,
            Making::Packed(packing) => packing.columns(),
            Making::Reached(matrix) => matrix.row(self.row).len(),
        }
    }

    /// Adds the next row, given the codes of all of its columns.
    fn push(&mut self, row: &[u8]) {
        match &mut self.making {
            Making::Bytes { codes, columns } => {
                codes[self.row * *columns..][..*columns].copy_from_slice(row);
            }
            Making::Packed(packing) => packing.push(row),
            Making::Reached(matrix) => matrix.pick(self.row, row),
        }
        self.row += 1;
    }

    /// Adds the next row as it came from another process.
    pub fn push_packed(&mut self, row: PackedRow<'_>) {
        match &mut self.making {
            Making::Bytes { codes, columns } => {
                row.unpack(&mut codes[self.row * *columns..][..*columns]);
            }
            Making::Packed(packing) => packing.push_packed(row),
            Making::Reached(matrix) => row.unpack(matrix.row_mut(self.row)),
        }
        self.row += 1;
    }

    /// The matrix, when all rows are there.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn finish(self) -> Result<Matrix, SolveError> {
        let Builder { store, name, .. } = self;
        Ok(match self.making {
            Making::Bytes { codes, columns } => Matrix::Bytes { codes, columns },
            Making::Packed(packing) => Matrix::Packed(packing.finish(store, &name)?),
            Making::Reached(matrix) => Matrix::Reached(matrix.stored(store, &name)?),
        })
    }
}
