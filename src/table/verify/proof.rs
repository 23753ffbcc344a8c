//! The proof that a table is right, independent of whatever solved it.
//!
//! The verifier shares with the solvers the rules of the game and nothing else, and with the
//! table's writer the numbering of its slots. It shows that every class that can be reached from
//! the start of the game has an entry, which is the best of its moves, and that there are no other
//! entries. Since no position can come up twice in one play, that determines every score.
//!
//! Tables with ranks, of games whose moves lead to no layer above, are proved layer by layer
//! (`layered`). For the others there is the walk here: from the start of the game, level by level,
//! with all of the table in memory.

use super::error::VerifyError;
use super::layered::{self, Limits};
use super::layers::LayerCounts;
use super::numbering::{Bits, Numbering, Place};
use super::options::VerifyOptions;
use super::verdict::{Refutation, Verdict};
use crate::game::peers::{Alone, Peers, tell};
use crate::game::{Notation, Progress, Roots, ScoreRange};
use crate::pool::{STACK, in_pool};
use crate::table::format::Plan;
use crate::table::read::{CheckedFile, NOT_YET};
use crate::table::table::Table;
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Proves or refutes a table, on `threads` threads (0: those of the pool that the caller is in), in
/// at most about `memory` bytes.
///
/// # Errors
/// If the table is damaged or takes too much memory, or the caller wants it to stop.
pub fn verify<G: Notation>(
    table: &Table<G>,
    threads: usize,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let options = VerifyOptions {
        threads,
        memory,
        scratch: None,
        every: Duration::MAX,
    };
    verify_with(table, &options, progress)
}

/// The same with more choice: with a folder for what there is no memory for.
///
/// # Errors
/// If the table is damaged or takes too much memory, the folder can't be written or what was kept
/// there is damaged, or the caller wants it to stop.
pub fn verify_with<G: Notation>(
    table: &Table<G>,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    verify_together(table, options, progress, &Alone)
}

/// The same by several processes, each of which calls this, and has the verdict. They share the work
/// where that is done layer by layer, as for tables with ranks; otherwise each does all of it. Each
/// needs a folder of its own.
///
/// # Errors
/// As [`verify_with`], and if another process fails.
pub fn verify_together<G: Notation>(
    table: &Table<G>,
    options: &VerifyOptions,
    progress: &dyn Progress,
    peers: &dyn Peers,
) -> Result<Verdict, VerifyError> {
    in_pool(options.threads, STACK, || {
        compare(table.file(), peers)?;
        let memory = options.memory;
        let limits = Limits {
            memory,
            scratch: options.scratch.as_deref(),
            every: options.every,
            peers,
        };
        if let Some(verdict) = layered::verify(table, limits, progress)? {
            return Ok(verdict);
        }
        whole(table, memory, progress)
    })
}

/// Whether all processes have the same table: by its digest, which each holds against the file.
fn compare(file: &CheckedFile, peers: &dyn Peers) -> Result<(), VerifyError> {
    let told = tell(peers, &file.digest())?;
    match told.iter().position(|other| *other != told[0]) {
        Some(process) => Err(VerifyError::Unlike {
            process,
            path: file.path().to_owned(),
        }),
        None => Ok(()),
    }
}

/// With all of the table in memory.
pub(super) fn whole<G: Notation>(
    table: &Table<G>,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let numbering = Numbering::load(table.file(), memory, progress)?;
    let walk = Walk {
        table,
        game: table.game(),
        keyed_scores: table.keyed_scores(),
        visited: Bits::new(numbering.entries()),
        next: Bits::new(numbering.entries()),
        numbering,
    };
    walk.run(progress)
}

struct Walk<'a, G: Notation> {
    table: &'a Table<G>,
    game: &'a G,
    keyed_scores: ScoreRange,
    numbering: Numbering<'a>,
    visited: Bits,
    next: Bits,
}

/// What a unit of work has done.
#[derive(Clone, Copy, Default)]
struct Done {
    entries: u64,
    moves: u64,
    new: bool,
}

impl<G: Notation> Walk<'_, G> {
    fn run(mut self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        let interrupted = || VerifyError::Interrupted {
            path: self.table.file().path().to_owned(),
        };
        progress.phase("verifying", "entries", self.numbering.entries());
        let mut current = Bits::new(self.numbering.entries());
        if let Some(refutation) = self.roots(&current) {
            return Ok(Verdict::Refuted(refutation));
        }
        let mut levels = 0;
        let mut moves = 0;
        loop {
            levels += 1;
            let (done, refuted) = self.level(&current, progress);
            moves += done.moves;
            if progress.cancelled() {
                return Err(interrupted());
            }
            if let Some(refutation) = refuted {
                return Ok(Verdict::Refuted(refutation));
            }
            if !done.new {
                break;
            }
            std::mem::swap(&mut current, &mut self.next);
            self.next.clear();
        }
        if let Some(entry) = self.visited.first_clear(self.numbering.entries()) {
            return Ok(Verdict::Refuted(self.extra(entry)));
        }
        if let Some(refutation) = self.miscounted().or_else(|| self.miscounted_layer()) {
            return Ok(Verdict::Refuted(refutation));
        }
        Ok(Verdict::Proved {
            entries: self.numbering.entries(),
            steps: levels,
            moves,
        })
    }

    /// Marks the entries that the walk starts from, and says which has none.
    fn roots(&self, current: &Bits) -> Option<Refutation> {
        let mark = |entry| {
            current.set(entry);
            self.visited.set(entry);
        };
        // A ranked table of such a game is opened only if every slot is to have an entry, and its
        // entries have been counted.
        if self.game.capabilities().solving.roots() == Roots::Everywhere
            && self.table.ranking().is_some()
        {
            (0..self.numbering.entries()).for_each(mark);
            return None;
        }
        let start = self.game.canonical(&self.game.start());
        match self.find(&start) {
            Some(entry) => {
                mark(entry);
                None
            }
            None => Some(Refutation::Missing {
                position: self.game.format_position(&start),
                from: "is the start".into(),
            }),
        }
    }

    /// Examines all entries of a level, marks those of the next, and says what is wrong with the
    /// first that fails.
    fn level(&self, current: &Bits, progress: &dyn Progress) -> (Done, Option<Refutation>) {
        let first = AtomicU64::new(u64::MAX);
        let failed: Mutex<Option<(u64, Refutation)>> = Mutex::new(None);
        let done = (0..self.numbering.units() as usize)
            .into_par_iter()
            .with_min_len(8)
            .map_init(Vec::new, |moves, unit| {
                let mut done = Done::default();
                if progress.cancelled() {
                    return done;
                }
                self.numbering.walk(unit as u64, current, |entry, place| {
                    // Entries after one that failed can't be the first.
                    if entry > first.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Err(refutation) = self.examine(entry, place, moves, &mut done) {
                        first.fetch_min(entry, Ordering::Relaxed);
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        if failed.as_ref().is_none_or(|(other, _)| entry < *other) {
                            *failed = Some((entry, *refutation));
                        }
                    }
                });
                if done.entries > 0 {
                    progress.advance(done.entries);
                }
                done
            })
            .reduce(Done::default, |a, b| Done {
                entries: a.entries + b.entries,
                moves: a.moves + b.moves,
                new: a.new | b.new,
            });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        (done, failed.map(|(_, refutation)| refutation))
    }

    /// Holds one entry against all of its moves.
    #[inline]
    fn examine(
        &self,
        entry: u64,
        place: Place,
        moves: &mut Vec<G::Move>,
        done: &mut Done,
    ) -> Result<(), Box<Refutation>> {
        let game = self.game;
        let position = match self.position(place) {
            Some(position) if self.find(&position) == Some(entry) => position,
            _ => {
                let position = self.describe(place);
                return Err(Box::new(Refutation::Misnumbered { position }));
            }
        };
        game.moves(&position, moves);
        done.entries += 1;
        done.moves += moves.len() as u64;
        let best = self.best(&position, moves, |entry| {
            if self.visited.set(entry) {
                self.next.set(entry);
                done.new = true;
            }
        })?;
        let Some((found, mv)) = best else {
            return Err(Box::new(Refutation::Stuck {
                position: game.format_position(&position),
            }));
        };
        // Where scores are left out, the best move's is the entry's by definition.
        let stored = match self.stored(place, entry) {
            Some(stored) => stored,
            None => return self.keep(&position, place, entry, found),
        };
        if found == stored {
            return Ok(());
        }
        Err(Box::new(Refutation::Wrong {
            position: game.format_position(&position),
            stored,
            best: game.format_move(mv),
            found,
        }))
    }

    /// The best of a position's moves; `each` gets the entries of its unfinished children.
    #[inline]
    fn best(
        &self,
        position: &G::Position,
        moves: &[G::Move],
        mut each: impl FnMut(u64),
    ) -> Result<Option<(i32, G::Move)>, Box<Refutation>> {
        let game = self.game;
        let side = game.side_to_move(position);
        let mut best: Option<(i32, G::Move)> = None;
        for &mv in moves {
            let child = game.play(position, mv);
            let score = match game.final_score(&child) {
                Some(score) => score,
                None => {
                    let canonical = game.canonical(&child);
                    let Some((place, entry)) = self.find_place(&canonical) else {
                        return Err(Box::new(Refutation::Missing {
                            position: game.format_position(&canonical),
                            from: format!(
                                "follows {} by the move {}",
                                game.format_position(position),
                                game.format_move(mv)
                            ),
                        }));
                    };
                    each(entry);
                    let to_come = match self.stored(place, entry) {
                        Some(score) => score,
                        None => self.derive(&canonical, place, entry)?,
                    };
                    game.banked(&child) + to_come
                }
            };
            let score = if game.side_to_move(&child) == side {
                score
            } else {
                -score
            };
            if best.is_none_or(|(best, _)| score > best) {
                best = Some((score, mv));
            }
        }
        Ok(best)
    }

    /// The score of an entry that the table leaves out.
    fn derive(
        &self,
        canonical: &G::Position,
        place: Place,
        entry: u64,
    ) -> Result<i32, Box<Refutation>> {
        let moves = self.game.legal_moves(canonical);
        let Some((score, _)) = self.best(canonical, &moves, |_| {})? else {
            return Err(Box::new(Refutation::Stuck {
                position: self.game.format_position(canonical),
            }));
        };
        self.keep(canonical, place, entry, score)?;
        Ok(score)
    }

    /// Remembers the score of an entry that the table leaves out.
    fn keep(
        &self,
        position: &G::Position,
        place: Place,
        entry: u64,
        found: i32,
    ) -> Result<(), Box<Refutation>> {
        match self.scores(place).code(found) {
            Some(code) if code != NOT_YET => {
                self.numbering.keep(entry, code);
                Ok(())
            }
            _ => Err(Box::new(Refutation::Underivable {
                position: self.game.format_position(position),
                found,
            })),
        }
    }

    /// Holds the table's counts of the scores that it leaves out against those derived; the others
    /// are counted when the table is read.
    fn miscounted(&self) -> Option<Refutation> {
        let layout = &self.table.file().metadata().layout;
        let ranked = layout.ranked()?;
        let found = self.numbering.counts_of_derived();
        layout.derived().iter().find_map(|&segment| {
            let record = &ranked.segments[segment as usize];
            let none = [0; 256];
            let found = found.get(&segment).map_or(&none, |counts| &**counts);
            let code = (0..record.counts.len()).find(|&code| record.counts[code] != found[code])?;
            Some(Refutation::Miscounted {
                segment,
                score: record.scores().score(code as u8),
                stored: record.counts[code],
                found: found[code],
            })
        })
    }

    /// Holds a keyed table's counts by layer against its entries, all of which must have been
    /// visited. In a ranked table a segment's layer is the game's.
    fn miscounted_layer(&self) -> Option<Refutation> {
        let file = self.table.file();
        if file.metadata().layout.ranked().is_some() {
            return None;
        }
        let counts = (0..self.numbering.units())
            .into_par_iter()
            .map(|unit| {
                let mut counts = LayerCounts::default();
                self.numbering.walk(unit, &self.visited, |entry, place| {
                    if let Some(position) = self.position(place) {
                        let score = self.keyed_scores.score(self.numbering.code(entry));
                        counts.add(self.game.layer(&position), score, 1);
                    }
                });
                counts
            })
            .reduce(LayerCounts::default, LayerCounts::merge);
        counts.differ(file, |_| true)
    }

    #[inline]
    fn find_place(&self, canonical: &G::Position) -> Option<(Place, u64)> {
        let place = match self.table.ranking() {
            Some(ranking) => Place::Slot(ranking.slot(canonical)?),
            None => Place::Key(self.game.key(canonical)),
        };
        Some((place, self.numbering.find(place)?))
    }

    #[inline]
    fn find(&self, canonical: &G::Position) -> Option<u64> {
        self.find_place(canonical).map(|(_, entry)| entry)
    }

    #[inline]
    fn position(&self, place: Place) -> Option<G::Position> {
        match (place, self.table.ranking()) {
            (Place::Slot(slot), Some(ranking)) => Some(ranking.position(slot)),
            (Place::Key(key), _) => self.game.position_of_key(key),
            (Place::Slot(_), None) => None,
        }
    }

    /// The score of an entry, unless it is left out and not yet derived.
    #[inline]
    fn stored(&self, place: Place, entry: u64) -> Option<i32> {
        let code = self.numbering.code(entry);
        if code == NOT_YET && self.is_derived(place) {
            return None;
        }
        Some(self.scores(place).score(code))
    }

    #[inline]
    fn scores(&self, place: Place) -> ScoreRange {
        match (place, self.table.file().plan()) {
            (Place::Slot(slot), Plan::Ranked(plan)) => plan.scores(slot.segment),
            _ => self.keyed_scores,
        }
    }

    fn is_derived(&self, place: Place) -> bool {
        match (place, self.table.file().plan()) {
            (Place::Slot(slot), Plan::Ranked(plan)) => plan.is_derived(slot.segment),
            _ => false,
        }
    }

    fn describe(&self, place: Place) -> String {
        match self.position(place) {
            Some(position) => self.game.format_position(&position),
            None => format!("{place:?}"),
        }
    }

    fn extra(&self, entry: u64) -> Refutation {
        match self.numbering.place(entry) {
            Some(place) => Refutation::Extra {
                position: self.describe(place),
                stored: self.stored(place, entry),
            },
            None => Refutation::Misnumbered {
                position: format!("entry {entry}"),
            },
        }
    }
}
