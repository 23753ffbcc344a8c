//! Kalah's retrograde solver: reachable positions downwards, scores upwards.
//!
//! Each position is processed once in either direction. All processes share the work of a layer.

use super::bits::{BitMatrix, ReachedLayer, ReachedSplit, read_bits, write_bits};
use super::dense::{self, KnownCodes};
use super::distributed::{assign_splits, for_all, slots_of};
use super::layers::{KalahScores, Layers};
use super::matrix::{CodeFormat, Form, Matrices, Matrix};
use super::moves::Steps;
pub use super::resources::Forms;
use super::resources::{self, Needs};
use super::storage::Store;
use super::{reach, sparse};

use crate::game::{
    Checkpoints, Forecast, Game, Notation, OwnSolver, PhaseShare, Progress, Roots, Scores,
    SolveError, SolveOptions, SolveTimes, Team,
};
use crate::games::kalah::Kalah;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use crate::pool::{map_of, try_map};
use crate::work::Scratch;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The retrograde solver of one game of Kalah.
#[derive(Clone, Debug)]
pub struct KalahSolver {
    game: Kalah,
    /// The layers' forms; the fastest ones that fit in memory if `None`.
    pub forms: Option<Forms>,
    /// Minimum time between checkpoints; default 5 seconds.
    ///
    /// After a stop, less work than that is redone.
    pub checkpoint_after: Duration,
    /// Minimum time between checkpoints, relative to the time to write one.
    ///
    /// It applies within a phase. Default 10.
    pub checkpoint_pause: u32,
    /// Codes of fewer bytes stay in memory when others go to files; default 4096.
    pub large_file: usize,
}

impl KalahSolver {
    /// Returns the solver for a game.
    #[must_use]
    pub fn new(game: &Kalah) -> KalahSolver {
        KalahSolver {
            game: game.clone(),
            forms: None,
            checkpoint_after: Duration::from_secs(5),
            checkpoint_pause: 10,
            large_file: 1 << 12,
        }
    }
}

impl OwnSolver for KalahSolver {
    fn memory_needed(&self, threads: usize) -> u64 {
        resources::needs(&self.game, threads).least().bytes
    }

    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        let is_from_start = self.game.capabilities().solving.roots() == Roots::Start;
        is_from_start.then(|| resources::forecast(&self.game, options))
    }

    fn solve_together(
        &self,
        options: SolveOptions,
        checkpoints: &mut dyn Checkpoints,
        peers: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        let (began, progress) = (Instant::now(), peers.progress());
        let options = agreed(options, peers)?;
        let arrangements = Arc::new(Arrangements::new(self.game.pits(), self.game.total_seeds()));
        let steps = Steps::new(arrangements, self.game.parameters().empty_capture);
        // Find the reachable positions.
        let reached = self.reached(&steps, progress, checkpoints)?;
        let counts: Vec<u64> = reached.iter().map(ReachedLayer::count).collect();
        let reach = began.elapsed();

        // Choose the forms and open the files.
        let forms = self.plan(&steps, &reached, &counts, options, checkpoints, peers)?;
        let scratch = checkpoints.scratch().filter(|_| forms.in_files);
        let store = scratch.as_ref().map(|scratch| self.store(scratch, options));
        let store = store.transpose()?;
        let work: Vec<u64> = work(&steps.arrangements, &counts, forms.dense_up_to).collect();
        let classes = ("classes", counts.iter().sum());
        let weighted = PhaseShare::phase(progress, "solving", classes, work.iter().sum());
        let solving = Solving {
            steps: &steps,
            forms,
            store: store.as_ref(),
            progress: &weighted,
            peers,
        };
        let mut scores = KalahScores {
            count: counts.iter().sum(),
            reached,
            layers: Layers {
                layers: Vec::new(),
                scratch,
            },
        };
        let mut in_checkpoints = Duration::ZERO;
        // Solve the layers upwards, and write each as soon as it is solved.
        for (seeds, &count) in counts.iter().enumerate() {
            solving.layer(&mut scores)?;
            if count > 0 {
                let began = Instant::now();
                write(seeds, &mut scores, forms, checkpoints)?;
                in_checkpoints += began.elapsed();
            }
        }
        let times = SolveTimes::of(began.elapsed() - in_checkpoints, reach);
        Ok((Box::new(scores), times))
    }
}

impl KalahSolver {
    /// Chooses the layers' forms.
    fn plan(
        &self,
        steps: &Steps,
        reached: &[ReachedLayer],
        counts: &[u64],
        options: SolveOptions,
        checkpoints: &mut dyn Checkpoints,
        peers: &Team<'_>,
    ) -> Result<Forms, SolveError> {
        let scratch = checkpoints.scratch();
        let bits = reached.iter().map(resources::of_bits).collect();
        let needs = Needs {
            frees_bits: checkpoints.written().is_some(),
            has_files: scratch.is_some(),
            others: peers.size() - 1,
            ..Needs::new(&steps.arrangements, options.threads, counts.to_vec(), bits)
        };
        let plan = match self.forms {
            Some(forms) => Ok(needs.of(forms)),
            None => needs.plan(options.memory),
        };
        match plan {
            Ok(plan) => match scratch.and_then(|scratch| scratch.room()) {
                Some(free) if plan.forms.in_files && free < plan.files => Err(SolveError::Room {
                    game: self.game.name(),
                    memory: options.memory,
                    needed: plan.files,
                    free,
                }),
                _ => Ok(plan.forms),
            },
            Err(plan) => Err(SolveError::Memory {
                game: self.game.name(),
                needed: Some(plan.bytes),
                allowed: options.memory,
            }),
        }
    }

    /// Returns the reachable classes: all of them, or those reachable from the start.
    fn reached(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        checkpoints: &mut dyn Checkpoints,
    ) -> Result<Vec<ReachedLayer>, SolveError> {
        match self.game.capabilities().solving.roots() {
            Roots::Everywhere => {
                let full = |seeds| ReachedLayer::of(&steps.arrangements, seeds, BitMatrix::full);
                try_map(self.game.total_seeds() + 1, full)
            }
            Roots::Start | Roots::Opening => self.find(steps, progress, checkpoints),
        }
    }

    /// Returns the store for packed or picked codes in files.
    fn store(&self, scratch: &Arc<Scratch>, options: SolveOptions) -> Result<Store, SolveError> {
        // Leave a reserve, because `Scratch::look` detects an exceeded limit with a delay.
        scratch.limit_memory(options.memory - options.memory / 16);
        Store::new(Arc::clone(scratch), self.game.rules(), self.large_file)
    }

    /// Finds the reachable classes, resuming from a checkpoint if there is one.
    ///
    /// Every process finds all of them.
    fn find(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        checkpoints: &mut dyn Checkpoints,
    ) -> Result<Vec<ReachedLayer>, SolveError> {
        let (layers, top) = match self.saved_bits(steps, progress, checkpoints)? {
            Some(saved) => saved,
            None => {
                let layers = reach::blank(steps)?;
                let [mover, opponent] = self.game.start().pits;
                reach::mark(steps, &layers, &mover, &opponent);
                (layers, self.game.total_seeds())
            }
        };
        let mut saved_at = Instant::now();
        let mut took = Duration::ZERO;
        // Write a checkpoint if enough time has passed. The last layer needs no pause.
        reach::reach(steps, &layers, top, progress, |seeds| {
            let on_the_way = match seeds > 2 {
                true => self.checkpoint_pause * took,
                false => Duration::ZERO,
            };
            if saved_at.elapsed() < self.checkpoint_after.max(on_the_way) {
                return Ok(());
            }
            let began = Instant::now();
            let rules = self.game.rules();
            let write = &mut |out: &mut dyn io::Write| write_bits(out, &rules, seeds - 1, &layers);
            checkpoints.save(BITS, write)?;
            took = began.elapsed();
            saved_at = Instant::now();
            Ok(())
        })?;
        Ok(layers)
    }

    /// Returns a checkpoint's bits, and the highest layer not yet processed.
    fn saved_bits(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        checkpoints: &mut dyn Checkpoints,
    ) -> Result<Option<(Vec<ReachedLayer>, usize)>, SolveError> {
        let Some(mut piece) = checkpoints.saved(BITS) else {
            return Ok(None);
        };
        let layers = reach::blank(steps)?;
        match read_bits(&mut piece, &self.game.rules(), &layers) {
            Ok(top) => {
                let which = match top {
                    1 => String::new(),
                    _ => format!(" of more than {top} seeds"),
                };
                progress.note(&format!(
                    "reachable positions{which}: kept from an earlier run"
                ));
                Ok(Some((layers, top)))
            }
            Err(cause) => {
                progress.note(&format!(
                    "reachable positions: what an earlier run has kept can't be used ({cause}); finding them again"
                ));
                Ok(None)
            }
        }
    }
}

/// Returns the least memory and the most threads of all processes, so that all plan the same.
fn agreed(options: SolveOptions, peers: &Team<'_>) -> Result<SolveOptions, SolveError> {
    let gathered = peers.all_gather(Ok([options.memory, options.threads as u64]))?;
    let gathered = gathered.into_iter();
    Ok(
        gathered.fold(options, |options, [memory, threads]| SolveOptions {
            memory: options.memory.min(memory),
            threads: options.threads.max(threads as usize),
        }),
    )
}

/// The name of the checkpoint with the reachable classes.
const BITS: &str = "reachable";

/// Passes a solved layer to the checkpoints, and frees the bits of written layers.
fn write(
    seeds: usize,
    scores: &mut KalahScores,
    forms: Forms,
    checkpoints: &mut dyn Checkpoints,
) -> Result<(), SolveError> {
    checkpoints.solved(seeds as u32, scores)?;
    let written = checkpoints.written().unwrap_or(0) as usize;
    let end = written.min(seeds.min(forms.saved_up_to) + 1);
    // The bits only marked which codes are scores to be written, so they are not needed any more.
    for layer in &mut scores.reached[..end] {
        layer.splits.clear();
    }
    Ok(())
}

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
        let format = CodeFormat {
            arrangements: &self.steps.arrangements,
            form,
            reached: &reached[seeds].splits,
            store: match form {
                Form::Sparse => None,
                Form::Bytes | Form::Packed | Form::Picked => self.store,
            },
        };
        let layer = self.solve(layers, &format)?;
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
            Ok(_) => store.mark_sound(seeds),
            Err(stop @ (SolveError::Interrupted | SolveError::Lost)) => Err(stop),
            Err(error) => {
                // If the files can't be removed now, a later run removes them.
                let _ = store.remove_unsound();
                Err(error)
            }
        }
    }

    /// Solves the splits of the next layer, except those saved by an earlier run.
    fn solve(&self, layers: &Layers, format: &CodeFormat) -> Result<Matrices, SolveError> {
        let (steps, progress) = (self.steps, self.progress);
        let splits: Vec<Split> = Split::of_layer(layers.count()).collect();
        let mut here: Vec<Option<ByMover<Matrix>>> = map_of(&splits, |&split| format.load(split));
        // Estimate the work per split: dense layers solve all slots, sparse ones the reachable
        // positions.
        let is_sparse = format.form == Form::Sparse;
        let slots = |&split: &Split| slots_of(&steps.arrangements, split);
        let work: Vec<u64> = match is_sparse {
            true => map_of(format.reached, ReachedSplit::count),
            false => splits.iter().map(slots).collect(),
        };
        // Count the splits of an earlier run as done.
        let has: Vec<bool> = here.iter().map(Option::is_some).collect();
        let there = work.iter().zip(&has).filter(|(_, has)| **has);
        progress.advance(there.map(|(work, _)| work).sum());
        // Divide the remaining splits between the processes and solve those of this process.
        let assignment = assign_splits(self.peers, &has, &work)?;
        let solved = for_all(&assignment.local, progress, |&number| match is_sparse {
            true => sparse::solve_split(steps, layers, &format.reached[number], progress),
            false => {
                let (split, none) = (splits[number], KnownCodes::default());
                let codes = dense::solve_split(steps, layers, split, none, progress)?;
                format.convert(split, codes)
            }
        })?;
        // Exchange the solved splits, so that every process has the whole layer.
        for (&split, solved) in assignment.local.iter().zip(solved) {
            here[split] = Some(solved);
        }
        let received = |split: Split| progress.advance(work[split.smaller - 1]);
        assignment.exchange(format, &splits, here, received, || layers.evict_if_needed())
    }
}

/// Returns the number of positions to solve in each layer.
pub(super) fn work(
    arrangements: &Arrangements,
    counts: &[u64],
    dense_up_to: usize,
) -> impl Iterator<Item = u64> {
    let layers = (0..).zip(counts);
    let slots = |split| slots_of(arrangements, split);
    layers.map(move |(seeds, &count)| match seeds <= dense_up_to {
        true => Split::of_layer(seeds).map(slots).sum(),
        false => count,
    })
}
