//! Scores and moves in words.

use crate::any::AnyOracle;
use crate::cli::answer::any_of;
use crate::game::Outcome;

/// A score with its sign, for print.
pub fn signed(score: i32) -> String {
    crate::text::signed(score).replace('-', "\u{2212}")
}

/// "wins by 6", "draws", "loses by 8": the outcome for the side that makes a move.
pub fn outcome(score: i32) -> String {
    match Outcome::of(score) {
        Outcome::Win => format!("wins by {score}"),
        Outcome::Draw => "draws".to_owned(),
        Outcome::Loss => format!("loses by {}", -score),
    }
}

/// A move in a sentence: "pit 5", "cell b2". Without the noun if it is only "move".
pub fn of_move(oracle: &dyn AnyOracle, mv: &str) -> String {
    any_of(&[mv], oracle.move_noun())
}

/// The effect of a mistake: "a win turned into a draw, 4 points lost".
pub fn change(due: i32, after: i32) -> String {
    let points = crate::text::counted((due - after).unsigned_abs() as usize, "point");
    match (Outcome::of(due), Outcome::of(after)) {
        (due, after) if due == after => format!("{points} lost"),
        (due, after) => format!("a {due} turned into a {after}, {points} lost"),
    }
}
