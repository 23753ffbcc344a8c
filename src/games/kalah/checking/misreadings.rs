//! What players of Kalah misread.

use crate::game::{Game, Side};
use crate::games::kalah::{Kalah, Move, Position};

/// What they do, in the order of [`is_right`].
pub const SENTENCES: [&str; 5] = [
    "plays as if the first player were always to move: the last word of a position says whose turn \
     it is, and pits are the mover's own",
    "counts the second player's pits from the other end: each player's pits are counted from 1 in \
     the order in which they are sown",
    "numbers the second player's pits on from the first's: each player's pits are counted from 1",
    "numbers the pits round the board, stores included: each player's pits are counted from 1",
    "numbers the pits round the board from 0, stores included: each player's pits are counted from 1",
];

pub fn is_right(game: &Kalah, position: &Position, answer: &str, misreading: usize) -> bool {
    let pits = game.pits() as i32;
    let Ok(number) = answer.parse::<i32>() else {
        return false;
    };
    let is_second = position.side == Side::Second;
    let mut position = *position;
    let meant = match misreading {
        0 => {
            position.side = Side::First;
            number
        }
        1 if is_second => pits + 1 - number,
        2 | 4 if is_second => number - pits,
        3 if is_second => number - pits - 1,
        4 => number + 1,
        _ => number,
    };
    (1..=pits).contains(&meant) && game.is_legal(&position, Move((meant - 1) as u8))
}
