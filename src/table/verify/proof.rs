//! The proof that a table is right, independent of the solver, in bounded memory.
//!
//! It shares only the rules of the game with the solvers, and the numbering of slots with the
//! table's writer. It shows that every reachable class has an entry, that each entry has the best
//! score of its moves (`judge`), and that there are no other entries.
//!
//! A table with ranks is proved layer by layer if no move leads to a higher layer. Any other table
//! is treated as a single layer. Working upwards from the lowest layer, the proof does two things
//! for each entry:
//!
//! - It compares the score with the entry's moves. Entries in lower layers are already known to be
//!   right.
//! - It marks the entries that these moves lead to.
//!
//! If every entry except the start is marked, all entries are reachable. Following moves backwards
//! from any entry must come to an end, because no position occurs twice in a game, and the only
//! possible end is the start. So a single pass in any order proves as much as a walk from the
//! start.
//!
//! In a game with endless play, entries of a circle could mark each other. There the proof does walk
//! from the start: each pass compares only the entries that the passes before have marked.
//!
//! If the table is wrong and not too large, such a walk (`walk`) finds out whether an entry is
//! missing or extra, or has a wrong score.
//!
//! The current layer is in memory with as many lower layers as fit, because few moves lead far
//! down. Moves to other layers are looked up first, in separate passes with as many of those layers
//! as fit. A pass serves several layers if that reduces reading (`groups`).
//!
//! Layers are read from the table again each time. Codes that the table omits are saved in a
//! directory (`proof_dir`), which also has the checkpoints.

use super::groups::Far;
use super::judge::{self, Stop, missing, start_is_missing};
use super::pass::{Fault, FirstFault, PassResults};
use super::state::Proof;
use super::tile::LayerTile;
use super::verdict::{Refutation, Verdict, VerifyError, provable};
use crate::game::{Endless, Notation, Progress, Roots};
use crate::pool::{STACK, in_pool, map_of};
use crate::table::read::ReadError;
use crate::table::table::Table;
use crate::work::folder::clear;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Resources that a proof may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// Number of threads; 0 for those of the caller's pool.
    pub threads: usize,
    /// Approximate memory limit in bytes.
    pub memory: u64,
    /// Directory for temporary files and the checkpoints of a stopped proof.
    ///
    /// Only this proof may use it. It is created if need be, its parent must exist, and it is
    /// removed when there is a verdict. It takes up to a byte per entry.
    pub scratch: Option<PathBuf>,
    /// Least time between checkpoints.
    pub every: Duration,
}

impl Default for VerifyOptions {
    /// Returns the threads of the caller's pool, and 1 GiB.
    fn default() -> VerifyOptions {
        VerifyOptions::within(0, 1 << 30)
    }
}

impl VerifyOptions {
    /// Returns options with these threads and memory, without a directory.
    #[must_use]
    pub fn within(threads: usize, memory: u64) -> VerifyOptions {
        VerifyOptions {
            threads,
            memory,
            scratch: None,
            every: Duration::MAX,
        }
    }
}

/// Proves or refutes a table.
///
/// # Errors
/// If the table is damaged or takes too much memory, the directory can't be written or its files
/// are damaged, or the caller cancels.
pub fn verify<G: Notation>(
    table: &Table<G>,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    provable(table)?;
    in_pool(options.threads, STACK, || {
        let is_whole = table.ranking().is_none() || table.game().endless() == Endless::Draw;
        if let Some(verdict) = Proof::new(table, is_whole, progress).decide(options)? {
            return Ok(verdict);
        }
        let verdict = Proof::new(table, true, progress).decide(options)?;
        verdict.ok_or_else(|| table.file().interrupted())
    })
}

impl<G: Notation> Proof<'_, G> {
    /// Proves or refutes the table, or returns `None` if it can't be proved by layers.
    fn decide(mut self, options: &VerifyOptions) -> Result<Option<Verdict>, VerifyError> {
        self.view
            .loaded
            .open_dir(options.scratch.as_deref(), self.progress);
        let file = self.view.file;
        self.view.loaded.memory =
            file.memory_besides_reading(self.view.needed(), options.memory)?;
        file.check_digest(self.progress)?;
        let verdict = self.run(options.every);
        let is_damaged = matches!(verdict, Err(VerifyError::Read(ReadError::Damaged { .. })));
        if let Some(dir) = &self.view.dir
            && (verdict.is_ok() || is_damaged)
        {
            clear(dir.folder.path());
        }
        verdict
    }

    fn run(&mut self, every: Duration) -> Result<Option<Verdict>, VerifyError> {
        let layers = self.view.layers.len();
        let entries: u64 = self.view.layers.iter().map(|layer| layer.entries).sum();
        self.progress.phase("verifying", "entries", entries);
        self.view.loaded.resume(self.progress);
        let mut saved_at = Instant::now();
        while self.view.finished < layers {
            // Prove the next group of layers, from the lowest up.
            let group = self.view.group(self.view.finished);
            let done = PassResults::default();
            let fault = self.prove(&group, &done)?;
            self.view.file.check_stop(self.progress)?;
            if done.is_unsuited.into_inner() {
                return Ok(None);
            }
            self.view.loaded.moves += done.moves.into_inner();
            // Prefer a refutation by a missing or an extra class, if the walk finds one.
            if let Some(fault) = fault {
                let refutation = match walk(self.view.table, self.progress)? {
                    None => self.name(fault)?,
                    found => found,
                };
                return Ok(refutation.map(Verdict::Refuted));
            }
            if self.view.finished < layers && saved_at.elapsed() >= every {
                self.view.loaded.save_checkpoint()?;
                saved_at = Instant::now();
            }
        }
        // All scores are right. An entry without a mark is not reachable.
        if let Some(extra) = self.first_unmarked()? {
            return Ok(Some(Verdict::Refuted(extra)));
        }
        Ok(Some(Verdict::Proved {
            entries,
            steps: self.view.file.layers().len() as u32,
            moves: self.view.moves,
        }))
    }

    /// Compares the entries of some layers with their moves.
    ///
    /// All layers below must be finished. Returns the fault of the first entry that fails.
    fn prove(
        &mut self,
        group: &Range<usize>,
        done: &PassResults,
    ) -> Result<Option<Fault>, VerifyError> {
        let (main, far) = self.view.windows(group);
        // Load the group with the layers of the first pass.
        let first = far.first().map_or(&main, |far| &far.others);
        self.load_only(&[first.clone(), group.clone()])?;
        // The roots are reached without a move.
        if let Some(missing) = self.mark_roots(group) {
            return Ok(Some(missing.into()));
        }
        // Look up the moves to far layers in separate passes, then all other moves.
        self.has_far = !far.is_empty();
        let firsts: Vec<FirstFault> = group.clone().map(|_| FirstFault::new()).collect();
        for Far { window, others } in far {
            self.load_only(&[window.clone(), others, group.clone()])?;
            self.wanted = window;
            for (layer, first) in group.clone().zip(&firsts) {
                self.run_pass(layer, true, first, done);
            }
        }
        self.load_only(&[main.clone(), group.clone()])?;
        self.wanted = main.start..group.end;
        for (layer, first) in group.clone().zip(firsts) {
            self.prove_layer(layer, &first, done);
            self.view.file.check_stop(self.progress)?;
            if let Some(fault) = first.into_inner().or_else(|| self.miscounted(layer)) {
                return Ok(Some(fault));
            }
            self.view.loaded.finished = layer + 1;
        }
        Ok(None)
    }

    fn load_only(&mut self, layers: &[Range<usize>]) -> Result<(), VerifyError> {
        self.view.loaded.load_only(layers, self.progress)
    }

    /// Compares the entries of a layer with their moves; with endless play, as they are reached.
    fn prove_layer(&self, layer: usize, first: &FirstFault, done: &PassResults) {
        loop {
            let before = done.moves.load(Relaxed);
            self.run_pass(layer, false, first, done);
            let is_over = done.moves.load(Relaxed) == before || first.is_before(u64::MAX);
            if !self.by_reach || is_over || self.progress.cancelled() {
                return;
            }
        }
    }

    /// Describes an entry's fault as a refutation.
    fn name(&self, fault: Fault) -> Result<Option<Refutation>, VerifyError> {
        let place = match fault {
            Fault::Named(refutation) => return Ok(Some(*refutation)),
            Fault::Wrong(place) => place,
        };
        let table = self.view.table;
        let Some(position) = self.view.position(place) else {
            return Ok(None);
        };
        let Some(stored) = table.probe(&position)? else {
            return Ok(None);
        };
        let probe = |class: &G::Position| table.probe(class);
        match judge::entry(table.game(), &position, stored, probe) {
            Ok(()) => Ok(None),
            Err(Stop::Refuted(refutation)) => Ok(Some(*refutation)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// Returns the first entry that no move leads to, after all moves were tried.
    fn first_unmarked(&mut self) -> Result<Option<Refutation>, VerifyError> {
        let has_unmarked =
            |layer: &usize| self.view.clear_bits(*layer).iter().any(|&bits| bits != 0);
        let Some(layer) = (0..self.view.layers.len()).find(has_unmarked) else {
            return Ok(None);
        };
        let alone = layer..layer + 1;
        self.load_only(&[alone])?;
        let place = self.view.first_unmarked(layer);
        let at = place.and_then(|place| Some((place.segment, self.view.position(place)?)));
        let (segment, position) = at.ok_or_else(|| self.view.file.interrupted())?;
        extra_entry(self.view.table, segment, &position).map(Some)
    }

    /// Compares the counts of a layer that could not be checked when it was loaded.
    ///
    /// These are the counts of omitted scores, and the counts by layer in a table with keys: only
    /// the game knows the layers of its entries.
    fn miscounted(&self, layer: usize) -> Option<Fault> {
        let view = &self.view;
        if view.plan.listing.is_some() {
            return self.miscounted_in_list().map(Fault::from);
        }
        let segments = view.layers[layer].segments.iter();
        let mut derived = segments.filter(|&&segment| view.plan.is_derived(segment));
        let refutation = derived.find_map(|&segment| {
            let stored = view.file.metadata().layout.counts(segment);
            let found = view.counts(segment);
            let code = (0..found.len()).find(|&code| stored[code] != found[code])?;
            Some(Refutation::Miscounted {
                part: format!("segment {segment}"),
                score: view.plan.scores(segment).score(code as u32),
                stored: stored[code],
                found: found[code],
            })
        });
        refutation.map(Fault::from)
    }

    /// Compares the counts by layer and score in a table with keys.
    fn miscounted_in_list(&self) -> Option<Refutation> {
        let view = &self.view;
        let scores = view.plan.scores(0);
        let tiles: Vec<_> = view.tiles_of(0).collect();
        let by_tile = map_of(&tiles, |&(block, tile): &(u64, &LayerTile)| {
            let mut counts: BTreeMap<(u32, i32), u64> = BTreeMap::new();
            for (index, entry) in tile.entries().enumerate() {
                let position = view.game.position_of_key(view.keys.key(block, index));
                if let (Some(position), Some(code)) = (position, entry.code()) {
                    let at = (view.game.layer(&position), scores.score(code));
                    *counts.entry(at).or_default() += 1;
                }
            }
            counts
        });
        // Pairs of the stored count and the count found.
        let mut counts: BTreeMap<(u32, i32), (u64, u64)> = BTreeMap::new();
        for (layer, score, entries) in view.file.counts() {
            counts.entry((layer, score)).or_default().0 += entries;
        }
        for (place, entries) in by_tile.into_iter().flatten() {
            counts.entry(place).or_default().1 += entries;
        }
        let mut counts = counts.into_iter();
        let ((layer, score), (stored, found)) =
            counts.find(|(_, (stored, found))| stored != found)?;
        Some(Refutation::Miscounted {
            part: format!("layer {layer}"),
            score,
            stored,
            found,
        })
    }
}

/// Most entries of a table for a walk, which takes long and much memory.
const MOST_ENTRIES: u64 = 1 << 20;

/// Returns a reachable class without an entry, or else the first unreachable entry.
///
/// Of several missing classes, it is one with the fewest moves from the start. The result is `None`
/// if there is neither, or the table is too large.
pub fn walk<G: Notation>(
    table: &Table<G>,
    progress: &dyn Progress,
) -> Result<Option<Refutation>, VerifyError> {
    let (game, file) = (table.game(), table.file());
    let roots = game.capabilities().solving.roots();
    let is_walked = roots != Roots::Everywhere || table.ranking().is_none();
    if !is_walked || file.entries() > MOST_ENTRIES {
        return Ok(None);
    }
    progress.phase("walking from the start", "classes", file.entries());
    let start = game.canonical(&game.start());
    if !table.contains(&start)? {
        return Ok(Some(start_is_missing(game)));
    }
    // Visit all reachable classes in breadth-first order.
    let mut reached = FxHashSet::from_iter([game.key(&start)]);
    let mut open = VecDeque::from([start]);
    while let Some(position) = open.pop_front() {
        file.check_stop(progress)?;
        progress.advance(1);
        let mut class = position.clone();
        for mv in game.legal_moves(&position) {
            if game.follow(&position, mv, &mut class).is_finished {
                continue;
            }
            if !table.contains(&class)? {
                return Ok(Some(missing(game, &position, mv)));
            }
            if reached.insert(game.key(&class)) {
                open.push_back(class.clone());
            }
        }
    }
    // All reachable classes have entries. Look for further entries.
    for block in 0..file.blocks() {
        let mut positions = table.block_positions(block)?.into_iter();
        if let Some(extra) = positions.find(|it| !reached.contains(&game.key(it))) {
            return extra_entry(table, file.plan().segment_of(block), &extra).map(Some);
        }
    }
    Ok(None)
}

/// Returns the refutation for an entry of a segment that is not reachable.
pub fn extra_entry<G: Notation>(
    table: &Table<G>,
    segment: u32,
    position: &G::Position,
) -> Result<Refutation, VerifyError> {
    let stored = match table.file().plan().is_derived(segment) {
        true => None,
        false => table.probe(position)?,
    };
    let position = table.game().format_position(position);
    Ok(Refutation::Extra { position, stored })
}
