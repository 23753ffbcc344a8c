//! The proof of a table with ranks, layer by layer, in bounded memory.
//!
//! It is for games whose moves never lead to a layer above. From the lowest layer upwards it holds
//! every entry against its moves, of which those to lower layers are known to be right, and marks
//! the entries that moves lead to. If every entry but the start's has a mark, all can be reached:
//! from any of them, going back from entry to entry comes to an end, for no position comes up
//! twice in one play, and nowhere else than at the start. So one pass in any order shows what a
//! walk from the start would show. Only if something is wrong is there such a walk (`reach`), to
//! say whether an entry is missing, or one too many, or a score is wrong.
//!
//! In memory are the layer that is gone through and as many of those below as there is room for:
//! few moves lead far down. The moves to the others are looked at before, with as many of these in
//! memory at a time, for several layers at once where less is read then (`plan`). Layers are read
//! from the table anew each time; codes that it leaves out are kept in a folder meanwhile (`shelf`),
//! from which a stopped proof goes on, too.
//!
//! Several processes share the entries of each layer by their blocks (`share`), and pass on the codes
//! that they derive. As soon as one of them finds something wrong, each goes on by itself, and says
//! what a single process would say.

mod held;
mod layer;
mod marks;
mod plan;
mod reach;
mod remember;
mod share;
mod shelf;
mod state;
mod sweep;

use super::error::VerifyError;
use super::verdict::{Refutation, Verdict};
use crate::game::peers::{Alone, Peers};
use crate::game::{Notation, Progress, Roots, Slot};
use crate::table::read::ProbeError;
use crate::table::table::Table;
use held::Held;
use layer::{MARK, is_vacant, set};
use plan::Far;
use reach::Walked;
use shelf::Shelf;
#[cfg(feature = "cli")]
pub use shelf::{forget_proof, is_proof_in_use};
use state::Layered;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use sweep::{Done, Fault, Firsts, Pick};

/// What a proof may use.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Bytes of memory.
    pub memory: u64,
    /// A folder of its own, created if need be, for what there is no memory for and to go on from.
    pub scratch: Option<&'a Path>,
    /// How often at most it is remembered how far the proof has come.
    pub every: Duration,
    /// The processes that share the work.
    pub peers: &'a dyn Peers,
}

/// What is known of layers that were gone through.
enum Proved {
    All,
    /// This is wrong.
    Fault(Fault),
    /// Some process has found that something is.
    Not,
}

/// Proves or refutes a table; nothing if it isn't one of a kind that this is for.
pub fn verify<G: Notation>(
    table: &Table<G>,
    mut limits: Limits<'_>,
    progress: &dyn Progress,
) -> Result<Option<Verdict>, VerifyError> {
    limits.memory = share::agreed(limits.peers, limits.memory)?;
    let Some(mut layered) = Layered::new(table, limits.peers, progress)? else {
        return Ok(None);
    };
    if !layered.descends() {
        return Ok(None);
    }
    layered.open_shelf(limits);
    let reading = table.file().reading_memory();
    let needed = layered.needed().saturating_add(reading);
    if needed > limits.memory {
        return Err(VerifyError::Memory {
            path: table.file().path().to_owned(),
            needed,
            allowed: limits.memory,
        });
    }
    layered.memory = limits.memory - reading;
    table.file().check_digest(progress)?;
    let verdict = layered.run(limits.every)?;
    if let Some(shelf) = &mut layered.held.shelf {
        shelf.clear();
    }
    Ok(verdict)
}

impl<'a, G: Notation> Layered<'a, G> {
    /// Nothing in memory yet; nothing at all if the table isn't of a kind that this is for.
    fn new(
        table: &'a Table<G>,
        peers: &'a dyn Peers,
        progress: &'a dyn Progress,
    ) -> Result<Option<Self>, VerifyError> {
        let (Some(held), Some(ranking)) = (Held::new(table.file())?, table.ranking()) else {
            return Ok(None);
        };
        Ok(Some(Layered {
            table,
            game: table.game(),
            ranking,
            wanted: vec![false; held.outlines.len()],
            highest: 0,
            held,
            has_far: false,
            memory: 0,
            progress,
            peers,
            counts: BTreeMap::new(),
            moves: 0,
        }))
    }

    /// Whether the moves from the start lead to no layer above: a first look that costs nothing.
    /// All others are looked at on the way.
    fn descends(&self) -> bool {
        let start = self.game.start();
        let layer = self.game.layer(&self.game.canonical(&start));
        self.game.legal_moves(&start).into_iter().all(|mv| {
            let child = self.game.play(&start, mv);
            self.game.final_score(&child).is_some()
                || self.game.layer(&self.game.canonical(&child)) <= layer
        })
    }

    fn open_shelf(&mut self, limits: Limits<'_>) {
        let Some(folder) = limits.scratch else {
            return;
        };
        let file = self.table.file();
        match Shelf::open(folder, &file.metadata().rules, &file.digest()) {
            Ok(shelf) => self.held.shelf = Some(shelf),
            Err(error) => self.progress.note(&format!(
                "can't use the folder {}, so that a stopped proof starts anew: {error}",
                folder.display()
            )),
        }
    }

    fn check_stop(&self) -> Result<(), VerifyError> {
        match self.progress.cancelled() {
            true => Err(self.held.interrupted()),
            false => Ok(()),
        }
    }

    /// Has these layers in memory, of those that are finished, and no others.
    fn have(&mut self, layers: &[Range<usize>]) -> Result<(), VerifyError> {
        let wanted = |layer: usize| layers.iter().any(|range| range.contains(&layer));
        for layer in (0..self.held.outlines.len()).filter(|&layer| !wanted(layer)) {
            self.held.drop(layer)?;
        }
        for layer in layers.iter().cloned().flatten() {
            self.check_stop()?;
            self.held.load(layer, self.progress)?;
        }
        Ok(())
    }

    fn want(&mut self, layers: &[Range<usize>]) {
        for (layer, wanted) in self.wanted.iter_mut().enumerate() {
            *wanted = layers.iter().any(|range| range.contains(&layer));
            if *wanted {
                self.highest = self.held.outlines[layer].layer;
            }
        }
    }

    fn run(&mut self, every: Duration) -> Result<Option<Verdict>, VerifyError> {
        let outlines = &self.held.outlines;
        let entries: u64 = outlines.iter().map(|outline| outline.entries).sum();
        self.progress.phase("verifying", "entries", entries);
        self.resume()?;
        let layers = self.held.outlines.len();
        let mut remembered = Instant::now();
        let mut fault = None;
        while self.held.finished < layers && fault.is_none() {
            let group = self.group(self.held.finished);
            let mut done = Done::default();
            fault = match self.prove(&group, &done)? {
                Proved::Not => {
                    // What is wrong, each process finds out by itself.
                    self.peers = &Alone;
                    done = Done::default();
                    match self.prove(&group, &done)? {
                        Proved::Fault(fault) => Some(fault),
                        Proved::All | Proved::Not => None,
                    }
                }
                Proved::Fault(fault) => Some(fault),
                Proved::All => None,
            };
            self.check_stop()?;
            if done.is_unsuited.into_inner() {
                return Ok(None);
            }
            self.moves += done.moves.into_inner();
            // The others have other marks, but have to come to the same plan.
            if self.peers.size() == 1 {
                self.held.count_marks();
            }
            let is_time = fault.is_none() && self.held.finished < layers;
            if is_time && self.first_says(remembered.elapsed() >= every)? {
                self.remember()?;
                remembered = Instant::now();
            }
        }
        if fault.is_none() && self.is_all_reachable()? {
            return Ok(Some(match self.miscounted() {
                Some(refutation) => Verdict::Refuted(refutation),
                None => Verdict::Proved {
                    entries,
                    steps: layers as u32,
                    moves: self.moves,
                },
            }));
        }
        self.peers = &Alone;
        let refutation = match self.walk()? {
            Walked::Refuted(refutation) => Some(refutation),
            Walked::AllReached => self.name(fault)?,
            Walked::Unsuited => None,
        };
        Ok(refutation.map(Verdict::Refuted))
    }

    /// Holds the entries of some layers, above all that are finished, against their moves.
    fn prove(&mut self, group: &Range<usize>, done: &Done) -> Result<Proved, VerifyError> {
        let (main, far) = self.windows(group);
        let first = far.first().map_or(&main, |far| &far.others);
        self.have(&[first.clone(), group.clone()])?;
        if let Some(missing) = self.mark_roots(group) {
            return Ok(Proved::Fault(missing.into()));
        }
        self.has_far = !far.is_empty();
        let firsts: Vec<Firsts> = group.clone().map(|_| Firsts::new()).collect();
        for Far { window, others } in far {
            self.have(&[window.clone(), others, group.clone()])?;
            self.want(&[window]);
            for (layer, firsts) in group.clone().zip(&firsts) {
                self.sweep(layer, Pick::Far, firsts, done);
            }
        }
        self.have(&[main.clone(), group.clone()])?;
        self.want(&[main, group.clone()]);
        if self.has_far {
            for layer in group.clone() {
                self.share_codes(layer)?;
            }
        }
        for (layer, firsts) in group.clone().zip(firsts) {
            for pick in [Pick::Derived, Pick::Kept] {
                self.sweep(layer, pick, &firsts, done);
                self.check_stop()?;
                if self.is_stopped(&firsts, done)? {
                    return Ok(Proved::Not);
                }
                if pick == Pick::Derived {
                    if firsts.derived.is_some() {
                        break;
                    }
                    self.share_codes(layer)?;
                }
            }
            self.share_counts(done)?;
            let fault = firsts.derived.into_inner().or(firsts.kept.into_inner());
            if let Some(fault) = fault {
                return Ok(Proved::Fault(fault));
            }
            self.held.finished = layer + 1;
            for &segment in &self.held.outlines[layer].segments {
                if self.held.plan.is_derived(segment) {
                    self.counts.insert(segment, self.held.counts(segment));
                }
            }
        }
        Ok(Proved::All)
    }

    /// Marks the entries of layers in memory that are reached without a move; an error if the start
    /// should be there and is not.
    fn mark_roots(&self, layers: &Range<usize>) -> Option<Refutation> {
        if self.is_everywhere() {
            layers.clone().for_each(|layer| self.held.mark_all(layer));
            return None;
        }
        let start = self.game.canonical(&self.game.start());
        let slot = self.ranking.slot(&start);
        let is_here = |slot: &Slot| layers.contains(&self.held.layer_of(slot.segment));
        let byte = match slot {
            // No layer has it: let the first say so.
            None if layers.start > 0 => return None,
            Some(slot) if !is_here(&slot) => return None,
            slot => slot.and_then(|slot| {
                let (tile, index) = self.held.tile(slot)?;
                tile.byte(index)
            }),
        };
        match byte.filter(|byte| !is_vacant(byte.load(Relaxed))) {
            Some(byte) => {
                set(byte, MARK);
                None
            }
            None => Some(Refutation::Missing {
                position: self.game.format_position(&start),
                from: "is the start".into(),
            }),
        }
    }

    /// Whether every slot is a root. A table of such a game is opened only if every slot is to have
    /// an entry, and its entries have been counted.
    fn is_everywhere(&self) -> bool {
        self.game.capabilities().solving.roots() == Roots::Everywhere
    }

    /// Puts an entry's fault into words; all entries can be reached, and none is missing.
    fn name(&self, fault: Option<Fault>) -> Result<Option<Refutation>, VerifyError> {
        let slot = match fault {
            Some(Fault::Named(refutation)) => return Ok(Some(*refutation)),
            Some(Fault::Wrong(slot)) => slot,
            None => return Ok(None),
        };
        let position = self.ranking.position(slot);
        let name = |error| match error {
            ProbeError::Read(error) => VerifyError::from(error),
            // It has just been there.
            ProbeError::NotInTable { .. } => self.held.interrupted(),
        };
        let stored = self.table.score(&position).map_err(name)?;
        let moves = self.table.play_scores(&position).map_err(name)?;
        Ok(moves.first().map(|&(mv, found)| Refutation::Wrong {
            position: self.game.format_position(&position),
            stored,
            best: self.game.format_move(mv),
            found,
        }))
    }

    /// Holds the table's counts of the scores that it leaves out against those derived; the others
    /// are counted when the table is read.
    fn miscounted(&self) -> Option<Refutation> {
        let layout = &self.table.file().metadata().layout;
        let ranked = layout.ranked()?;
        layout.derived().iter().find_map(|&segment| {
            let record = &ranked.segments[segment as usize];
            let found = self.counts.get(&segment);
            let found = |code: usize| found.map_or(0, |counts| counts[code]);
            let code = (0..record.counts.len()).find(|&code| record.counts[code] != found(code))?;
            Some(Refutation::Miscounted {
                segment,
                score: record.scores().score(code as u8),
                stored: record.counts[code],
                found: found(code),
            })
        })
    }
}
