//! Kalah backwards: from where a move can have led to a position.

use crate::game::Game;
use crate::games::kalah::{Kalah, Move, Pits, Position, sum};

/// See [`Checking::predecessors`].
pub fn predecessors(game: &Kalah, after: &Position, into: &mut Vec<(Position, Move)>) {
    let (mover, opponent) = after.mover_and_opponent();
    let back = Back {
        game,
        total: game.total_seeds(),
    };
    // The same player moved and earned another turn, or the other one moved.
    back.quiet(mover, opponent, true, into);
    back.quiet(opponent, mover, false, into);
    back.capture(opponent, mover, into);
}

struct Back<'a> {
    game: &'a Kalah,
    total: usize,
}

impl Back<'_> {
    /// The pits before so many seeds were sown from `from`, if that is how they can have come
    /// about.
    fn unsow(&self, own: &Pits, other: &Pits, from: usize, seeds: usize) -> Option<(Pits, Pits)> {
        let pits = self.game.pits();
        let round = 2 * pits + 1;
        let (laps, rest) = ((seeds / round) as u8, seeds % round);
        let (mut own, mut other) = (*own, *other);
        for place in (0..round).filter(|&place| place != pits) {
            // The first `rest` places after the origin got one more than the laps.
            let distance = (place + round - from) % round;
            let sown = laps + u8::from((1..=rest).contains(&distance));
            let pit = if place < pits {
                &mut own[place]
            } else {
                &mut other[place - pits - 1]
            };
            *pit = pit.checked_sub(sown)?;
        }
        // It was emptied first, so what it holds is from this move.
        if own[from] != 0 {
            return None;
        }
        own[from] = seeds as u8;
        Some((own, other))
    }

    /// Keeps a position that may have come before if it is one and the move does what it should.
    fn keep(
        &self,
        own: Pits,
        other: Pits,
        from: usize,
        after: (&Pits, &Pits, bool),
        into: &mut Vec<(Position, Move)>,
    ) {
        let before = Position::bare(own, other);
        let mv = Move(from as u8);
        if before.seeds_on_board() > self.total || !self.game.is_legal(&before, mv) {
            return;
        }
        let played = self.game.play(&before, mv);
        let (own, other, same) = after;
        let same_side = played.side == before.side;
        if same_side == same && &played.pits[0] == own && &played.pits[1] == other {
            into.push((before, mv));
        }
    }

    /// All seeds counts with which a lap from `from` ends at `last`, a place in sowing direction.
    fn counts(&self, from: usize, last: usize) -> impl Iterator<Item = usize> + use<> {
        let round = 2 * self.game.pits() + 1;
        let least = match (last + round - from) % round {
            0 => round,
            distance => distance,
        };
        (least..=self.total).step_by(round)
    }

    /// Moves that captured nothing, those that earned a turn or the others.
    fn quiet(&self, own: &Pits, other: &Pits, again: bool, into: &mut Vec<(Position, Move)>) {
        let pits = self.game.pits();
        for from in 0..pits {
            for last in (0..2 * pits + 1).filter(|&last| (last == pits) == again) {
                for seeds in self.counts(from, last) {
                    if let Some((before, opponent)) = self.unsow(own, other, from, seeds) {
                        self.keep(before, opponent, from, (own, other, again), into);
                    }
                }
            }
        }
    }

    fn capture(&self, own: &Pits, other: &Pits, into: &mut Vec<(Position, Move)>) {
        let pits = self.game.pits();
        for last in (0..pits).filter(|&last| own[last] == 0 && other[pits - 1 - last] == 0) {
            let opposite = pits - 1 - last;
            let (mut landed, mut full) = (*own, *other);
            landed[last] = 1;
            // How many were captured isn't known: any number that is not less than what this move
            // dropped there.
            full[opposite] = u8::MAX;
            for from in 0..pits {
                for seeds in self.counts(from, last) {
                    let Some((before, mut opponent)) = self.unsow(&landed, &full, from, seeds)
                    else {
                        continue;
                    };
                    opponent[opposite] = 0;
                    let room = self.total.saturating_sub(sum(&before) + sum(&opponent));
                    for there in 0..=room {
                        opponent[opposite] = there as u8;
                        self.keep(before, opponent, from, (own, other, false), into);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::NoProgress;
    use crate::game::Notation;
    use crate::games::kalah::Rules;
    use crate::solve::reachable;
    use rustc_hash::FxHashSet;

    /// Both ways round: every move's end knows its beginning, and every beginning's move leads to
    /// the end.
    #[test]
    fn every_move_is_found_backwards_and_no_other() {
        for (pits, seeds, empty_capture) in [
            (1, 3, false),
            (2, 2, false),
            (2, 5, true),
            (3, 2, false),
            (3, 3, true),
            (4, 2, false),
        ] {
            let game = Kalah::new(Rules {
                pits,
                seeds,
                empty_capture,
            })
            .unwrap();
            let keys = reachable(&game, 1 << 30, &NoProgress).unwrap();
            let mut forwards = FxHashSet::default();
            let mut before = Vec::new();
            for &key in &keys {
                let position = game.position_of_key(key).unwrap();
                for mv in game.legal_moves(&position) {
                    let child = game.play(&position, mv);
                    if game.final_score(&child).is_none() {
                        forwards.insert((position, mv, game.canonical(&child)));
                    }
                }
            }
            let mut backwards = 0;
            for &key in &keys {
                let position = game.position_of_key(key).unwrap();
                assert!(
                    game.capabilities()
                        .checking
                        .predecessors(&position, &mut before)
                );
                let mut distinct = FxHashSet::default();
                for &(parent, mv) in &before {
                    assert!(distinct.insert((parent, mv)), "{parent:?} {mv:?} twice");
                    let child = game.canonical(&game.play(&parent, mv));
                    assert_eq!(child, position, "{parent:?} {mv:?}");
                    backwards += usize::from(forwards.contains(&(parent, mv, child)));
                }
            }
            assert_eq!(backwards, forwards.len(), "{}", game.name());
        }
    }
}
