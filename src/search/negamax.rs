//! Minimax, negamax, alpha-beta and NegaScout, and their use of the table. All but minimax are
//! fail-soft.
//!
//! Sources: minimax, in which one player takes the highest value and the other the lowest, C. E.
//! Shannon, "Programming a computer for playing chess", Philosophical Magazine 41, 1950; alpha-beta,
//! D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975;
//! NegaScout, A. Reinefeld, "An improvement to the scout tree search algorithm", ICCA Journal 6(4),
//! 1983.

use super::memory::{Entry, Memory, MemoryKey, Recalled};
use super::{Algorithm, End, INFINITY, Observer, Search, Stopped, Window, child_score};
use crate::game::{Bounds, Game, Side, one_move_before};

impl<G: Game, O: Observer<G>> Search<'_, G, O> {
    /// Returns the position's value, seen from the first player.
    ///
    /// The first player maximizes and the second minimizes. Visits the same positions as
    /// [`Algorithm::Negamax`]. With a table, it searches each class once, as long as the table
    /// remembers that class.
    pub(super) fn minimax(&mut self, position: &G::Position, depth: u32) -> Result<i32, Stopped> {
        let game = self.game;
        // The rules and the table see scores from the side to move. The same conversion works both
        // ways.
        let other_way = |score| game.seen_from(Side::First, position, score);
        if let Some(score) = self.visit(position, depth, Window::FULL)? {
            return Ok(other_way(score));
        }
        let entry = match self.recall(position, depth, &mut { Window::FULL }) {
            Recalled::Enough(score) => return Ok(other_way(score)),
            Recalled::TooLittle(entry) => entry,
        };
        let counts_plies = game.score_range().counts_plies();
        // The highest value for the first player, and the lowest for the second.
        let (best, end) =
            self.best_of_moves(position, depth, Window::FULL, |search, child, _| {
                let value = search.minimax(child, depth - 1)?;
                Ok(other_way(one_move_before(value, counts_plies)))
            })?;
        self.remember(entry, Window::FULL, best, end);
        Ok(other_way(best))
    }

    /// Returns the position's score, or a bound if the score is outside of the window.
    ///
    /// The algorithm is [`Algorithm::Negamax`], which ignores the window, [`Algorithm::AlphaBeta`]
    /// or [`Algorithm::NegaScout`].
    pub(super) fn negamax(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        depth: u32,
        mut window: Window,
    ) -> Result<i32, Stopped> {
        if let Some(score) = self.visit(position, depth, window)? {
            return Ok(score);
        }
        let entry = match self.recall(position, depth, &mut window) {
            Recalled::Enough(score) => return Ok(score),
            Recalled::TooLittle(entry) => entry,
        };
        if algorithm == Algorithm::Negamax {
            window = Window::FULL;
        }
        let side = self.game.side_to_move(position);
        let mut is_first = true;
        let (best, end) = self.best_of_moves(position, depth, window, |search, child, best| {
            let mut look = |window| {
                child_score(search.game, side, child, window, |window| {
                    search.negamax(algorithm, child, depth - 1, window)
                })
            };
            let open = match algorithm {
                Algorithm::Negamax => Window::FULL,
                _ => window.above(best),
            };
            if algorithm != Algorithm::NegaScout || std::mem::take(&mut is_first) {
                return look(open);
            }
            // First ask whether the move is better than the best so far. Only if it is, search for
            // its score.
            let question = Window::at_least(open.alpha + 1);
            let score = look(question)?;
            let is_answer = score <= open.alpha || score >= open.beta || question == open;
            if is_answer {
                Ok(score)
            } else {
                look(open.above(score))
            }
        })?;
        self.remember(entry, window, best, end);
        Ok(best)
    }
}

impl<G: Game, O: Observer<G>> Search<'_, G, O> {
    /// Looks the position up and narrows the window to the bounds found.
    pub(super) fn recall(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: &mut Window,
    ) -> Recalled {
        let Some((table, entry)) = self.entry(position, depth) else {
            return Recalled::TooLittle(None);
        };
        if let Some(bounds) = table.get(entry.place) {
            self.counts.table_hits += 1;
            let lower = bounds.lower + entry.banked;
            let upper = bounds.upper + entry.banked;
            let is_low = upper <= window.alpha;
            if is_low || lower >= window.beta || lower == upper {
                let enough = if is_low { upper } else { lower };
                self.observer.leave(*window, enough, End::Table);
                self.counts.table_cutoffs += 1;
                return Recalled::Enough(enough);
            }
            window.alpha = window.alpha.max(lower);
            window.beta = window.beta.min(upper);
        }
        Recalled::TooLittle(Some(entry))
    }

    /// Ends a visit, and saves the result of a search in this window in the table.
    pub(super) fn remember(&mut self, entry: Option<Entry>, window: Window, found: i32, end: End) {
        self.observer.leave(window, found, end);
        if let (Some(table), Some(Entry { place, banked })) = (&self.table, entry) {
            let to_come = found - banked;
            let lower = if found > window.alpha {
                to_come
            } else {
                -INFINITY
            };
            let upper = if found < window.beta {
                to_come
            } else {
                INFINITY
            };
            self.counts.table_stores += 1;
            if table.tighten(place, Bounds { lower, upper }) {
                self.counts.table_replacements += 1;
            }
        }
    }

    #[inline]
    fn entry(&self, position: &G::Position, depth: u32) -> Option<(&Memory<'_, G>, Entry)> {
        let table = self.table.as_ref()?;
        let canonical = self.game.canonical(position);
        let place = match table {
            Memory::BySlot(_) if self.evaluate.is_some() => return None,
            Memory::BySlot(table) => {
                let slot = table.numbers.of(&canonical);
                MemoryKey::Slot(slot.expect("every reachable class has a slot"))
            }
            Memory::Keyed(_) => {
                let mut key = self.game.key(&canonical);
                if self.evaluate.is_some() {
                    // A result depends on the remaining depth, so the depth is part of the key.
                    let bits = self.game.key_bits();
                    if bits + u32::BITS > u128::BITS {
                        return None;
                    }
                    key |= u128::from(depth) << bits;
                }
                MemoryKey::Key(key)
            }
        };
        let banked = self.game.banked(position);
        Some((table, Entry { place, banked }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ScoreRange;

    /// A game with a fixed number of moves per position and of moves per game.
    ///
    /// All ends have the same score, so that every move is the best.
    #[derive(Clone, Debug)]
    struct Uniform {
        moves: u32,
        length: u32,
    }

    impl Game for Uniform {
        type Position = u32;
        type Move = u32;

        fn start(&self) -> u32 {
            self.length
        }
        fn side_to_move(&self, left: &u32) -> Side {
            Side::after(*left)
        }
        fn moves(&self, left: &u32, moves: &mut Vec<u32>) {
            moves.clear();
            if *left > 0 {
                moves.extend(0..self.moves);
            }
        }
        fn play(&self, left: &u32, _mv: u32) -> u32 {
            left - 1
        }
        fn final_score(&self, left: &u32) -> Option<i32> {
            (*left == 0).then_some(0)
        }
        fn score_range(&self) -> ScoreRange {
            ScoreRange {
                lowest: -1,
                highest: 1,
                step: 1,
            }
        }
        fn key(&self, left: &u32) -> u128 {
            u128::from(*left)
        }
        fn key_bits(&self) -> u32 {
            32
        }
        fn position_of_key(&self, key: u128) -> Option<u32> {
            u32::try_from(key).ok()
        }
        fn layer(&self, left: &u32) -> u32 {
            *left
        }
    }

    /// Knuth and Moore, corollary 1: no search evaluates fewer positions.
    #[test]
    fn with_the_best_moves_first_it_evaluates_the_least_there_is() {
        for moves in 2..=4u32 {
            for length in 1..=7 {
                let game = Uniform { moves, length };
                let evaluations = |algorithm| {
                    let mut search = Search::new(&game);
                    assert_eq!(search.score(algorithm, &length), Ok(0));
                    search.counts().evaluations
                };
                let least = moves.pow(length.div_ceil(2)) + moves.pow(length / 2) - 1;
                assert_eq!(evaluations(Algorithm::AlphaBeta), u64::from(least));
                assert_eq!(evaluations(Algorithm::NegaScout), u64::from(least));
                assert_eq!(
                    evaluations(Algorithm::Minimax),
                    u64::from(moves.pow(length))
                );
            }
        }
    }
}
