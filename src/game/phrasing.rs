//! Scores in words.

use super::{Outcome, Side, distance, points};
use crate::text::{counted, plies, signed};
use serde::Serialize;

/// The longest distance that a table can store.
///
/// The bounds of a search that has proven no more than the outcome are further off.
const LONGEST: u32 = 998;

/// The pieces that each side has yet to place.
///
/// For games in which each move places one, and a win scores 1, and 1 more for each piece that the
/// winner has left. So scores tell when the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PiecesLeft {
    /// Noun for a piece: "disc".
    pub noun: &'static str,
    /// Numbers of the first and the second player's pieces.
    pub of: [u32; 2],
}

/// Points in units of their last decimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Points {
    /// The number of units.
    pub units: i32,
    /// The number of decimals.
    pub decimals: u32,
}

impl Points {
    /// Returns the points as a number: 0.5 for 5 units of one decimal.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.units) / 10_f64.powi(self.decimals as i32)
    }
}

impl Serialize for Points {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.decimals {
            0 => serializer.serialize_i32(self.units),
            _ => serializer.serialize_f64(self.value()),
        }
    }
}

/// A score with all that is needed to put it into words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InWords {
    /// Score as seen from `side`.
    pub score: i32,
    /// Whether it is an outcome with a distance ([`super::ScoreRange::counts_plies`]).
    pub counts_plies: bool,
    /// Whether the winner makes every other ply and the last one
    /// ([`super::ScoreRange::ALTERNATE_PLIES`]), so that plies tell the number of the winner's moves.
    ///
    /// Otherwise, one side may move twice in a row, or lose by a move of its own.
    pub alternates: bool,
    /// The number of decimals of the points that scores tell; `None` if they only tell outcomes.
    pub decimals: Option<u32>,
    /// The side from which it is seen.
    pub side: Side,
    /// The pieces left in the position that has the score, if they tell when the game ends.
    pub pieces: Option<PiecesLeft>,
}

impl InWords {
    /// Returns a score of a game that counts plies or doesn't, seen from the first player.
    #[must_use]
    pub fn new(score: i32, counts_plies: bool) -> InWords {
        InWords {
            score,
            counts_plies,
            alternates: false,
            decimals: (!counts_plies).then_some(0),
            side: Side::First,
            pieces: None,
        }
    }

    /// Returns another score of the same position or of a move there, seen from `side`.
    #[must_use]
    pub fn like(self, side: Side, score: i32) -> InWords {
        InWords {
            score,
            side,
            ..self
        }
    }

    /// Returns the side that wins, if one does.
    #[must_use]
    pub fn winner(self) -> Option<Side> {
        match self.outcome() {
            Outcome::Win => Some(self.side),
            Outcome::Draw => None,
            Outcome::Loss => Some(self.side.other()),
        }
    }

    /// Returns the number of moves that the winner still makes, in games that count the pieces
    /// left, or the plies of sides that move in turn.
    ///
    /// `None` for a draw, and in a finished position.
    #[must_use]
    pub fn moves(self) -> Option<u32> {
        if self.alternates {
            return self.distance().map(|plies| plies.div_ceil(2));
        }
        let left = self.pieces?.of[self.winner()?.index()] + 1;
        left.checked_sub(self.score.unsigned_abs())
            .filter(|&moves| moves > 0)
    }

    /// Returns the points by which the side wins, or minus those by which it loses, if scores tell.
    #[must_use]
    pub fn points(self) -> Option<Points> {
        let units = match self.counts_plies {
            true => points(self.score),
            false => self.score,
        };
        self.decimals.map(|decimals| Points { units, decimals })
    }

    /// Returns the sign of the score.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        Outcome::of(self.score)
    }

    /// Returns the number of plies to the end, in games that count them.
    ///
    /// `None` if there is none: a draw, a finished position, or a bound that proves only the outcome.
    #[must_use]
    pub fn distance(self) -> Option<u32> {
        let plies = distance(self.score).filter(|plies| (1..=LONGEST).contains(plies));
        plies.filter(|_| self.counts_plies)
    }

    /// Returns "+6" or "0"; in games that count plies "wins in 5" or "draws".
    ///
    /// The number is that of the winner's moves if plies tell it, as in [`InWords::effect`].
    #[must_use]
    pub fn short(self) -> String {
        match self.length() {
            _ if !self.counts_plies => signed(self.points().map_or(0.0, Points::value)),
            Some(length) => format!("{} in {length}", self.verb()),
            None => self.verb(),
        }
    }

    /// Returns the number of the winner's moves to the end, or of plies if these don't tell it.
    #[must_use]
    pub fn length(self) -> Option<u32> {
        self.moves().or(self.distance())
    }

    /// Returns "wins by 6", "draws" or "loses by 8"; in games that count plies "wins in 3 moves",
    /// or "wins in 5 plies" if these don't tell the winner's moves.
    ///
    /// In games that count the pieces left "wins in 3 moves" or "loses with the last disc".
    #[must_use]
    pub fn effect(self) -> String {
        let verb = self.verb();
        match (self.distance(), self.pieces) {
            (Some(number), _) if !self.alternates => format!("{verb} in {}", plies(number)),
            (Some(number), _) => {
                format!("{verb} in {}", counted(number.div_ceil(2) as usize, "move"))
            }
            _ if self.score == 0 || self.counts_plies => verb,
            (_, Some(pieces)) if self.score.abs() == 1 => {
                format!("{verb} with the last {}", pieces.noun)
            }
            (_, Some(_)) => match self.moves() {
                Some(moves) => format!("{verb} in {}", counted(moves as usize, "move")),
                None => verb,
            },
            (_, None) => format!("{verb}{}", self.margin()),
        }
    }

    /// Returns "wins", "draws" or "loses"; in games that count plies and points "wins by 6".
    fn verb(self) -> String {
        let margin = if self.counts_plies {
            self.margin()
        } else {
            String::new()
        };
        match self.outcome() {
            Outcome::Win => format!("wins{margin}"),
            Outcome::Draw => "draws".to_owned(),
            Outcome::Loss => format!("loses{margin}"),
        }
    }

    /// Returns " by 6" if scores tell points.
    fn margin(self) -> String {
        let points = self.points().map(|points| points.value().abs());
        points.map_or(String::new(), |points| format!(" by {points}"))
    }

    /// Returns "first player wins by 6", "second player wins in 8 plies" or "a draw".
    #[must_use]
    pub fn who_wins(self) -> String {
        let Some(winner) = self.winner() else {
            return "a draw".to_owned();
        };
        let won = self.like(winner, self.score.abs());
        format!("{winner} player {}", won.effect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::WON;

    fn words(score: i32, counts_plies: bool) -> [String; 3] {
        let score = InWords::new(score, counts_plies);
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
        assert_eq!(InWords::new(WON - 5, false).distance(), None);
    }

    #[test]
    fn pieces_left_tell_when_the_game_ends() {
        let pieces = Some(PiecesLeft {
            noun: "disc",
            of: [5, 4],
        });
        for (side, score, expected) in [
            (Side::First, 1, "wins with the last disc"),
            (Side::First, 5, "wins in 1 move"),
            (Side::First, 2, "wins in 4 moves"),
            (Side::First, -2, "loses in 3 moves"),
            (Side::Second, -2, "loses in 4 moves"),
            (Side::Second, 0, "draws"),
            // A finished position.
            (Side::First, 6, "wins"),
        ] {
            let score = InWords {
                pieces,
                ..InWords::new(0, false).like(side, score)
            };
            assert_eq!(score.effect(), expected, "{side} {score:?}");
        }
    }

    #[test]
    fn sides_that_move_in_turn_have_lengths_in_moves_of_the_winner() {
        for (score, effect, short) in [
            (WON - 1, "wins in 1 move", "wins in 1"),
            (WON - 7, "wins in 4 moves", "wins in 4"),
            (2 - WON, "loses in 1 move", "loses in 1"),
            (8 - WON, "loses in 4 moves", "loses in 4"),
            (0, "draws", "draws"),
            (-WON, "loses", "loses"),
            (1, "wins", "wins"),
        ] {
            let score = InWords {
                alternates: true,
                ..InWords::new(score, true)
            };
            assert_eq!((&*score.effect(), &*score.short()), (effect, short));
        }
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
