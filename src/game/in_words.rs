//! Scores in words.

use super::{Outcome, Side, distance};
use crate::text::{plies, signed};

/// The longest distance that a table can store.
///
/// The bounds of a search that has proven no more than the outcome are further off.
const LONGEST: u32 = 254;

/// A score with all that is needed to put it into words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InWords {
    /// The score.
    pub score: i32,
    /// Whether it is an outcome with a distance ([`super::ScoreRange::counts_plies`]).
    pub counts_plies: bool,
}

impl InWords {
    /// A score of a game that counts plies or doesn't.
    #[must_use]
    pub fn new(score: i32, counts_plies: bool) -> InWords {
        InWords {
            score,
            counts_plies,
        }
    }

    /// Its sign.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        Outcome::of(self.score)
    }

    /// The number of plies to the end, in games that count them.
    ///
    /// `None` if there is none: a draw, a finished position, or a bound that proves only the outcome.
    #[must_use]
    pub fn distance(self) -> Option<u32> {
        let plies = distance(self.score).filter(|plies| (1..=LONGEST).contains(plies));
        plies.filter(|_| self.counts_plies)
    }

    /// "+6" or "0"; in games that count plies "wins in 5" or "draws".
    #[must_use]
    pub fn short(self) -> String {
        match self.distance() {
            _ if !self.counts_plies => signed(self.score),
            Some(plies) => format!("{} in {plies}", self.verb()),
            None => self.verb().to_owned(),
        }
    }

    /// "wins by 6", "draws" or "loses by 8"; in games that count plies "wins in 5 plies".
    #[must_use]
    pub fn effect(self) -> String {
        let verb = self.verb();
        match self.distance() {
            Some(number) => format!("{verb} in {}", plies(number)),
            None if self.score == 0 || self.counts_plies => verb.to_owned(),
            None => format!("{verb} by {}", self.score.abs()),
        }
    }

    fn verb(self) -> &'static str {
        match self.outcome() {
            Outcome::Win => "wins",
            Outcome::Draw => "draws",
            Outcome::Loss => "loses",
        }
    }

    /// "first player wins by 6", "second player wins in 8 plies" or "a draw".
    ///
    /// The score is seen from the first player.
    #[must_use]
    pub fn who_wins(self) -> String {
        let winner = match self.outcome() {
            Outcome::Win => Side::First,
            Outcome::Draw => return "a draw".to_owned(),
            Outcome::Loss => Side::Second,
        };
        let score = self.score.abs();
        format!("{winner} player {}", InWords { score, ..self }.effect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::WON;

    fn words(score: i32, counts_plies: bool) -> [String; 3] {
        let score = InWords {
            score,
            counts_plies,
        };
        [score.short(), score.effect(), score.who_wins()]
    }

    #[test]
    fn points_have_signs() {
        for (score, expected) in [
            (6, ["+6", "wins by 6", "first player wins by 6"]),
            (0, ["0", "draws", "a draw"]),
            (-8, ["-8", "loses by 8", "second player wins by 8"]),
            (WON - 5, ["+995", "wins by 995", "first player wins by 995"]),
        ] {
            assert_eq!(words(score, false), expected);
        }
        assert_eq!(
            InWords {
                score: WON - 5,
                counts_plies: false
            }
            .distance(),
            None
        );
    }

    #[test]
    fn plies_are_counted() {
        for (score, expected) in [
            (
                WON - 77,
                [
                    "wins in 77",
                    "wins in 77 plies",
                    "first player wins in 77 plies",
                ],
            ),
            (
                WON - 1,
                ["wins in 1", "wins in 1 ply", "first player wins in 1 ply"],
            ),
            (0, ["draws", "draws", "a draw"]),
            (
                4 - WON,
                [
                    "loses in 4",
                    "loses in 4 plies",
                    "second player wins in 4 plies",
                ],
            ),
            // A finished position, and bounds that prove only the outcome.
            (-WON, ["loses", "loses", "second player wins"]),
            (1, ["wins", "wins", "first player wins"]),
            (-1, ["loses", "loses", "second player wins"]),
        ] {
            assert_eq!(words(score, true), expected);
        }
    }
}
