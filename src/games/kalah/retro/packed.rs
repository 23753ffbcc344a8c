//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. Of these is kept by how much they are above the
//! row's base, and the few others are kept apart.

use super::plane::Plane;
use super::store::{Bytes, Store, Words};
use crate::game::SolveError;
use crate::game::scratch::{Part, Piece};
use std::sync::Arc;
/// The four bits of codes that are kept apart.
const APART: u8 = 15;
/// A code that is kept apart is the lowest bits of a word, and its column the others.
const CODE_BITS: u32 = u8::BITS;

/// A matrix of codes that don't change any more.
///
/// Should they do so, in a file, some code comes out, until the file's sum is looked at.
#[derive(Debug, Default)]
pub struct PackedMatrix {
    pub(super) row_bytes: usize,
    /// Two codes a byte, the lower four bits first; every row begins with a byte of its own.
    pub(super) pairs: Bytes,
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
        let mut packing = Packing::new(codes.len().checked_div(columns).unwrap_or(0), columns)?;
        for row in codes.chunks(columns.max(1)) {
            packing.push(row);
        }
        packing.finish(store, name)
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
    pub(super) fn found(
        rows: usize,
        columns: usize,
        store: &Store,
        name: &str,
    ) -> Option<PackedMatrix> {
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
        let is_whole =
            pairs + matrix.padding() + 4 * apart == rest.len() && matrix.starts.is_sorted();
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
            self.bases[row].wrapping_add(above)
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
        let apart = self.apart_of(row).iter().copied();
        unpack(self.bases[row], pairs, apart, codes);
    }

    /// Appends a row as [`PackedRow`] has it.
    pub fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        let apart = self.apart_of(row);
        out.push(self.bases[row]);
        out.extend((apart.len() as u32).to_le_bytes());
        out.extend(&self.pairs[row * self.row_bytes..][..self.row_bytes]);
        out.extend(apart.iter().flat_map(|word| word.to_le_bytes()));
    }

    #[cold]
    fn get_apart(&self, row: usize, column: usize) -> u8 {
        let apart = self.apart_of(row);
        let place = apart.partition_point(|&word| (word >> CODE_BITS) < column as u32);
        apart.get(place).map_or(0, |&word| word as u8)
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.starts.len() + self.apart.len();
        self.pairs.len() + self.bases.len() + size_of::<u32>() * words
    }
}

/// A packed matrix that is being made, row by row.
#[derive(Debug)]
pub struct Packing {
    columns: usize,
    pairs: Plane,
    bases: Vec<u8>,
    starts: Vec<u32>,
    apart: Vec<u32>,
}

impl Packing {
    /// One that is to have so many rows of so many codes.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`].
    pub fn new(rows: usize, columns: usize) -> Result<Packing, SolveError> {
        if rows > 0 && columns > 1 << (u32::BITS - CODE_BITS) {
            let bytes = rows as u64 * columns as u64;
            return Err(SolveError::NoMemory { bytes });
        }
        Ok(Packing {
            columns,
            pairs: Plane::new(rows * columns.div_ceil(2))?,
            bases: Vec::with_capacity(rows),
            starts: Vec::with_capacity(rows + 1),
            apart: Vec::new(),
        })
    }

    /// How long a row is.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The place of the next row's pairs.
    fn next(&mut self) -> &mut [u8] {
        let bytes = self.columns.div_ceil(2);
        &mut self.pairs[self.bases.len() * bytes..][..bytes]
    }

    /// Adds the next row's codes.
    pub fn push(&mut self, row: &[u8]) {
        self.starts.push(self.apart.len() as u32);
        let mut apart = std::mem::take(&mut self.apart);
        let base = pack(row, self.next(), &mut apart);
        self.apart = apart;
        self.bases.push(base);
    }

    /// Adds the next row as it came from another matrix.
    pub fn push_packed(&mut self, row: PackedRow<'_>) {
        self.starts.push(self.apart.len() as u32);
        self.next().copy_from_slice(row.pairs);
        self.apart.extend(row.apart());
        self.bases.push(row.base);
    }

    /// The matrix, kept in a store under a name.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn finish(mut self, store: &Store, name: &str) -> Result<PackedMatrix, SolveError> {
        if self.bases.is_empty() {
            return Ok(PackedMatrix::default());
        }
        let apart = u32::try_from(self.apart.len()).map_err(|_| SolveError::NoMemory {
            bytes: self.pairs.len() as u64,
        })?;
        self.starts.push(apart);
        let matrix = PackedMatrix {
            row_bytes: self.columns.div_ceil(2),
            pairs: Bytes::Here(self.pairs),
            bases: self.bases.into(),
            starts: self.starts.into(),
            apart: Words::Here(self.apart.into()),
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
}

/// Packs a row; gives its base.
fn pack(row: &[u8], pairs: &mut [u8], apart: &mut Vec<u32>) -> u8 {
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
        apart.extend(far.map(|(column, &code)| column << CODE_BITS | u32::from(code)));
    }
    base
}

/// A packed row on its way from one process to another: the base, how many codes are kept apart, the
/// pairs, and these.
#[derive(Clone, Copy, Debug)]
pub struct PackedRow<'a> {
    base: u8,
    pairs: &'a [u8],
    apart: &'a [u8],
}

impl<'a> PackedRow<'a> {
    /// Appends a row of codes.
    pub fn put_codes(codes: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        let pairs = begin + 1 + size_of::<u32>();
        out.resize(pairs + codes.len().div_ceil(2), 0);
        let mut apart = Vec::new();
        out[begin] = pack(codes, &mut out[pairs..], &mut apart);
        out[begin + 1..pairs].copy_from_slice(&(apart.len() as u32).to_le_bytes());
        out.extend(apart.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// Takes a row of so many codes from the beginning of what has come; nothing if that is too
    /// short.
    pub fn take(rest: &mut &'a [u8], codes: usize) -> Option<PackedRow<'a>> {
        let (&base, after) = rest.split_first()?;
        let (&apart, after) = after.split_first_chunk()?;
        let (pairs, after) = after.split_at_checked(codes.div_ceil(2))?;
        let (apart, after) = after.split_at_checked(4 * u32::from_le_bytes(apart) as usize)?;
        *rest = after;
        Some(PackedRow { base, pairs, apart })
    }

    fn apart(self) -> impl Iterator<Item = u32> {
        let words = self.apart.as_chunks().0.iter();
        words.map(|&word| u32::from_le_bytes(word))
    }

    /// Puts its codes into `codes`, of which there may be one fewer than twice the pairs.
    pub fn unpack(self, codes: &mut [u8]) {
        unpack(self.base, self.pairs, self.apart(), codes);
    }
}

/// Puts a row's codes into `codes`, of which there may be one fewer than twice the pairs.
fn unpack(base: u8, pairs: &[u8], apart: impl Iterator<Item = u32>, codes: &mut [u8]) {
    let (twos, last) = codes.as_chunks_mut::<2>();
    // What is kept apart comes later, whatever this is.
    for (two, &pair) in twos.iter_mut().zip(pairs) {
        *two = [base.wrapping_add(pair & 15), base.wrapping_add(pair >> 4)];
    }
    if let (Some(low), Some(&pair)) = (last.first_mut(), pairs.last()) {
        *low = base.wrapping_add(pair & 15);
    }
    for word in apart {
        if let Some(code) = codes.get_mut((word >> CODE_BITS) as usize) {
            *code = word as u8;
        }
    }
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
