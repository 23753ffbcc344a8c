//! Eight, a complete example of a game.
//!
//! The two players in turn name a number from 1 to 3, but never the number that the opponent has
//! just named. The player who brings the total to exactly 8 wins, and one who exceeds 8 loses.
//!
//! # The parts of a game
//!
//! 1. **The position**: everything on which the rest of the game depends, including the side to
//!    move. Here these are the total, the number named last and the side to move.
//! 2. **The rules**, [`Game`]: `start`, `side_to_move`, `moves`, `play`, `final_score`. The score
//!    of a finished position is seen from the side that would be to move.
//! 3. **Symmetries**. Swapping the players changes only their names, so there is one symmetry
//!    besides the identity. `canonical` selects one position of each class, here the one in which
//!    the first player is to move.
//! 4. **Keys**. `key` numbers the canonical positions, `position_of_key` is its inverse and refuses
//!    all other numbers.
//! 5. **[`Notation`]**: texts of positions and moves for people, AIs and tables. Every text can be
//!    read back.
//! 6. **A [`Family`]**: a name on the command line, `zermelo::cli::main(&[&Eight])`.
//!
//! [`crate::conformance::check`] finds most mistakes in these parts.

use crate::game::{
    Capabilities, Family, Game, NoGame, Notation, NotationError, ScoreRange, Side, Symmetry, Values,
};

const GOAL: u8 = 8;
const HIGHEST: u8 = 3;

/// The game; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Eight;

/// A state of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    total: u8,
    /// The number named last, or 0 at the start.
    last: u8,
    side: Side,
}

/// Returns whether a game can reach this total with this last number.
fn can_arise(total: u8, last: u8) -> bool {
    if last == 0 {
        return total == 0;
    }
    let Some(before) = total.checked_sub(last) else {
        return false;
    };
    before < GOAL
        && last <= HIGHEST
        && (0..=HIGHEST).any(|earlier| earlier != last && can_arise(before, earlier))
}

impl Game for Eight {
    type Position = Position;
    type Move = u8;

    fn start(&self) -> Position {
        Position {
            total: 0,
            last: 0,
            side: Side::First,
        }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<u8>) {
        moves.clear();
        if position.total < GOAL {
            moves.extend((1..=HIGHEST).filter(|&number| number != position.last));
        }
    }

    fn play(&self, position: &Position, number: u8) -> Position {
        Position {
            total: position.total + number,
            last: number,
            side: position.side.other(),
        }
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        // The opponent of the side to move named the last number.
        match position.total {
            0..GOAL => None,
            GOAL => Some(-1),
            _ => Some(1),
        }
    }

    fn score_range(&self) -> ScoreRange {
        // There are no draws, so -1 and 1 are neighbours.
        ScoreRange::up_to(1, 2)
    }

    fn canonical(&self, position: &Position) -> Position {
        Position {
            side: Side::First,
            ..*position
        }
    }

    fn key(&self, canonical: &Position) -> u128 {
        u128::from(canonical.total) << 2 | u128::from(canonical.last)
    }

    fn key_bits(&self) -> u32 {
        8
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let key = u8::try_from(key).ok()?;
        let (total, last) = (key >> 2, key & 3);
        (total < GOAL && can_arise(total, last)).then_some(Position {
            total,
            last,
            side: Side::First,
        })
    }

    fn layer(&self, canonical: &Position) -> u32 {
        u32::from(canonical.total)
    }
}

impl Notation for Eight {
    fn rules(&self) -> String {
        "eight".into()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            ..Capabilities::default()
        }
    }

    fn title(&self) -> String {
        "Eight".into()
    }

    fn format_position(&self, position: &Position) -> String {
        match position.last {
            0 => format!("{} {}", position.total, position.side),
            last => format!("{},{last} {}", position.total, position.side),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let fail = |problem| NotationError::new(text, problem, "5,2 first");
        let words: Vec<&str> = text.split_whitespace().collect();
        let [numbers, side] = words[..] else {
            return Err(fail(
                "a position is the total, the last number and the side to move",
            ));
        };
        let Ok(side) = side.parse() else {
            return Err(fail("the side to move must be \"first\" or \"second\""));
        };
        let (total, last) = numbers.split_once(',').unwrap_or((numbers, "0"));
        let (Ok(total), Ok(last)) = (total.parse(), last.parse()) else {
            return Err(fail("the total and the last number must be whole numbers"));
        };
        if !can_arise(total, last) {
            return Err(fail("no play leads to this total by this last number"));
        }
        Ok(Position { total, last, side })
    }

    fn format_move(&self, number: u8) -> String {
        number.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
        let number = (1..=HIGHEST).find(|number| number.to_string() == text.trim());
        number.ok_or_else(|| NotationError::new(text, "a move is a number from 1 to 3", "2"))
    }

    fn move_noun(&self) -> &'static str {
        "number"
    }

    fn board(&self, position: &Position) -> String {
        let last = match position.last {
            0 => "-".into(),
            last => last.to_string(),
        };
        format!(
            "  total    {} of {GOAL}\n  last     {last}\n  to move  {}",
            position.total, position.side
        )
    }

    fn layer_name(&self) -> &'static str {
        "total reached"
    }
}

impl Symmetry<Eight> for Eight {
    fn order(&self) -> usize {
        2
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let side = [position.side, position.side.other()][symmetry];
        Position { side, ..*position }
    }
}

impl Family for Eight {
    type Game = Eight;

    fn name(&self) -> &'static str {
        "eight"
    }

    fn about(&self) -> &'static str {
        "Eight: name 1, 2 or 3 in turn; whoever reaches 8 wins"
    }

    fn rules_in_words(&self) -> &'static str {
        "The players in turn name 1, 2 or 3, but never the number just named. It is added to a \
         total, which begins at 0. Whoever makes it exactly 8 wins; whoever exceeds 8 loses. A \
         score is 1 for a win and -1 for a loss of the side to move; there are no draws. A \
         position is the total, the number named last and whose turn it is: \"5,2 first\", and at \
         the start \"0 first\"."
    }

    fn game(&self, _: &Values) -> Result<Eight, NoGame> {
        Ok(Eight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeen_positions_can_arise_unfinished() {
        let keys = (0..=u128::from(u8::MAX)).filter(|&key| Eight.position_of_key(key).is_some());
        assert_eq!(keys.count(), 17);
    }

    #[test]
    fn positions_that_cannot_arise_are_refused() {
        // 1 + 1 and 2 + 2 repeat a number; nobody may name 4; the game ends at 8.
        for text in [
            "2,1 first",
            "4,2 first",
            "4,4 first",
            "11,1 first",
            "3 first",
            "0,1 first",
            "5,2",
            "",
            "x,1 first",
            "5,2 third",
            "300,1 first",
        ] {
            let error = Eight.parse_position(text).unwrap_err();
            assert_eq!(error.example, "5,2 first");
        }
    }

    #[test]
    fn exactly_eight_wins_and_more_loses() {
        let score = |text| Eight.final_score(&Eight.parse_position(text).unwrap());
        assert_eq!(score("7,2 first"), None);
        assert_eq!(score("8,2 first"), Some(-1));
        assert_eq!(score("9,2 first"), Some(1));
    }
}
