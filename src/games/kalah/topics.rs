//! Rules of Kalah that are easy to get wrong.

use super::{Kalah, Move, Position};
use crate::game::Game;

/// What a move can have to do with, in the order of the bits of [`of_move`].
pub(super) const NAMES: [&str; 6] = [
    "another turn after the last seed in the own store",
    "capture",
    "last seed in an empty own pit opposite an empty one",
    "sowing past the opponent's store",
    "a lap that ends in the pit it came from",
    "the end: seeds left on the board belong to their side",
];

pub(super) fn of_move(game: &Kalah, position: &Position, mv: Move) -> u32 {
    let pits = game.pits();
    let round = 2 * pits + 1;
    let (mover, opponent) = position.mover_and_opponent();
    let from = usize::from(mv.0);
    let seeds = usize::from(mover[from]);
    let last = (from + seeds) % round;
    let full_lap = seeds.is_multiple_of(round);
    let passes = from + seeds > 2 * pits;
    let in_empty_pit = last < pits && (seeds < round && mover[last] == 0 || seeds == round);
    let opposite = in_empty_pit.then(|| {
        let opposite = pits - 1 - last;
        // The lap may have dropped a seed there.
        usize::from(opponent[opposite]) + usize::from(from + seeds > pits + 1 + opposite)
    });
    let after = game.play(position, mv);
    let ends = game.final_score(&after).is_some() && after.seeds_on_board() > 0;
    [
        last == pits,
        opposite.is_some_and(|seeds| seeds > 0),
        opposite == Some(0),
        passes,
        full_lap,
        ends,
    ]
    .into_iter()
    .enumerate()
    .fold(0, |bits, (topic, is_it)| bits | u32::from(is_it) << topic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::Rules;

    #[test]
    fn moves_have_the_topics_that_they_show() {
        let game = Kalah::new(Rules {
            pits: 6,
            seeds: 2,
            empty_capture: false,
        })
        .unwrap();
        for (position, pit, topics) in [
            ("2,2,2,2,2,2/2,2,2,2,2,2", 1, 0),
            ("2,2,2,2,2,2/2,2,2,2,2,2", 5, 1),
            ("1,0,0,2,0,0/1,0,0,0,2,0", 1, 1 << 1),
            ("1,0,0,2,0,0/0,0,0,1,0,0", 1, 1 << 2),
            ("0,0,0,1,0,8/1,1,1,1,1,1", 6, 1 << 1 | 1 << 3),
            ("0,0,13,0,0,0/1,1,1,1,1,1", 3, 1 << 1 | 1 << 3 | 1 << 4),
            ("1,0,0,0,0,1/0,0,3,0,0,0", 6, 1),
            ("0,0,0,0,0,1/0,0,3,0,0,0", 6, 1 | 1 << 5),
        ] {
            let parsed = game.parse_position(position).unwrap();
            let found = of_move(&game, &parsed, Move(pit - 1));
            assert_eq!(found, topics, "{position}, pit {pit}");
        }
    }
}
