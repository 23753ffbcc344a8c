//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. Of these is kept by how much they are above the
//! row's base, and the few others are kept apart.

use super::plane::Plane;
use super::store::{Bytes, Store};
use crate::game::SolveError;
use crate::game::scratch::{Part, Piece};
use std::sync::Arc;

/// The four bits of codes that are kept apart.
const APART: u8 = 15;
/// A code that is kept apart is the lowest bits of a word, and its column the others.
const CODE_BITS: u32 = u8::BITS;
/// Such a word, the lowest byte first.
type Word = [u8; size_of::<u32>()];

/// A matrix of codes that don't change any more.
///
/// Should they do so, in a file, some code comes out, until the file's sum is looked at.
#[derive(Debug, Default)]
pub struct PackedMatrix {
    pub(super) row_bytes: usize,
    /// Two codes a byte, the lower four bits first; every row begins with a byte of its own.
    pub(super) pairs: Bytes,
    bases: Vec<u8>,
    /// Of row `i` the codes from `starts[i]` to `starts[i + 1]` are kept apart, by their columns.
    starts: Vec<u32>,
    apart: Bytes,
}

impl PackedMatrix {
    /// The same, of whose parts the largest are in a file.
    fn in_piece(self, piece: &Arc<Piece>) -> PackedMatrix {
        let pairs = self.pairs.len();
        let apart = self.starts.last().map_or(0, |&end| end as usize);
        PackedMatrix {
            pairs: Bytes::There(Part::new(piece, 0..pairs)),
            apart: Bytes::There(Part::new(piece, pairs..pairs + size_of::<Word>() * apart)),
            ..self
        }
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
            apart: Bytes::default(),
        };
        let apart = *matrix.starts.last()? as usize;
        let is_whole = pairs + size_of::<Word>() * apart == rest.len() && matrix.starts.is_sorted();
        is_whole.then(|| matrix.in_piece(&piece))
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
        let apart = self.row(row).apart.as_chunks().0;
        let column_of = |word: &Word| u32::from_le_bytes(*word) >> CODE_BITS;
        let place = apart.partition_point(|word| column_of(word) < column as u32);
        apart.get(place).map_or(0, |word| word[0])
    }

    /// A row.
    pub fn row(&self, row: usize) -> PackedRow<'_> {
        let [from, to] = [row, row + 1].map(|row| size_of::<Word>() * self.starts[row] as usize);
        PackedRow {
            base: self.bases[row],
            pairs: &self.pairs[row * self.row_bytes..][..self.row_bytes],
            apart: &self.apart[from..to],
        }
    }

    /// All codes of a row, and one more if their number is odd.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.resize(2 * self.row_bytes, 0);
        self.row(row).unpack(codes);
    }

    pub(super) fn bytes(&self) -> usize {
        let starts = size_of_val(&self.starts[..]);
        self.pairs.len() + self.bases.len() + starts + self.apart.len()
    }
}

/// A packed matrix that is being made, row by row.
#[derive(Debug)]
pub struct Packing {
    columns: usize,
    pairs: Plane,
    bases: Vec<u8>,
    starts: Vec<u32>,
    apart: Vec<u8>,
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

    /// Adds the next row; `fill` puts its pairs and what is kept apart of it into their places, and
    /// gives its base.
    fn add(&mut self, fill: impl FnOnce(&mut [u8], &mut Vec<u8>) -> u8) {
        let bytes = self.columns.div_ceil(2);
        let pairs = &mut self.pairs[self.bases.len() * bytes..][..bytes];
        self.starts
            .push((self.apart.len() / size_of::<Word>()) as u32);
        self.bases.push(fill(pairs, &mut self.apart));
    }

    /// Adds the next row's codes.
    pub fn push(&mut self, row: &[u8]) {
        self.add(|pairs, apart| pack(row, pairs, apart));
    }

    /// Adds the next row as it came from another matrix.
    pub fn push_packed(&mut self, row: PackedRow<'_>) {
        self.add(|pairs, apart| {
            pairs.copy_from_slice(row.pairs);
            apart.extend(row.apart);
            row.base
        });
    }

    /// The matrix, kept in a store under a name.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`], and those of the store.
    pub fn finish(mut self, store: &Store, name: &str) -> Result<PackedMatrix, SolveError> {
        if self.bases.is_empty() {
            return Ok(PackedMatrix::default());
        }
        let apart = u32::try_from(self.apart.len() / size_of::<Word>());
        self.starts.push(apart.map_err(|_| SolveError::NoMemory {
            bytes: self.pairs.len() as u64,
        })?);
        let starts = bytemuck::cast_slice(&self.starts);
        let piece = store.write(name, &[&self.pairs, &self.apart, starts, &self.bases])?;
        let matrix = PackedMatrix {
            row_bytes: self.columns.div_ceil(2),
            pairs: Bytes::Here(self.pairs),
            bases: self.bases,
            starts: self.starts,
            apart: Bytes::Here(Plane::Small(self.apart)),
        };
        Ok(match piece {
            Some(piece) => matrix.in_piece(&piece),
            None => matrix,
        })
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

/// A packed row: of a matrix, or on its way from one process to another.
#[derive(Clone, Copy, Debug)]
pub struct PackedRow<'a> {
    base: u8,
    pairs: &'a [u8],
    apart: &'a [u8],
}

impl<'a> PackedRow<'a> {
    /// Appends the row for another process: the base, how many bytes are kept apart, the pairs, and
    /// these.
    pub fn put(self, out: &mut Vec<u8>) {
        out.push(self.base);
        out.extend((self.apart.len() as u32).to_le_bytes());
        out.extend(self.pairs);
        out.extend(self.apart);
    }

    /// Appends a row of codes in the same way.
    pub fn put_codes(codes: &[u8], out: &mut Vec<u8>) {
        let (mut pairs, mut apart) = (vec![0; codes.len().div_ceil(2)], Vec::new());
        let base = pack(codes, &mut pairs, &mut apart);
        let (pairs, apart) = (&pairs[..], &apart[..]);
        PackedRow { base, pairs, apart }.put(out);
    }

    /// Takes a row of so many codes from the beginning of what has come; nothing if that is too
    /// short.
    pub fn take(rest: &mut &'a [u8], codes: usize) -> Option<PackedRow<'a>> {
        let (&base, after) = rest.split_first()?;
        let (&apart, after) = after.split_first_chunk()?;
        let (pairs, after) = after.split_at_checked(codes.div_ceil(2))?;
        let (apart, after) = after.split_at_checked(u32::from_le_bytes(apart) as usize)?;
        *rest = after;
        Some(PackedRow { base, pairs, apart })
    }

    /// Puts its codes into `codes`, of which there may be one fewer than twice the pairs.
    pub fn unpack(self, codes: &mut [u8]) {
        let base = self.base;
        let (twos, last) = codes.as_chunks_mut::<2>();
        // What is kept apart comes later, whatever this is.
        for (two, &pair) in twos.iter_mut().zip(self.pairs) {
            *two = [base.wrapping_add(pair & 15), base.wrapping_add(pair >> 4)];
        }
        if let (Some(low), Some(&pair)) = (last.first_mut(), self.pairs.last()) {
            *low = base.wrapping_add(pair & 15);
        }
        for &word in self.apart.as_chunks().0 {
            let word = u32::from_le_bytes(word);
            if let Some(code) = codes.get_mut((word >> CODE_BITS) as usize) {
                *code = word as u8;
            }
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

    fn packed(codes: &[u8], columns: usize) -> PackedMatrix {
        let mut packing = Packing::new(codes.len() / columns, columns).unwrap();
        codes.chunks(columns).for_each(|row| packing.push(row));
        packing.finish(&Store::MEMORY, "").unwrap()
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
            assert!(matrix.bytes() <= most);
        }
        assert!(apart > 300, "{apart}");
        assert_eq!(packed(&[], 7).bytes(), 0);
    }
}
