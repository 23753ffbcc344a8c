//! Comparing the entries of a layer with their moves, in batches.
//!
//! A batch reads memory at random places, so it works in steps with one kind of access each. Then
//! the processor can wait for many accesses at once.

use super::judge::{self, Ruling};
use super::state::Proof;
use super::tile::{Entry, LayerTile, is_vacant};
use super::verdict::Refutation;
use super::view::EntryPlace;
use crate::bisection::TOGETHER;
use crate::game::{Followed, Notation};
use crate::pool::{Spare, each};
use crate::table::table::best_move;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const BATCH: usize = 64;

/// The reason why an entry fails.
pub enum Fault {
    Named(Box<Refutation>),
    /// The score isn't the best of the moves' scores.
    Wrong(EntryPlace),
}

/// The fault that comes first in the order, no matter which thread finds it first.
pub struct FirstFault {
    order: AtomicU64,
    fault: Mutex<Option<(u64, Fault)>>,
}

impl From<Refutation> for Fault {
    fn from(refutation: Refutation) -> Fault {
        Fault::Named(Box::new(refutation))
    }
}

impl FirstFault {
    pub fn new() -> FirstFault {
        FirstFault {
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

    /// Returns whether a fault comes before this place in the order.
    pub fn is_before(&self, order: u64) -> bool {
        self.order.load(Relaxed) < order
    }

    pub fn into_inner(self) -> Option<Fault> {
        let first = self.fault.into_inner();
        let first = first.unwrap_or_else(PoisonError::into_inner);
        first.map(|(_, fault)| fault)
    }
}

/// Start of entries with stored codes in the order of faults.
///
/// They come after the entries whose codes are omitted, on which they depend.
const STORED: u64 = 1 << 63;

struct BatchEntry<'a, P, E> {
    place: EntryPlace,
    entry: &'a E,
    position: P,
    /// The best score of the moves that this pass has followed so far.
    best: Option<i32>,
    /// Whether the score is unknown.
    ///
    /// Something is wrong with this entry, or with one that its score follows from.
    fails: bool,
}

/// The class after a move, whose score is looked up.
struct Lookup<'a, M, E> {
    judged: u32,
    /// The tile of its place, if that is known.
    tile: Option<&'a LayerTile<E>>,
    entry: Option<&'a E>,
    place: EntryPlace,
    followed: Followed,
    mv: M,
}

/// Entries with their moves, before the scores are looked up.
struct Batch<'a, G: Notation, E> {
    entries: Vec<BatchEntry<'a, G::Position, E>>,
    children: Vec<Lookup<'a, G::Move, E>>,
    /// In a table with keys, the key of each child, whose place is not known yet.
    keys: Vec<u128>,
    list: Vec<G::Move>,
    row: Vec<G::Position>,
    moves: u64,
}

/// The results of all threads.
#[derive(Default)]
pub struct PassResults {
    pub moves: AtomicU64,
    /// Whether the game can't be proved by layers.
    ///
    /// A move leads to a higher layer, or a score is between those with codes.
    pub is_unsuited: AtomicBool,
}

/// The parameters of a pass, which all of its entries share.
#[derive(Clone, Copy)]
struct Pass<'a> {
    layer: usize,
    /// Whether to follow only moves to layers that won't be in memory in the main pass.
    is_far: bool,
    /// Start of the order of faults.
    start: u64,
    first: &'a FirstFault,
    done: &'a PassResults,
}

impl Pass<'_> {
    /// Returns an entry's place in the order of faults: `start`, then the file's order.
    fn order(&self, place: EntryPlace) -> u64 {
        self.start | place.block << 16 | u64::from(place.index)
    }

    fn put(&self, place: EntryPlace, fault: Fault) {
        self.first.put(self.order(place), fault);
    }
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Compares the entries of a layer in memory with their moves to the wanted layers.
    ///
    /// It stores the first fault in `first`. Entries whose codes the table omits come first, for
    /// other entries need their scores.
    pub fn run_pass(&self, layer: usize, is_far: bool, first: &FirstFault, done: &PassResults) {
        for start in [0, STORED] {
            let pass = Pass {
                layer,
                is_far,
                start,
                first,
                done,
            };
            self.run_half(pass);
        }
    }

    fn run_half(&self, pass: Pass<'_>) {
        let view = &self.view;
        let segments = view.layers[pass.layer].segments.iter().copied();
        let segments = segments.filter(|&it| view.plan.is_derived(it) == (pass.start == 0));
        let tiles = segments.flat_map(|segment| {
            let of_segment = view.tiles_of(segment).filter(|(_, tile)| !tile.is_empty());
            of_segment.map(move |(block, tile)| (segment, block, tile))
        });
        let tiles: Vec<(u32, u64, &LayerTile<E>)> = tiles.collect();
        let batch = || Batch::<G, E> {
            entries: Vec::with_capacity(BATCH),
            children: Vec::with_capacity(8 * BATCH),
            keys: Vec::new(),
            list: Vec::new(),
            row: Vec::new(),
            moves: 0,
        };
        let spare = Spare::new();
        each(tiles.len(), &|task| {
            if self.progress.cancelled() {
                return;
            }
            let (segment, block, tile) = tiles[task];
            spare.with(batch, |batch| {
                self.add_tile(pass, segment, block, tile, batch);
            });
        });
    }

    fn add_tile<'b>(
        &'b self,
        pass: Pass<'_>,
        segment: u32,
        block: u64,
        tile: &'b LayerTile<E>,
        batch: &mut Batch<'b, G, E>,
    ) {
        let shape = self.view.plan.tile_of(segment, block);
        let width = shape.width() as usize;
        let (game, is_far) = (self.view.game, pass.is_far);
        let highest = self.view.layers[self.wanted.end - 1].number;
        let mut entries = 0;
        let mut row = std::mem::take(&mut batch.row);
        let mut end = 0;
        tile.for_each(|index, entry| {
            let place = EntryPlace {
                segment,
                index: index as u32,
                block,
            };
            if self.is_skipped(pass, place, entry) {
                return;
            }
            entries += 1;
            if index >= end {
                let start = index / width * width;
                end = start + width;
                self.view.row(block, &shape, start, &mut row);
            }
            // A separate pass skips entries without moves that far down. The main pass checks the
            // numbering.
            match row.get(row.len().wrapping_add(index).wrapping_sub(end)) {
                Some(position) if is_far && game.lowest_layer_after(position) > highest => {}
                Some(position) if is_far || self.view.is_at(position, &shape, place) => {
                    let judged = BatchEntry {
                        place,
                        entry,
                        position: position.clone(),
                        best: None,
                        fails: false,
                    };
                    self.add(pass, judged, batch);
                }
                _ => self.misnumbered(pass, place),
            }
            if batch.entries.len() == BATCH {
                self.finish(pass, batch);
            }
        });
        batch.row = row;
        self.finish(pass, batch);
        if !is_far {
            pass.done.moves.fetch_add(batch.moves, Relaxed);
            self.progress.advance(entries);
        }
        batch.moves = 0;
    }

    /// Returns whether an entry comes after one that failed, or isn't due in a walk from the start.
    #[inline]
    fn is_skipped(&self, pass: Pass<'_>, place: EntryPlace, entry: &E) -> bool {
        let is_due = !self.by_reach || entry.load() & (E::FLAG | E::MARK) == E::MARK;
        !is_due || !pass.is_far && pass.first.is_before(pass.order(place))
    }

    fn misnumbered(&self, pass: Pass<'_>, place: EntryPlace) {
        let position = self.view.describe(place);
        let refutation = Refutation::Misnumbered { position };
        pass.put(place, refutation.into());
    }

    /// Makes the moves of an entry and adds it to the batch.
    #[inline]
    fn add<'b>(
        &'b self,
        pass: Pass<'_>,
        mut judged: BatchEntry<'b, G::Position, E>,
        batch: &mut Batch<'b, G, E>,
    ) {
        let (game, view) = (self.view.game, &self.view);
        let is_wanted = |layer: usize| self.wanted.contains(&layer);
        let position = &judged.position;
        game.moves(position, &mut batch.list);
        batch.moves += batch.list.len() as u64;
        // The lowest layer to which an earlier pass must have followed moves.
        let mut lowest = u32::MAX;
        let mut class = position.clone();
        for &mv in &batch.list {
            let followed = game.follow(position, mv, &mut class);
            if followed.is_finished {
                judged.best = judged.best.max(Some(followed.score(0)));
                continue;
            }
            // This is faster than computing the place, which the main pass compares with it.
            let layer_by_rules = || view.layer_of_number(game.layer(&class));
            let by_rules = self.has_far.then(layer_by_rules);
            if pass.is_far && !by_rules.flatten().is_some_and(is_wanted) {
                continue;
            }
            let mut lookup = |to, tile| {
                batch.children.push(Lookup {
                    judged: batch.entries.len() as u32,
                    tile,
                    entry: None,
                    place: to,
                    followed,
                    mv,
                });
            };
            if view.ranking.is_none() {
                // There is a single layer. The keys of the whole batch are searched together.
                batch.keys.push(game.key(&class));
                lookup(judged.place, None);
                continue;
            }
            // Check that the move leads to no higher layer, then look up the class now or in
            // another pass.
            if let Some(to) = view.place(&class) {
                let layer = view.layer_of(to.segment);
                if layer > pass.layer || by_rules.is_some_and(|by_rules| by_rules != Some(layer)) {
                    return pass.done.is_unsuited.store(true, Relaxed);
                }
                if !is_wanted(layer) {
                    lowest = lowest.min(view.layers[layer].number);
                    continue;
                }
                if let Some(tile) = view.tile(to) {
                    lookup(to, Some(tile));
                    continue;
                }
            }
            let missing = judge::missing(self.view.game, position, mv);
            pass.put(judged.place, missing.into());
            judged.fails = true;
        }
        if lowest < u32::MAX && lowest < game.lowest_layer_after(position) {
            // An earlier pass skipped this entry: the game claims that no move leads so low.
            pass.done.is_unsuited.store(true, Relaxed);
        }
        batch.entries.push(judged);
    }

    /// Looks up the scores of a batch's moves and judges its entries.
    fn finish<'b>(&'b self, pass: Pass<'_>, batch: &mut Batch<'b, G, E>) {
        // First find the entry of each class, then load all of them.
        let groups = batch.children.chunks_mut(TOGETHER);
        for (children, keys) in groups.zip(batch.keys.chunks(TOGETHER)) {
            let places = self.view.places_of_keys(keys);
            for (child, place) in children.iter_mut().zip(places) {
                if let Some(place) = place {
                    child.place = place;
                    child.tile = self.view.tile(place);
                }
            }
        }
        batch.keys.clear();
        for child in &mut batch.children {
            let tile = child.tile;
            child.entry = tile.and_then(|tile| tile.entry(child.place.index as usize));
        }
        for child in &batch.children {
            let judged = &mut batch.entries[child.judged as usize];
            let entry = child.entry.map(|entry| (entry, entry.load()));
            let Some((entry, bits)) = entry.filter(|&(_, bits)| !is_vacant::<E>(bits)) else {
                let missing = judge::missing(self.view.game, &judged.position, child.mv);
                pass.put(judged.place, missing.into());
                judged.fails = true;
                continue;
            };
            entry.set(E::MARK);
            match self.score(pass, child.place, entry, bits) {
                Some(to_come) => {
                    let score = child.followed.score(to_come);
                    judged.best = judged.best.max(Some(score));
                }
                None => judged.fails = true,
            }
        }
        batch.children.clear();
        // Then compare each entry's score with the best of its moves.
        for judged in batch.entries.drain(..) {
            if !judged.fails
                && let Err(fault) = self.judge_entry(pass, &judged)
            {
                pass.put(judged.place, fault);
            }
        }
    }

    /// Returns the score of an entry with these bits, if it can be computed.
    #[inline]
    fn score(&self, pass: Pass<'_>, place: EntryPlace, entry: &E, bits: u32) -> Option<i32> {
        let segment = &self.view.plan.segments[place.segment as usize];
        if bits & E::FLAG != 0 && segment.derived {
            return self.derive(pass, place, entry);
        }
        Some(segment.scores.score(bits & E::VALUE))
    }

    /// Judges an entry by the moves that were followed.
    fn judge_entry(
        &self,
        pass: Pass<'_>,
        judged: &BatchEntry<'_, G::Position, E>,
    ) -> Result<(), Fault> {
        let BatchEntry { place, entry, .. } = *judged;
        let segment = &self.view.plan.segments[place.segment as usize];
        let bits = entry.load();
        if segment.derived {
            return match bits & E::FLAG {
                0 => Ok(()),
                _ => self.save_score(pass, place, entry, bits, judged.best),
            };
        }
        let stored = segment.scores.score(bits & E::VALUE);
        match judge::stored(stored, judged.best, bits & E::FLAG != 0, !pass.is_far) {
            Ruling::Right => {
                entry.set(E::FLAG);
                Ok(())
            }
            Ruling::Undecided => Ok(()),
            Ruling::Wrong => Err(Fault::Wrong(place)),
        }
    }

    /// Returns the best score so far of an entry whose code is omitted.
    fn so_far(&self, place: EntryPlace, bits: u32) -> Option<i32> {
        let code = bits & E::VALUE;
        (code != E::NONE).then(|| self.view.scores(place).score(code))
    }

    /// Saves the score of an entry whose code is omitted.
    ///
    /// In a separate pass, it is the best score so far: not all moves were followed.
    fn save_score(
        &self,
        pass: Pass<'_>,
        place: EntryPlace,
        entry: &E,
        bits: u32,
        best: Option<i32>,
    ) -> Result<(), Fault> {
        let scores = self.view.scores(place);
        let best = best.max(self.so_far(place, bits));
        match (judge::omitted(scores, best, !pass.is_far), best) {
            (Ruling::Right, Some(best)) => {
                let code = scores.code(best).unwrap_or(E::NONE);
                entry.put(if pass.is_far { E::FLAG | code } else { code });
            }
            // No pass has a code for this score, so all moves must be followed in one pass.
            (Ruling::Undecided, Some(_)) => pass.done.is_unsuited.store(true, Relaxed),
            (Ruling::Undecided, None) => {}
            (Ruling::Right | Ruling::Wrong, None) => return Err(self.stuck(place)),
            (Ruling::Wrong, Some(found)) => {
                let position = self.view.describe(place);
                return Err(Refutation::Underivable { position, found }.into());
            }
        }
        Ok(())
    }

    /// Computes the score of an entry in the current layer whose code is omitted.
    ///
    /// Returns `None` if it has none, after storing the fault.
    fn derive(&self, pass: Pass<'_>, place: EntryPlace, entry: &E) -> Option<i32> {
        let fails = |fault: Fault| {
            pass.put(place, fault);
            None
        };
        let position = self.view.position(place)?;
        let score = |class: &G::Position, mv| -> Result<Option<i32>, Option<Fault>> {
            let to = self.view.place(class);
            if to.is_some_and(|to| !self.wanted.contains(&self.view.layer_of(to.segment))) {
                return Ok(None);
            }
            let at = to.and_then(|to| Some((to, self.view.entry_at(to)?)));
            let missing = || Some(judge::missing(self.view.game, &position, mv).into());
            let (to, entry) = at.ok_or_else(missing)?;
            self.score(pass, to, entry, entry.load())
                .map(Some)
                .ok_or(None)
        };
        let best = match best_move(self.view.game, &position, score) {
            Ok(best) => best.map(|(best, _)| best),
            // The fault is stored already.
            Err(None) => return None,
            Err(Some(fault)) => return fails(fault),
        };
        let bits = entry.load();
        // Another thread may have saved the score already.
        if bits & E::FLAG != 0
            && let Err(fault) = self.save_score(pass, place, entry, bits, best)
        {
            return fails(fault);
        }
        self.so_far(place, entry.load())
    }

    fn stuck(&self, place: EntryPlace) -> Fault {
        let position = self.view.describe(place);
        Refutation::Stuck { position }.into()
    }
}
