//! Scores and moves in words.

use crate::any::AnyOracle;
use crate::cli::answer::any_of;
use crate::game::{InWords, Outcome};
use crate::text::{counted, plies};

/// A score with its sign, for print.
pub fn signed(score: i32) -> String {
    crate::text::signed(score).replace('-', "\u{2212}")
}

/// A score in a few letters: "+6"; in games that count plies "W5", "D" or "L4".
pub fn sign(score: InWords) -> String {
    let letter = match score.outcome() {
        _ if !score.counts_plies => return signed(score.score),
        Outcome::Win => "W",
        Outcome::Draw => "D",
        Outcome::Loss => "L",
    };
    let plies = score.distance().map(|plies| plies.to_string());
    letter.to_owned() + &plies.unwrap_or_default()
}

/// A move in a sentence: "pit 5", "cell b2". Without the noun if it is only "move".
pub fn of_move(oracle: &dyn AnyOracle, mv: &str) -> String {
    any_of(&[mv], oracle.move_noun())
}

/// The effect of a mistake: "a win turned into a draw, 4 points lost", "2 plies slower".
pub fn change(due: InWords, after: InWords) -> String {
    let lost = (due.score - after.score).unsigned_abs();
    let points = counted(lost as usize, "point");
    let turned = format!("a {} turned into a {}", due.outcome(), after.outcome());
    match (due.outcome() == after.outcome(), due.counts_plies) {
        (true, false) => format!("{points} lost"),
        (false, false) => format!("{turned}, {points} lost"),
        (false, true) => turned,
        (true, true) if due.score > 0 => format!("{} slower", plies(lost)),
        (true, true) => format!("{} sooner", plies(lost)),
    }
}
