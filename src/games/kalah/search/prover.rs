//! Alpha-beta with null windows, which proves whether a side gets enough seeds.
//!
//! The question is about the side's *share* of the seeds on the board, not about a difference. The
//! stores don't matter, so the table's bounds hold for any game that reaches a position. If the
//! turn passes, the share is all seeds except the opponent's share. If not, it is the seeds stored
//! plus the same side's share of the rest.
//!
//! Moves are ordered by a static evaluation, which also finds certain gains.

use super::board::{Board, Effect, Numbers, seeds_of};
use super::endgame::{Best, Endgame, EndgameMoves};
use crate::games::kalah::MAX_PITS;
use crate::games::kalah::sowing::Sowings;
use crate::games::transpositions::{self, KnownBounds};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Number of positions visited between two checks for cancellation.
const STOP_INTERVAL: u64 = 1 << 12;

/// Seeds above the endgame's beyond which threads claim the positions they search.
///
/// Claims keep two threads from searching the same position.
const SEEDS_WORTH_CLAIMING: u32 = 4;

/// Seeds above the endgame's beyond which all children are looked up first.
///
/// With fewer seeds, most children are settled as quickly as the memory responds.
const SEEDS_WORTH_ASKING: u32 = 8;

/// The positions being searched now, as keys plus 1 in a hash table.
///
/// There is no collision handling: this is only a hint.
pub struct Claims(Vec<AtomicU64>);

impl Claims {
    /// Returns an empty table, without any entries if there is a single thread.
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
        // Another thread may have replaced the claim by its own.
        let _ = self
            .place(key)
            .compare_exchange(key.wrapping_add(1), 0, Relaxed, Relaxed);
    }
}

/// The transposition table: bounds of the share of the side to move, and a pit.
///
/// The pit is its distance to the store plus 1, or 0 if there is none.
pub type Transpositions = transpositions::Transpositions<8, 3, 5>;

/// The data that all searches of one game share.
pub struct SharedState {
    pub pits: usize,
    pub empty_capture: bool,
    pub sowings: &'static Sowings,
    pub numbers: Numbers,
    pub table: Transpositions,
    pub endgame: Arc<Endgame>,
}

impl SharedState {
    #[inline]
    pub fn key(&self, board: Board) -> u64 {
        self.table.scrambled(self.numbers.of(board))
    }
}

/// The data that all threads of one search share.
pub struct Shared<'a> {
    pub state: &'a SharedState,
    pub claims: Claims,
    /// Set by the first thread that knows the answer.
    pub known: AtomicBool,
    /// Receives the positions visited since the last call; returns whether to continue.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

/// Counters of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Positions visited.
    ///
    /// Positions settled by a rule, the table or the endgame before a visit don't count.
    pub nodes: u64,
    /// Depth in moves of the farthest position visited.
    pub depth: u32,
}

/// One thread's search.
pub struct Prover<'a> {
    shared: &'a Shared<'a>,
    state: &'a SharedState,
    /// Counters of this thread.
    pub done: Counters,
}

/// A position and its number of seeds on the board.
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

/// The moves of a position that must be searched.
struct Moves {
    candidates: [Candidate; MAX_PITS],
    count: usize,
}

impl<'a> Prover<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Self {
        Prover {
            shared,
            state: shared.state,
            done: Counters::default(),
        }
    }

    /// Returns a lower bound of the share if it is `wanted` or more, else an upper one.
    ///
    /// The share is that of the side to move in an unfinished position above the endgame. `None` if
    /// the search was stopped.
    pub fn bound(&mut self, node: Node, wanted: i32, ply: u32) -> Option<i32> {
        self.visit(ply)?;
        let before = self.done.nodes;
        let state = self.state;
        let key = state.key(node.board);
        state.table.prefetch(key);
        let mut best = Best { share: -1, mv: 0 };
        let mut moves = Moves {
            candidates: [Candidate {
                board: node.board,
                order: 0,
                effect: Effect::default(),
            }; MAX_PITS],
            count: 0,
        };
        // Settle as many moves as possible without a search.
        self.settle_without_search(node, wanted, &mut best, &mut moves);
        if best.share >= wanted || moves.count == 0 {
            // Finding this again takes no longer than looking it up. At the root, save it anyway,
            // because the caller may ask for the move.
            if ply == 0 {
                self.learn(node, key, wanted, best, before);
            }
            return Some(best.share);
        }
        // Look the position up: its bounds may suffice, and its move is searched first.
        if let Some(known) = state.table.get(key) {
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

    /// Saves a result in the table.
    ///
    /// `before` is the number of positions visited before this search.
    fn learn(&self, node: Node, key: u64, wanted: i32, best: Best, before: u64) {
        let share = best.share as u32;
        let (lower, upper) = if best.share >= wanted {
            (share, node.seeds)
        } else {
            (0, share)
        };
        let known = KnownBounds {
            lower,
            upper,
            best: best.mv,
        };
        let effort = self.done.nodes - before + 1;
        self.state.table.learn(key, known, effort);
    }

    #[inline]
    fn visit(&mut self, ply: u32) -> Option<()> {
        self.done.nodes += 1;
        self.done.depth = self.done.depth.max(ply);
        let goes_on = !self.done.nodes.is_multiple_of(STOP_INTERVAL)
            || !self.shared.known.load(Relaxed) && (self.shared.go_on)(STOP_INTERVAL);
        goes_on.then_some(())
    }

    /// Returns the best of the moves, or the first that is good enough.
    fn best(
        &mut self,
        node: Node,
        wanted: i32,
        ply: u32,
        mut best: Best,
        moves: &mut Moves,
    ) -> Option<Best> {
        let mut count = moves.count;
        let far = node.seeds > self.state.endgame.seeds + SEEDS_WORTH_ASKING;
        // Enhanced transposition cutoffs only pay off far from the endgame.
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

    /// Evaluates the moves that need no search, and collects the others.
    #[inline]
    fn settle_without_search(
        &mut self,
        node: Node,
        wanted: i32,
        best: &mut Best,
        moves: &mut Moves,
    ) {
        let (state, seeds) = (self.state, node.seeds);
        let endgame = &*state.endgame;
        let mut moves_to_endgame = EndgameMoves::new();
        for distance in 0..state.pits {
            if node.board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let (board, effect) = node.board.play(state.sowings, distance);
            // A finished game and the endgame give exact shares.
            if board.is_finished() {
                best.raise(effect.mine(seeds, seeds_of(board.mover)), effect.mv);
                continue;
            }
            if seeds - effect.gained <= endgame.seeds {
                moves_to_endgame.add(endgame, board, effect);
                continue;
            }
            // Futility: certain gains may settle the question.
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
                order: move_order(board, effect),
                effect,
            };
            moves.count += 1;
        }
        // Probe the endgame last, and only until a move is good enough.
        moves_to_endgame.compare(endgame, seeds, wanted, best);
    }

    /// Returns the certain bounds of the share after a move.
    ///
    /// Only the seeds in the stores are certain, and those that the next side to move can take at
    /// once.
    #[inline]
    fn sure_bounds(&self, seeds: u32, board: Board, effect: Effect) -> (u32, u32) {
        let sure = sure_gain(board.mover, self.state.empty_capture);
        if effect.again {
            (effect.gained + sure, seeds)
        } else {
            (effect.gained, seeds - sure)
        }
    }

    /// Drops, by enhanced transposition cutoffs, the candidates that the table settles.
    ///
    /// Moves the others to the front and returns their number; `None` if a candidate is good
    /// enough.
    #[inline]
    fn cut_by_table(
        &self,
        candidates: &mut [Candidate],
        seeds: u32,
        wanted: i32,
        best: &mut Best,
    ) -> Option<usize> {
        // Prefetch all lines at once, so that their latencies overlap.
        let mut keys = [0; MAX_PITS];
        for (key, candidate) in keys.iter_mut().zip(&*candidates) {
            *key = self.state.key(candidate.board);
            self.state.table.prefetch(*key);
        }
        let mut remaining = 0;
        for index in 0..candidates.len() {
            let candidate = candidates[index];
            if let Some(known) = self.state.table.get(keys[index]) {
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
            candidates[remaining] = candidate;
            remaining += 1;
        }
        Some(remaining)
    }

    /// Searches the candidates in order.
    ///
    /// Candidates that another thread is searching are postponed to the end, when the table may
    /// know their scores.
    fn search(
        &mut self,
        candidates: &[Candidate],
        seeds: u32,
        wanted: i32,
        ply: u32,
        mut best: Best,
    ) -> Option<Best> {
        let claims = &self.shared.claims;
        let worth_claiming = self.state.endgame.seeds + SEEDS_WORTH_CLAIMING;
        let mut postponed = 0u32;
        // The second pass searches the candidates that the first one postponed.
        for later in [false, true] {
            for (index, candidate) in candidates.iter().enumerate() {
                let effect = candidate.effect;
                let node = Node {
                    board: candidate.board,
                    seeds: seeds - effect.gained,
                };
                if later && postponed >> index & 1 == 0 {
                    continue;
                }
                let shared = !claims.0.is_empty() && node.seeds > worth_claiming;
                let key = if shared {
                    self.state.key(node.board)
                } else {
                    0
                };
                // Never postpone the first candidate, which is the most likely to be good enough.
                if shared && !later && index > 0 && claims.is_taken(key) {
                    postponed |= 1 << index;
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
            if postponed == 0 {
                break;
            }
        }
        Some(best)
    }
}

/// One seed in each pit.
const EACH: u64 = 0x0101_0101_0101;
/// The highest bit of each pit.
const TOPS: u64 = EACH << 7;
/// The seeds in each pit that make an extra turn of less than a lap.
const EXTRA_TURNS: u64 = 0x0605_0403_0201;

// Weights in sixteenths of a seed gained. They were tuned on positions of random games that are
// used neither in the tests nor in the documentation.
const GAINED: i32 = 16;
/// Weight of an extra turn, whatever it gains.
const EXTRA_TURN: i32 = 4 * GAINED;
/// Weight of each pit that the opponent can play next.
///
/// Fewer replies need less search.
const REPLY: i32 = -8;
/// Weight of each extra turn that remains for later, if the opponent lets it.
const EXTRA_TURN_LEFT: i32 = 4;

/// Returns the priority of a move that leads to a board, highest first.
#[inline]
fn move_order(board: Board, effect: Effect) -> i32 {
    // Order equal moves from right to left.
    let order = -(effect.mv as i32);
    if effect.again {
        return order + EXTRA_TURN;
    }
    let Board { mover, opponent } = board;
    order
        + GAINED * effect.gained as i32
        + REPLY * full_pits(mover) as i32
        + EXTRA_TURN_LEFT * extra_turns(opponent) as i32
}

/// Returns the number of pits with seeds.
#[inline]
fn full_pits(own: u64) -> u32 {
    ((((own & !TOPS) + (TOPS - EACH)) | own) & TOPS).count_ones()
}

/// Returns the number of pits whose seeds make an extra turn of less than a lap.
#[inline]
fn extra_turns(own: u64) -> u32 {
    MAX_PITS as u32 - full_pits(own ^ EXTRA_TURNS)
}

/// Returns the seeds that a side can surely store before its opponent moves.
///
/// Each extra turn of less than a lap stores one seed, and so does a last move that reaches the
/// store. Under standard rules, the result can be 0, and a side that can store nothing may get
/// nothing. With `empty_capture`, any move of the seeds nearest the store gains one: if it doesn't
/// reach the store, it ends in an empty pit.
#[inline]
fn sure_gain(mut own: u64, empty_capture: bool) -> u32 {
    let mut banked = 0;
    loop {
        // This marks bytes that are 0. Borrows can mark wrong ones above the lowest, which is all
        // that counts.
        let off = own ^ EXTRA_TURNS;
        let right = off.wrapping_sub(EACH) & !off & TOPS;
        if right == 0 {
            break;
        }
        // The move puts one seed into the store and one into each pit before it. Those pits may now
        // make an extra turn, too.
        let shift = right.trailing_zeros() - 7;
        own = (own & !(0xff << shift)) + (EACH & ((1 << shift) - 1));
        banked += 1;
    }
    let one_more = if empty_capture {
        own != 0
    } else {
        // Find bytes with more seeds than the distance.
        (((own & !TOPS) + (TOPS - EXTRA_TURNS)) | own) & TOPS != 0
    };
    banked + u32::from(one_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::sowing::{Order, Sowings};
    use crate::random::Random;

    /// Finds the certain gain by playing.
    ///
    /// It plays extra turns nearest the store first, and then the best last move.
    fn played_out(sowings: &Sowings, pits: usize, mut own: u64, empty_capture: bool) -> u32 {
        let opponent = 1;
        let mut banked = 0;
        let seeds = |own: u64, distance: usize| own >> (8 * distance) & 0xff;
        while let Some(distance) = (0..pits).find(|&d| seeds(own, d) == d as u64 + 1) {
            let mover = own;
            let (board, effect) = Board { mover, opponent }.play(sowings, distance);
            assert!(effect.again && effect.gained == 1);
            own = board.mover;
            banked += 1;
        }
        let last = (0..pits).any(|d| seeds(own, d) > d as u64 || (empty_capture && own != 0));
        banked + u32::from(last)
    }

    #[test]
    fn pits_are_counted_and_gains_are_sure() {
        let mut random = Random::new(3);
        let mut most = 0;
        for pits in 1..=MAX_PITS {
            for empty_capture in [false, true] {
                let sowings = Sowings::of(pits, Order::FromTheStore, empty_capture);
                for _ in 0..4000 {
                    let mut own = 0;
                    for distance in 0..pits {
                        let seeds = [0, distance + 1, random.index(9), random.index(200)];
                        own |= (seeds[random.index(4)] as u64) << (8 * distance);
                    }
                    let bytes = &own.to_le_bytes()[..pits];
                    let full = bytes.iter().filter(|&&seeds| seeds > 0).count();
                    assert_eq!(full_pits(own), full as u32);
                    let right = bytes.iter().enumerate();
                    let right = right.filter(|&(d, &seeds)| usize::from(seeds) == d + 1);
                    assert_eq!(extra_turns(own), right.count() as u32);
                    let sure = sure_gain(own, empty_capture);
                    assert_eq!(
                        sure,
                        played_out(sowings, pits, own, empty_capture),
                        "{own:x}"
                    );
                    most = most.max(sure);
                }
            }
        }
        assert!(most > 8, "{most}");
    }
}
