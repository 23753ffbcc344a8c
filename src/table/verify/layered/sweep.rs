//! Going through the entries of a layer, a batch at a time.
//!
//! What a batch reads at places all over the memory it reads in steps, one kind of access at a
//! time, so that the processor can wait for many at once.

use super::layer::{FLAG, LayerTile, MARK, NONE, VALUE, is_vacant, put, set};
use super::state::Layered;
use crate::game::{Followed, Notation, Slot};
use crate::table::verify::verdict::Refutation;
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const BATCH: usize = 64;

/// Which entries of a layer, and which of their moves: those to the layers that are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// All entries: moves to layers that won't be in memory when the others are looked at.
    Far,
    /// Those whose codes the table leaves out, which others need.
    Derived,
    /// The others.
    Kept,
}

/// What is wrong with an entry.
pub enum Fault {
    Named(Box<Refutation>),
    /// It isn't the best of its moves.
    Wrong(Slot),
}

/// The first of the entries that fail, whichever thread comes to it first.
pub struct First {
    order: AtomicU64,
    fault: Mutex<Option<(u64, Fault)>>,
}

impl From<Refutation> for Fault {
    fn from(refutation: Refutation) -> Fault {
        Fault::Named(Box::new(refutation))
    }
}

impl First {
    pub fn new() -> First {
        First {
            order: AtomicU64::new(u64::MAX),
            fault: Mutex::new(None),
        }
    }

    pub fn put(&self, order: u64, fault: Fault) {
        self.order.fetch_min(order, Relaxed);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(other, _)| order < *other) {
            *first = Some((order, fault));
        }
    }

    pub fn is_some(&self) -> bool {
        self.order.load(Relaxed) != u64::MAX
    }

    pub fn into_inner(self) -> Option<Fault> {
        let first = self.fault.into_inner();
        let first = first.unwrap_or_else(PoisonError::into_inner);
        first.map(|(_, fault)| fault)
    }
}

/// The order of the entries in the file.
pub fn order(block: u64, index: usize) -> u64 {
    block << 16 | index as u64
}

/// The first that fail of those whose codes the table leaves out, and of the others.
pub struct Firsts {
    pub derived: First,
    pub kept: First,
}

impl Firsts {
    pub fn new() -> Firsts {
        Firsts {
            derived: First::new(),
            kept: First::new(),
        }
    }
}

struct Entry<'a, P> {
    order: u64,
    slot: Slot,
    byte: &'a AtomicU8,
    position: P,
    /// The best score so far, from its side to move.
    best: i32,
    has_moves: bool,
    /// It has no score: something is wrong here, or with an entry that it is derived from.
    fails: bool,
}

/// A move's child whose score is looked up.
struct Lookup<'a, M> {
    entry: u32,
    tile: &'a LayerTile,
    index: usize,
    byte: Option<&'a AtomicU8>,
    slot: Slot,
    followed: Followed,
    mv: M,
}

/// Entries with their moves, before their scores are looked up.
struct Batch<'a, G: Notation> {
    entries: Vec<Entry<'a, G::Position>>,
    children: Vec<Lookup<'a, G::Move>>,
    list: Vec<G::Move>,
    row: Vec<G::Position>,
    moves: u64,
}

/// What has been done, by any thread.
#[derive(Default)]
pub struct Done {
    pub moves: AtomicU64,
    /// Of which other processes don't know yet.
    pub new_moves: AtomicU64,
    pub new_entries: AtomicU64,
    /// The game isn't one to be gone through layer by layer: a move leads to a layer above, or
    /// scores are between those that have codes.
    pub is_unsuited: AtomicBool,
}

/// What all entries of a sweep share.
#[derive(Clone, Copy)]
struct Sweep<'a> {
    layer: usize,
    pick: Pick,
    first: &'a First,
    done: &'a Done,
}

impl<G: Notation> Layered<'_, G> {
    /// Goes through a layer that is in memory, and notes the first of those that fail.
    pub fn sweep(&self, layer: usize, pick: Pick, firsts: &Firsts, done: &Done) {
        let held = &self.held;
        let of_segment = |segment: u32| {
            let tiles = held.tiles_of(segment).filter(|(_, tile)| !tile.is_empty());
            tiles.map(move |(block, tile)| (held.plan.is_derived(segment), block, tile))
        };
        let segments = held.outlines[layer].segments.iter();
        let tiles: Vec<(bool, u64, &LayerTile)> = segments
            .flat_map(|&segment| of_segment(segment))
            .filter(|&(derived, _, _)| pick == Pick::Far || derived == (pick == Pick::Derived))
            .filter(|&(_, block, _)| self.is_mine(block))
            .collect();
        let batch = || Batch::<G> {
            entries: Vec::with_capacity(BATCH),
            children: Vec::with_capacity(8 * BATCH),
            list: Vec::new(),
            row: Vec::new(),
            moves: 0,
        };
        tiles
            .par_iter()
            .for_each_init(batch, |batch, &(derived, block, tile)| {
                if self.progress.cancelled() {
                    return;
                }
                let sweep = Sweep {
                    layer,
                    pick,
                    first: if derived {
                        &firsts.derived
                    } else {
                        &firsts.kept
                    },
                    done,
                };
                self.sweep_tile(sweep, block, tile, batch);
            });
    }

    fn sweep_tile<'b>(
        &'b self,
        sweep: Sweep<'_>,
        block: u64,
        tile: &'b LayerTile,
        batch: &mut Batch<'b, G>,
    ) {
        let shape = self.held.plan.tile(block);
        let width = shape.width() as usize;
        let mut entries = 0;
        // The positions of the row that is gone through.
        let mut row = std::mem::take(&mut batch.row);
        let mut end = 0;
        tile.for_each(|index, byte| {
            entries += 1;
            let order = order(block, index);
            // Entries after one that failed can't be the first.
            if sweep.pick != Pick::Far && order > sweep.first.order.load(Relaxed) {
                return;
            }
            if index >= end {
                let start = index / width * width;
                end = start + width;
                let width = shape.width();
                self.ranking.positions(shape.slot(start), width, &mut row);
            }
            let slot = shape.slot(index);
            match row.get(row.len() + index - end) {
                Some(position) => self.add(sweep, order, slot, position, byte, batch),
                None => sweep.done.is_unsuited.store(true, Relaxed),
            }
            if batch.entries.len() == BATCH {
                self.finish(sweep, batch);
            }
        });
        batch.row = row;
        self.finish(sweep, batch);
        if sweep.pick != Pick::Far {
            sweep.done.new_moves.fetch_add(batch.moves, Relaxed);
            sweep.done.new_entries.fetch_add(entries, Relaxed);
            self.progress.advance(entries);
        }
        batch.moves = 0;
    }

    /// Plays the moves of an entry.
    #[inline]
    fn add<'b>(
        &'b self,
        sweep: Sweep<'_>,
        order: u64,
        slot: Slot,
        position: &G::Position,
        byte: &'b AtomicU8,
        batch: &mut Batch<'b, G>,
    ) {
        let (game, held) = (self.game, &self.held);
        if sweep.pick == Pick::Far && game.lowest_layer_after(position) > self.highest {
            return;
        }
        if sweep.pick != Pick::Far && self.ranking.slot(position) != Some(slot) {
            let position = game.format_position(position);
            let refutation = Refutation::Misnumbered { position };
            return sweep.first.put(order, refutation.into());
        }
        game.moves(position, &mut batch.list);
        batch.moves += batch.list.len() as u64;
        let (mut best, mut fails) = (i32::MIN, false);
        // The lowest layer to which a move was looked at before.
        let mut lowest = u32::MAX;
        let mut canonical = position.clone();
        for &mv in &batch.list {
            let followed = game.follow(position, mv, &mut canonical);
            if followed.is_finished {
                best = best.max(followed.seen_before(followed.points));
                continue;
            }
            // Cheaper than the slot, and held against it when the layer's other moves are looked at.
            let by_rules = self.has_far.then(|| held.number_of(game.layer(&canonical)));
            if sweep.pick == Pick::Far && !by_rules.flatten().is_some_and(|to| self.wanted[to]) {
                continue;
            }
            let to = self.ranking.slot(&canonical);
            if let Some(to) = to {
                let layer = held.layer_of(to.segment);
                if layer > sweep.layer || by_rules.is_some_and(|by_rules| by_rules != Some(layer)) {
                    return sweep.done.is_unsuited.store(true, Relaxed);
                }
                if !self.wanted[layer] {
                    lowest = lowest.min(held.outlines[layer].layer);
                    continue;
                }
                if let Some((tile, index)) = held.tile(to) {
                    batch.children.push(Lookup {
                        entry: batch.entries.len() as u32,
                        tile,
                        index,
                        byte: None,
                        slot: to,
                        followed,
                        mv,
                    });
                    continue;
                }
            }
            sweep.first.put(order, self.missing(position, mv).into());
            fails = true;
        }
        if lowest < u32::MAX && lowest < game.lowest_layer_after(position) {
            // The entry was passed over then.
            sweep.done.is_unsuited.store(true, Relaxed);
        }
        batch.entries.push(Entry {
            order,
            slot,
            byte,
            position: position.clone(),
            best,
            has_moves: !batch.list.is_empty(),
            fails,
        });
    }

    /// Looks up the scores of a batch's moves and holds its entries against them.
    fn finish(&self, sweep: Sweep<'_>, batch: &mut Batch<'_, G>) {
        for child in &mut batch.children {
            child.byte = child.tile.byte(child.index);
        }
        for child in &batch.children {
            let entry = &mut batch.entries[child.entry as usize];
            let byte = child.byte.map(|byte| (byte, byte.load(Relaxed)));
            let Some((byte, found)) = byte.filter(|&(_, found)| !is_vacant(found)) else {
                let missing = self.missing(&entry.position, child.mv);
                sweep.first.put(entry.order, missing.into());
                entry.fails = true;
                continue;
            };
            set(byte, MARK);
            match self.score(sweep, child.slot, byte, found) {
                Some(to_come) => {
                    let score = child.followed.points + to_come;
                    entry.best = entry.best.max(child.followed.seen_before(score));
                }
                None => entry.fails = true,
            }
        }
        batch.children.clear();
        for entry in batch.entries.drain(..) {
            if !entry.fails
                && let Err(fault) = self.hold(sweep, &entry)
            {
                sweep.first.put(entry.order, fault);
            }
        }
    }

    /// The score of an entry with this byte; nothing if it can't be derived.
    #[inline]
    fn score(&self, sweep: Sweep<'_>, slot: Slot, byte: &AtomicU8, found: u8) -> Option<i32> {
        let segment = &self.held.plan.segments[slot.segment as usize];
        if found & FLAG != 0 && segment.derived {
            return self.derive(sweep, slot, byte);
        }
        Some(segment.scores.score(found & VALUE))
    }

    /// Holds an entry against the best of its moves.
    fn hold(&self, sweep: Sweep<'_>, entry: &Entry<'_, G::Position>) -> Result<(), Fault> {
        let segment = &self.held.plan.segments[entry.slot.segment as usize];
        let found = entry.byte.load(Relaxed);
        if !entry.has_moves {
            let position = self.game.format_position(&entry.position);
            return Err(Refutation::Stuck { position }.into());
        }
        if segment.derived {
            return match sweep.pick {
                Pick::Far => self.keep_so_far(sweep, entry, found),
                _ if found & FLAG == 0 => Ok(()),
                _ => self.keep(entry.slot, entry.byte, found, entry.best),
            };
        }
        let stored = segment.scores.score(found & VALUE);
        if entry.best == stored {
            set(entry.byte, FLAG);
        }
        let is_attained = entry.best == stored || found & FLAG != 0;
        if entry.best > stored || sweep.pick != Pick::Far && !is_attained {
            return Err(Fault::Wrong(entry.slot));
        }
        Ok(())
    }

    /// Remembers the best of an entry's moves that have been looked at, not yet all.
    fn keep_so_far(
        &self,
        sweep: Sweep<'_>,
        entry: &Entry<'_, G::Position>,
        found: u8,
    ) -> Result<(), Fault> {
        let scores = self.held.plan.scores(entry.slot.segment);
        let before = self.so_far(entry.slot, found);
        if entry.best <= before {
            return Ok(());
        }
        match scores.code(entry.best) {
            Some(code) => put(entry.byte, FLAG | code),
            None if entry.best > scores.highest => {
                return Err(self.underivable(entry.slot, entry.best));
            }
            None => sweep.done.is_unsuited.store(true, Relaxed),
        }
        Ok(())
    }

    /// The best score so far of an entry whose code is left out.
    fn so_far(&self, slot: Slot, found: u8) -> i32 {
        match found & VALUE {
            NONE => i32::MIN,
            code => self.held.plan.scores(slot.segment).score(code),
        }
    }

    /// Keeps the score of an entry that the table leaves out.
    fn keep(&self, slot: Slot, byte: &AtomicU8, found: u8, best: i32) -> Result<(), Fault> {
        let best = best.max(self.so_far(slot, found));
        match self.held.plan.scores(slot.segment).code(best) {
            Some(code) => {
                put(byte, code);
                Ok(())
            }
            None => Err(self.underivable(slot, best)),
        }
    }

    /// The score of an entry of the layer that is gone through, which the table leaves out;
    /// nothing if it has none, which is noted.
    fn derive(&self, sweep: Sweep<'_>, slot: Slot, byte: &AtomicU8) -> Option<i32> {
        let game = self.game;
        let (block, index) = self.held.plan.locate(slot)?;
        let fails = |fault: Fault| {
            sweep.first.put(order(block, index), fault);
            None
        };
        let position = self.ranking.position(slot);
        let moves = game.legal_moves(&position);
        if moves.is_empty() {
            let position = game.format_position(&position);
            return fails(Refutation::Stuck { position }.into());
        }
        let mut best = i32::MIN;
        let mut class = position.clone();
        for mv in moves {
            let followed = game.follow(&position, mv, &mut class);
            let mut score = followed.points;
            if !followed.is_finished {
                let to = self.ranking.slot(&class);
                if to.is_some_and(|to| !self.wanted[self.held.layer_of(to.segment)]) {
                    continue;
                }
                let at = to.and_then(|to| Some((to, self.held.tile(to)?)));
                let at = at.and_then(|(to, (tile, index))| Some((to, tile.byte(index)?)));
                let at = at.map(|(to, byte)| (to, byte, byte.load(Relaxed)));
                let Some((to, byte, found)) = at.filter(|&(_, _, found)| !is_vacant(found)) else {
                    return fails(self.missing(&position, mv).into());
                };
                score += self.score(sweep, to, byte, found)?;
            }
            best = best.max(followed.seen_before(score));
        }
        let found = byte.load(Relaxed);
        // Another thread may have been quicker.
        if found & FLAG != 0
            && let Err(fault) = self.keep(slot, byte, found, best)
        {
            return fails(fault);
        }
        Some(self.so_far(slot, byte.load(Relaxed)))
    }

    fn underivable(&self, slot: Slot, found: i32) -> Fault {
        let position = self.game.format_position(&self.ranking.position(slot));
        Refutation::Underivable { position, found }.into()
    }

    /// A move leads to a class that has no entry.
    pub fn missing(&self, position: &G::Position, mv: G::Move) -> Refutation {
        let game = self.game;
        let child = game.canonical(&game.play(position, mv));
        Refutation::Missing {
            position: game.format_position(&child),
            from: format!(
                "follows {} by the move {}",
                game.format_position(position),
                game.format_move(mv)
            ),
        }
    }
}
