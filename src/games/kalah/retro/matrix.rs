//! Matrices of codes in several forms, and the codes along their lines.
//!
//! A packed matrix has four bits per code, since most codes of a row lie within 15 of each other.
//! The four bits are the difference between a code and the row's base. The few codes that don't
//! fit, the *exceptions*, are stored separately.

use super::bits::{BitMatrix, ReachedSplit};
use super::moves::Run;
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

/// The four bits that mark an exception.
const APART: u8 = 15;
/// Number of bits of an exception's code, the lowest of its word.
///
/// The other bits are its column.
const CODE_BITS: u32 = u8::BITS;
/// An exception's word, little-endian.
type Word = [u8; size_of::<u32>()];

/// A matrix of final codes.
///
/// If a file's bytes change, [`PackedMatrix::get`] returns arbitrary codes until the file's
/// checksum is compared.
#[derive(Debug)]
pub struct PackedMatrix {
    rows: usize,
    row_bytes: usize,
    /// The matrix's four parts:
    ///
    /// 1. two codes per byte, the lower four bits first; every row starts at a new byte;
    /// 2. the exceptions, row by row;
    /// 3. the index of each row's first exception, and the number of exceptions, 4 bytes each;
    /// 4. the rows' bases.
    pub(super) bytes: Plane,
}

impl PackedMatrix {
    /// Packs these codes, in rows of `columns` codes.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub(super) fn of(codes: &[u8], columns: usize) -> Result<PackedMatrix, SolveError> {
        let no_memory = || SolveError::NoMemory {
            bytes: codes.len() as u64,
        };
        if columns > 1 << (u32::BITS - CODE_BITS) {
            return Err(no_memory());
        }
        // Choose the bases first, to know how many exceptions there are.
        let (mut bases, mut starts, mut end) = (Vec::new(), vec![0], 0u32);
        for row in codes.chunks(columns) {
            let (base, far) = base_of(row);
            bases.push(base);
            end = end.checked_add(far).ok_or_else(no_memory)?;
            starts.push(end);
        }
        // Lay out the four parts in one array of bytes.
        let (rows, row_bytes) = (bases.len(), columns.div_ceil(2));
        let tail = [bytemuck::cast_slice(&starts), &bases].concat();
        let all_apart = end as usize * size_of::<Word>();
        let mut bytes = Plane::new(rows * row_bytes + all_apart + tail.len())?;
        let (pairs, rest) = bytes.split_at_mut(rows * row_bytes);
        let (apart, rest) = rest.split_at_mut(all_apart);
        rest.copy_from_slice(&tail);
        let apart = apart.as_chunks_mut().0;
        let packed = pairs.chunks_mut(row_bytes);
        for (number, (row, pairs)) in codes.chunks(columns).zip(packed).enumerate() {
            let (from, to) = (starts[number] as usize, starts[number + 1] as usize);
            pack(row, bases[number], pairs, &mut apart[from..to]);
        }
        Ok(PackedMatrix {
            rows,
            row_bytes,
            bytes,
        })
    }

    /// Returns the matrix of these bytes, or `None` if they don't fit its shape.
    pub(super) fn of_bytes(bytes: Plane, rows: usize, columns: usize) -> Option<PackedMatrix> {
        let row_bytes = columns.div_ceil(2);
        let least = rows * row_bytes + size_of::<u32>() * (rows + 1) + rows;
        let all_apart = bytes.len().checked_sub(least)?;
        let matrix = PackedMatrix {
            rows,
            row_bytes,
            bytes,
        };
        let is_whole = matrix.starts().is_sorted()
            && matrix.starts().last()? as usize * size_of::<Word>() == all_apart;
        is_whole.then_some(matrix)
    }

    /// Returns the index of each row's first exception, and the number of exceptions.
    fn starts(&self) -> impl Iterator<Item = u32> {
        (0..=self.rows).map(|row| self.start(row))
    }

    fn start(&self, row: usize) -> u32 {
        let starts = self.bytes.len() - self.rows - size_of::<u32>() * (self.rows + 1);
        let start = self.bytes[starts + size_of::<u32>() * row..].first_chunk();
        u32::from_ne_bytes(*start.expect("the bases come behind"))
    }

    /// Returns one code.
    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        let bytes = &self.bytes[..];
        let pair = bytes[row * self.row_bytes + column / 2];
        let above = pair >> (4 * (column % 2)) & 15;
        if above < APART {
            bytes[bytes.len() - self.rows + row].wrapping_add(above)
        } else {
            self.get_apart(row, column)
        }
    }

    #[cold]
    fn get_apart(&self, row: usize, column: usize) -> u8 {
        let apart = self.apart(row);
        let column_of = |word: &Word| u32::from_le_bytes(*word) >> CODE_BITS;
        let place = apart.partition_point(|word| column_of(word) < column as u32);
        apart.get(place).map_or(0, |word| word[0])
    }

    /// Returns the exceptions of a row.
    fn apart(&self, row: usize) -> &[Word] {
        let [from, to] = [row, row + 1].map(|row| self.start(row) as usize);
        let all = self.bytes[self.rows * self.row_bytes..].as_chunks().0;
        all.get(from..to).unwrap_or_default()
    }

    /// Unpacks all codes of a row.
    ///
    /// If their number is odd, an arbitrary one follows.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.resize(2 * self.row_bytes, 0);
        let base = self.bytes[self.bytes.len() - self.rows + row];
        let pairs = &self.bytes[row * self.row_bytes..][..self.row_bytes];
        // Exceptions get a wrong code here, which is overwritten below.
        for (two, &pair) in codes.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
            *two = [base.wrapping_add(pair & 15), base.wrapping_add(pair >> 4)];
        }
        for &word in self.apart(row) {
            let word = u32::from_le_bytes(word);
            if let Some(code) = codes.get_mut((word >> CODE_BITS) as usize) {
                *code = word as u8;
            }
        }
    }
}

/// Packs a row above its base; `apart` has one word for each exception.
fn pack(row: &[u8], base: u8, pairs: &mut [u8], apart: &mut [Word]) {
    let above = |code: u8| code.wrapping_sub(base).min(APART);
    let (two, last) = row.as_chunks::<2>();
    for (out, &[low, high]) in pairs.iter_mut().zip(two) {
        *out = above(low) | above(high) << 4;
    }
    if let &[low] = last {
        pairs[two.len()] = above(low);
    }
    if !apart.is_empty() {
        let far = (0u32..).zip(row).filter(|&(_, &code)| above(code) == APART);
        for ((column, &code), word) in far.zip(apart) {
            *word = (column << CODE_BITS | u32::from(code)).to_le_bytes();
        }
    }
}

/// Returns a row's base with the fewest exceptions, and their number.
fn base_of(row: &[u8]) -> (u8, u32) {
    if row.is_empty() {
        return (0, 0);
    }
    let least = row.iter().fold(u8::MAX, |least, &code| least.min(code));
    let most = row.iter().fold(0, |most, &code| most.max(code));
    if most - least < APART {
        return (least, 0);
    }
    let mut counts = [0u32; 256];
    for &code in row {
        counts[usize::from(code)] += 1;
    }
    let within = |base: u8| -> u32 {
        let base = usize::from(base);
        counts[base..base + usize::from(APART)].iter().sum()
    };
    let bases = (least..=most - (APART - 1)).map(|base| (within(base), base));
    let (within, base) = bases.max().unwrap_or((0, least));
    (base, row.len() as u32 - within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn packed(codes: &[u8], columns: usize) -> PackedMatrix {
        PackedMatrix::of(codes, columns).unwrap()
    }

    /// Packs rows with codes close together, spread out, and in two groups.
    ///
    /// The rows have odd and even lengths.
    #[test]
    fn packed_codes_can_be_read_back() {
        let mut random = Random::new(4);
        let mut apart = 0;
        for columns in [1, 2, 3, 64, 333] {
            let mut codes = Vec::new();
            for spread in [1, 14, 15, 16, 40, 256] {
                let from = random.index(257 - spread);
                codes.extend((0..columns).map(|_| (from + random.index(spread)) as u8));
                codes.extend((0..columns).map(|at| if at % 7 == 0 { 255 } else { 3 }));
            }
            let matrix = packed(&codes, columns);
            let all_apart = matrix.starts().last().unwrap() as usize;
            apart += all_apart;
            for (at, &code) in codes.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                assert_eq!(matrix.get(row, column), code);
            }
            let mut row_of_bytes = Vec::new();
            for (row, codes) in codes.chunks(columns).enumerate() {
                matrix.unpack(row, &mut row_of_bytes);
                assert_eq!(row_of_bytes[..columns], *codes);
            }
            let most = codes.len() / 2 + 12 * 5 + 4 + 12 + 4 * all_apart;
            assert!(matrix.bytes.len() <= most);
        }
        assert!(apart > 300, "{apart}");
    }
}
