//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. Of these is kept by how much they are above the
//! row's base, and the few others are kept apart.

use super::plane::Plane;
use super::store::Bytes;
use crate::game::SolveError;
use std::ops::Range;

/// The four bits of codes that are kept apart.
const APART: u8 = 15;
/// A code that is kept apart is the lowest bits of a word, and its column the others.
const CODE_BITS: u32 = u8::BITS;
/// Such a word, the lowest byte first.
type Word = [u8; size_of::<u32>()];

/// A matrix of codes that don't change any more.
///
/// Should they do so, in a file, some code comes out, until the file's sum is looked at.
#[derive(Debug)]
pub struct PackedMatrix {
    row_bytes: usize,
    /// Two codes a byte, the lower four bits first; every row begins with a byte of its own.
    pub(super) pairs: Bytes,
    bases: Vec<u8>,
    /// Of row `i` the codes from `starts[i]` to `starts[i + 1]` are kept apart, by their columns.
    starts: Vec<u32>,
    apart: Bytes,
}

impl PackedMatrix {
    /// How many parts it has.
    pub(super) const PARTS: usize = 4;

    /// The matrix of these codes, in rows of so many.
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
        let (rows, row_bytes) = (codes.len() / columns, columns.div_ceil(2));
        let mut pairs = Plane::new(rows * row_bytes)?;
        let (mut bases, mut starts, mut apart) = (Vec::new(), vec![0], Vec::new());
        for (row, pairs) in codes.chunks(columns).zip(pairs.chunks_mut(row_bytes)) {
            bases.push(pack(row, pairs, &mut apart));
            let end = u32::try_from(apart.len() / size_of::<Word>());
            starts.push(end.map_err(|_| no_memory())?);
        }
        Ok(PackedMatrix {
            row_bytes,
            pairs: Bytes::Here(pairs),
            bases,
            starts,
            apart: Bytes::Here(Plane::Small(apart)),
        })
    }

    /// What it consists of.
    pub(super) fn parts(&self) -> [&[u8]; Self::PARTS] {
        let starts = bytemuck::cast_slice(&self.starts);
        [&self.pairs, &self.apart, starts, &self.bases]
    }

    /// Where its parts are if they follow each other in so many bytes.
    pub(super) fn parts_of(
        bytes: usize,
        rows: usize,
        columns: usize,
    ) -> Option<[Range<usize>; Self::PARTS]> {
        let pairs = rows * columns.div_ceil(2);
        let bases = bytes.checked_sub(rows)?;
        let starts = bases.checked_sub(size_of::<u32>() * (rows + 1))?;
        (pairs <= starts).then_some([0..pairs, pairs..starts, starts..bases, bases..bytes])
    }

    /// One with so many rows and columns of its parts; nothing if they are another's.
    pub(super) fn of_parts(rows: usize, columns: usize, parts: Vec<Bytes>) -> Option<PackedMatrix> {
        let [pairs, apart, starts, bases] = parts.try_into().ok()?;
        let words = starts.as_chunks().0.iter();
        let matrix = PackedMatrix {
            row_bytes: columns.div_ceil(2),
            pairs,
            bases: bases.to_vec(),
            starts: words.map(|&word| u32::from_ne_bytes(word)).collect(),
            apart,
        };
        let end = *matrix.starts.last()? as usize;
        let is_whole = matrix.pairs.len() == rows * matrix.row_bytes
            && matrix.bases.len() == rows
            && matrix.starts.len() == rows + 1
            && matrix.starts.is_sorted()
            && size_of::<Word>() * end == matrix.apart.len();
        is_whole.then_some(matrix)
    }

    /// The code at a place.
    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        let pair = self.pairs[row * self.row_bytes + column / 2];
        let above = pair >> (4 * (column % 2)) & 15;
        if above < APART {
            self.bases[row].wrapping_add(above)
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

    /// The codes of a row that are kept apart.
    fn apart(&self, row: usize) -> &[Word] {
        let [from, to] = [row, row + 1].map(|row| self.starts[row] as usize);
        &self.apart.as_chunks().0[from..to]
    }

    /// All codes of a row, and one more if their number is odd.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.resize(2 * self.row_bytes, 0);
        let base = self.bases[row];
        let pairs = &self.pairs[row * self.row_bytes..][..self.row_bytes];
        // What is kept apart comes later, whatever this is.
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

/// Packs a row; gives its base.
fn pack(row: &[u8], pairs: &mut [u8], apart: &mut Vec<u8>) -> u8 {
    let (base, is_tight) = base_of(row);
    let above = |code: u8| code.wrapping_sub(base).min(APART);
    let (two, last) = row.as_chunks::<2>();
    for (out, &[low, high]) in pairs.iter_mut().zip(two) {
        *out = above(low) | above(high) << 4;
    }
    if let &[low] = last {
        pairs[two.len()] = above(low);
    }
    if !is_tight {
        let codes = (0u32..).zip(row);
        let far = codes.filter(|&(_, &code)| above(code) == APART);
        let words = far.map(|(column, &code)| column << CODE_BITS | u32::from(code));
        apart.extend(words.flat_map(u32::to_le_bytes));
    }
    base
}

/// What a row's codes are counted from, so that few have to be kept apart, and whether none has.
fn base_of(row: &[u8]) -> (u8, bool) {
    if row.is_empty() {
        return (0, true);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn packed(codes: &[u8], columns: usize) -> PackedMatrix {
        PackedMatrix::of(codes, columns).unwrap()
    }

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
            let matrix = packed(&codes, columns);
            apart += matrix.apart.len() / 4;
            for (at, &code) in codes.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                assert_eq!(matrix.get(row, column), code);
            }
            let mut row_of_bytes = Vec::new();
            for (row, codes) in codes.chunks(columns).enumerate() {
                matrix.unpack(row, &mut row_of_bytes);
                assert_eq!(row_of_bytes[..columns], *codes);
            }
            let most = codes.len() / 2 + 12 * 5 + 4 + 12 + matrix.apart.len();
            let parts = matrix.parts().map(<[u8]>::len);
            assert!(parts.iter().sum::<usize>() <= most);
        }
        assert!(apart > 300, "{apart}");
    }
}
