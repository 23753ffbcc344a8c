//! Scores and moves in words.

use crate::any::AnyOracle;
use crate::cli::answer::any_of;
use crate::game::{InWords, Outcome, Side};
use crate::text::{counted, plies};

/// Names of the players on a page: "the first player", "Red (X)", or "you" and "the program".
pub struct Players([String; 2]);

impl Players {
    /// Returns the players' names in the game.
    pub fn of(oracle: &AnyOracle<'_>) -> Players {
        let name = |side| {
            let name = oracle.side_name(side);
            name.map_or_else(|| format!("the {side} player"), str::to_owned)
        };
        Players([Side::First, Side::Second].map(name))
    }

    /// Returns a person who plays one side against a program.
    pub fn person(side: Side, program: &str) -> Players {
        let name = |own| if own == side { "you" } else { program };
        Players([Side::First, Side::Second].map(name).map(str::to_owned))
    }

    /// Returns a side's name, as part of a sentence.
    pub fn name(&self, side: Side) -> &str {
        &self.0[side.index()]
    }

    /// Returns a player's result in words, given what others do: "you win by 6" for "wins by 6".
    pub fn says(&self, side: Side, others: &str) -> String {
        let name = self.name(side);
        let (verb, rest) = others.split_once(' ').unwrap_or((others, ""));
        let verb = match (name, verb) {
            ("you", "loses") => "lose",
            ("you", verb) => verb.trim_end_matches('s'),
            (_, verb) => verb,
        };
        format!("{name} {verb} {rest}").trim_end().to_owned()
    }

    /// Returns "the first player wins by 6", "you win in 3 moves" or "a draw".
    pub fn who_wins(&self, score: InWords) -> String {
        match score.winner() {
            None => score.who_wins(),
            Some(winner) => self.says(winner, &score.like(winner, score.score.abs()).effect()),
        }
    }
}

/// Returns a score with its sign, for print.
pub fn signed(score: impl Into<f64>) -> String {
    crate::text::signed(score).replace('-', "\u{2212}")
}

/// Returns a score with its sign, unless words say more.
fn points(score: InWords) -> Option<String> {
    let points = score.points().filter(|_| score.pieces.is_none());
    points.map(|points| signed(points.value()))
}

/// Returns a score in a few letters: "+6", or else "W5", "D" or "L4" with the moves or plies to the
/// end.
pub fn sign(score: InWords) -> String {
    points(score).unwrap_or_else(|| {
        let letter = match score.outcome() {
            Outcome::Win => "W",
            Outcome::Draw => "D",
            Outcome::Loss => "L",
        };
        letter.to_owned()
            + &score
                .length()
                .map(|length| length.to_string())
                .unwrap_or_default()
    })
}

/// Returns a move in a sentence: "pit 5", "cell b2". Without the noun if it is only "move".
pub fn of_move(oracle: &AnyOracle<'_>, mv: &str) -> String {
    any_of(&[mv], oracle.move_noun())
}

/// Returns the effect of a mistake: "a win turned into a draw, 4 points lost", "2 moves slower".
pub fn change(due: InWords, after: InWords) -> String {
    let lost = (due.score - after.score).unsigned_abs();
    let points = counted(lost as usize, "point");
    let turned = format!("a {} turned into a {}", due.outcome(), after.outcome());
    let length = match (due.counts_plies, due.pieces) {
        (true, _) if due.alternates => counted(lost as usize / 2, "move"),
        (true, _) => plies(lost),
        (_, Some(_)) => counted(lost as usize, "move"),
        (_, None) if due.outcome() == after.outcome() => return format!("{points} lost"),
        (_, None) => return format!("{turned}, {points} lost"),
    };
    match due.outcome() == after.outcome() {
        false => turned,
        true if due.score > 0 => format!("{length} slower"),
        true => format!("{length} sooner"),
    }
}
