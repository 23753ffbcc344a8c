//! Scores and moves in words.

use crate::any::AnyOracle;
use crate::game::Outcome;

/// A score with its sign, as it is printed.
pub fn signed(score: i32) -> String {
    crate::text::signed(score).replace('-', "\u{2212}")
}

/// "wins by 6", "draws", "loses by 8": of who makes a move.
pub fn outcome(score: i32) -> String {
    match Outcome::of(score) {
        Outcome::Win => format!("wins by {score}"),
        Outcome::Draw => "draws".to_owned(),
        Outcome::Loss => format!("loses by {}", -score),
    }
}

/// "pit 5", "cell b2": a move in a sentence; without the noun where it says nothing.
pub fn of_move(oracle: &dyn AnyOracle, mv: &str) -> String {
    match oracle.move_noun() {
        "move" => mv.to_owned(),
        noun => format!("{noun} {mv}"),
    }
}

/// What a mistake has cost: "a win given away for a draw", "4 points lost".
pub fn change(due: i32, after: i32) -> String {
    let points = crate::text::counted((due - after).unsigned_abs() as usize, "point");
    match (Outcome::of(due), Outcome::of(after)) {
        (due, after) if due == after => format!("{points} lost"),
        (due, after) => format!("a {due} turned into a {after}, {points} lost"),
    }
}
