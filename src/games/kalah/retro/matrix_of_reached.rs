//! A matrix of the codes of reachable positions only.

use super::bits::BitMatrix;
use super::packed::PackedRow;
use super::store::Store;
use super::together::Travels;
use crate::game::SolveError;
use crate::game::scratch::Piece;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The codes of one matrix's reachable positions, in the order of their bits.
#[derive(Debug, Default)]
pub struct SparseMatrix {
    pub(super) starts: Vec<u64>,
    /// Row by row, unless they are in a file.
    pub codes: Vec<u8>,
    pub(super) file: Option<Arc<Piece>>,
}

impl SparseMatrix {
    /// Room for the codes of these positions.
    #[must_use]
    pub fn new(reached: &BitMatrix) -> SparseMatrix {
        SparseMatrix {
            starts: Vec::with_capacity(reached.rows() + 1),
            codes: Vec::with_capacity(reached.count() as usize),
            file: None,
        }
    }

    /// The codes of the next row start here.
    pub fn end_row(&mut self) {
        self.starts.push(self.codes.len() as u64);
    }

    /// Where the codes of each row start, and the last of them ends.
    pub(super) fn starts(reached: &BitMatrix) -> Vec<u64> {
        let mut starts = vec![0];
        let mut count = 0;
        for row in 0..reached.rows() {
            let ones = reached.row(row).iter();
            count += ones
                .map(|word| u64::from(word.load(Relaxed).count_ones()))
                .sum::<u64>();
            starts.push(count);
        }
        starts
    }

    /// A zero for each of these positions.
    pub(super) fn blank(reached: &BitMatrix) -> SparseMatrix {
        let starts = SparseMatrix::starts(reached);
        let count = starts.last().map_or(0, |&end| end as usize);
        SparseMatrix {
            starts,
            codes: vec![0; count],
            file: None,
        }
    }

    /// All codes, row by row.
    pub(super) fn all(&self) -> &[u8] {
        match &self.file {
            Some(piece) => piece,
            None => &self.codes,
        }
    }

    /// The same, with the codes in a store.
    pub(super) fn stored(mut self, store: &Store, name: &str) -> Result<Self, SolveError> {
        self.file = store.write(name, &[&self.codes])?;
        if self.file.is_some() {
            self.codes = Vec::new();
        }
        Ok(self)
    }

    /// What was kept of these positions under a name.
    pub(super) fn found(reached: &BitMatrix, store: &Store, name: &str) -> Option<SparseMatrix> {
        let piece = store.find(name)?;
        let matrix = SparseMatrix {
            starts: SparseMatrix::starts(reached),
            codes: Vec::new(),
            file: Some(piece),
        };
        (matrix.all().len() as u64 == *matrix.starts.last()?).then_some(matrix)
    }

    /// The codes of one row's reachable positions.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u8] {
        let end = self
            .starts
            .get(row + 1)
            .map_or(self.all().len(), |&end| end as usize);
        &self.all()[self.starts[row] as usize..end]
    }

    /// The code of a reachable position; some code or 0 if it is not one.
    #[must_use]
    pub fn get(&self, reached: &BitMatrix, row: usize, column: usize) -> u8 {
        let place = self.starts[row] as usize + reached.ones_before(row, column);
        self.all().get(place).copied().unwrap_or(0)
    }

    /// The codes of a whole row, with 0 where a position can't be reached.
    pub fn unpack(&self, reached: &BitMatrix, row: usize, codes: &mut Vec<u8>) {
        let words = reached.row(row);
        codes.clear();
        codes.resize(64 * words.len(), 0);
        let mut of_ones = self.row(row).iter();
        for (word, codes) in words.iter().zip(codes.chunks_mut(64)) {
            let mut ones = word.load(Relaxed);
            while ones != 0 {
                codes[ones.trailing_zeros() as usize] = *of_ones.next().expect("one for each bit");
                ones &= ones - 1;
            }
        }
    }

    /// Of these codes, row by row, those of the reachable positions.
    pub(super) fn of_reached(codes: &[u8], columns: usize, reached: &BitMatrix) -> SparseMatrix {
        let mut matrix = SparseMatrix::new(reached);
        if codes.is_empty() {
            return matrix;
        }
        for (row, codes) in codes.chunks(columns).enumerate() {
            matrix.end_row();
            for (word, codes) in reached.row(row).iter().zip(codes.chunks(64)) {
                let mut ones = word.load(Relaxed);
                while ones != 0 {
                    matrix.codes.push(codes[ones.trailing_zeros() as usize]);
                    ones &= ones - 1;
                }
            }
        }
        matrix.end_row();
        matrix
    }
}

impl Travels for SparseMatrix {
    fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        PackedRow::put_codes(self.row(row), out);
    }
}
