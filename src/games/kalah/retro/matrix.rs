//! Matrices of codes in several forms, and the codes along their lines.

use super::bits::{BitMatrix, ReachedSplit};
use super::moves::Run;
use super::packed::PackedMatrix;
use super::storage::{Plane, Store};
use crate::game::SolveError;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use std::ops::Range;
use std::sync::Arc;

/// The final codes of a split with one side to move.
#[derive(Debug)]
pub enum Matrix {
    /// One byte per code, row by row.
    Bytes {
        /// The codes.
        codes: Plane,
        /// Number of columns.
        columns: usize,
    },
    /// Four bits per code.
    Packed(PackedMatrix),
    /// One byte per reachable position.
    Reached(ReachedMatrix),
}

impl Matrix {
    /// Returns the matrix's bytes, from which [`CodeFormat::matrix_of`] can recreate it.
    pub fn bytes(&self) -> &Plane {
        match self {
            Matrix::Bytes { codes, .. } => codes,
            Matrix::Packed(packed) => &packed.bytes,
            Matrix::Reached(reached) => &reached.codes,
        }
    }

    /// Returns whether the matrix has no codes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self, Matrix::Bytes { codes, .. } if codes.is_empty())
    }

    /// Returns a code.
    ///
    /// It is arbitrary if the position is unreachable and only reachable ones are saved.
    #[inline]
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

/// The codes of one layer's splits, by the smaller side's seeds from 1 on.
///
/// The smaller side's matrix is empty where the split is even.
pub type Matrices = Vec<ByMover<Matrix>>;

/// The form in which a layer is solved and saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// All positions are solved and saved, one byte each.
    Bytes,
    /// All positions are solved and saved, four bits each.
    Packed,
    /// All positions are solved; only the reachable ones are saved.
    Picked,
    /// Only the reachable positions are solved and saved.
    Sparse,
}

/// The form in which a layer's codes are saved, and the files for them.
#[derive(Clone, Copy)]
pub struct CodeFormat<'a> {
    pub arrangements: &'a Arrangements,
    pub form: Form,
    /// The layer's reachable positions, needed if only their codes are saved.
    pub reached: &'a [ReachedSplit],
    /// The files, if codes in other forms than bytes are to go there.
    pub store: Option<&'a Store>,
}

impl CodeFormat<'_> {
    /// Converts the codes of a solved split into this form.
    ///
    /// The smaller side's plane is empty if the split is even.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and the errors of the store.
    pub fn convert(
        &self,
        split: Split,
        solved: ByMover<Plane>,
    ) -> Result<ByMover<Matrix>, SolveError> {
        let columns = self.arrangements.count(split.smaller);
        // Convert one side after the other, so that the first side's codes are freed before the
        // second side's are packed.
        let convert = |codes: Plane, mover: Mover| {
            let matrix = match self.form {
                _ if codes.is_empty() => return Ok(Matrix::default()),
                Form::Bytes => return Ok(Matrix::Bytes { codes, columns }),
                Form::Packed => Matrix::Packed(PackedMatrix::of(&codes, columns)?),
                Form::Picked | Form::Sparse => {
                    Matrix::Reached(ReachedMatrix::picked(self.bits(split, mover), &codes))
                }
            };
            drop(codes);
            self.moved_to_store(split, mover, matrix)
        };
        Ok(ByMover {
            larger: convert(solved.larger, Mover::Larger)?,
            smaller: convert(solved.smaller, Mover::Smaller)?,
        })
    }

    /// Moves a matrix's codes to the store if there is one and they are large enough.
    ///
    /// # Errors
    /// The errors of the store.
    pub fn moved_to_store(
        &self,
        split: Split,
        mover: Mover,
        matrix: Matrix,
    ) -> Result<Matrix, SolveError> {
        let name = self.name(split, mover);
        let save = |store: &Store| store.save(&name, matrix.bytes()).transpose();
        let file = self.store.and_then(save).transpose()?;
        let there = file.and_then(|file| self.matrix_of(split, mover, Plane::InFile(file)));
        Ok(there.unwrap_or(matrix))
    }

    /// Returns the codes of a split saved by an earlier run, if any.
    pub fn load(&self, split: Split) -> Option<ByMover<Matrix>> {
        let found = |mover| {
            let file = self.store?.find(&self.name(split, mover))?;
            self.matrix_of(split, mover, Plane::InFile(file))
        };
        Some(ByMover {
            larger: found(Mover::Larger)?,
            smaller: match split.is_even() {
                true => Matrix::default(),
                false => found(Mover::Smaller)?,
            },
        })
    }

    /// Returns the matrix made of these bytes, or `None` if their length is wrong.
    pub fn matrix_of(&self, split: Split, mover: Mover, bytes: Plane) -> Option<Matrix> {
        let [rows, columns] =
            [split.larger, split.smaller].map(|seeds| self.arrangements.count(seeds));
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
        &self.reached[split.smaller - 1].bits[mover]
    }

    /// Returns the file name for a split and a side to move; it starts with the layer.
    ///
    /// The names are those that earlier versions wrote, so that their files can be used.
    fn name(&self, split: Split, mover: Mover) -> String {
        let form = match self.form {
            Form::Bytes => "bytes",
            Form::Packed => "packed",
            Form::Picked | Form::Sparse => "reachable",
        };
        let mover = match mover {
            Mover::Larger => "rich",
            Mover::Smaller => "poor",
        };
        format!("{}-{form}-{}-{mover}", split.seeds(), split.larger)
    }
}

/// The codes along a line.
#[derive(Clone, Copy)]
pub enum Codes<'a> {
    /// Finished positions, all with the same code.
    All(u8),
    /// Bytes at a constant distance.
    Bytes {
        /// The matrix's bytes from the line's first code on.
        codes: &'a [u8],
        /// The distance from one code to the next.
        stride: usize,
    },
    /// A line of a packed matrix.
    Packed(&'a PackedMatrix, Run),
    /// A line of a matrix of reachable positions.
    Reached(&'a ReachedMatrix, Run),
}

impl<'a> Codes<'a> {
    /// Returns the codes of a row of bytes.
    pub fn of_row(codes: &'a [u8]) -> Codes<'a> {
        Codes::Bytes { codes, stride: 1 }
    }

    /// Returns the codes along a line of a matrix.
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

    /// Unpacks the codes into bytes if they are a row in another form.
    ///
    /// Unpacking the whole row takes less time than reading one code in twenty from it.
    pub(super) fn unpacked(self, row_of_bytes: &'a mut Vec<u8>) -> Codes<'a> {
        match self {
            Codes::Packed(matrix, Run::Row(row)) => matrix.unpack(row, row_of_bytes),
            Codes::Reached(matrix, Run::Row(row)) => matrix.unpack(row, row_of_bytes),
            other => return other,
        }
        Codes::of_row(row_of_bytes)
    }

    /// Returns the number of codes to read between two calls to `Layers::evict_if_needed`.
    ///
    /// Unless codes are read in the order of a row, each may be on another page of the file.
    pub(super) fn codes_between_evictions(self) -> usize {
        match self {
            Codes::All(_) | Codes::Bytes { .. } => usize::MAX,
            Codes::Packed(..) | Codes::Reached(..) => 128,
        }
    }

    /// Returns the code at one arrangement of the free side.
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

/// The codes of one matrix's reachable positions, in the order of their bits.
#[derive(Debug)]
pub struct ReachedMatrix {
    reached: Arc<BitMatrix>,
    /// The index of each row's first code, followed by the number of codes.
    starts: Vec<u64>,
    pub(super) codes: Plane,
}

impl ReachedMatrix {
    /// Returns a matrix with code 0 for each of these positions.
    pub fn blank(reached: &Arc<BitMatrix>) -> ReachedMatrix {
        // The whole array is written at once, and large pages would take somewhat more memory.
        let codes = Plane::Small(vec![0; reached.count() as usize]);
        ReachedMatrix::of(reached, codes).expect("a code for each bit")
    }

    /// Returns a matrix with these codes; `None` if their number is wrong.
    pub(super) fn of(reached: &Arc<BitMatrix>, codes: Plane) -> Option<ReachedMatrix> {
        let starts = starts(reached);
        let is_whole = codes.len() as u64 == *starts.last()?;
        is_whole.then(|| ReachedMatrix {
            reached: Arc::clone(reached),
            starts,
            codes,
        })
    }

    /// Returns a matrix with the reachable ones of these codes of all positions.
    pub(super) fn picked(reached: &Arc<BitMatrix>, codes: &[u8]) -> ReachedMatrix {
        let mut picked = ReachedMatrix::blank(reached);
        let columns = codes.len() / reached.rows();
        for (row, codes) in codes.chunks(columns).enumerate() {
            let mut of_ones = picked.row_mut(row).iter_mut();
            reached.for_each_one(row, |column| {
                *of_ones.next().expect("one for each bit") = codes[column];
            });
        }
        picked
    }

    fn place(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Returns the codes of one row's reachable positions.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.codes[self.place(row)]
    }

    /// Returns one row's codes for writing; they must be in memory.
    pub fn row_mut(&mut self, row: usize) -> &mut [u8] {
        let place = self.place(row);
        &mut self.codes[place]
    }

    /// Returns the code of a reachable position; arbitrary for an unreachable one.
    pub fn get(&self, row: usize, column: usize) -> u8 {
        let place = self.starts[row] as usize + self.reached.ones_before(row, column);
        self.codes.get(place).copied().unwrap_or(0)
    }

    /// Expands a row to one code per column, with 0 for unreachable positions.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.clear();
        codes.resize(64 * self.reached.row(row).len(), 0);
        let mut of_ones = self.row(row).iter();
        self.reached.for_each_one(row, |column| {
            codes[column] = *of_ones.next().expect("one for each bit");
        });
    }
}

fn starts(reached: &BitMatrix) -> Vec<u64> {
    let mut starts = Vec::with_capacity(reached.rows() + 1);
    starts.push(0);
    let mut count = 0;
    for row in 0..reached.rows() {
        count += reached.ones_before(row, 64 * reached.words_a_row) as u64;
        starts.push(count);
    }
    starts
}
