//! The layers that are solved: which codes are kept of them, and where.

use super::bits::{ReachedLayer, ReachedSplit};
use super::codes::{Codes, DenseSplit, Solved};
use super::lines::Place;
use super::matrix::{Matrices, Matrix};
use super::matrix_of_reached::SparseMatrix;
use super::packed::PackedRow;
use super::plane::Plane;
use super::store::{Store, name_of};
use super::together::Arrives;
use crate::game::SolveError;
use crate::game::scratch::{Piece, Scratch};
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// What files of such codes are called.
const FORM: &str = "reachable";

/// Such a matrix that is being made from rows of another process.
#[derive(Debug)]
pub struct ArrivingCodes<'a> {
    matrix: SparseMatrix,
    rows: usize,
    /// Where it is to be kept, and its name there.
    store: Option<(&'a Store, String)>,
}

impl<'a> ArrivingCodes<'a> {
    /// The codes of one side to move in a split, kept in a store if there is one.
    #[must_use]
    pub fn new(
        reached: &ReachedSplit,
        mover: Mover,
        store: Option<&'a Store>,
    ) -> ArrivingCodes<'a> {
        ArrivingCodes {
            matrix: SparseMatrix::blank(&reached.bits[mover]),
            rows: 0,
            store: store.map(|store| (store, name_of(FORM, reached.split, mover))),
        }
    }

    fn next(&self) -> Range<usize> {
        let start = |row: usize| {
            self.matrix
                .starts
                .get(row)
                .map_or(0, |&start| start as usize)
        };
        start(self.rows)..start(self.rows + 1)
    }
}

impl Arrives for ArrivingCodes<'_> {
    type Matrix = SparseMatrix;

    fn codes(&self) -> usize {
        self.next().len()
    }

    fn push(&mut self, row: PackedRow<'_>) {
        let next = self.next();
        row.unpack(&mut self.matrix.codes[next]);
        self.rows += 1;
    }

    fn finish(self) -> Result<SparseMatrix, SolveError> {
        match self.store {
            Some((store, name)) => self.matrix.stored(store, &name),
            None => Ok(self.matrix),
        }
    }
}

/// The codes of one split's reachable positions; none with the poor side to move if it is even.
pub type SparseSplit = ByMover<SparseMatrix>;

/// Of a solved split the codes of the reachable positions, kept in a store.
///
/// # Errors
/// Those of the store.
pub fn sparse(
    split: DenseSplit,
    reached: &ReachedSplit,
    store: &Store,
) -> Result<SparseSplit, SolveError> {
    let DenseSplit {
        split,
        codes,
        columns,
    } = split;
    // One after the other, so that the first are gone when the second are picked out.
    let pick = |codes: Plane, mover| {
        let matrix = SparseMatrix::of_reached(&codes, columns, &reached.bits[mover]);
        drop(codes);
        matrix.stored(store, &name_of(FORM, split, mover))
    };
    Ok(SparseSplit {
        rich: pick(codes.rich, Mover::Rich)?,
        poor: pick(codes.poor, Mover::Poor)?,
    })
}

/// What [`sparse`] has kept of a split in an earlier run.
pub fn found(split: Split, reached: &ReachedSplit, store: &Store) -> Option<SparseSplit> {
    let found =
        |mover| SparseMatrix::found(&reached.bits[mover], store, &name_of(FORM, split, mover));
    Some(SparseSplit {
        rich: found(Mover::Rich)?,
        poor: match split.is_even() {
            true => SparseMatrix::blank(&reached.bits.poor),
            false => found(Mover::Poor)?,
        },
    })
}

/// The codes of one layer's reachable positions.
#[derive(Debug)]
pub struct SparseLayer {
    /// One entry a split, by the poor side's seeds from 1 on.
    pub splits: Vec<SparseSplit>,
}

impl SparseLayer {
    /// A layer with the code 0 for each of these positions.
    #[must_use]
    pub fn blank(reached: &ReachedLayer) -> SparseLayer {
        let splits = reached
            .splits
            .par_iter()
            .map(|split| SparseSplit {
                rich: SparseMatrix::blank(&split.bits.rich),
                poor: SparseMatrix::blank(&split.bits.poor),
            })
            .collect();
        SparseLayer { splits }
    }

    /// All codes, a matrix after the other.
    pub fn codes(&self) -> impl Iterator<Item = &[u8]> {
        self.splits
            .iter()
            .flat_map(ByMover::both)
            .map(SparseMatrix::all)
    }

    /// The same to be written to.
    pub fn codes_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.splits
            .iter_mut()
            .flat_map(|split| [&mut split.rich.codes[..], &mut split.poor.codes])
    }

    fn matrix(&self, split: Split, mover: Mover) -> &SparseMatrix {
        &self.splits[split.poor - 1][mover]
    }
}

/// All layers solved so far: dense ones from the bottom up, then sparse ones.
#[derive(Debug, Default)]
pub struct Layers {
    /// The layers of 0, 1, 2, … seeds.
    pub dense: Vec<Matrices>,
    /// Those that follow.
    pub sparse: Vec<SparseLayer>,
    /// Where some of them are, if not in memory.
    pub scratch: Option<Arc<Scratch>>,
}

impl Layers {
    /// How many: the next one's seeds on the board.
    #[must_use]
    pub fn count(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    /// Keeps what has been read of files from piling up; see [`Scratch::look`].
    pub fn look(&self) {
        if let Some(scratch) = &self.scratch {
            scratch.look();
        }
    }

    /// Makes sure that the codes which are in files are still those that were written.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn check(&self) -> Result<(), SolveError> {
        let dense = self.dense.iter().flatten().flat_map(ByMover::both);
        let sparse = self.sparse.iter().flat_map(|layer| &layer.splits);
        let sparse = sparse.flat_map(ByMover::both);
        let pieces: Vec<&Piece> = dense
            .filter_map(Matrix::piece)
            .chain(sparse.filter_map(|matrix| matrix.file.as_deref()))
            .collect();
        pieces.par_iter().try_for_each(|piece| piece.check())
    }

    /// The file that holds the codes of one side to move in a split.
    #[must_use]
    pub fn piece(&self, split: Split, mover: Mover) -> Option<&Piece> {
        match split.seeds().checked_sub(self.dense.len()) {
            None => self.dense[split.seeds()][split.poor - 1][mover].piece(),
            Some(sparse) => self.sparse[sparse].matrix(split, mover).file.as_deref(),
        }
    }
}

/// Solved layers together with the bits that number the positions of the sparse ones.
#[derive(Clone, Copy)]
pub struct Below<'a> {
    /// The layers.
    pub layers: &'a Layers,
    /// Which positions can be reached, of these layers at least.
    pub reached: &'a [ReachedLayer],
}

impl Solved for Below<'_> {
    fn count(&self) -> usize {
        self.layers.count()
    }

    fn codes(&self, seeds: usize, place: Place) -> Codes<'_> {
        match seeds.checked_sub(self.layers.dense.len()) {
            None => self.layers.dense.codes(seeds, place),
            Some(sparse) => {
                let matrix = self.layers.sparse[sparse].matrix(place.split, place.mover);
                Codes::Sparse(matrix, self.reached[seeds].matrix(place), place.run)
            }
        }
    }

    fn look(&self) {
        self.layers.look();
    }
}
