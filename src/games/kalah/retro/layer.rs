//! Solves one layer, with the work shared between all processes.

use super::bits::ReachedSplit;
use super::dense::{self, Known};
use super::layers::{KalahScores, Layers};
use super::matrix::{Keeping, Matrices, Matrix};
use super::memory::Form;
use super::needs::Forms;
use super::sparse;
use super::steps::Steps;
use super::store::Store;
use super::together;
use crate::game::{Progress, SolveError, Team};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use crate::pool::map_of;

/// The context for solving one layer after the other.
pub(super) struct Solving<'a> {
    pub(super) steps: &'a Steps,
    pub(super) forms: Forms,
    pub(super) store: Option<&'a Store>,
    pub(super) progress: &'a dyn Progress,
    pub(super) peers: &'a Team<'a>,
}

impl Solving<'_> {
    /// Solves the next layer.
    pub(super) fn layer(&self, scores: &mut KalahScores) -> Result<(), SolveError> {
        let KalahScores {
            reached, layers, ..
        } = scores;
        let seeds = layers.count();
        let form = self.forms.of(seeds);
        let keeping = Keeping {
            arrangements: &self.steps.arrangements,
            form,
            reached: &reached[seeds].splits,
            store: match form {
                Form::Sparse => None,
                Form::Bytes | Form::Packed | Form::Picked => self.store,
            },
        };
        let layer = self.solve(layers, &keeping)?;
        layers.layers.push(layer);
        match self.store {
            Some(store) => self.check(layers, seeds, store),
            None => Ok(()),
        }
    }

    /// Checks, in all processes, that the files still hold the codes written to them.
    ///
    /// Called when a layer is complete, so that no code computed from damaged files gets into the
    /// table or into a later run.
    fn check(&self, layers: &Layers, seeds: usize, store: &Store) -> Result<(), SolveError> {
        match self.peers.all_gather(layers.check().map(|()| [])) {
            Ok(_) => store.is_sound(seeds),
            Err(stop @ (SolveError::Interrupted | SolveError::Lost)) => Err(stop),
            Err(error) => {
                // If the files can't be removed now, a later run removes them.
                let _ = store.forget();
                Err(error)
            }
        }
    }

    /// Solves the splits of the next layer, except those saved by an earlier run.
    fn solve(&self, layers: &Layers, keeping: &Keeping) -> Result<Matrices, SolveError> {
        let (steps, progress) = (self.steps, self.progress);
        let splits: Vec<Split> = Split::of_layer(layers.count()).collect();
        let mut here: Vec<Option<ByMover<Matrix>>> = map_of(&splits, |&split| keeping.found(split));
        // Estimate the work per split: dense layers solve all slots, sparse ones the reachable
        // positions.
        let is_sparse = keeping.form == Form::Sparse;
        let slots = |&split: &Split| together::slots_of(&steps.arrangements, split);
        let work: Vec<u64> = match is_sparse {
            true => map_of(keeping.reached, ReachedSplit::count),
            false => splits.iter().map(slots).collect(),
        };
        // Count the splits of an earlier run as done.
        let has: Vec<bool> = here.iter().map(Option::is_some).collect();
        let there = work.iter().zip(&has).filter(|(_, has)| **has);
        progress.advance(there.map(|(work, _)| work).sum());
        // Divide the remaining splits between the processes and solve those of this process.
        let dealt = together::share(self.peers, &has, &work)?;
        let mine = dealt.mine.iter().copied();
        let solved = match is_sparse {
            true => {
                let mine: Vec<_> = mine.map(|split| &keeping.reached[split]).collect();
                sparse::solve_splits(steps, layers, &mine, progress)?
            }
            false => {
                let mine: Vec<Split> = mine.map(|split| splits[split]).collect();
                let none = |_| Ok::<_, SolveError>(Known::default());
                let keep = |split, solved| keeping.keep(split, solved);
                dense::solve_splits(steps, layers, &mine, progress, none, keep)?
            }
        };
        // Exchange the solved splits, so that every process has the whole layer.
        for (&split, solved) in dealt.mine.iter().zip(solved) {
            here[split] = Some(solved);
        }
        let came = |split: Split| progress.advance(work[split.poor - 1]);
        dealt.pass_on(keeping, &splits, here, came, || layers.look())
    }
}

/// Returns the number of positions to solve in each layer.
pub(super) fn work(
    arrangements: &Arrangements,
    counts: &[u64],
    dense_up_to: usize,
) -> impl Iterator<Item = u64> {
    let layers = (0..).zip(counts);
    let slots = |split| together::slots_of(arrangements, split);
    layers.map(move |(seeds, &count)| match seeds <= dense_up_to {
        true => Split::of_layer(seeds).map(slots).sum(),
        false => count,
    })
}
