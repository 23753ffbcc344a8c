//! The search itself: whether the mover gets at least this many of the seeds on the board.
//!
//! All windows are null windows. What is asked is a number of seeds, the mover's *share* of those
//! on the board, and not a difference: stores play no part in it, so what is remembered of a
//! position holds for any game that comes to it. If the turn passes, the mover gets all but the
//! opponent's share; if not, what went to the store and the same mover's share of the rest.

use super::board::{Board, Effect, seeds_of};
use super::numbers::Numbers;
use super::order;
use super::probe::{Best, Endgame, Ways};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::sowing::Sowings;
use crate::games::transpositions::{self, Known};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How many positions are visited between two looks at whether to stop.
const STOP_INTERVAL: u64 = 1 << 12;

/// Positions with so many seeds more than the endgame are worth the care that two threads don't
/// search them at once.
const SEEDS_WORTH_CLAIMING: u32 = 4;

/// With so many seeds more than the endgame it pays to ask the table about all children before any
/// of them is searched; below, most of the children are settled as quickly as the memory answers.
const SEEDS_WORTH_ASKING: u32 = 8;

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

/// What is remembered: bounds of the seeds that the mover will get, and the pit, one more than its
/// distance to the store, or 0.
pub type Transpositions = transpositions::Transpositions<8, 3, 5>;

/// What searches of one game have in common.
pub struct Ground {
    pub pits: usize,
    pub empty_capture: bool,
    pub sowings: &'static Sowings,
    pub numbers: Numbers,
    pub table: Transpositions,
    pub endgame: Arc<Endgame>,
}

impl Ground {
    #[inline]
    pub fn key(&self, board: Board) -> u64 {
        self.table.scrambled(self.numbers.of(board))
    }
}

/// What all threads of a search share.
pub struct Shared<'a> {
    pub ground: &'a Ground,
    pub claims: Claims,
    /// Set by the first thread that knows the answer.
    pub known: AtomicBool,
    /// Told of every few thousand positions; says whether to go on.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

/// What a thread did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Positions visited, those not counted that were told by a rule, the table or the endgame
    /// before being visited.
    pub nodes: u64,
    /// Moves from a position asked about to the farthest one visited.
    pub depth: u32,
}

/// One thread's search.
pub struct Prover<'a> {
    shared: &'a Shared<'a>,
    ground: &'a Ground,
    /// What it did.
    pub done: Counters,
}

/// A position whose mover's share is asked for.
#[derive(Clone, Copy)]
pub struct Node {
    pub board: Board,
    pub seeds: u32,
}

/// A move that must be searched.
#[derive(Clone, Copy)]
struct Candidate {
    board: Board,
    order: i32,
    effect: Effect,
}

/// The moves of a position that must be searched, and the scores that need not.
struct Moves {
    candidates: [Candidate; MAX_PITS],
    count: usize,
}

impl<'a> Prover<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Self {
        Prover {
            shared,
            ground: shared.ground,
            done: Counters::default(),
        }
    }

    /// A bound of the mover's share in an unfinished position that is beyond the endgame: a lower
    /// one if it is `wanted` or more, an upper one otherwise. None if it was told to stop.
    pub fn bound(&mut self, node: Node, wanted: i32, ply: u32) -> Option<i32> {
        self.visit(ply)?;
        let before = self.done.nodes;
        let ground = self.ground;
        let key = ground.key(node.board);
        ground.table.prefetch(key);
        let mut best = Best { share: -1, mv: 0 };
        let mut moves = Moves {
            candidates: [Candidate {
                board: node.board,
                order: 0,
                effect: Effect::default(),
            }; MAX_PITS],
            count: 0,
        };
        self.look(node, wanted, &mut best, &mut moves);
        if best.share >= wanted || moves.count == 0 {
            // To find that out again costs no more than to remember it, but who asks about this
            // position may want to know the move.
            if ply == 0 {
                self.learn(node, key, wanted, best, before);
            }
            return Some(best.share);
        }
        if let Some(known) = ground.table.get(key) {
            if known.lower as i32 >= wanted {
                return Some(known.lower as i32);
            }
            if (known.upper as i32) < wanted {
                return Some(known.upper as i32);
            }
            for candidate in &mut moves.candidates[..moves.count] {
                if candidate.effect.mv == known.best {
                    candidate.order = i32::MAX;
                }
            }
        }
        let best = self.best(node, wanted, ply, best, &mut moves)?;
        self.learn(node, key, wanted, best, before);
        Some(best.share)
    }

    /// Puts what was found into the table; `before` is how many positions had been visited.
    fn learn(&self, node: Node, key: u64, wanted: i32, best: Best, before: u64) {
        let share = best.share as u32;
        let (lower, upper) = if best.share >= wanted {
            (share, node.seeds)
        } else {
            (0, share)
        };
        let known = Known {
            lower,
            upper,
            best: best.mv,
        };
        let effort = self.done.nodes - before + 1;
        self.ground.table.learn(key, known, effort);
    }

    #[inline]
    fn visit(&mut self, ply: u32) -> Option<()> {
        self.done.nodes += 1;
        self.done.depth = self.done.depth.max(ply);
        let goes_on = !self.done.nodes.is_multiple_of(STOP_INTERVAL)
            || !self.shared.known.load(Relaxed) && (self.shared.go_on)(STOP_INTERVAL);
        goes_on.then_some(())
    }

    /// The best of the moves, or the first that is good enough.
    fn best(
        &mut self,
        node: Node,
        wanted: i32,
        ply: u32,
        mut best: Best,
        moves: &mut Moves,
    ) -> Option<Best> {
        let mut count = moves.count;
        let far = node.seeds > self.ground.endgame.seeds + SEEDS_WORTH_ASKING;
        if far {
            let open = &mut moves.candidates[..count];
            match self.cut_by_table(open, node.seeds, wanted, &mut best) {
                Some(left) => count = left,
                None => return Some(best),
            }
        }
        let candidates = &mut moves.candidates[..count];
        candidates.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.order));
        self.search(candidates, node.seeds, wanted, ply, best)
    }

    /// What is known of the moves without search.
    #[inline]
    fn look(&mut self, node: Node, wanted: i32, best: &mut Best, moves: &mut Moves) {
        let (ground, seeds) = (self.ground, node.seeds);
        let endgame = &*ground.endgame;
        let mut ways = Ways::new();
        for distance in 0..ground.pits {
            if node.board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let (board, effect) = node.board.play(ground.sowings, distance);
            if board.is_finished() {
                best.raise(effect.mine(seeds, seeds_of(board.mover)), effect.mv);
                continue;
            }
            if seeds - effect.gained <= endgame.seeds {
                ways.add(endgame, board, effect);
                continue;
            }
            let (lower, upper) = self.sure_bounds(seeds, board, effect);
            if lower as i32 >= wanted {
                best.raise(lower as i32, effect.mv);
                continue;
            }
            if (upper as i32) < wanted {
                best.raise(upper as i32, effect.mv);
                continue;
            }
            moves.candidates[moves.count] = Candidate {
                board,
                order: order::of(board, effect),
                effect,
            };
            moves.count += 1;
        }
        ways.compare(endgame, seeds, wanted, best);
    }

    /// Bounds of the mover's share after a move: nothing is sure but what lies in the stores, and
    /// what the next to move can take at once.
    #[inline]
    fn sure_bounds(&self, seeds: u32, board: Board, effect: Effect) -> (u32, u32) {
        let sure = order::sure_gain(board.mover, self.ground.empty_capture);
        if effect.again {
            (effect.gained + sure, seeds)
        } else {
            (effect.gained, seeds - sure)
        }
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
        // The memory is asked for all lines at once.
        let mut keys = [0; MAX_PITS];
        for (key, candidate) in keys.iter_mut().zip(&*candidates) {
            *key = self.ground.key(candidate.board);
            self.ground.table.prefetch(*key);
        }
        let mut kept = 0;
        for index in 0..candidates.len() {
            let candidate = candidates[index];
            if let Some(known) = self.ground.table.get(keys[index]) {
                let effect = candidate.effect;
                let one = effect.mine(seeds, known.lower);
                let other = effect.mine(seeds, known.upper);
                if one.min(other) >= wanted {
                    best.raise(one.min(other), effect.mv);
                    return None;
                }
                if one.max(other) < wanted {
                    best.raise(one.max(other), effect.mv);
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
    ) -> Option<Best> {
        let claims = &self.shared.claims;
        let worth_claiming = self.ground.endgame.seeds + SEEDS_WORTH_CLAIMING;
        let mut left_for_later = 0u32;
        for later in [false, true] {
            for (index, candidate) in candidates.iter().enumerate() {
                let effect = candidate.effect;
                let node = Node {
                    board: candidate.board,
                    seeds: seeds - effect.gained,
                };
                if later && left_for_later >> index & 1 == 0 {
                    continue;
                }
                let shared = !claims.0.is_empty() && node.seeds > worth_claiming;
                let key = if shared {
                    self.ground.key(node.board)
                } else {
                    0
                };
                if shared && !later && index > 0 && claims.is_taken(key) {
                    left_for_later |= 1 << index;
                    continue;
                }
                if shared {
                    claims.take(key);
                }
                let wanted_there = effect.wanted_of_child(seeds, wanted);
                let share = self.bound(node, wanted_there, ply + 1)? as u32;
                if shared {
                    claims.give_back(key);
                }
                best.raise(effect.mine(seeds, share), effect.mv);
                if best.share >= wanted {
                    return Some(best);
                }
            }
            if left_for_later == 0 {
                break;
            }
        }
        Some(best)
    }
}
