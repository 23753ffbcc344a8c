//! Nim, written with the fewest traits.
//!
//! The players take turns to take any number of matches from one of three heaps. The player who
//! takes the last match wins. A position is the heaps and the side to move: `3,4,5 first`. A move
//! is the heap, counted from 1, and the number of matches that remain in it: `2:1`.

use zermelo::game::{NoGame, Parameter, Side, Values};
use zermelo::games::own::Rules;

/// The number of matches in each heap at the start.
pub struct Nim([u32; 3]);

impl Rules for Nim {
    type Position = ([u32; 3], Side);

    const NAME: &'static str = "nim";
    const ABOUT: &'static str = "Nim: take from one of three heaps; the last match wins";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number(
        "largest",
        5,
        "Matches in the largest heap, 3 to 99",
    )];

    fn new(values: &Values) -> Result<Nim, NoGame> {
        match values.need("largest")? {
            largest @ 3..=99 => Ok(Nim([largest - 2, largest - 1, largest])),
            largest => Err(NoGame(format!(
                "a largest heap of {largest} is not one of 3 to 99"
            ))),
        }
    }

    fn start(&self) -> Self::Position {
        (self.0, Side::First)
    }

    fn side_to_move(&self, &(_, side): &Self::Position) -> Side {
        side
    }

    fn moves(&self, &(heaps, side): &Self::Position) -> Vec<(String, Self::Position)> {
        let mut moves = Vec::new();
        for heap in 0..heaps.len() {
            for left in 0..heaps[heap] {
                let mut after = heaps;
                after[heap] = left;
                moves.push((format!("{}:{left}", heap + 1), (after, side.other())));
            }
        }
        moves
    }

    fn final_score(&self, &(heaps, _): &Self::Position) -> Option<i32> {
        // The other player has just taken the last match.
        (heaps == [0, 0, 0]).then_some(-1)
    }

    fn format_position(&self, &([one, two, three], side): &Self::Position) -> String {
        format!("{one},{two},{three} {side}")
    }
}
