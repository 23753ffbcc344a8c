//! Comparing the entries of a layer with their moves, in batches.
//!
//! A batch reads memory at random places, so it works in steps with one kind of access each. Then
//! the processor can wait for many accesses at once.

use super::judge::{self, Ruling};
use super::state::Proof;
use super::tile::{Entry, EntryPlace, FLAG, LayerTile, MARK, NONE, bits_of, code_of, is_vacant};
use super::verdict::Refutation;
use crate::bisection::TOGETHER;
use crate::game::{Followed, Notation, Slot, follow_onto};
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

struct BatchEntry<'a> {
    place: EntryPlace,
    entry: Entry<'a>,
    /// The best score of the moves that this pass has followed so far.
    best: Option<i32>,
    /// The lowest layer to which an earlier pass must have followed moves, or `u32::MAX`.
    lowest: u32,
    /// Whether the score is unknown.
    ///
    /// Something is wrong with this entry, or with one that its score follows from.
    fails: bool,
}

/// The class after a move, whose score is looked up.
struct Lookup<'a, M> {
    judged: u32,
    /// Whether an earlier pass has looked it up.
    is_known: bool,
    /// The tile of its place, if it has one.
    tile: Option<&'a LayerTile>,
    entry: Option<Entry<'a>>,
    place: EntryPlace,
    followed: Followed,
    mv: M,
}

/// Entries with their moves, before the scores are looked up.
struct Batch<'a, G: Notation> {
    entries: Vec<BatchEntry<'a>>,
    /// The position of each entry.
    positions: Vec<G::Position>,
    children: Vec<Lookup<'a, G::Move>>,
    /// The class of each child, in a table with ranks.
    classes: Vec<G::Position>,
    /// The key of each child, in a table with keys.
    keys: Vec<u128>,
    /// The slots of positions or classes, in a table with ranks.
    slots: Vec<Option<Slot>>,
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

impl<G: Notation> Proof<'_, G> {
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
        let tiles: Vec<(u32, u64, &LayerTile)> = tiles.collect();
        let batch = || Batch::<G> {
            entries: Vec::with_capacity(BATCH),
            positions: Vec::with_capacity(BATCH),
            children: Vec::with_capacity(8 * BATCH),
            classes: Vec::with_capacity(8 * BATCH),
            keys: Vec::new(),
            slots: Vec::new(),
            list: Vec::new(),
            row: Vec::new(),
            moves: 0,
        };
        let spare = Spare::new();
        each(tiles.len(), &|task| {
            // Where layers don't suit the game, another proof compares all entries.
            if self.progress.cancelled() || pass.done.is_unsuited.load(Relaxed) {
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
        tile: &'b LayerTile,
        batch: &mut Batch<'b, G>,
    ) {
        let shape = self.view.plan.tile_of(segment, block);
        let width = shape.width() as usize;
        let (game, is_far) = (self.view.game, pass.is_far);
        let highest = self.view.layers[self.wanted.end - 1].number;
        let mut entries = 0;
        let mut row = std::mem::take(&mut batch.row);
        let mut end = 0;
        tile.for_each(|index, entry| {
            let place = EntryPlace::new(segment, block, index);
            if self.is_skipped(pass, place, entry) {
                return;
            }
            entries += 1;
            if index >= end {
                let start = index / width * width;
                end = start + width;
                self.view.row(block, &shape, start, &mut row);
            }
            // A separate pass skips entries without moves that far down.
            match row.get(row.len().wrapping_add(index).wrapping_sub(end)) {
                Some(position) if is_far && game.lowest_layer_after(position) > highest => {}
                Some(position) => {
                    batch.positions.push(position.clone());
                    batch.entries.push(BatchEntry {
                        place,
                        entry,
                        best: None,
                        lowest: u32::MAX,
                        fails: false,
                    });
                }
                None => self.misnumbered(pass, place),
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
    fn is_skipped(&self, pass: Pass<'_>, place: EntryPlace, entry: Entry<'_>) -> bool {
        let is_due = !self.by_reach || entry.load() & (FLAG | MARK) == MARK;
        !is_due || !pass.is_far && pass.first.is_before(pass.order(place))
    }

    fn misnumbered(&self, pass: Pass<'_>, place: EntryPlace) {
        let position = self.view.describe(place);
        let refutation = Refutation::Misnumbered { position };
        pass.put(place, refutation.into());
    }

    /// Checks that the position of each entry of a batch is numbered as the entry is.
    fn check_numbers(&self, pass: Pass<'_>, batch: &mut Batch<'_, G>) {
        let view = &self.view;
        let Batch {
            entries,
            positions,
            slots,
            ..
        } = batch;
        if let Some(ranking) = view.ranking {
            ranking.slots(positions, slots);
        }
        for (number, (judged, position)) in entries.iter_mut().zip(positions).enumerate() {
            let place = judged.place;
            let is_right = match view.ranking {
                Some(_) => {
                    let slot = slots[number];
                    slot.and_then(|slot| view.place_of_slot(slot)) == Some(place)
                }
                None => view.keys.key(place.block, place.index as usize) == view.game.key(position),
            };
            if !is_right {
                self.misnumbered(pass, place);
                judged.fails = true;
            }
        }
    }

    /// Makes the moves of all entries of a batch.
    fn follow_moves(&self, pass: Pass<'_>, batch: &mut Batch<'_, G>) {
        let game = self.view.game;
        let entries = batch.entries.iter_mut().zip(&batch.positions);
        for (number, (judged, position)) in (0..).zip(entries) {
            game.moves(position, &mut batch.list);
            batch.moves += batch.list.len() as u64;
            for &mv in &batch.list {
                let followed = follow_onto(game, position, mv, &mut batch.classes);
                if followed.is_finished {
                    judged.best = judged.best.max(Some(followed.score(0)));
                    continue;
                }
                // This is faster than computing the place, which the main pass compares with it.
                let is_wanted = |class| {
                    let layer = self.layer_by_rules(class);
                    layer.is_some_and(|layer| self.wanted.contains(&layer))
                };
                if pass.is_far && !batch.classes.last().is_some_and(is_wanted) {
                    batch.classes.pop();
                    continue;
                }
                if self.view.ranking.is_none() {
                    let class = batch.classes.pop();
                    batch.keys.extend(class.map(|class| game.key(&class)));
                }
                batch.children.push(Lookup {
                    judged: number,
                    is_known: false,
                    tile: None,
                    entry: None,
                    place: judged.place,
                    followed,
                    mv,
                });
            }
        }
    }

    fn layer_by_rules(&self, class: &G::Position) -> Option<usize> {
        self.view.layer_of_number(self.view.game.layer(class))
    }

    /// Finds the places of a batch's children.
    fn find_children<'b>(&'b self, pass: Pass<'_>, batch: &mut Batch<'b, G>) {
        let (view, children) = (&self.view, &mut batch.children);
        let Some(ranking) = view.ranking else {
            // There is a single layer.
            let groups = children.chunks_mut(TOGETHER);
            for (children, keys) in groups.zip(batch.keys.chunks(TOGETHER)) {
                let places = view.keys.find(keys);
                for (child, place) in children.iter_mut().zip(places) {
                    if let Some(place) = place {
                        child.place = place;
                        child.tile = view.tile(place);
                    }
                }
            }
            return;
        };
        ranking.slots(&batch.classes, &mut batch.slots);
        let classes = batch.classes.iter().zip(&batch.slots);
        for (child, (class, slot)) in children.iter_mut().zip(classes) {
            let Some(place) = slot.and_then(|slot| view.place_of_slot(slot)) else {
                continue;
            };
            // Check that the move leads to no higher layer, then look up the class now or in
            // another pass.
            let layer = view.layer_of(place.segment);
            if layer > pass.layer || self.has_far && self.layer_by_rules(class) != Some(layer) {
                pass.done.is_unsuited.store(true, Relaxed);
            }
            child.is_known = !self.wanted.contains(&layer);
            if child.is_known {
                let judged = &mut batch.entries[child.judged as usize];
                judged.lowest = judged.lowest.min(view.layers[layer].number);
                continue;
            }
            child.place = place;
            child.tile = view.tile(place);
        }
    }

    /// Looks up the scores of a batch's moves and judges its entries.
    fn finish<'b>(&'b self, pass: Pass<'_>, batch: &mut Batch<'b, G>) {
        if !pass.is_far {
            // Separate passes leave it to the main pass, which comes last.
            self.check_numbers(pass, batch);
        }
        self.follow_moves(pass, batch);
        // First find the entry of each class, then load all of them.
        self.find_children(pass, batch);
        batch.classes.clear();
        batch.keys.clear();
        for child in &mut batch.children {
            let tile = child.tile;
            child.entry = tile.and_then(|tile| tile.entry(child.place.index as usize));
        }
        for child in batch.children.iter().filter(|child| !child.is_known) {
            let judged = &mut batch.entries[child.judged as usize];
            let entry = child.entry.map(|entry| (entry, entry.set(MARK)));
            let Some((entry, bits)) = entry.filter(|&(_, bits)| !is_vacant(bits)) else {
                let position = &batch.positions[child.judged as usize];
                let missing = judge::missing(self.view.game, position, child.mv);
                pass.put(judged.place, missing.into());
                judged.fails = true;
                continue;
            };
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
        for (judged, position) in batch.entries.drain(..).zip(&batch.positions) {
            let lowest = || self.view.game.lowest_layer_after(position);
            if judged.lowest < u32::MAX && judged.lowest < lowest() {
                // An earlier pass skipped this entry: the game claims that no move leads so low.
                pass.done.is_unsuited.store(true, Relaxed);
            }
            if !judged.fails
                && let Err(fault) = self.judge_entry(pass, &judged)
            {
                pass.put(judged.place, fault);
            }
        }
        batch.positions.clear();
    }

    /// Returns the score of an entry with these bits, if it can be computed.
    #[inline(always)]
    fn score(&self, pass: Pass<'_>, place: EntryPlace, entry: Entry<'_>, bits: u32) -> Option<i32> {
        let segment = &self.view.plan.segments[place.segment as usize];
        if bits & FLAG != 0 && segment.derived {
            return self.derive(pass, place, entry);
        }
        let score = code_of(bits).map(|code| segment.scores.score(code));
        if score.is_none() {
            pass.put(place, Fault::Wrong(place));
        }
        score
    }

    /// Judges an entry by the moves that were followed.
    fn judge_entry(&self, pass: Pass<'_>, judged: &BatchEntry<'_>) -> Result<(), Fault> {
        let BatchEntry { place, entry, .. } = *judged;
        let segment = &self.view.plan.segments[place.segment as usize];
        let bits = entry.load();
        if segment.derived {
            return match bits & FLAG {
                0 => Ok(()),
                _ => self.save_score(pass, place, entry, bits, judged.best),
            };
        }
        let stored = segment
            .scores
            .score(code_of(bits).ok_or(Fault::Wrong(place))?);
        match judge::stored(stored, judged.best, bits & FLAG != 0, !pass.is_far) {
            Ruling::Right => {
                // The last pass needs no flag, unless entries may become due again.
                if pass.is_far || self.by_reach {
                    entry.set(FLAG);
                }
                Ok(())
            }
            Ruling::Undecided => Ok(()),
            Ruling::Wrong => Err(Fault::Wrong(place)),
        }
    }

    /// Returns the best score so far of an entry whose code is omitted.
    fn so_far(&self, place: EntryPlace, bits: u32) -> Option<i32> {
        code_of(bits).map(|code| self.view.scores(place).score(code))
    }

    /// Saves the score of an entry whose code is omitted.
    ///
    /// In a separate pass, it is the best score so far: not all moves were followed.
    fn save_score(
        &self,
        pass: Pass<'_>,
        place: EntryPlace,
        entry: Entry<'_>,
        bits: u32,
        best: Option<i32>,
    ) -> Result<(), Fault> {
        let scores = self.view.scores(place);
        let best = best.max(self.so_far(place, bits));
        match (judge::omitted(scores, best, !pass.is_far), best) {
            (Ruling::Right, Some(best)) => {
                let bits = scores.code(best).map_or(NONE, bits_of);
                entry.put(if pass.is_far { FLAG | bits } else { bits });
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
    fn derive(&self, pass: Pass<'_>, place: EntryPlace, entry: Entry<'_>) -> Option<i32> {
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
        if bits & FLAG != 0
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
