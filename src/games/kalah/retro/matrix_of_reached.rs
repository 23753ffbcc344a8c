//! A matrix that stores the codes of reachable positions only.

use super::bits::BitMatrix;
use super::plane::Plane;
use std::ops::Range;
use std::sync::Arc;

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
