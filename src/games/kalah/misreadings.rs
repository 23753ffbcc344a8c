//! Misunderstandings of Kalah's rules, as plain rules of their own.

use super::{Kalah, Move, Position};
use crate::game::{Checking, Game, Misreading, boxed};

impl Checking<Kalah> for Kalah {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Kalah>>> {
        let rule = match self.parameters().empty_capture {
            true => Rule::NoEmptyCapture,
            false => Rule::EmptyCapture,
        };
        boxed(Rule::ALL.into_iter().chain([rule]))
    }

    fn numbers(&self, position: &Position) -> Vec<(&'static str, u32)> {
        let row = position.pits[position.side.index()];
        let most = row.iter().max().copied().unwrap_or(0);
        vec![("seeds in one of its pits", u32::from(most))]
    }
}

/// A rule in place of the right one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    NoCapture,
    EmptyCapture,
    NoEmptyCapture,
    OwnSeedOnly,
    OppositeOnly,
    CaptureOnBothSides,
    NoExtraTurn,
    ExtraTurnAtHome,
    BothStores,
    FromTheStartingPit,
    PastTheStartingPit,
    Clockwise,
    LeftToLastMover,
    LeftToTheOther,
    LeftToNobody,
    EndsWithoutMove,
}

impl Rule {
    /// All but the two about captures of empty pits: which of them is wrong depends on the game.
    const ALL: [Rule; 14] = [
        Rule::NoCapture,
        Rule::OwnSeedOnly,
        Rule::OppositeOnly,
        Rule::CaptureOnBothSides,
        Rule::NoExtraTurn,
        Rule::ExtraTurnAtHome,
        Rule::BothStores,
        Rule::FromTheStartingPit,
        Rule::PastTheStartingPit,
        Rule::Clockwise,
        Rule::LeftToLastMover,
        Rule::LeftToTheOther,
        Rule::LeftToNobody,
        Rule::EndsWithoutMove,
    ];

    /// Returns the place that gets the next seed.
    ///
    /// Places are numbered in the order of sowing: the mover's pits, their store, the opponent's
    /// pits and store.
    fn next(self, from: usize, mut place: usize, pits: usize) -> usize {
        let places = 2 * pits + 2;
        let step = match self {
            Rule::Clockwise => places - 1,
            _ => 1,
        };
        loop {
            place = (place + step) % places;
            let is_passed = place == places - 1 && self != Rule::BothStores
                || place == from && self == Rule::PastTheStartingPit;
            if !is_passed {
                return place;
            }
        }
    }

    /// Sows the seeds of a pit and returns the place of the last one.
    fn sow(self, board: &mut [u8], from: usize, pits: usize) -> usize {
        let seeds = std::mem::take(&mut board[from]);
        let mut last = from;
        // A single seed moves on in any case, or nothing would ever happen.
        let begins_here = self == Rule::FromTheStartingPit && seeds > 1;
        for seed in 0..seeds {
            if seed > 0 || !begins_here {
                last = self.next(from, last, pits);
            }
            board[last] += 1;
        }
        last
    }

    /// Captures if the last seed is in an empty pit.
    fn capture(self, board: &mut [u8], last: usize, pits: usize, empty_capture: bool) {
        let store = pits;
        let is_pit = last < store || last < 2 * pits + 1 && last > store;
        let is_own = last < store || self == Rule::CaptureOnBothSides;
        if !is_pit || !is_own || board[last] != 1 || self == Rule::NoCapture {
            return;
        }
        let opposite = 2 * pits - last;
        let empty_capture = match self {
            Rule::EmptyCapture => true,
            Rule::NoEmptyCapture => false,
            _ => empty_capture,
        };
        if board[opposite] == 0 && !empty_capture {
            return;
        }
        for (place, stays) in [(last, Rule::OppositeOnly), (opposite, Rule::OwnSeedOnly)] {
            if self != stays {
                board[store] += std::mem::take(&mut board[place]);
            }
        }
    }

    /// Gives the seeds left on the board to a side, if the game is over.
    fn sweep(self, board: &mut [u8], pits: usize) {
        let (own, other) = (0..pits, pits + 1..2 * pits + 1);
        let sums = [own, other].map(|side| board[side].iter().sum::<u8>());
        let receiver = match self {
            // The side that has run out of seeds gets those of the other.
            Rule::LeftToTheOther if sums[0] > 0 => Some(2 * pits + 1),
            Rule::LeftToLastMover | Rule::LeftToTheOther => Some(pits),
            Rule::LeftToNobody => None,
            _ => return,
        };
        if sums[0] == 0 || sums[1] == 0 {
            for place in (0..pits).chain(pits + 1..2 * pits + 1) {
                board[place] = 0;
            }
            if let Some(store) = receiver {
                board[store] += sums[0] + sums[1];
            }
        }
    }
}

impl Misreading<Kalah> for Rule {
    fn sentence(&self) -> String {
        match self {
            Rule::NoCapture => "nothing were ever captured",
            Rule::EmptyCapture => {
                "a last seed in an empty pit were captured even opposite an empty pit"
            }
            Rule::NoEmptyCapture => "a last seed opposite an empty pit stayed in its pit",
            Rule::OwnSeedOnly => "a capture took only the last seed, not the seeds opposite",
            Rule::OppositeOnly => "a capture took only the seeds opposite, not the last seed",
            Rule::CaptureOnBothSides => "a last seed in an empty pit of the opponent captured, too",
            Rule::NoExtraTurn => "a last seed in the own store earned no other turn",
            Rule::ExtraTurnAtHome => "a last seed anywhere on the own side earned another turn",
            Rule::BothStores => "sowing didn't skip the opponent's store",
            Rule::FromTheStartingPit => "the first seed fell into the pit that was emptied",
            Rule::PastTheStartingPit => "sowing round the board skipped the pit that was emptied",
            Rule::Clockwise => "seeds were sown clockwise",
            Rule::LeftToLastMover => "the last mover took the remaining seeds",
            Rule::LeftToTheOther => "the side without seeds took the remaining seeds",
            Rule::LeftToNobody => "nobody got the remaining seeds",
            Rule::EndsWithoutMove => "the game ended only when the side to move has no seeds",
        }
        .to_owned()
    }

    fn moves(&self, game: &Kalah, position: &Position) -> Vec<Move> {
        if *self != Rule::EndsWithoutMove {
            return game.legal_moves(position);
        }
        let pits = (0..).zip(&position.mover_and_opponent().0[..game.pits()]);
        let full = pits.filter(|&(_, &seeds)| seeds > 0);
        full.map(|(pit, _)| Move(pit)).collect()
    }

    fn play(&self, game: &Kalah, position: &Position, mv: Move) -> Position {
        let (pits, me) = (game.pits(), position.side.index());
        let mut board = Vec::with_capacity(2 * pits + 2);
        for side in [me, 1 - me] {
            board.extend(&position.pits[side][..pits]);
            board.push(position.stores[side]);
        }
        let last = self.sow(&mut board, mv.0.into(), pits);
        self.capture(&mut board, last, pits, game.parameters().empty_capture);
        self.sweep(&mut board, pits);
        let stays = match self {
            Rule::NoExtraTurn => false,
            Rule::ExtraTurnAtHome => last <= pits,
            _ => last == pits,
        };
        let mut after = *position;
        for (side, places) in [me, 1 - me].into_iter().zip(board.chunks(pits + 1)) {
            after.pits[side][..pits].copy_from_slice(&places[..pits]);
            after.stores[side] = places[pits];
        }
        if !stays {
            after.side = position.side.other();
        }
        after
    }

    fn final_score(&self, game: &Kalah, position: &Position) -> Option<i32> {
        let is_over = *self != Rule::EndsWithoutMove || position.mover_and_opponent().0 == &[0; 6];
        game.final_score(position).filter(|_| is_over)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::games::kalah::Rules;

    const RULES: Rules = Rules {
        pits: 6,
        seeds: 2,
        empty_capture: false,
    };

    #[test]
    fn misreadings_lead_to_other_positions() {
        let game = Kalah::new(RULES).unwrap();
        for (rule, position, pit, expected) in [
            (
                Rule::NoExtraTurn,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                5,
                "2,2,2,2,0,3:1/2,2,2,2,2,2:0 second",
            ),
            (
                Rule::ExtraTurnAtHome,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                1,
                "0,3,3,2,2,2:0/2,2,2,2,2,2:0 first",
            ),
            (
                Rule::NoCapture,
                "1,0,0,2,0,0:9/1,0,0,0,2,0:9",
                1,
                "0,1,0,2,0,0:9/1,0,0,0,2,0:9 second",
            ),
            (
                Rule::OppositeOnly,
                "1,0,0,2,0,0:9/1,0,0,0,2,0:9",
                1,
                "0,1,0,2,0,0:11/1,0,0,0,0,0:9 second",
            ),
            (
                Rule::OwnSeedOnly,
                "1,0,0,2,0,0:9/1,0,0,0,2,0:9",
                1,
                "0,0,0,2,0,0:10/1,0,0,0,2,0:9 second",
            ),
            (
                Rule::EmptyCapture,
                "1,0,0,2,0,0:10/0,0,0,1,0,0:10",
                1,
                "0,0,0,2,0,0:11/0,0,0,1,0,0:10 second",
            ),
            (
                Rule::BothStores,
                "0,0,0,0,0,8:0/2,2,2,2,2,2:4",
                6,
                "0,0,0,0,0,0:1/3,3,3,3,3,3:5 second",
            ),
            (
                Rule::FromTheStartingPit,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                6,
                "2,2,2,2,2,1:1/2,2,2,2,2,2:0 first",
            ),
            (
                Rule::Clockwise,
                "2,2,2,2,2,2:0/2,2,2,2,2,2:0",
                1,
                "0,2,2,2,2,2:0/2,2,2,2,3,3:0 second",
            ),
            (
                Rule::CaptureOnBothSides,
                "1,0,0,0,3,3:7/2,0,2,2,2,2:0",
                6,
                "1,0,0,0,0,0:12/3,0,2,2,2,2:0 second",
            ),
        ] {
            let parsed = game.parse_position(position).unwrap();
            let after = rule.play(&game, &parsed, Move(pit - 1));
            assert_eq!(game.format_position(&after), expected, "{rule:?}");
            assert_ne!(after, game.play(&parsed, Move(pit - 1)), "{rule:?}");
        }
    }

    #[test]
    fn misreadings_give_remaining_seeds_to_others() {
        let game = Kalah::new(RULES).unwrap();
        let position = game
            .parse_position("0,0,0,0,0,1:10/0,0,3,0,0,0:10")
            .unwrap();
        for (rule, score) in [
            (Rule::LeftToLastMover, 4),
            (Rule::LeftToTheOther, 4),
            (Rule::LeftToNobody, 1),
            (Rule::NoCapture, -2),
        ] {
            let after = rule.play(&game, &position, Move(5));
            let found = rule.final_score(&game, &after).unwrap();
            assert_eq!(
                game.seen_from(position.side, &after, found),
                score,
                "{rule:?}"
            );
        }
    }
}
