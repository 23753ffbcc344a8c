//! The proof that a table is right, independent of whatever solved it.
//!
//! The verifier shares with the solvers the rules of the game and nothing else, and with the table's writer the
//! numbering of its slots. It walks from the start of the game, level by level, and shows for every class it comes to that its
//! entry is the best of its moves; then it shows that no entry is left over. Since no position can come up twice in one
//! play, that determines every score.

use super::error::VerifyError;
use super::numbering::{Bits, Numbering, Place};
use super::probe::Table;
use crate::game::{Game, Progress, ScoreRange};
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

/// What came out of verifying a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every reachable class has an entry, there are no others, and every score is right.
    Proved {
        /// How many entries.
        entries: u64,
        /// How many levels: the farthest class is so many moves, less one, from the start.
        levels: u32,
        /// How many moves were tried.
        moves: u64,
    },
    /// Something is wrong: the first thing, by levels and then in the order of the table.
    Refuted(Refutation),
}

/// What is wrong with a table. Scores are seen from the side to move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refutation {
    /// An entry isn't the best of its moves.
    #[error(
        "the table has the score {stored} for {position}, but its best move, {best}, scores {found}"
    )]
    Wrong {
        /// The position, in the game's notation.
        position: String,
        /// What the table says.
        stored: i32,
        /// The first of the best moves.
        best: String,
        /// What it scores.
        found: i32,
    },
    /// A class that can be reached has no entry.
    #[error("the table has no score for {position}, which {from}")]
    Missing {
        /// The class's representative, in the game's notation.
        position: String,
        /// Where it comes from: "is the start", or after which move in which position.
        from: String,
    },
    /// An entry belongs to no class that can be reached.
    #[error("the table has the score {stored} for {position}, which can't be reached")]
    Extra {
        /// The position, in the game's notation.
        position: String,
        /// What the table says.
        stored: i32,
    },
    /// An unfinished position without moves: the rules contradict themselves.
    #[error("{position} is not finished, but has no moves")]
    Stuck {
        /// The position, in the game's notation.
        position: String,
    },
    /// The game numbers its positions inconsistently.
    #[error("the place of {position} in the table belongs to another position")]
    Misnumbered {
        /// The position, in the game's notation, or its place if it has none.
        position: String,
    },
}

/// Proves or refutes a table, on `threads` threads (0: those of the pool that the caller is in), in at most about `memory` bytes.
///
/// # Errors
/// If the table is damaged or takes too much memory, or the caller wants it to stop.
pub fn verify<G: Game>(
    table: &Table<G>,
    threads: usize,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    super::in_pool(threads, || {
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
    })
}

struct Walk<'a, G: Game> {
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

impl<G: Game> Walk<'_, G> {
    fn run(mut self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        let interrupted = || VerifyError::Interrupted {
            path: self.table.file().path().to_owned(),
        };
        progress.stage("verifying", "entries", self.numbering.entries());
        let start = self.game.representative(&self.game.start());
        let Some(entry) = self.find(&start) else {
            return Ok(Verdict::Refuted(Refutation::Missing {
                position: self.game.format_position(&start),
                from: "is the start".into(),
            }));
        };
        let mut current = Bits::new(self.numbering.entries());
        current.set(entry);
        self.visited.set(entry);
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
        Ok(Verdict::Proved {
            entries: self.numbering.entries(),
            levels,
            moves,
        })
    }

    /// Examines all entries of a level, marks those of the next, and says what is wrong with the first that fails.
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
        let side = game.side_to_move(&position);
        game.moves(&position, moves);
        done.entries += 1;
        done.moves += moves.len() as u64;
        let mut best: Option<(i32, G::Move)> = None;
        for &mv in moves.iter() {
            let child = game.play(&position, mv);
            let score = match game.final_score(&child) {
                Some(score) => score,
                None => {
                    let representative = game.representative(&child);
                    let Some((place, entry)) = self.find_place(&representative) else {
                        return Err(Box::new(Refutation::Missing {
                            position: game.format_position(&representative),
                            from: format!(
                                "follows {} by the move {}",
                                game.format_position(&position),
                                game.format_move(mv)
                            ),
                        }));
                    };
                    if self.visited.set(entry) {
                        self.next.set(entry);
                        done.new = true;
                    }
                    game.banked(&child) + self.score(place, entry)
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
        let stored = self.score(place, entry);
        match best {
            Some((found, _)) if found == stored => Ok(()),
            Some((found, mv)) => Err(Box::new(Refutation::Wrong {
                position: game.format_position(&position),
                stored,
                best: game.format_move(mv),
                found,
            })),
            None => Err(Box::new(Refutation::Stuck {
                position: game.format_position(&position),
            })),
        }
    }

    #[inline]
    fn find_place(&self, representative: &G::Position) -> Option<(Place, u64)> {
        let place = match self.table.ranking() {
            Some(ranking) => Place::Slot(ranking.slot(representative)?),
            None => Place::Key(self.game.key(representative)),
        };
        Some((place, self.numbering.find(place)?))
    }

    #[inline]
    fn find(&self, representative: &G::Position) -> Option<u64> {
        self.find_place(representative).map(|(_, entry)| entry)
    }

    #[inline]
    fn position(&self, place: Place) -> Option<G::Position> {
        match (place, self.table.ranking()) {
            (Place::Slot(slot), Some(ranking)) => Some(ranking.position(slot)),
            (Place::Key(key), _) => self.game.from_key(key),
            (Place::Slot(_), None) => None,
        }
    }

    #[inline]
    fn score(&self, place: Place, entry: u64) -> i32 {
        let code = self.numbering.code(entry);
        match (place, self.table.file().plan()) {
            (Place::Slot(slot), super::plan::Plan::Ranked(plan)) => {
                plan.scores(slot.segment).score(code)
            }
            _ => self.keyed_scores.score(code),
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
                stored: self.score(place, entry),
            },
            None => Refutation::Misnumbered {
                position: format!("entry {entry}"),
            },
        }
    }
}
