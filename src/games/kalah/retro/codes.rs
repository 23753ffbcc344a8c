//! Codes of solved layers along a line, however they are kept.

use super::bits::BitMatrix;
use super::lines::{Line, Place, Run};
use super::matrix_of_reached::SparseMatrix;
use super::packed::PackedMatrix;
use super::plane::Plane;
use crate::games::kalah::index::layout::{ByMover, Split};

/// The codes of one split.
#[derive(Debug)]
pub struct DenseSplit {
    /// Which split.
    pub split: Split,
    /// Row by row; the poor side's plane is empty if the split is even.
    pub codes: ByMover<Plane>,
    /// How long a row is.
    pub columns: usize,
}

/// Layers that are solved, by seeds on the board.
pub trait Solved: Sync {
    /// How many.
    fn count(&self) -> usize;
    /// The codes of a line in the layer of so many seeds.
    fn codes(&self, seeds: usize, place: Place) -> Codes<'_>;
    /// Called after a few codes, or a row, were read, so that what has been read of files
    /// doesn't pile up.
    fn look(&self) {}
}

/// The codes along a line.
#[derive(Clone, Copy)]
pub enum Codes<'a> {
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
    Sparse(&'a SparseMatrix, &'a BitMatrix, Run),
}

pub(super) static FINAL_CODES: [u8; 256] = {
    let mut codes = [0; 256];

    let mut code = 0;
    while code < 256 {
        codes[code] = code as u8;
        code += 1;
    }
    codes
};

impl<'a> Codes<'a> {
    /// The codes of a line in the layers.
    pub fn find<S: Solved + ?Sized>(layers: &'a S, line: Line) -> Codes<'a> {
        match line.place() {
            Some(place) => layers.codes(line.seeds(), place),
            None => {
                let code = usize::from(line.final_code());
                Codes::Bytes {
                    codes: &FINAL_CODES[code..=code],
                    stride: 0,
                }
            }
        }
    }

    /// A row of bytes.
    #[must_use]
    pub fn of_row(codes: &'a [u8]) -> Codes<'a> {
        Codes::Bytes { codes, stride: 1 }
    }

    /// The same, in bytes if it is a row that is not: to unpack all of it takes less time than to
    /// read one code in twenty from it.
    pub(super) fn unpacked(self, row_of_bytes: &'a mut Vec<u8>) -> Codes<'a> {
        match self {
            Codes::Packed(matrix, Run::Row(row)) => {
                matrix.unpack(row, row_of_bytes);
                Codes::of_row(row_of_bytes)
            }
            Codes::Sparse(matrix, reached, Run::Row(row)) => {
                matrix.unpack(reached, row, row_of_bytes);
                Codes::of_row(row_of_bytes)
            }
            other => other,
        }
    }

    /// After so many of these there is a look at what has been read of files: unless they are in a
    /// row, each may be in another place of one.
    pub(super) fn codes_a_look(self) -> usize {
        match self {
            Codes::Bytes { .. } => usize::MAX,
            Codes::Packed(..) | Codes::Sparse(..) => 128,
        }
    }

    /// The code at one arrangement of the free side.
    #[inline(always)]
    pub fn get(self, free: usize) -> u8 {
        match self {
            Codes::Bytes { codes, stride } => codes[free * stride],
            Codes::Packed(matrix, Run::Row(row)) => matrix.get(row, free),
            Codes::Packed(matrix, Run::Column(column)) => matrix.get(free, column),
            Codes::Sparse(matrix, reached, Run::Row(row)) => matrix.get(reached, row, free),
            Codes::Sparse(matrix, reached, Run::Column(column)) => {
                matrix.get(reached, free, column)
            }
        }
    }
}
