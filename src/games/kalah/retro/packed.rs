//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. Of these is kept by how much they are above the
//! row's base, and the few others are kept apart.

use super::dense::{Codes, DenseSplit, Solved};
use super::lines::{Place, Run};
use super::plane::Plane;
use super::store::{Bytes, Store, Words, name_of};
use crate::game::SolveError;
use crate::game::scratch::{Part, Piece};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use std::sync::Arc;

/// What files of such codes are called.
const FORM: &str = "packed";
/// The four bits of codes that are kept apart.
const APART: u8 = 15;
/// A code that is kept apart is the lowest bits of a word, and its column the others.
const CODE_BITS: u32 = u8::BITS;

/// A matrix of codes that don't change any more.
#[derive(Debug, Default)]
pub struct PackedMatrix {
    row_bytes: usize,
    /// Two codes a byte, the lower four bits first; every row begins with a byte of its own.
    pairs: Bytes,
    bases: Box<[u8]>,
    /// Of row `i` the codes from `starts[i]` to `starts[i + 1]` are kept apart, by their columns.
    starts: Box<[u32]>,
    apart: Words,
}

impl PackedMatrix {
    /// Packs the codes, given row by row.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub fn new(codes: &[u8], columns: usize) -> Result<PackedMatrix, SolveError> {
        PackedMatrix::stored(codes, columns, &Store::Memory, "")
    }

    /// The same, kept in a store under a name.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn stored(
        codes: &[u8],
        columns: usize,
        store: &Store,
        name: &str,
    ) -> Result<PackedMatrix, SolveError> {
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
        let matrix = PackedMatrix {
            row_bytes,
            pairs: Bytes::Here(pairs),
            bases: bases.into(),
            starts: starts.into(),
            apart: Words::Here(apart.into()),
        };
        let piece = store.write(name, &matrix.parts())?;
        Ok(match piece {
            Some(piece) => PackedMatrix {
                pairs: Bytes::There(Part::new(&piece, 0..matrix.pairs.len())),
                apart: Words::There(matrix.apart_in(&piece)),
                ..matrix
            },
            None => matrix,
        })
    }

    /// As it is written to a file.
    fn parts(&self) -> [&[u8]; 5] {
        [
            &self.pairs,
            &[0; size_of::<u32>()][..self.padding()],
            bytemuck::cast_slice(&self.apart),
            bytemuck::cast_slice(&self.starts),
            &self.bases,
        ]
    }

    /// What brings the words after the pairs to a multiple of their size.
    fn padding(&self) -> usize {
        self.pairs.len().next_multiple_of(size_of::<u32>()) - self.pairs.len()
    }

    fn apart_in(&self, piece: &Arc<Piece>) -> Part {
        let from = self.pairs.len() + self.padding();
        let apart = self.starts.last().map_or(0, |&end| end as usize);
        Part::new(piece, from..from + size_of::<u32>() * apart)
    }

    /// One with so many rows and columns that was kept under a name.
    fn found(rows: usize, columns: usize, store: &Store, name: &str) -> Option<PackedMatrix> {
        let piece = store.find(name)?;
        let row_bytes = columns.div_ceil(2);
        let pairs = rows * row_bytes;
        let (rest, bases) = piece.split_at_checked(piece.len().checked_sub(rows)?)?;
        let (rest, starts) = rest.split_at_checked(rest.len().checked_sub(4 * (rows + 1))?)?;
        let words = starts.as_chunks().0.iter();
        let matrix = PackedMatrix {
            row_bytes,
            pairs: Bytes::There(Part::new(&piece, 0..pairs.min(rest.len()))),
            bases: bases.into(),
            starts: words.map(|&word| u32::from_ne_bytes(word)).collect(),
            apart: Words::default(),
        };
        let apart = *matrix.starts.last()? as usize;
        let is_whole = pairs + matrix.padding() + 4 * apart == rest.len();
        is_whole.then(|| PackedMatrix {
            apart: Words::There(matrix.apart_in(&piece)),
            ..matrix
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
