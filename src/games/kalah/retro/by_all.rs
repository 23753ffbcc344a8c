//! A layer that is solved by all processes together.

use super::bits::ReachedSplit;
use super::codes::{DenseSplit, Solved};
use super::dense;
use super::layers::{ArrivingCodes, Below, SparseSplit};
use super::memory::LayerMemory;
use super::sparse;
use super::steps::Steps;
use super::together::{self, Arrives};
use crate::game::peers::Peers;
use crate::game::{Progress, SolveError};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use rayon::prelude::*;

/// A layer that is solved by all processes together.
pub(super) struct Together<'a> {
    pub(super) peers: &'a dyn Peers,
    pub(super) steps: &'a Steps,
    pub(super) splits: &'a [Split],
    pub(super) progress: &'a dyn Progress,
    /// How many positions the first process has just had to write.
    pub(super) written: u64,
    /// Whether nobody has anything of an earlier run, which all know.
    pub(super) is_fresh: bool,
}

/// To write a position takes about so many times the time of solving one among all, and of solving
/// one by itself.
pub(super) const WRITE_COST: (u64, u64) = (3, 2);

pub(super) const WRITE_COST_SPARSE: (u64, u64) = (1, 25);

impl Together<'_> {
    /// By solving all positions.
    pub(super) fn densely<A: Arrives>(
        &self,
        below: Below,
        found: Vec<Option<ByMover<A::Matrix>>>,
        keep: impl Fn(DenseSplit) -> Result<ByMover<A::Matrix>, SolveError> + Sync,
        begin: impl Fn(usize, Mover) -> Result<A, SolveError> + Sync,
    ) -> Result<Vec<ByMover<A::Matrix>>, SolveError> {
        let (steps, progress) = (self.steps, self.progress);
        let slots = |&split: &Split| together::slots_of(&steps.arrangements, split);
        let work: Vec<u64> = self.splits.iter().map(slots).collect();
        let solve =
            |splits: &[Split]| dense::solve_some_splits(steps, &below, splits, progress, &keep);
        self.layer(below, found, &work, WRITE_COST, solve, begin)
    }

    /// By solving the reachable ones.
    pub(super) fn sparsely<'s>(
        &self,
        below: Below,
        found: Vec<Option<SparseSplit>>,
        begin: impl Fn(usize, Mover) -> Result<ArrivingCodes<'s>, SolveError> + Sync,
    ) -> Result<Vec<SparseSplit>, SolveError> {
        let bits = &below.reached[below.layers.count()].splits;
        let work: Vec<u64> = bits.par_iter().map(ReachedSplit::count).collect();
        let solve =
            |splits: &[Split]| sparse::solve_some_splits(self.steps, below, splits, self.progress);
        self.layer(below, found, &work, WRITE_COST_SPARSE, solve, begin)
    }

    pub(super) fn layer<A: Arrives>(
        &self,
        below: Below,
        mut here: Vec<Option<ByMover<A::Matrix>>>,
        work: &[u64],
        (times, by): (u64, u64),
        solve: impl FnOnce(&[Split]) -> Result<Vec<ByMover<A::Matrix>>, SolveError>,
        begin: impl Fn(usize, Mover) -> Result<A, SolveError> + Sync,
    ) -> Result<Vec<ByMover<A::Matrix>>, SolveError> {
        let has: Vec<bool> = here.iter().map(Option::is_some).collect();
        let there = work.iter().zip(&has).filter(|(_, has)| **has);
        self.progress.advance(there.map(|(work, _)| work).sum());
        let busy = self.written * times / by;
        let dealt = match self.is_fresh {
            true => together::share_all(self.peers, work, busy),
            false => together::share(self.peers, &has, work, busy)?,
        };
        let mine: Vec<Split> = dealt.mine.iter().map(|&split| self.splits[split]).collect();
        for (&split, solved) in dealt.mine.iter().zip(solve(&mine)?) {
            here[split] = Some(solved);
        }
        let came = |split: Split| self.progress.advance(work[split.poor - 1]);
        let look = || below.look();
        dealt.pass_on(self.steps, self.splits, here, begin, came, look)
    }
}

/// How many positions are to be solved in each layer.
pub(super) fn work(
    arrangements: &Arrangements,
    counts: &[u64],
    dense_up_to: usize,
) -> impl Iterator<Item = u64> {
    let layers = (0..).zip(counts);
    layers.map(move |(seeds, &count)| match seeds <= dense_up_to {
        true => saturate(LayerMemory::new(arrangements, seeds).slots),
        false => count,
    })
}

pub(super) fn saturate(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
