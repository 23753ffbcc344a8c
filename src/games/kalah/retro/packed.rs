//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. Of these is kept by how much they are above the
//! row's base, and the few others are kept apart.

use super::dense::{Codes, DenseSplit, Solved};
use super::lines::{Place, Run};
use super::plane::Plane;
use crate::game::SolveError;
use crate::games::kalah::index::layout::ByMover;

/// The four bits of codes that are kept apart.
const APART: u8 = 15;
/// A code that is kept apart is the lowest bits of a word, and its column the others.
const CODE_BITS: u32 = u8::BITS;

/// A matrix of codes that don't change any more.
#[derive(Debug, Default)]
pub struct PackedMatrix {
    row_bytes: usize,
    /// Two codes a byte, the lower four bits first; every row begins with a byte of its own.
    pairs: Plane,
    bases: Box<[u8]>,
    /// Of row `i` the codes from `starts[i]` to `starts[i + 1]` are kept apart, by their columns.
    starts: Box<[u32]>,
    apart: Vec<u32>,
}

impl PackedMatrix {
    /// Packs the codes, given row by row.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub fn new(codes: &[u8], columns: usize) -> Result<PackedMatrix, SolveError> {
        if codes.is_empty() {
            return Ok(PackedMatrix::default());
        }
        let bytes = codes.len() as u64;
        if columns > 1 << (u32::BITS - CODE_BITS) {
            return Err(SolveError::NoMemory { bytes });
        }
        let rows = codes.len() / columns;
        let row_bytes = columns.div_ceil(2);
        let mut pairs = Plane::new(rows * row_bytes)?;
        let mut bases = Vec::with_capacity(rows);
        let mut starts = Vec::with_capacity(rows + 1);
        let mut apart = Vec::new();
        for (row, out) in codes.chunks(columns).zip(pairs.chunks_mut(row_bytes)) {
            starts.push(apart.len() as u32);
            let (base, is_tight) = base_of(row);
            bases.push(base);
            let above = |code: u8| code.wrapping_sub(base).min(APART);
            let (two, last) = row.as_chunks::<2>();
            for (out, &[low, high]) in out.iter_mut().zip(two) {
                *out = above(low) | above(high) << 4;
            }
            if let &[low] = last {
                out[row_bytes - 1] = above(low);
            }
            if !is_tight {
                let codes = (0u32..).zip(row);
                let far = codes.filter(|&(_, &code)| above(code) == APART);
                apart.extend(far.map(|(column, &code)| column << CODE_BITS | u32::from(code)));
            }
        }
        starts.push(u32::try_from(apart.len()).map_err(|_| SolveError::NoMemory { bytes })?);
        apart.shrink_to_fit();
        Ok(PackedMatrix {
            row_bytes,
            pairs,
            bases: bases.into(),
            starts: starts.into(),
            apart,
        })
    }

    /// The code at a place.
    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        let pair = self.pairs[row * self.row_bytes + column / 2];
        let above = pair >> (4 * (column % 2)) & 15;
        if above < APART {
            self.bases[row] + above
        } else {
            self.get_apart(row, column)
        }
    }

    fn apart_of(&self, row: usize) -> &[u32] {
        &self.apart[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// All codes of a row, and one more if their number is odd.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.resize(2 * self.row_bytes, 0);
        let pairs = &self.pairs[row * self.row_bytes..][..self.row_bytes];
        let base = self.bases[row];
        for (two, &pair) in codes.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
            // What is kept apart comes later, whatever this is.
            *two = [base.wrapping_add(pair & 15), base.wrapping_add(pair >> 4)];
        }
        for word in self.apart_of(row) {
            codes[(word >> CODE_BITS) as usize] = *word as u8;
        }
    }

    #[cold]
    fn get_apart(&self, row: usize, column: usize) -> u8 {
        let apart = self.apart_of(row);
        let place = apart.partition_point(|&word| (word >> CODE_BITS) < column as u32);
        apart[place] as u8
    }

    fn bytes(&self) -> usize {
        let words = self.starts.len() + self.apart.len();
        self.pairs.len() + self.bases.len() + size_of::<u32>() * words
    }
}

/// What a row's codes are counted from, so that few have to be kept apart, and whether none has.
fn base_of(row: &[u8]) -> (u8, bool) {
    let least = row.iter().fold(u8::MAX, |least, &code| least.min(code));
    let most = row.iter().fold(0, |most, &code| most.max(code));
    if most - least < APART {
        return (least, true);
    }
    let mut counts = [0u32; 256];
    for &code in row {
        counts[usize::from(code)] += 1;
    }
    let within = |&base: &u8| -> u32 {
        let base = usize::from(base);
        counts[base..base + usize::from(APART)].iter().sum()
    };
    let bases = least..=most - (APART - 1);
    (bases.max_by_key(within).unwrap_or(least), false)
}

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

    /// What it takes in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Matrix::Bytes { codes, .. } => codes.len(),
            Matrix::Packed(packed) => packed.bytes(),
        }
    }
}

/// The codes of one layer, reachable or not: one entry a split, by the poor side's seeds from 1 on.
/// Where the split is even, the poor side's matrix is empty.
pub type Matrices = Vec<ByMover<Matrix>>;

/// A solved split in bytes.
pub fn in_bytes(split: DenseSplit) -> ByMover<Matrix> {
    let DenseSplit { codes, columns } = split;
    let bytes = |codes| Matrix::Bytes { codes, columns };
    ByMover {
        rich: bytes(codes.rich),
        poor: bytes(codes.poor),
    }
}

/// A solved split, packed.
///
/// # Errors
/// [`SolveError::NoMemory`].
pub fn packed(split: DenseSplit) -> Result<ByMover<Matrix>, SolveError> {
    let DenseSplit { codes, columns } = split;
    // One after the other, so that the codes of the first are gone when the second are packed.
    let packed = |codes: Plane| PackedMatrix::new(&codes, columns).map(Matrix::Packed);
    Ok(ByMover {
        rich: packed(codes.rich)?,
        poor: packed(codes.poor)?,
    })
}

impl Solved for [Matrices] {
    fn count(&self) -> usize {
        self.len()
    }

    fn codes(&self, seeds: usize, place: Place) -> Codes<'_> {
        let matrix = &self[seeds][place.split.poor - 1][place.mover];
        match (matrix, place.run) {
            (Matrix::Bytes { codes, columns }, Run::Row(row)) => Codes::Bytes {
                codes: &codes[row * columns..][..*columns],
                stride: 1,
            },
            (Matrix::Bytes { codes, columns }, Run::Column(column)) => Codes::Bytes {
                codes: &codes[column..],
                stride: *columns,
            },
            (Matrix::Packed(packed), run) => Codes::Packed(packed, run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Rows with codes near each other, all over, and in two heaps; of odd and of even length.
    #[test]
    fn what_is_packed_is_what_was_there() {
        let mut random = Random::new(4);
        let mut apart = 0;
        for columns in [1, 2, 3, 64, 333] {
            let mut codes = Vec::new();
            for spread in [1, 14, 15, 16, 40, 256] {
                let from = random.index(257 - spread);
                codes.extend((0..columns).map(|_| (from + random.index(spread)) as u8));
                codes.extend((0..columns).map(|at| if at % 7 == 0 { 255 } else { 3 }));
            }
            let matrix = PackedMatrix::new(&codes, columns).unwrap();
            apart += matrix.apart.len();
            for (at, &code) in codes.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                assert_eq!(matrix.get(row, column), code);
            }
            let mut row_of_bytes = Vec::new();
            for (row, codes) in codes.chunks(columns).enumerate() {
                matrix.unpack(row, &mut row_of_bytes);
                assert_eq!(row_of_bytes[..columns], *codes);
            }
            let most = codes.len() / 2 + 12 * 5 + 4 + 12 + 4 * matrix.apart.len();
            assert!(matrix.bytes() <= most);
        }
        assert!(apart > 300, "{apart}");
        assert_eq!(PackedMatrix::new(&[], 7).unwrap().bytes(), 0);
    }
}
