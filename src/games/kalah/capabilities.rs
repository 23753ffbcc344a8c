//! The optional methods of Kalah: symmetry, solving, searching, and rules that are easy to get wrong.

use super::index::{Arrangements, Layout};
use super::retro::KalahSolver;
use super::search::{KalahSearcher, cross_checker, endgame_that_pays};
use super::{Kalah, Move, Position};
use crate::game::{
    Checking, Game, OwnSearcher, OwnSolver, Ranking, Roots, SearchSetup, Searching, Solving,
    Symmetry,
};
use std::sync::Arc;

impl Symmetry<Kalah> for Kalah {
    fn order(&self) -> usize {
        2
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        [*position, position.swapped()][symmetry]
    }
}

impl Solving<Kalah> for Kalah {
    fn roots(&self) -> Roots {
        match self.up_to() {
            Some(_) => Roots::Everywhere,
            None => Roots::Start,
        }
    }

    fn ranking(&self) -> Option<Arc<dyn Ranking<Position>>> {
        let arrangements = Arrangements::new(self.pits(), self.total_seeds());
        let layout = Layout::new(Arc::new(arrangements))?;
        Some(Arc::new(layout))
    }

    fn own_solver(&self) -> Option<Box<dyn OwnSolver>> {
        Some(Box::new(KalahSolver::new(self)))
    }
}

impl Searching<Kalah> for Kalah {
    fn searcher(&self, setup: &SearchSetup) -> OwnSearcher<Kalah> {
        let searcher = KalahSearcher::new(self, setup);
        Some(searcher.map(|searcher| Box::new(searcher) as _))
    }

    fn witness(&self, setup: &SearchSetup) -> OwnSearcher<Kalah> {
        Some(cross_checker(self, setup).map(|search| Box::new(search) as _))
    }

    fn witness_endgame(&self, questions: u64, memory: u64) -> Option<Kalah> {
        endgame_that_pays(self, questions, memory)
    }
}

/// Rules of Kalah that are easy to get wrong.
const TOPICS: [&str; 5] = [
    "another turn after the last seed in the own store",
    "capture",
    "last seed in an empty own pit opposite an empty one",
    "sowing past the opponent's store",
    "the end: seeds left on the board belong to their side",
];

const ANOTHER_TURN: usize = 0;
const CAPTURE: usize = 1;
const OPPOSITE_EMPTY: usize = 2;
const PAST_THE_STORE: usize = 3;
const THE_END: usize = 4;

impl Checking<Kalah> for Kalah {
    fn rule_topics(&self) -> &'static [&'static str] {
        &TOPICS
    }

    /// Returns the position that a player expects who doesn't know one of the rules.
    ///
    /// The rules, by `topic`:
    ///
    /// - a last seed in the player's own store earns another turn;
    /// - a last seed in an empty pit captures;
    /// - whether it captures opposite an empty pit, too;
    /// - sowing skips the opponent's store;
    /// - the seeds remaining at the end belong to their side.
    fn play_unaware(&self, position: &Position, mv: Move, topic: usize) -> Option<Position> {
        let me = position.side.index();
        let mut after = self.play(position, mv);
        match topic {
            ANOTHER_TURN => after.side = position.side.other(),
            CAPTURE => {
                if let Some((last, captured @ 1..)) = meets(self, position, mv) {
                    after.stores[me] -= 1 + captured;
                    after.pits[me][last] = 1;
                    after.pits[1 - me][self.pits() - 1 - last] = captured;
                }
            }
            OPPOSITE_EMPTY => {
                if let Some((last, 0)) = meets(self, position, mv) {
                    let stays = after.pits[me][last];
                    after.stores[me] = after.stores[me] + stays - (1 - stays);
                    after.pits[me][last] = 1 - stays;
                }
            }
            PAST_THE_STORE => after = sow_into_both(self, position, mv),
            THE_END => {
                if self.final_score(&after).is_some() {
                    after.pits = Default::default();
                }
            }
            _ => return None,
        }
        Some(after)
    }
}

/// Returns the last pit and the seeds opposite, if that own pit was empty.
fn meets(game: &Kalah, position: &Position, mv: Move) -> Option<(usize, u8)> {
    let pits = game.pits();
    let round = 2 * pits + 1;
    let (mover, opponent) = position.mover_and_opponent();
    let from = usize::from(mv.0);
    let seeds = usize::from(mover[from]);
    let last = (from + seeds) % round;
    let is_empty = last < pits && (seeds < round && mover[last] == 0 || seeds == round);
    is_empty.then(|| {
        let opposite = pits - 1 - last;
        // Sowing may have dropped a seed into the opposite pit.
        let dropped = u8::from(from + seeds > pits + 1 + opposite);
        (last, opponent[opposite] + dropped)
    })
}

/// Returns the position after a move if sowing doesn't skip the opponent's store.
fn sow_into_both(game: &Kalah, position: &Position, mv: Move) -> Position {
    let (me, from) = (position.side.index(), usize::from(mv.0));
    let round = 2 * game.pits() + 2;
    // The seeds that don't fall into that store fall as the rules say, one pit after the other.
    let astray = ((from + usize::from(position.pits[me][from]) + 1) / round) as u8;
    let mut before = *position;
    before.pits[me][from] -= astray;
    let mut after = game.play(&before, mv);
    after.stores[1 - me] += astray;
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::games::kalah::Rules;
    use crate::testing::tables::kalah;

    #[test]
    fn players_unaware_of_a_rule_expect_another_position() {
        for (empty_capture, topic, position, pit, expected) in [
            (
                false,
                ANOTHER_TURN,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                5,
                "2,2,2,2,0,3:1/2,2,2,2,2,2:0 second",
            ),
            (
                false,
                ANOTHER_TURN,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                1,
                "0,3,3,2,2,2:0/2,2,2,2,2,2:0 second",
            ),
            (
                false,
                CAPTURE,
                "1,0,0,2,0,0:9/1,0,0,0,2,0:9",
                1,
                "0,1,0,2,0,0:9/1,0,0,0,2,0:9 second",
            ),
            (
                false,
                CAPTURE,
                "0,0,0,1,0,8:9/1,1,1,1,1,1:0",
                6,
                "1,0,0,1,0,0:10/2,2,2,2,2,2:0 second",
            ),
            (
                false,
                CAPTURE,
                "1,0,0,2,0,0:10/0,0,0,1,0,0:10",
                1,
                "0,1,0,2,0,0:10/0,0,0,1,0,0:10 second",
            ),
            (
                false,
                OPPOSITE_EMPTY,
                "1,0,0,2,0,0:10/0,0,0,1,0,0:10",
                1,
                "0,0,0,2,0,0:11/0,0,0,1,0,0:10 second",
            ),
            (
                true,
                OPPOSITE_EMPTY,
                "1,0,0,2,0,0:10/0,0,0,1,0,0:10",
                1,
                "0,1,0,2,0,0:10/0,0,0,1,0,0:10 second",
            ),
        ] {
            let rules = Rules {
                pits: 6,
                seeds: 2,
                empty_capture,
            };
            let game = Kalah::new(rules).unwrap();
            let parsed = game.parse_position(position).unwrap();
            let found = game.play_unaware(&parsed, Move(pit - 1), topic).unwrap();
            assert_eq!(
                game.format_position(&found),
                expected,
                "{position}, pit {pit}"
            );
        }
        let game = kalah(6, 2);
        let parsed = game
            .parse_position("0,0,0,0,0,1:10/0,0,3,0,0,0:10")
            .unwrap();
        let right = game.play(&parsed, Move(5));
        assert_eq!(game.final_score(&right), Some(-2));
        let found = game.play_unaware(&parsed, Move(5), THE_END).unwrap();
        assert_eq!(game.final_score(&found), Some(1));
    }
}
