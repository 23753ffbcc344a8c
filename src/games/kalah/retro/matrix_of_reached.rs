//! A matrix of the codes of reachable positions only.

use super::bits::BitMatrix;
use super::plane::Plane;
use super::store::{Bytes, Store};
use crate::game::SolveError;
use crate::game::scratch::Part;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The codes of one matrix's reachable positions, in the order of their bits.
#[derive(Debug)]
pub struct ReachedMatrix {
    reached: Arc<BitMatrix>,
    /// Where the codes of each row start, and the last of them ends.
    starts: Vec<u64>,
    pub(super) codes: Bytes,
}

impl ReachedMatrix {
    /// A zero for each of these positions.
    #[must_use]
    pub fn blank(reached: &Arc<BitMatrix>) -> ReachedMatrix {
        let starts = starts(reached);
        let count = starts.last().map_or(0, |&end| end as usize);
        ReachedMatrix {
            reached: Arc::clone(reached),
            starts,
            // Large pages would take somewhat more memory, and it is written in one go.
            codes: Bytes::Here(Plane::Small(vec![0; count])),
        }
    }

    /// The same, with the codes in a store.
    pub(super) fn stored(mut self, store: &Store, name: &str) -> Result<Self, SolveError> {
        if let Some(piece) = store.write(name, &[&self.codes])? {
            self.codes = Bytes::There(Part::new(&piece, 0..piece.len()));
        }
        Ok(self)
    }

    /// What was kept of these positions under a name.
    pub(super) fn found(
        reached: &Arc<BitMatrix>,
        store: &Store,
        name: &str,
    ) -> Option<ReachedMatrix> {
        let piece = store.find(name)?;
        let starts = starts(reached);
        let is_whole = piece.len() as u64 == *starts.last()?;
        is_whole.then(|| ReachedMatrix {
            reached: Arc::clone(reached),
            starts,
            codes: Bytes::There(Part::new(&piece, 0..piece.len())),
        })
    }

    fn place(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The codes of one row's reachable positions.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u8] {
        &self.codes[self.place(row)]
    }

    /// The same to be written to, while they are in memory.
    pub fn row_mut(&mut self, row: usize) -> &mut [u8] {
        let place = self.place(row);
        &mut self.codes.here_mut()[place]
    }

    /// The code of a reachable position; some code or 0 if it is not one.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> u8 {
        let place = self.starts[row] as usize + self.reached.ones_before(row, column);
        self.codes.get(place).copied().unwrap_or(0)
    }

    /// The codes of a whole row, with 0 where a position can't be reached.
    pub fn unpack(&self, row: usize, codes: &mut Vec<u8>) {
        codes.clear();
        codes.resize(64 * self.reached.row(row).len(), 0);
        let mut of_ones = self.row(row).iter();
        self.reached.for_each_one(row, |column| {
            codes[column] = *of_ones.next().expect("one for each bit");
        });
    }

    /// Takes those of the reachable positions from the codes of a whole row.
    pub(super) fn pick(&mut self, row: usize, codes: &[u8]) {
        let reached = Arc::clone(&self.reached);
        let mut of_ones = self.row_mut(row).iter_mut();
        reached.for_each_one(row, |column| {
            *of_ones.next().expect("one for each bit") = codes[column];
        });
    }
}

fn starts(reached: &BitMatrix) -> Vec<u64> {
    let mut starts = Vec::with_capacity(reached.rows() + 1);
    starts.push(0);
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
