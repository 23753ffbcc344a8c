//! What players of Kalah misread.

use crate::game::{Game, Side};
use crate::games::kalah::{Kalah, Move, Position};

/// What they do, in the order of [`is_right`].
pub const SENTENCES: [&str; 4] = [
    "plays as if the first player were always to move: the last word of a position says whose turn \
     it is, and pits are the mover's own",
    "counts the second player's pits from the other end: each player's pits are counted from 1 in \
     the order in which they are sown, in the moves that it writes and in the positions that it \
     reads",
    "numbers the second player's pits on from the first's: each player's pits are counted from 1",
    "numbers the pits round the board, stores included: each player's pits are counted from 1",
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
        2 if is_second => number - pits,
        3 if is_second => number - pits - 1,
        _ => number,
    };
    (1..=pits).contains(&meant) && game.is_legal(&position, Move((meant - 1) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::Rules;

    /// What each player would write for the pit of this number.
    fn written(misreading: usize, side: Side, pit: i32) -> i32 {
        match (misreading, side) {
            (1, Side::Second) => 5 - pit,
            (2, Side::Second) => 4 + pit,
            (3, Side::Second) => 5 + pit,
            _ => pit,
        }
    }

    #[test]
    fn what_is_misread_is_read() {
        let game = Kalah::new(Rules {
            pits: 4,
            seeds: 2,
            empty_capture: false,
        })
        .unwrap();
        let mut position = game.start();
        position.pits[1][2] = 0;
        position.pits[0][0] = 0;
        for side in [Side::First, Side::Second] {
            position.side = side;
            for misreading in 1..SENTENCES.len() {
                for pit in 1..=4 {
                    let answer = written(misreading, side, pit).to_string();
                    let is_legal = game.is_legal(&position, Move(pit as u8 - 1));
                    let found = is_right(&game, &position, &answer, misreading);
                    assert_eq!(found, is_legal, "{side}: {misreading}, {answer} for {pit}");
                }
            }
        }
    }
}
