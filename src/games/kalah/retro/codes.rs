//! Codes along a line, however they are kept.

use super::lines::Run;
use super::matrix::Matrix;
use super::matrix_of_reached::ReachedMatrix;
use super::packed::PackedMatrix;

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
