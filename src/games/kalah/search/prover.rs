//! The search itself: whether the mover gets at least this many of the seeds on the board.
//!
//! All windows are null windows. What is asked is a number of seeds, the mover's *share* of those
//! on the board, and not a difference: stores play no part in it, so what is remembered of a
//! position holds for any game that comes to it. If the turn passes, the mover gets all but the
//! opponent's share; if not, what went to the store and the same mover's share of the rest.

use super::Pruning;
use super::board::{Board, Played, Sower, seeds_of};
use super::numbers::Numbers;
use super::probe::Probe;
use super::transposition::{Known, Transpositions};
use crate::games::kalah::MAX_PITS;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How many positions are visited between two looks at whether to stop.
const STOP_INTERVAL: u64 = 1 << 12;

/// Positions with so many seeds more than the endgame are worth the care that two threads don't
/// search them at once.
const SEEDS_WORTH_CLAIMING: u32 = 4;

/// An extra turn comes before captures that gain no more than so many seeds.
const EXTRA_TURN_WORTH: u32 = 4;

/// Told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Which positions are being searched at the moment: keys, one more than they are, in places that
/// they choose. Only a hint.
pub struct Claims(Vec<AtomicU64>);

impl Claims {
    /// None at all for a single thread.
    pub fn new(threads: usize) -> Claims {
        let places = if threads > 1 { 1 << 12 } else { 0 };
        Claims((0..places).map(|_| AtomicU64::new(0)).collect())
    }

    fn place(&self, key: u64) -> &AtomicU64 {
        &self.0[key as usize % self.0.len()]
    }

    fn is_taken(&self, key: u64) -> bool {
        self.place(key).load(Relaxed) == key.wrapping_add(1)
    }

    fn take(&self, key: u64) {
        self.place(key).store(key.wrapping_add(1), Relaxed);
    }

    fn give_back(&self, key: u64) {
        // Another thread may have put its own claim there.
        let _ = self
            .place(key)
            .compare_exchange(key.wrapping_add(1), 0, Relaxed, Relaxed);
    }
}

/// What all threads of a search share.
pub struct Shared<'a> {
    pub pits: usize,
    pub empty_capture: bool,
    pub sower: &'a Sower,
    pub numbers: &'a Numbers,
    pub table: &'a Transpositions,
    pub probe: Probe<'a>,
    pub pruning: Pruning,
    pub claims: Claims,
    /// Set by the first thread that knows the answer.
    pub known: AtomicBool,
    /// Told of every few thousand positions; says whether to go on.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

/// What a thread did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Positions visited.
    pub nodes: u64,
    /// Scores taken from the endgame.
    pub probes: u64,
    /// Moves from the root to the farthest position visited.
    pub depth: u32,
}

/// One thread's search.
pub struct Prover<'a, 'b> {
    shared: &'a Shared<'b>,
    pub done: Done,
}

/// A position whose mover's share is asked for.
#[derive(Clone, Copy)]
pub struct Node {
    pub board: Board,
    pub key: u64,
    pub seeds: u32,
}

/// A move that must be searched.
#[derive(Clone, Copy)]
struct Candidate {
    node: Node,
    /// One more than the pit's distance to the store.
    mv: u32,
    gained: u32,
    again: bool,
    order: i32,
}

impl Candidate {
    /// A place for one.
    fn none(node: Node) -> Candidate {
        Candidate {
            node,
            mv: 0,
            gained: 0,
            again: false,
            order: 0,
        }
    }
}

/// What is known of a move without search.
enum Seen {
    /// The mover's share after it, or a bound of it that settles the question.
    Settled(i32),
    /// Not enough.
    Open(Candidate),
}

/// The best so far.
#[derive(Clone, Copy)]
struct Best {
    share: i32,
    mv: u32,
}

impl Best {
    fn raise(&mut self, share: i32, mv: u32) {
        if share > self.share {
            *self = Best { share, mv };
        }
    }
}

impl<'a, 'b> Prover<'a, 'b> {
    pub fn new(shared: &'a Shared<'b>) -> Self {
        Prover {
            shared,
            done: Done::default(),
        }
    }

    /// A bound of the mover's share in an unfinished position that is beyond the endgame: a lower
    /// one if it is `wanted` or more, an upper one otherwise.
    pub fn bound(&mut self, node: Node, wanted: i32, ply: u32) -> Result<i32, Stopped> {
        self.visit(ply)?;
        let before = self.done.nodes;
        let mut table_move = 0;
        if let Some(known) = self.recall(node.key) {
            if known.lower as i32 >= wanted {
                return Ok(known.lower as i32);
            }
            if (known.upper as i32) < wanted {
                return Ok(known.upper as i32);
            }
            table_move = known.best;
        }
        let best = self.best(node, wanted, ply, table_move)?;
        let share = best.share as u32;
        let (lower, upper) = if best.share >= wanted {
            (share, node.seeds)
        } else {
            (0, share)
        };
        if self.shared.pruning.transpositions {
            let known = Known {
                lower,
                upper,
                best: best.mv,
            };
            let effort = self.done.nodes - before + 1;
            self.shared.table.learn(node.key, known, effort);
        }
        Ok(best.share)
    }

    #[inline]
    fn visit(&mut self, ply: u32) -> Result<(), Stopped> {
        self.done.nodes += 1;
        self.done.depth = self.done.depth.max(ply);
        if self.done.nodes.is_multiple_of(STOP_INTERVAL)
            && (self.shared.known.load(Relaxed) || !(self.shared.go_on)(STOP_INTERVAL))
        {
            return Err(Stopped);
        }
        Ok(())
    }

    #[inline]
    fn recall(&self, key: u64) -> Option<Known> {
        if !self.shared.pruning.transpositions {
            return None;
        }
        self.shared.table.get(key)
    }

    /// The best of the moves, or the first that is good enough.
    fn best(
        &mut self,
        node: Node,
        wanted: i32,
        ply: u32,
        table_move: u32,
    ) -> Result<Best, Stopped> {
        let mut best = Best { share: -1, mv: 0 };
        let mut candidates = [Candidate::none(node); MAX_PITS];
        let mut count = 0;
        // All moves are looked at before any is searched: what one that costs nothing settles saves
        // the search of the others.
        for distance in 0..self.shared.pits {
            if node.board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            match self.look(node, wanted, distance, table_move) {
                Seen::Settled(share) => {
                    best.raise(share, distance as u32 + 1);
                    if best.share >= wanted {
                        return Ok(best);
                    }
                }
                Seen::Open(candidate) => {
                    candidates[count] = candidate;
                    count += 1;
                }
            }
        }
        if self.shared.pruning.transposition_cutoffs {
            let open = &mut candidates[..count];
            match self.cut_by_table(open, node.seeds, wanted, &mut best) {
                Some(left) => count = left,
                None => return Ok(best),
            }
        }
        let candidates = &mut candidates[..count];
        candidates.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.order));
        self.search(candidates, node.seeds, wanted, ply, best)
    }

    /// What is known of a move without search.
    #[inline]
    fn look(&mut self, node: Node, wanted: i32, distance: usize, table_move: u32) -> Seen {
        let shared = self.shared;
        let seeds = node.seeds;
        let played = shared.sower.play(node.board, distance);
        let left = seeds - played.gained;
        if played.board.is_finished() {
            let share = seeds_of(played.board.mover);
            return Seen::Settled(mine(played.again, seeds, played.gained, share));
        }
        if left <= shared.probe.seeds() {
            self.done.probes += 1;
            let share = shared.probe.mover_gets(played.board);
            return Seen::Settled(mine(played.again, seeds, played.gained, share));
        }
        if shared.pruning.futility {
            let (lower, upper) = self.sure_bounds(seeds, &played);
            if lower as i32 >= wanted {
                return Seen::Settled(lower as i32);
            }
            if (upper as i32) < wanted {
                return Seen::Settled(upper as i32);
            }
        }
        let mv = distance as u32 + 1;
        Seen::Open(Candidate {
            node: Node {
                board: played.board,
                key: shared.table.key(shared.numbers.of(played.board)),
                seeds: left,
            },
            mv,
            gained: played.gained,
            again: played.again,
            order: if shared.pruning.table_move && mv == table_move {
                i32::MAX
            } else {
                self.order(distance, &played)
            },
        })
    }

    /// Bounds of the mover's share after a move: nothing is sure but what lies in the stores, and
    /// what the next to move can take at once.
    #[inline]
    fn sure_bounds(&self, seeds: u32, played: &Played) -> (u32, u32) {
        let sure = if self.shared.pruning.sure_gains {
            sure_gain(played.board.mover, self.shared.empty_capture)
        } else {
            0
        };
        if played.again {
            (played.gained + sure, seeds)
        } else {
            (played.gained, seeds - sure)
        }
    }

    /// How early to search a move, the highest first: by what it gains, then from right to left.
    #[inline]
    fn order(&self, distance: usize, played: &Played) -> i32 {
        let pruning = &self.shared.pruning;
        let worth = if played.again && pruning.extra_turns_first {
            EXTRA_TURN_WORTH as i32
        } else if !played.again && pruning.captures_first {
            played.gained as i32
        } else {
            0
        };
        16 * worth - distance as i32
    }

    /// Enhanced transposition cutoffs: moves the candidates of which the table doesn't know enough
    /// to the front, and says how many they are; nothing if one is good enough.
    #[inline]
    fn cut_by_table(
        &self,
        candidates: &mut [Candidate],
        seeds: u32,
        wanted: i32,
        best: &mut Best,
    ) -> Option<usize> {
        // First all of it, so that the memory is asked for all lines at once.
        let known: [_; MAX_PITS] = std::array::from_fn(|index| {
            let candidate = candidates.get(index)?;
            self.recall(candidate.node.key)
        });
        let mut kept = 0;
        for index in 0..candidates.len() {
            let candidate = candidates[index];
            if let Some(known) = known[index] {
                let Candidate { gained, again, .. } = candidate;
                let one = mine(again, seeds, gained, known.lower);
                let other = mine(again, seeds, gained, known.upper);
                if one.min(other) >= wanted {
                    best.raise(one.min(other), candidate.mv);
                    return None;
                }
                if one.max(other) < wanted {
                    best.raise(one.max(other), candidate.mv);
                    continue;
                }
            }
            candidates[kept] = candidate;
            kept += 1;
        }
        Some(kept)
    }

    /// Searches the candidates in order. Those that another thread is at are left for the end, when
    /// the table may know.
    fn search(
        &mut self,
        candidates: &[Candidate],
        seeds: u32,
        wanted: i32,
        ply: u32,
        mut best: Best,
    ) -> Result<Best, Stopped> {
        let claims = &self.shared.claims;
        let worth_claiming = self.shared.probe.seeds() + SEEDS_WORTH_CLAIMING;
        let mut left_for_later = 0u32;
        for later in [false, true] {
            for (index, candidate) in candidates.iter().enumerate() {
                let node = candidate.node;
                if later && left_for_later >> index & 1 == 0 {
                    continue;
                }
                let shared = !claims.0.is_empty() && node.seeds > worth_claiming;
                if shared && !later && index > 0 && claims.is_taken(node.key) {
                    left_for_later |= 1 << index;
                    continue;
                }
                if shared {
                    claims.take(node.key);
                }
                let gained = candidate.gained;
                let wanted_there = if candidate.again {
                    wanted - gained as i32
                } else {
                    seeds as i32 - wanted + 1
                };
                let share = self.bound(node, wanted_there, ply + 1)? as u32;
                if shared {
                    claims.give_back(node.key);
                }
                best.raise(mine(candidate.again, seeds, gained, share), candidate.mv);
                if best.share >= wanted {
                    return Ok(best);
                }
            }
            if left_for_later == 0 {
                break;
            }
        }
        Ok(best)
    }
}

/// The mover's share, from the share of who moves next.
#[inline]
fn mine(again: bool, seeds: u32, gained: u32, share: u32) -> i32 {
    (if again { gained + share } else { seeds - share }) as i32
}

/// Seeds that the mover can bank before the opponent moves: each extra turn of less than a lap
/// brings one, and so does a last move that reaches the store. Under standard rules that can be
/// none at all, and none may be all that the mover gets. With `empty_capture` any move of the seeds
/// nearest the store brings one: what doesn't reach it ends in an empty pit.
#[inline]
fn sure_gain(mut own: u64, empty_capture: bool) -> u32 {
    let mut banked = 0;
    let mut distance = 0;
    while distance < MAX_PITS as u64 {
        let shift = 8 * distance;
        if own >> shift & 0xff == distance + 1 {
            // One seed for the store and one for each pit before it; those pits may now be right
            // for an extra turn.
            own = (own & !(0xff << shift)) + (0x0101_0101_0101 & ((1 << shift) - 1));
            banked += 1;
            distance = 0;
        } else {
            distance += 1;
        }
    }
    let one_more = if empty_capture {
        own != 0
    } else {
        (0..MAX_PITS as u64).any(|distance| own >> (8 * distance) & 0xff > distance)
    };
    banked + u32::from(one_more)
}
