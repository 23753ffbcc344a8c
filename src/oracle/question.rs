//! Questions in words.

use crate::game::{Side, UnknownName};
use std::str::FromStr;

/// A question about a position.
///
/// Parsed from words such as "first-player win?" or "Can the second player force a draw?".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Who wins, by how much and with which move. The answer is neither yes nor no.
    Result,
    /// Whether a player wins; `None` is the side to move.
    Wins(Option<Side>),
    /// Whether a player loses.
    Loses(Option<Side>),
    /// Whether a player can get a draw or better.
    HoldsDraw(Option<Side>),
    /// Whether it is a draw.
    Draw,
}

/// Words that change nothing.
const FILLERS: &[&str] = &[
    "a", "are", "at", "be", "best", "by", "can", "could", "do", "does", "for", "force", "game",
    "get", "have", "i", "is", "it", "least", "move", "moves", "much", "of", "play", "player",
    "position", "side", "the", "to", "what", "which", "will", "with",
];

/// Words of a question about what a player can do at least.
const CAN: [&str; 5] = ["can", "could", "force", "get", "least"];

/// The players, and words for them besides their names in the game.
const SIDES: [(Side, &str); 2] = [
    (Side::First, "first 1 1st one"),
    (Side::Second, "second 2 2nd two"),
];

impl Question {
    /// Parses a question in which the sides may have names of their own, such as "X" or "Red (X)".
    ///
    /// # Errors
    /// If it isn't a question that can be answered.
    pub fn parse(
        text: &str,
        name: impl Fn(Side) -> Option<&'static str>,
    ) -> Result<Question, UnknownName> {
        let words_of = |text: &str| -> Vec<String> {
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            words
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect()
        };
        let words = words_of(text);
        let name = |side| name(side).unwrap_or_default();
        let names = SIDES.map(|(side, words)| (side, words_of(&format!("{words} {}", name(side)))));
        let (mut sides, mut rest) = (Vec::new(), Vec::new());
        for word in &words {
            match names.iter().find(|(_, names)| names.contains(word)) {
                Some((side, _)) => sides.push(Some(*side)),
                None if FILLERS.contains(&&**word) => {}
                None => rest.push(&**word),
            }
        }
        let has = |phrase: &[&str]| words.windows(phrase.len()).any(|part| part == phrase);
        let can = words.iter().any(|word| CAN.contains(&&**word));
        if has(&["to", "move"]) || has(&["i"]) {
            sides.push(None);
        }
        Ok(match (&rest[..], &sides[..]) {
            (["who", "win" | "wins" | "winning"] | ["winner"], []) => Question::Result,
            (["how"] | ["who", "wins", "how"], []) if has(&["how", "much"]) => Question::Result,
            ([], []) if has(&["best", "move"]) || has(&["best", "moves"]) => Question::Result,
            (["win" | "wins" | "winning"], &[side]) => Question::Wins(side),
            (["lose" | "loses" | "losing"], &[side]) => Question::Loses(side),
            (["draw" | "draws" | "tie" | "ties"], &[side]) if can => Question::HoldsDraw(side),
            (["draw" | "draws" | "tie" | "ties"], [_])
            | (["draw" | "drawn" | "tie" | "tied"], []) => Question::Draw,
            _ => {
                return Err(UnknownName(format!(
                    "\"{text}\" is not a question that can be answered; ask \"who wins?\", \"does the first \
                     player win?\" or \"is it a draw?\"; a query without a question tells who wins"
                )));
            }
        })
    }

    /// Returns the answer for a score that the side to move, `mover`, has; `None` if it is neither
    /// yes nor no.
    #[must_use]
    pub fn answer(self, mover: Side, score: i32) -> Option<bool> {
        let seen = |side: Option<Side>| match side {
            Some(side) if side != mover => -score,
            _ => score,
        };
        Some(match self {
            Question::Result => return None,
            Question::Wins(side) => seen(side) > 0,
            Question::Loses(side) => seen(side) < 0,
            Question::HoldsDraw(side) => seen(side) >= 0,
            Question::Draw => score == 0,
        })
    }

    /// Returns the scores that decide the answer: the position has at least each of them or not.
    pub(super) fn deciding(self, mover: Side) -> &'static [i32] {
        let is_own = |side: Option<Side>| side.is_none_or(|side| side == mover);
        match self {
            Question::Result => &[],
            Question::Draw => &[0, 1],
            Question::Wins(side) if is_own(side) => &[1],
            Question::Loses(side) | Question::HoldsDraw(side) if !is_own(side) => &[1],
            _ => &[0],
        }
    }
}

impl FromStr for Question {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Question, UnknownName> {
        Question::parse(text, |_| None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_asked_in_words() {
        use Question::{Draw, HoldsDraw, Loses, Result, Wins};
        let (first, second) = (Some(Side::First), Some(Side::Second));
        for (text, question) in [
            ("first-player win?", Wins(first)),
            ("Second player wins", Wins(second)),
            ("Does the first player win?", Wins(first)),
            ("Is it a win for the second player?", Wins(second)),
            ("can the first player force a win?", Wins(first)),
            ("DOES PLAYER 1 WIN", Wins(first)),
            ("does the second player lose?", Loses(second)),
            ("does the player to move win?", Wins(None)),
            ("Can I force a draw?", HoldsDraw(None)),
            (
                "can the second player get at least a tie?",
                HoldsDraw(second),
            ),
            ("does player 2 draw?", Draw),
            ("draw?", Draw),
            ("Is it a draw?", Draw),
            ("tie?", Draw),
            ("who wins?", Result),
            ("Who is winning", Result),
            ("winner?", Result),
            ("by how much?", Result),
            ("Who wins by how much?", Result),
            ("best move?", Result),
            ("what are the best moves?", Result),
        ] {
            assert_eq!(text.parse(), Ok(question), "{text}");
        }
        for wrong in [
            "",
            "win?",
            "will it rain?",
            "third-player win?",
            "does red win?",
            "who?",
            "how?",
            "much",
            "does the first player beat the second player?",
            "does the first player not win?",
            "do the first and the second player win?",
            "112",
        ] {
            let error = wrong.parse::<Question>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("\"{wrong}\" is not a question")));
        }
    }

    #[test]
    fn sides_have_the_names_of_the_game() {
        let name = |side: Side| Some(["Red (X)", "Yellow (O)"][side.index()]);
        for (text, question) in [
            ("does red win?", Question::Wins(Some(Side::First))),
            (
                "can O force a draw?",
                Question::HoldsDraw(Some(Side::Second)),
            ),
            (
                "does the first player lose?",
                Question::Loses(Some(Side::First)),
            ),
        ] {
            assert_eq!(Question::parse(text, name), Ok(question), "{text}");
        }
    }
}
