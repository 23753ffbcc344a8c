//! Codes in four bits each.
//!
//! Most codes of a row lie within 15 of each other. The four bits are the difference between a code
//! and the row's base. The few codes that don't fit, the *exceptions*, are stored separately.

use super::storage::Plane;
use crate::game::SolveError;

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
