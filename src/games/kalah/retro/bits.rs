//! Reachable positions of splits and layers, as one bit per class, and their checkpoint.
//!
//! The checkpoint is a gzip stream of the highest layer not yet processed (8 bytes, little-endian),
//! the game's rules string, and the bits. The stream consists of members of about a megabyte, so
//! that all threads can compress.

use super::moves::LinePlace;
use crate::game::SolveError;
use crate::games::cells::ones;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use crate::games::pages::{Atomics, Pages};
use crate::pool::map_of;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, Read, Write};
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A matrix of bits; every row starts at a new word.
#[derive(Debug)]
pub struct BitMatrix {
    pub(super) words_a_row: usize,
    words: Array,
    pages: Pages,
}

/// Words on the heap, or mapped directly from the system if there are many.
#[derive(Debug)]
enum Array {
    Small(Box<[AtomicU64]>),
    Large(Atomics),
}

/// Number of words from which they are mapped from the system.
const LARGE: usize = 1 << 15;

impl Deref for Array {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        match self {
            Array::Small(words) => words,
            Array::Large(words) => words,
        }
    }
}

impl BitMatrix {
    /// Returns a matrix of zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn new(rows: usize, columns: usize, pages: Pages) -> Result<BitMatrix, SolveError> {
        let words_a_row = columns.div_ceil(64);
        let count = rows.saturating_mul(words_a_row);
        let words = match count {
            LARGE.. => Array::Large(Atomics::new(count, pages)?),
            _ => Array::Small(bytemuck::allocation::zeroed_slice_box(count)),
        };
        Ok(BitMatrix {
            words_a_row,
            words,
            pages,
        })
    }

    /// Returns a matrix of ones.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn full(rows: usize, columns: usize) -> Result<BitMatrix, SolveError> {
        let matrix = BitMatrix::new(rows, columns, Pages::Large)?;
        for row in 0..rows {
            for (number, word) in matrix.row(row).iter().enumerate() {
                let bits = columns - 64 * number;
                word.store(if bits >= 64 { !0 } else { (1 << bits) - 1 }, Relaxed);
            }
        }
        Ok(matrix)
    }

    /// Returns the transposed matrix; `rows` and `columns` are those of the result.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn transposed(&self, rows: usize, columns: usize) -> Result<BitMatrix, SolveError> {
        let mirrored = BitMatrix::new(rows, columns, self.pages)?;
        for column in 0..columns {
            self.for_each_one(column, |row| mirrored.set_exclusively(row, column));
        }
        Ok(mirrored)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.words.len().checked_div(self.words_a_row).unwrap_or(0)
    }

    /// Returns all words, row by row.
    pub fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// Returns the words of one row, lowest bit first.
    #[inline]
    pub fn row(&self, row: usize) -> &[AtomicU64] {
        &self.words[row * self.words_a_row..][..self.words_a_row]
    }

    /// Sets a bit.
    ///
    /// No other thread may write to this matrix meanwhile.
    #[inline]
    pub fn set_exclusively(&self, row: usize, column: usize) {
        or_exclusively(&self.row(row)[column / 64], 1 << (column % 64));
    }

    /// Calls `each` with the columns of a row's ones, ascending.
    #[inline]
    pub fn for_each_one(&self, row: usize, mut each: impl FnMut(usize)) {
        for (number, word) in self.row(row).iter().enumerate() {
            ones(word.load(Relaxed)).for_each(|bit| each(64 * number + bit));
        }
    }

    /// Replaces `ones` by the columns of a row's ones, ascending.
    ///
    /// Returns whether there are any.
    pub fn ones_of_row(&self, row: usize, ones: &mut Vec<u32>) -> bool {
        ones.clear();
        self.for_each_one(row, |column| ones.push(column as u32));
        !ones.is_empty()
    }

    /// Returns the number of ones in a row before this column.
    #[inline]
    pub fn ones_before(&self, row: usize, column: usize) -> usize {
        let row = self.row(row);
        let whole: u32 = row[..column / 64]
            .iter()
            .map(|word| word.load(Relaxed).count_ones())
            .sum();
        let rest = match column % 64 {
            0 => 0,
            bits => (row[column / 64].load(Relaxed) << (64 - bits)).count_ones(),
        };
        (whole + rest) as usize
    }

    /// Returns up to 64 bits of a row from `column` on; those from `end` on are zeros.
    #[inline]
    pub fn bits(&self, row: usize, column: usize, end: usize) -> u64 {
        let row = self.row(row);
        let (word, shift) = (column / 64, column % 64);
        let mut bits = row[word].load(Relaxed) >> shift;
        if shift > 0 && word + 1 < row.len() {
            bits |= row[word + 1].load(Relaxed) << (64 - shift);
        }
        match end - column {
            count @ 0..64 => bits & ((1 << count) - 1),
            _ => bits,
        }
    }

    /// Returns the number of ones.
    pub fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.load(Relaxed).count_ones()))
            .sum()
    }

    /// Estimates the matrix's memory in bytes, rather too high than too low.
    ///
    /// The system provides pages when they are first written, so pages of zeros don't count.
    pub fn memory(&self) -> u64 {
        const PAGE: usize = 4096;
        let page = match (&self.words, self.pages) {
            (Array::Large(_), Pages::Large) => 2 << 20,
            _ => PAGE,
        };
        let pages = self.words.chunks(page / 8);
        let is_touched = |page: &&[AtomicU64]| page.iter().any(|word| word.load(Relaxed) != 0);
        let touched = page * pages.filter(is_touched).count();
        let all = (8 * self.words.len()).next_multiple_of(PAGE);
        match touched {
            0 => 0,
            // The array may start anywhere in its first page.
            _ => (touched.min(all) + PAGE) as u64,
        }
    }

    /// Returns whether a rectangle is all zeros.
    pub fn is_vacant(&self, rows: Range<usize>, columns: Range<usize>) -> bool {
        rows.into_iter().all(|row| {
            columns
                .clone()
                .step_by(64)
                .all(|column| self.bits(row, column, columns.end) == 0)
        })
    }
}

/// Sets these bits of a word; other threads may set other bits at the same time.
#[inline]
pub fn or(word: &AtomicU64, ones: u64) {
    // Most bits are set many times, so reading first avoids most of the atomic operations.
    if word.load(Relaxed) & ones != ones {
        word.fetch_or(ones, Relaxed);
    }
}

/// Sets bits of a word, to which no other thread may write meanwhile.
#[inline]
pub fn or_exclusively(word: &AtomicU64, ones: u64) {
    word.store(word.load(Relaxed) | ones, Relaxed);
}

/// The reachable positions of one split.
#[derive(Debug)]
pub struct ReachedSplit {
    pub split: Split,
    /// One bit per position.
    ///
    /// The smaller side's matrix has no rows if the split is even.
    pub bits: ByMover<Arc<BitMatrix>>,
}

impl ReachedSplit {
    /// Returns the number of reachable positions in the split.
    pub fn count(&self) -> u64 {
        let both = self.bits.both().into_iter();
        both.map(|bits| bits.count()).sum()
    }

    /// Returns the matrix that an even split leaves out: the larger side's, transposed.
    ///
    /// `None` if the split isn't even.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn mirrored(&self) -> Result<Option<Arc<BitMatrix>>, SolveError> {
        let rows = self.bits.larger.rows();
        let is_even = self.split.is_even();
        let mirrored = is_even.then(|| self.bits.larger.transposed(rows, rows));
        Ok(mirrored.transpose()?.map(Arc::new))
    }
}

/// The reachable positions of one layer.
#[derive(Debug)]
pub struct ReachedLayer {
    /// The layer's splits, by the smaller side's seeds from 1 on.
    pub splits: Vec<ReachedSplit>,
}

impl ReachedLayer {
    /// Returns a layer of matrices that `matrix` makes with this many rows and columns.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn of(
        arrangements: &Arrangements,
        seeds: usize,
        matrix: impl Fn(usize, usize) -> Result<BitMatrix, SolveError>,
    ) -> Result<ReachedLayer, SolveError> {
        let splits = Split::of_layer(seeds)
            .map(|split| {
                let rows = arrangements.count(split.larger);
                let columns = arrangements.count(split.smaller);
                Ok(ReachedSplit {
                    split,
                    bits: ByMover {
                        larger: Arc::new(matrix(rows, columns)?),
                        smaller: Arc::new(matrix(if split.is_even() { 0 } else { rows }, columns)?),
                    },
                })
            })
            .collect::<Result<_, SolveError>>()?;
        Ok(ReachedLayer { splits })
    }

    /// Returns the matrix that contains a place.
    pub fn matrix(&self, place: LinePlace) -> &BitMatrix {
        &self.splits[place.split.smaller - 1].bits[place.mover]
    }

    /// Returns the number of reachable positions in the layer.
    pub fn count(&self) -> u64 {
        self.splits.iter().map(ReachedSplit::count).sum()
    }
}

/// Number of words per chunk of a matrix, at most.
const PART: usize = 1 << 13;

/// Number of chunks in a gzip member, and number of members in memory at a time.
const PARTS: usize = 16;
const MEMBERS: usize = 16;

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Better compression gains little for these bits, so favour speed.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn parts(layers: &[ReachedLayer]) -> impl Iterator<Item = &[AtomicU64]> {
    let splits = layers.iter().flat_map(|layer| &layer.splits);
    let matrices = splits.flat_map(|split| split.bits.both());
    matrices.flat_map(|matrix| matrix.words().chunks(PART))
}

/// Writes the bits of all layers, of which `top` is the highest one not yet processed.
///
/// # Errors
/// If `out` fails.
pub fn write_bits(
    out: &mut dyn Write,
    rules: &str,
    top: usize,
    layers: &[ReachedLayer],
) -> io::Result<()> {
    let head = [&(top as u64).to_le_bytes(), rules.as_bytes()].concat();
    out.write_all(&compress(&head)?)?;
    let parts: Vec<&[AtomicU64]> = parts(layers).collect();
    for batch in parts.chunks(PARTS * MEMBERS) {
        let member = |parts: &&[&[AtomicU64]]| {
            let words = parts.iter().copied().flatten();
            let bytes = words.flat_map(|word| word.load(Relaxed).to_le_bytes());
            compress(&bytes.collect::<Vec<u8>>())
        };
        let members: Vec<_> = batch.chunks(PARTS).collect();
        for member in map_of(&members, member) {
            out.write_all(&member?)?;
        }
    }
    Ok(())
}

/// Reads the bits of all layers into blank layers; returns the highest one not yet processed.
///
/// # Errors
/// If `input` fails, or if it isn't what [`write_bits`] wrote for the same rules. Some bits may be
/// set then.
pub fn read_bits(input: &mut dyn Read, rules: &str, layers: &[ReachedLayer]) -> io::Result<usize> {
    let mut input = MultiGzDecoder::new(input);
    let (mut top, mut of) = ([0; 8], vec![0; rules.len()]);
    input.read_exact(&mut top)?;
    input.read_exact(&mut of)?;
    let top = u64::from_le_bytes(top) as usize;
    if of != rules.as_bytes() || !(1..layers.len() - 1).contains(&top) {
        return Err(io::Error::other("it is of another game"));
    }
    let mut bytes = vec![[0; 8]; PART];
    for words in parts(layers) {
        let bytes = &mut bytes[..words.len()];
        input.read_exact(bytes.as_flattened_mut())?;
        for (word, bytes) in words.iter().zip(bytes) {
            // Don't write zeros, because untouched pages take no memory.
            match u64::from_le_bytes(*bytes) {
                0 => {}
                ones => word.store(ones, Relaxed),
            }
        }
    }
    // Only reading to the end makes the decoder check the last checksum.
    match input.read(&mut [0])? {
        0 => Ok(top),
        _ => Err(io::Error::other("more than there should be")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_agree_with_a_list_of_pairs() {
        let (rows, columns) = (5, 203);
        let matrix = BitMatrix::new(rows, columns, Pages::Small).unwrap();
        let is_one = |row: usize, column: usize| (row * 31 + column * column) % 7 < 3;
        for row in 0..rows {
            for column in (0..columns).filter(|&column| is_one(row, column)) {
                matrix.set_exclusively(row, column);
            }
        }
        let mirrored = matrix.transposed(columns, rows).unwrap();
        for row in 0..rows {
            let ones: Vec<u32> = (0..columns as u32)
                .filter(|&column| is_one(row, column as usize))
                .collect();
            let mut found = Vec::new();
            matrix.ones_of_row(row, &mut found);
            assert_eq!(found, ones);
            for column in 0..columns {
                let one = u64::from(is_one(row, column));
                assert_eq!(matrix.bits(row, column, column + 1), one);
                assert_eq!(mirrored.bits(column, row, row + 1), one);
                let before = ones.iter().filter(|&&one| (one as usize) < column).count();
                assert_eq!(matrix.ones_before(row, column), before);
                for end in [column + 1, column + 17, column + 64, columns] {
                    let end = end.min(columns);
                    let bits: u64 = (column..end.min(column + 64))
                        .filter(|&at| is_one(row, at))
                        .map(|at| 1u64 << (at - column))
                        .sum();
                    assert_eq!(matrix.bits(row, column, end), bits);
                }
            }
        }
        assert!(!matrix.is_vacant(0..rows, 0..columns));
        assert!(
            BitMatrix::new(3, 70, Pages::Small)
                .unwrap()
                .is_vacant(0..3, 0..70)
        );
    }

    #[test]
    fn refused_memory_is_an_error() {
        let new = |rows, columns| BitMatrix::new(rows, columns, Pages::Large);
        for matrix in [new, BitMatrix::full] {
            let error = matrix(1 << 40, 1 << 30).unwrap_err();
            assert!(matches!(error, SolveError::NoMemory { bytes } if bytes >= 1 << 60));
            assert!(matrix(usize::MAX, usize::MAX).is_err());
        }
    }
}
