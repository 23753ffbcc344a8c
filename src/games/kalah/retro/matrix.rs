//! A matrix of codes in bytes or packed, in memory or a file.

use super::codes::{Codes, DenseSplit, Solved};
use super::lines::{Place, Run};
use super::packed::{PackedMatrix, PackedRow, Packing};
use super::plane::Plane;
use super::store::{Bytes, Store, name_of};
use super::together::{Arrives, Travels};
use crate::game::SolveError;
use crate::game::scratch::Piece;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};

/// A matrix of codes that don't change any more, in bytes or packed.
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
}

impl Matrix {
    /// None at all.
    #[must_use]
    pub fn empty() -> Matrix {
        Matrix::Bytes {
            codes: Plane::empty(),
            columns: 0,
        }
    }

    /// Appends a row as [`PackedRow`] has it.
    pub fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Matrix::Bytes { codes, columns } => {
                PackedRow::put_codes(&codes[row * columns..][..*columns], out);
            }
            Matrix::Packed(packed) => packed.put_row(row, out),
        }
    }

    /// Whether there are no codes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Matrix::Bytes { codes, .. } => codes.is_empty(),
            Matrix::Packed(packed) => packed.row_bytes == 0,
        }
    }

    /// The code at a place.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        match self {
            Matrix::Bytes { codes, columns } => codes[row * columns + column],
            Matrix::Packed(packed) => packed.get(row, column),
        }
    }

    /// The codes along a line.
    #[must_use]
    pub fn along(&self, run: Run) -> Codes<'_> {
        match (self, run) {
            (Matrix::Bytes { codes, columns }, Run::Row(row)) => {
                Codes::of_row(&codes[row * columns..][..*columns])
            }
            (Matrix::Bytes { codes, columns }, Run::Column(column)) => Codes::Bytes {
                codes: &codes[column..],
                stride: *columns,
            },
            (Matrix::Packed(packed), run) => Codes::Packed(packed, run),
        }
    }

    /// The file that holds it.
    #[must_use]
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Matrix::Packed(PackedMatrix {
                pairs: Bytes::There(part),
                ..
            }) => Some(part.piece()),
            _ => None,
        }
    }

    /// What it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Matrix::Bytes { codes, .. } => codes.len(),
            Matrix::Packed(packed) => packed.bytes(),
        }
    }
}

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix::empty()
    }
}

/// A matrix of either kind that is being made from rows of another process.
#[derive(Debug)]
pub enum Arriving<'a> {
    /// A byte each.
    Bytes {
        /// The codes.
        codes: Plane,
        /// How long a row is.
        columns: usize,
        /// How many rows are there.
        rows: usize,
    },
    /// Four bits each, to be kept in a store under a name.
    Packed(Packing, &'a Store, String),
}

impl<'a> Arriving<'a> {
    /// The codes of one side to move in a split, to be packed and kept in a store if there is one.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub fn new(
        arrangements: &Arrangements,
        split: Split,
        mover: Mover,
        packed: Option<&'a Store>,
    ) -> Result<Arriving<'a>, SolveError> {
        let rows = arrangements.count(split.rich);
        let columns = arrangements.count(split.poor);
        Ok(match packed {
            Some(store) => {
                let packing = Packing::new(rows, columns)?;
                Arriving::Packed(packing, store, name_of(FORM, split, mover))
            }
            None => Arriving::Bytes {
                codes: Plane::new(rows * columns)?,
                columns,
                rows: 0,
            },
        })
    }
}

impl Arrives for Arriving<'_> {
    type Matrix = Matrix;

    fn codes(&self) -> usize {
        match self {
            Arriving::Bytes { columns, .. } => *columns,
            Arriving::Packed(packing, ..) => packing.columns(),
        }
    }

    fn push(&mut self, row: PackedRow<'_>) {
        match self {
            Arriving::Bytes {
                codes,
                columns,
                rows,
            } => {
                row.unpack(&mut codes[*rows * *columns..][..*columns]);
                *rows += 1;
            }
            Arriving::Packed(packing, ..) => packing.push_packed(row),
        }
    }

    fn finish(self) -> Result<Matrix, SolveError> {
        match self {
            Arriving::Bytes { codes, columns, .. } => Ok(Matrix::Bytes { codes, columns }),
            Arriving::Packed(packing, store, name) => {
                packing.finish(store, &name).map(Matrix::Packed)
            }
        }
    }
}

impl Travels for Matrix {
    fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        Matrix::put_row(self, row, out);
    }
}

/// The codes of one layer, reachable or not: one entry a split, by the poor side's seeds from 1 on.
/// Where the split is even, the poor side's matrix is empty.
pub type Matrices = Vec<ByMover<Matrix>>;

/// A solved split in bytes.
pub fn in_bytes(split: DenseSplit) -> ByMover<Matrix> {
    let DenseSplit { codes, columns, .. } = split;
    let bytes = |codes| Matrix::Bytes { codes, columns };
    ByMover {
        rich: bytes(codes.rich),
        poor: bytes(codes.poor),
    }
}

/// A solved split, packed and kept in a store.
///
/// # Errors
/// [`SolveError::NoMemory`], and those of the store.
pub fn packed(split: DenseSplit, store: &Store) -> Result<ByMover<Matrix>, SolveError> {
    let DenseSplit {
        split,
        codes,
        columns,
    } = split;
    // One after the other, so that the codes of the first are gone when the second are packed.
    let packed = |codes: Plane, mover: Mover| {
        let name = name_of(FORM, split, mover);
        PackedMatrix::stored(&codes, columns, store, &name).map(Matrix::Packed)
    };
    Ok(ByMover {
        rich: packed(codes.rich, Mover::Rich)?,
        poor: packed(codes.poor, Mover::Poor)?,
    })
}

/// What [`packed`] has made of a split in an earlier run.
pub fn found(arrangements: &Arrangements, split: Split, store: &Store) -> Option<ByMover<Matrix>> {
    let (rows, columns) = (
        arrangements.count(split.rich),
        arrangements.count(split.poor),
    );
    let found = |mover| {
        let name = name_of(FORM, split, mover);
        PackedMatrix::found(rows, columns, store, &name).map(Matrix::Packed)
    };
    Some(ByMover {
        rich: found(Mover::Rich)?,
        poor: match split.is_even() {
            true => Matrix::Packed(PackedMatrix::default()),
            false => found(Mover::Poor)?,
        },
    })
}

impl Solved for [Matrices] {
    fn count(&self) -> usize {
        self.len()
    }

    fn codes(&self, seeds: usize, place: Place) -> Codes<'_> {
        self[seeds][place.split.poor - 1][place.mover].along(place.run)
    }
}

/// What files of such codes are called.
pub(super) const FORM: &str = "packed";
