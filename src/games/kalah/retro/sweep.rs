//! Kalah's own backward solver: reachability downwards, scores upwards, each position once.

use super::bits::ReachedLayer;
use super::dense::{self, DenseSplit};
use super::layers::{self, Below, Layers, SparseLayer};
use super::lines::Run;
use super::memory::{self, LayerMemory, Needs};
use super::packed;
use super::sparse;
use super::steps::Steps;
use super::store::Store;
use super::{forecast, kept, reach};
use crate::game::scratch::Watch;
use crate::game::{
    Forecast, Game, Journal, Notation, Progress, Roots, Scores, SolveError, SolveOptions,
    SolveTimes, Sweep, Tile, Weighted,
};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{Mover, Split, segment_seeds};
use crate::games::kalah::{Kalah, Position, Rules};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use super::memory::Forms;

/// The solver.
#[derive(Clone, Debug)]
pub struct KalahSweep {
    game: Kalah,
    /// How the layers are solved and kept; chosen by cost if not given.
    pub forms: Option<Forms>,
    /// Work that took this long is kept in the journal; less is done again after a stop. 5 seconds
    /// unless set.
    pub keep_after: Duration,
    /// On the way through a phase, a piece is not kept before so many times the time has passed that
    /// keeping the last one took. 10 unless set.
    pub keep_pause: u32,
}

impl KalahSweep {
    /// The solver for a game.
    #[must_use]
    pub fn new(game: &Kalah) -> KalahSweep {
        KalahSweep {
            game: game.clone(),
            forms: None,
            keep_after: Duration::from_secs(5),
            keep_pause: 10,
        }
    }
}

impl Sweep for KalahSweep {
    fn memory_needed(&self, threads: usize) -> u64 {
        let arrangements = Arrangements::new(self.game.pits(), self.game.total_seeds());
        let layers = LayerMemory::of_all(&arrangements);
        let (reached, bits): (Vec<u64>, Vec<u64>) = match self.game.capabilities().solving.roots() {
            Roots::Everywhere => (
                layers.iter().map(|layer| saturate(layer.slots)).collect(),
                layers.iter().map(|layer| saturate(layer.bits)).collect(),
            ),
            Roots::Start => {
                let rules = self.game.parameters();
                let reached = memory::least_reached(&layers, rules);
                (reached, memory::least_bits(&layers, rules))
            }
        };
        let needs = Needs {
            layers: &layers,
            reached: &reached,
            bits: &bits,
            frees_bits: true,
            fixed: memory::fixed(&arrangements, threads),
            has_files: true,
            threads,
        };
        match needs.plan(0) {
            Ok(plan) | Err(plan) => plan.bytes,
        }
    }

    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        let is_from_start = self.game.capabilities().solving.roots() == Roots::Start;
        is_from_start.then(|| forecast::forecast(self.game.parameters(), options))
    }

    fn yardstick(&self) -> Option<String> {
        let rules = Rules {
            pits: 5,
            seeds: 3,
            ..self.game.parameters()
        };
        Some(Kalah::new(rules).ok()?.rules())
    }

    fn solve(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        let began = Instant::now();
        let arrangements = Arc::new(Arrangements::new(self.game.pits(), self.game.total_seeds()));
        let steps = Steps::new(arrangements, self.game.parameters().empty_capture);
        let reached = self.reached(&steps, progress, journal)?;
        let counts: Vec<u64> = reached.iter().map(ReachedLayer::count).collect();
        journal.found(&counts)?;
        let reach_seconds = began.elapsed().as_secs_f64();

        let began = Instant::now();
        let forms = self.plan(&steps, &reached, &counts, options, journal)?;
        let (store, watch) = self.store(forms, options, journal);
        let work: Vec<u64> = work(&steps.arrangements, &counts, forms.dense_up_to).collect();
        let classes = ("classes", counts.iter().sum());
        let weighted = Weighted::phase(progress, "solving", classes, work.iter().sum());
        let progress = &weighted;
        let mut scores = KalahScores {
            count: counts.iter().sum(),
            reached,
            layers: Layers::default(),
            _watch: watch,
        };
        let mut in_journal = Duration::ZERO;
        for seeds in 0..scores.reached.len() {
            let KalahScores {
                reached, layers, ..
            } = &mut scores;
            if seeds <= forms.kept_up_to {
                let keep = |split| match forms.packed {
                    true => packed::packed(split, &store),
                    false => Ok(packed::in_bytes(split)),
                };
                let found = |split| packed::found(&steps.arrangements, split, &store);
                let below = &layers.dense[..];
                let layer =
                    dense::solve_missing_splits(&steps, below, seeds, progress, found, keep)?;
                layers.dense.push(layer);
            } else {
                let in_files = forms.in_files && seeds <= forms.dense_up_to;
                let kept = match in_files {
                    true => None,
                    false => self.kept_codes(&reached[seeds], seeds, progress, journal),
                };
                let layer = match kept {
                    Some(layer) => {
                        progress.advance(work[seeds]);
                        layer
                    }
                    None => {
                        let began = Instant::now();
                        let below = Below { layers, reached };
                        let layer = reachable(&steps, below, forms, &store, progress)?;
                        if !in_files && began.elapsed() >= self.keep_after {
                            layers.check()?;
                            self.keep_codes(&layer, seeds, journal)?;
                        }
                        layer
                    }
                };
                layers.sparse.push(layer);
            }
            // So that nothing that was computed from a damaged file comes to the table.
            scores.layers.check()?;
            if counts[seeds] > 0 {
                let began = Instant::now();
                journal.solved(seeds as u32, &scores)?;
                in_journal += began.elapsed();
                let written = journal.written().unwrap_or(0) as usize;
                let end = written.min(seeds.min(forms.kept_up_to) + 1);
                // They said which of the codes are scores, and nothing else.
                for layer in &mut scores.reached[..end] {
                    layer.splits.clear();
                }
            }
        }
        let times = SolveTimes {
            reach: reach_seconds,
            solve: (began.elapsed() - in_journal).as_secs_f64(),
        };
        Ok((Box::new(scores), times))
    }
}

impl KalahSweep {
    /// How the layers are solved and kept.
    fn plan(
        &self,
        steps: &Steps,
        reached: &[ReachedLayer],
        counts: &[u64],
        options: SolveOptions,
        journal: &mut dyn Journal,
    ) -> Result<Forms, SolveError> {
        let scratch = journal.scratch();
        let arrangements = &steps.arrangements;
        let bits: Vec<u64> = reached.iter().map(memory::of_bits).collect();
        let layers = LayerMemory::of_all(arrangements);
        let needs = Needs {
            layers: &layers,
            reached: counts,
            bits: &bits,
            frees_bits: journal.written().is_some(),
            fixed: memory::fixed(arrangements, options.threads),
            has_files: scratch.is_some(),
            threads: options.threads,
        };
        let plan = match self.forms {
            Some(forms) => Ok(needs.of(forms).1),
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

    /// The classes that count as reachable.
    fn reached(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Result<Vec<ReachedLayer>, SolveError> {
        match self.game.capabilities().solving.roots() {
            Roots::Everywhere => (0..=self.game.total_seeds())
                .into_par_iter()
                .map(|seeds| ReachedLayer::full(&steps.arrangements, seeds))
                .collect(),
            Roots::Start => self.find(steps, progress, journal),
        }
    }

    /// Where codes are kept that are packed or picked out, and what keeps to the memory then.
    fn store(
        &self,
        forms: Forms,
        options: SolveOptions,
        journal: &mut dyn Journal,
    ) -> (Store, Option<Watch>) {
        match journal.scratch().filter(|_| forms.in_files) {
            Some(scratch) => {
                let watch = scratch.keep_within(options.memory - options.memory / 32);
                (Store::files(scratch, self.game.rules()), Some(watch))
            }
            None => (Store::Memory, None),
        }
    }

    /// Finds the reachable classes, going on from what the journal has kept.
    fn find(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Result<Vec<ReachedLayer>, SolveError> {
        let (layers, top) = match self.kept_bits(steps, progress, journal)? {
            Some(kept) => kept,
            None => {
                let layers = reach::blank(steps)?;
                let Position {
                    pits: [mover, opponent],
                    ..
                } = self.game.start();
                reach::mark(steps, &layers, &mover, &opponent);
                (layers, self.game.total_seeds())
            }
        };
        let mut kept_at = Instant::now();
        let mut took = Duration::ZERO;
        reach::reach(steps, &layers, top, progress, |seeds| {
            let on_the_way = if seeds > 2 {
                self.keep_pause * took
            } else {
                Duration::ZERO
            };
            if kept_at.elapsed() < self.keep_after.max(on_the_way) {
                return Ok(());
            }
            let began = Instant::now();
            let title = format!("{}{}", self.title_of_bits(), seeds - 1);
            journal.keep(BITS, &mut |out| kept::write_bits(out, &title, &layers))?;
            took = began.elapsed();
            kept_at = Instant::now();
            Ok(())
        })?;
        Ok(layers)
    }

    /// The title of the piece with the bits, which ends with the highest number of seeds not yet
    /// gone through.
    fn title_of_bits(&self) -> String {
        format!("{}, reachable classes, up to ", self.game.rules())
    }

    /// The bits that an earlier run has kept, and the highest number of seeds that it had not gone
    /// through.
    fn kept_bits(
        &self,
        steps: &Steps,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Result<Option<(Vec<ReachedLayer>, usize)>, SolveError> {
        let Some(mut piece) = journal.kept(BITS) else {
            return Ok(None);
        };
        let layers = reach::blank(steps)?;
        let read = kept::read_bits(&mut piece, &layers).and_then(|title| {
            title
                .strip_prefix(&self.title_of_bits())
                .and_then(|top| top.parse().ok())
                .filter(|&top| (1..self.game.total_seeds()).contains(&top))
                .ok_or_else(|| io::Error::other("it is of another game"))
        });
        match read {
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

    fn title_of_codes(&self, seeds: usize) -> String {
        format!("{}, codes of {seeds} seeds", self.game.rules())
    }

    fn keep_codes(
        &self,
        layer: &SparseLayer,
        seeds: usize,
        journal: &mut dyn Journal,
    ) -> Result<(), SolveError> {
        let arrays: Vec<&[u8]> = layer.codes().collect();
        let title = self.title_of_codes(seeds);
        journal.keep(&name_of_codes(seeds), &mut |out| {
            kept::write_codes(out, &title, &arrays)
        })
    }

    /// The codes of a layer that an earlier run has kept.
    fn kept_codes(
        &self,
        reached: &ReachedLayer,
        seeds: usize,
        progress: &dyn Progress,
        journal: &mut dyn Journal,
    ) -> Option<SparseLayer> {
        let mut piece = journal.kept(&name_of_codes(seeds))?;
        let mut layer = SparseLayer::blank(reached);
        let arrays = layer.codes_mut().collect();
        match kept::read_codes(&mut piece, &self.title_of_codes(seeds), arrays) {
            Ok(()) => {
                progress.note(&format!(
                    "scores of {seeds} seeds on the board: kept from an earlier run"
                ));
                Some(layer)
            }
            Err(cause) => {
                progress.note(&format!(
                    "scores of {seeds} seeds on the board: what an earlier run has kept can't be used ({cause}); computing them again"
                ));
                None
            }
        }
    }
}

/// The codes of the next layer's reachable classes.
fn reachable(
    steps: &Steps,
    below: Below,
    forms: Forms,
    store: &Store,
    progress: &dyn Progress,
) -> Result<SparseLayer, SolveError> {
    let seeds = below.layers.count();
    if seeds > forms.dense_up_to {
        return sparse::solve_layer(steps, below, progress);
    }
    let splits = &below.reached[seeds].splits;
    let found = |split: Split| layers::found(split, &splits[split.poor - 1], store);
    let keep = |split: DenseSplit| {
        let reached = &splits[split.split.poor - 1];
        layers::sparse(split, reached, store)
    };
    let splits = dense::solve_missing_splits(steps, &below, seeds, progress, found, keep)?;
    Ok(SparseLayer { splits })
}

/// How many positions are to be solved in each layer.
fn work(
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

/// The name of the piece with the reachable classes.
const BITS: &str = "reachable";

/// The name of the piece with the scores of a layer.
fn name_of_codes(seeds: usize) -> String {
    format!("scores-{seeds}")
}

fn saturate(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

struct KalahScores {
    count: u64,
    reached: Vec<ReachedLayer>,
    layers: Layers,
    /// For as long as they are read.
    _watch: Option<Watch>,
}

impl Scores for KalahScores {
    fn count(&self) -> u64 {
        self.count
    }

    fn is_vacant(&self, segment: u32, rows: Range<u32>, columns: Range<u32>) -> bool {
        let (split, mover) = split_of_segment(segment);
        let this = &self.reached[split.seeds()].splits[split.poor - 1];
        this.bits[mover].is_vacant(
            rows.start as usize..rows.end as usize,
            columns.start as usize..columns.end as usize,
        )
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        let (split, mover) = split_of_segment(segment);
        let seeds = split.seeds();
        let bits = &self.reached[seeds].splits[split.poor - 1].bits[mover];
        tile.reset(rows.end - rows.start, columns.end - columns.start);
        let first = columns.start as usize;
        let end = columns.end as usize;
        let mut index = 0;
        for row in rows {
            let row = row as usize;
            let mut copy = |code_of: &mut dyn FnMut(usize) -> u8| {
                for from in (first..end).step_by(64) {
                    let mut ones = bits.bits(row, from, end);
                    while ones != 0 {
                        let column = from + ones.trailing_zeros() as usize;
                        tile.set(index + column - first, code_of(column));
                        ones &= ones - 1;
                    }
                }
            };
            if let Some(layer) = self.layers.dense.get(seeds) {
                let codes = layer[split.poor - 1][mover].along(Run::Row(row));
                copy(&mut |column| codes.get(column));
            } else {
                let layer = &self.layers.sparse[seeds - self.layers.dense.len()];
                let matrix = &layer.splits[split.poor - 1][mover];
                let mut codes = matrix.row(row)[bits.ones_before(row, first)..].iter();
                copy(&mut |_| *codes.next().expect("a code for each bit"));
            }
            index += end - first;
        }
    }
}

/// The split of a segment, and which side is to move in it.
fn split_of_segment(segment: u32) -> (Split, Mover) {
    let (mover, opponent) = segment_seeds(segment as usize);
    let split = Split {
        rich: mover.max(opponent),
        poor: mover.min(opponent),
    };
    let mover = if mover >= opponent {
        Mover::Rich
    } else {
        Mover::Poor
    };
    (split, mover)
}
