//! One bit a class: which of a split's positions can be reached.

use super::lines::{Line, Place, Run};
use crate::game::SolveError;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A matrix of bits; every row starts at a word of its own.
#[derive(Debug)]
pub struct BitMatrix {
    words_a_row: usize,
    words: Box<[AtomicU64]>,
}

impl BitMatrix {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn new(rows: usize, columns: usize) -> Result<BitMatrix, SolveError> {
        let words_a_row = columns.div_ceil(64);
        let count = rows.saturating_mul(words_a_row);
        let words = bytemuck::allocation::try_zeroed_slice_box(count);
        let words = words.map_err(|()| SolveError::NoMemory {
            bytes: (count as u64).saturating_mul(8),
        })?;
        Ok(BitMatrix { words_a_row, words })
    }

    /// A matrix of ones.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn full(rows: usize, columns: usize) -> Result<BitMatrix, SolveError> {
        let matrix = BitMatrix::new(rows, columns)?;
        for row in 0..rows {
            for (number, word) in matrix.row(row).iter().enumerate() {
                let bits = columns - 64 * number;
                word.store(if bits >= 64 { !0 } else { (1 << bits) - 1 }, Relaxed);
            }
        }
        Ok(matrix)
    }

    /// The matrix mirrored at its diagonal; `rows` is the number of rows of the mirrored one.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn transposed(&self, rows: usize, columns: usize) -> Result<BitMatrix, SolveError> {
        let mirrored = BitMatrix::new(rows, columns)?;
        let mut ones = Vec::new();
        for column in 0..columns {
            ones.clear();
            self.ones_of_row(column, &mut ones);
            for &row in &ones {
                mirrored.set_exclusively(row as usize, column);
            }
        }
        Ok(mirrored)
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.words.len().checked_div(self.words_a_row).unwrap_or(0)
    }

    /// All words, row by row.
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// The words of one row, lowest bit first.
    #[must_use]
    pub fn row(&self, row: usize) -> &[AtomicU64] {
        &self.words[row * self.words_a_row..][..self.words_a_row]
    }

    /// Sets a bit; other threads may set bits of this matrix at the same time.
    pub fn set(&self, row: usize, column: usize) {
        or(&self.row(row)[column / 64], 1 << (column % 64));
    }

    /// Sets a bit while no other thread writes to this matrix.
    pub fn set_exclusively(&self, row: usize, column: usize) {
        or_exclusively(&self.row(row)[column / 64], 1 << (column % 64));
    }

    /// Sets in one row all bits of another row of as many columns; other threads may set bits at
    /// the same time.
    pub fn set_all(&self, row: usize, ones: &[AtomicU64]) {
        for (word, new) in self.row(row).iter().zip(ones) {
            or(word, new.load(Relaxed));
        }
    }

    /// The same while no other thread writes to this matrix.
    pub fn set_all_exclusively(&self, row: usize, ones: &[AtomicU64]) {
        for (word, new) in self.row(row).iter().zip(ones) {
            or_exclusively(word, new.load(Relaxed));
        }
    }

    /// Appends the columns of a row's ones, ascending.
    pub fn ones_of_row(&self, row: usize, ones: &mut Vec<u32>) {
        for (number, word) in self.row(row).iter().enumerate() {
            let mut bits = word.load(Relaxed);
            while bits != 0 {
                ones.push(64 * number as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// How many ones a row has in its columns before this one.
    #[must_use]
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

    /// Up to 64 bits of a row from this column on, those from `end` on cleared.
    #[must_use]
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

    /// How many ones there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.load(Relaxed).count_ones()))
            .sum()
    }

    /// How many of the groups of so many words are not all zeros.
    #[must_use]
    pub fn pages(&self, words: usize) -> usize {
        self.words
            .chunks(words)
            .filter(|page| page.iter().any(|word| word.load(Relaxed) != 0))
            .count()
    }

    /// Whether a rectangle is all zeros.
    #[must_use]
    pub fn is_vacant(&self, rows: Range<usize>, columns: Range<usize>) -> bool {
        rows.into_iter().all(|row| {
            columns
                .clone()
                .step_by(64)
                .all(|column| self.bits(row, column, columns.end) == 0)
        })
    }
}

/// Sets these bits of a word; other threads may set others at the same time.
pub fn or(word: &AtomicU64, ones: u64) {
    // Most bits are set many times over: a look first saves most of the locked operations.
    if word.load(Relaxed) & ones != ones {
        word.fetch_or(ones, Relaxed);
    }
}

fn or_exclusively(word: &AtomicU64, ones: u64) {
    word.store(word.load(Relaxed) | ones, Relaxed);
}

/// The reachable positions of one split.
#[derive(Debug)]
pub struct ReachedSplit {
    /// Which split.
    pub split: Split,
    /// A bit each; the poor side's matrix is without rows if the split is even.
    pub bits: ByMover<BitMatrix>,
}

impl ReachedSplit {
    /// Of an even split the matrix that it leaves out: the rich side's, mirrored.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn mirrored(&self) -> Result<Option<BitMatrix>, SolveError> {
        let rows = self.bits.rich.rows();
        let is_even = self.split.is_even();
        is_even
            .then(|| self.bits.rich.transposed(rows, rows))
            .transpose()
    }
}

/// The reachable positions of one layer.
#[derive(Debug)]
pub struct ReachedLayer {
    /// One entry a split, by the poor side's seeds from 1 on.
    pub splits: Vec<ReachedSplit>,
}

impl ReachedLayer {
    /// A layer of which nothing is reached.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn new(arrangements: &Arrangements, seeds: usize) -> Result<ReachedLayer, SolveError> {
        ReachedLayer::of(arrangements, seeds, BitMatrix::new)
    }

    /// A layer of which all is reached.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn full(arrangements: &Arrangements, seeds: usize) -> Result<ReachedLayer, SolveError> {
        ReachedLayer::of(arrangements, seeds, BitMatrix::full)
    }

    fn of(
        arrangements: &Arrangements,
        seeds: usize,
        matrix: fn(usize, usize) -> Result<BitMatrix, SolveError>,
    ) -> Result<ReachedLayer, SolveError> {
        let splits = Split::of_layer(seeds)
            .map(|split| {
                let rows = arrangements.count(split.rich);
                let columns = arrangements.count(split.poor);
                Ok(ReachedSplit {
                    split,
                    bits: ByMover {
                        rich: matrix(rows, columns)?,
                        poor: matrix(if split.is_even() { 0 } else { rows }, columns)?,
                    },
                })
            })
            .collect::<Result<_, SolveError>>()?;
        Ok(ReachedLayer { splits })
    }

    /// The matrix that holds a place.
    #[must_use]
    pub fn matrix(&self, place: Place) -> &BitMatrix {
        &self.splits[place.split.poor - 1].bits[place.mover]
    }

    /// How many positions of the layer are reached.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.splits
            .iter()
            .flat_map(|split| split.bits.both())
            .map(BitMatrix::count)
            .sum()
    }
}

/// A line of bits to be set, found once for many columns.
#[derive(Clone, Copy)]
pub struct BitLine<'a>(Option<(&'a BitMatrix, Run)>);

impl<'a> BitLine<'a> {
    /// The line in the layers, by seeds on the board; setting bits of a finished line does nothing.
    #[must_use]
    pub fn find(layers: &'a [ReachedLayer], line: Line) -> BitLine<'a> {
        BitLine(
            line.place()
                .map(|place| (layers[line.seeds()].matrix(place), place.run)),
        )
    }

    /// Sets the bit of one arrangement of the free side.
    pub fn set(&self, free: usize) {
        match self.0 {
            None => {}
            Some((matrix, Run::Row(row))) => matrix.set(row, free),
            Some((matrix, Run::Column(column))) => matrix.set(free, column),
        }
    }

    /// Sets the bits of these arrangements of the free side, given as words and as a list.
    pub fn set_all(&self, ones: &[AtomicU64], list: &[u32]) {
        match self.0 {
            None => {}
            Some((matrix, Run::Row(row))) => matrix.set_all(row, ones),
            Some((matrix, Run::Column(column))) => {
                for &free in list {
                    matrix.set(free as usize, column);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_agree_with_a_list_of_pairs() {
        let (rows, columns) = (5, 203);
        let matrix = BitMatrix::new(rows, columns).unwrap();
        let is_one = |row: usize, column: usize| (row * 31 + column * column) % 7 < 3;
        for row in 0..rows {
            for column in (0..columns).filter(|&column| is_one(row, column)) {
                matrix.set(row, column);
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
        assert!(BitMatrix::new(3, 70).unwrap().is_vacant(0..3, 0..70));
    }

    #[test]
    fn what_the_system_does_not_give_is_an_error() {
        for matrix in [BitMatrix::new, BitMatrix::full] {
            let error = matrix(1 << 40, 1 << 30).unwrap_err();
            assert!(matches!(error, SolveError::NoMemory { bytes } if bytes >= 1 << 60));
            assert!(matrix(usize::MAX, usize::MAX).is_err());
        }
    }
}
