//! Alpha-beta, fail-soft, with or without a transposition table.

use super::{Bounds, Counters, INFINITY, Stopped, TranspositionTable};
use crate::game::Game;

/// How many positions are visited between two looks at whether to stop.
const STOP_INTERVAL: u64 = 1 << 12;

/// An alpha-beta search of a game.
///
/// The result depends neither on what the table holds nor on who else uses it; only the effort does.
pub struct AlphaBeta<'a, G: Game> {
    game: &'a G,
    table: Option<&'a TranspositionTable>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    counters: Counters,
    /// Move lists that are not in use, kept for their memory.
    spare: Vec<Vec<G::Move>>,
}

impl<'a, G: Game> AlphaBeta<'a, G> {
    /// A search without a table.
    #[must_use]
    pub fn new(game: &'a G) -> Self {
        AlphaBeta {
            game,
            table: None,
            stop: None,
            counters: Counters::default(),
            spare: Vec::new(),
        }
    }

    /// Remembers bounds in this table, which any number of searches of the same game may share.
    #[must_use]
    pub fn with_table(mut self, table: &'a TranspositionTable) -> Self {
        self.table = Some(table);
        self
    }

    /// Stops when this says so; it is asked every few thousand positions.
    #[must_use]
    pub fn stop_when(mut self, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.stop = Some(stop);
        self
    }

    /// What has been done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The position's score, seen from its side to move.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn score(&mut self, position: &G::Position) -> Result<i32, Stopped> {
        self.search(position, -INFINITY, INFINITY)
    }

    /// What the window can tell about the position's score: a result between `alpha` and `beta` (both
    /// excluded) is the score, one of `alpha` or less is an upper bound of it, one of `beta` or more a lower bound.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn search(
        &mut self,
        position: &G::Position,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Stopped> {
        self.counters.positions += 1;
        if self.counters.positions.is_multiple_of(STOP_INTERVAL)
            && self.stop.is_some_and(|stop| stop())
        {
            return Err(Stopped);
        }
        if let Some(score) = self.game.final_score(position) {
            self.counters.finished += 1;
            return Ok(score);
        }
        let entry = self.table.map(|table| {
            let key = self.game.key(&self.game.representative(position));
            (table, key, self.game.banked(position))
        });
        if let Some((table, key, banked)) = entry
            && let Some(bounds) = table.get(key)
        {
            self.counters.table_hits += 1;
            let (lower, upper) = (bounds.lower + banked, bounds.upper + banked);
            if lower >= beta || lower == upper {
                self.counters.table_cutoffs += 1;
                return Ok(lower);
            }
            if upper <= alpha {
                self.counters.table_cutoffs += 1;
                return Ok(upper);
            }
            alpha = alpha.max(lower);
            beta = beta.min(upper);
        }
        let best = self.best_of_moves(position, alpha, beta)?;
        if let Some((table, key, banked)) = entry {
            let relative = best - banked;
            table.tighten(
                key,
                Bounds {
                    lower: if best > alpha { relative } else { -INFINITY },
                    upper: if best < beta { relative } else { INFINITY },
                },
            );
        }
        Ok(best)
    }

    fn best_of_moves(
        &mut self,
        position: &G::Position,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stopped> {
        let side = self.game.side_to_move(position);
        let mut moves = self.spare.pop().unwrap_or_default();
        self.game.moves(position, &mut moves);
        debug_assert!(!moves.is_empty(), "an unfinished position has a move");
        let mut best = -INFINITY;
        for (index, &mv) in moves.iter().enumerate() {
            let child = self.game.play(position, mv);
            let floor = alpha.max(best);
            let score = if self.game.side_to_move(&child) == side {
                self.search(&child, floor, beta)?
            } else {
                -self.search(&child, -beta, -floor)?
            };
            best = best.max(score);
            if best >= beta {
                self.counters.cutoffs += u64::from(index + 1 < moves.len());
                break;
            }
        }
        self.spare.push(moves);
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::eight::Eight;
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::tictactoe::TicTacToe;
    use crate::search::negamax;

    fn kalah() -> Kalah {
        Kalah::new(Rules {
            pits: 2,
            seeds: 2,
            empty_capture: false,
        })
        .unwrap()
    }

    /// Every window round the score, on the start and on all positions up to three moves on.
    fn every_window_is_answered_rightly<G: Game>(game: &G, table: Option<&TranspositionTable>) {
        let mut positions = vec![game.start()];
        let mut first_of_level = 0;
        for _ in 0..3 {
            let level = first_of_level..positions.len();
            first_of_level = positions.len();
            for index in level {
                for mv in game.legal_moves(&positions[index]) {
                    positions.push(game.play(&positions[index], mv));
                }
            }
        }
        let mut search = AlphaBeta::new(game);
        search.table = table;
        for position in positions.iter().step_by(7) {
            let score = negamax(game, position, &mut Counters::default());
            for alpha in score - 4..score + 4 {
                for beta in alpha + 1..score + 5 {
                    let result = search.search(position, alpha, beta).unwrap();
                    let right = if result <= alpha {
                        score <= result
                    } else if result >= beta {
                        score >= result
                    } else {
                        score == result
                    };
                    assert!(
                        right,
                        "{position:?}: {result} for {score} in {alpha}..{beta}"
                    );
                }
            }
            assert_eq!(search.score(position), Ok(score), "{position:?}");
        }
    }

    #[test]
    fn windows_without_a_table() {
        every_window_is_answered_rightly(&Eight, None);
        every_window_is_answered_rightly(&kalah(), None);
    }

    #[test]
    fn windows_with_a_table_of_any_size() {
        for bytes in [0, 1 << 20] {
            every_window_is_answered_rightly(&Eight, Some(&TranspositionTable::new(bytes)));
            every_window_is_answered_rightly(&kalah(), Some(&TranspositionTable::new(bytes)));
        }
    }

    #[test]
    fn the_table_and_the_window_save_work() {
        let game = TicTacToe::default();
        let mut all = Counters::default();
        let score = negamax(&game, &game.start(), &mut all);
        let mut plain = AlphaBeta::new(&game);
        assert_eq!(plain.score(&game.start()), Ok(score));
        let table = TranspositionTable::new(1 << 20);
        let mut tabled = AlphaBeta::new(&game).with_table(&table);
        assert_eq!(tabled.score(&game.start()), Ok(score));
        let visited = [all, plain.counters(), tabled.counters()].map(|counters| counters.positions);
        assert!(visited[0] > 10 * visited[1], "{visited:?}");
        assert!(visited[1] > 10 * visited[2], "{visited:?}");
        assert!(plain.counters().cutoffs > 0 && tabled.counters().table_cutoffs > 0);
    }

    #[test]
    fn a_search_that_is_told_to_stop_stops() {
        let game = TicTacToe::default();
        let stop = || true;
        let mut search = AlphaBeta::new(&game).stop_when(&stop);
        assert_eq!(search.score(&game.start()), Err(Stopped));
        assert_eq!(search.counters().positions, STOP_INTERVAL);
    }
}
