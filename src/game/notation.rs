//! Names and texts of games, for people, AIs and tables.

use super::capabilities::Capabilities;
use super::phrasing::{InWords, PiecesLeft};
use super::{Game, Side, WON};
use crate::text::{capitalised, harmless};
use std::any::type_name;

/// Names and texts of a game. Every text that it writes can be read back.
///
/// Required are [`Notation::rules`] and the two pairs of methods that format and parse positions
/// and moves.
pub trait Notation: Game {
    /// Whether this library's tests check the game, so that the checks before solving aren't even
    /// compiled for it.
    ///
    /// The library's other games are recognised when the program runs.
    #[doc(hidden)]
    const IS_TESTED: bool = false;

    /// Returns the rules string that tables store: the family's name and the rules' parameters.
    ///
    /// For example `kalah pits=6 seeds=4 capture=standard`. Games with the same string are the same
    /// game.
    fn rules(&self) -> String;

    /// Returns the short name of the game with its parameters: `kalah(6,2)`. It begins with the
    /// family's name.
    fn name(&self) -> String {
        self.rules()
    }

    /// Returns the game and its parameters in plain words, for headings.
    ///
    /// For example "Kalah with 6 pits a side and 2 seeds in each".
    fn title(&self) -> String {
        self.name()
    }

    /// Returns the name of the type with the rules, which is another type if `Self` wraps a game.
    fn rules_type(&self) -> &'static str {
        type_name::<Self>()
    }

    /// Returns the optional features that the game implements; none by default.
    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::default()
    }

    /// Formats a position, without line breaks.
    fn format_position(&self, position: &Self::Position) -> String;

    /// Formats a position for a program that plays, with no part left out.
    ///
    /// A program need not know which parts may be left out. Points already won that are unknown are 0.
    fn format_for_ai(&self, position: &Self::Position) -> String {
        self.format_position(position)
    }

    /// Reads a position, finished or not.
    ///
    /// # Errors
    /// If the text is not a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::Position, NotationError>;

    /// Returns the notation of a position that is written in another way, which only this game has.
    ///
    /// [`read_position`](super::read_position) asks about texts that [`Notation::parse_position`]
    /// can't read. The default is `None`: the text is not written so.
    ///
    /// # Errors
    /// If the text can mean several positions.
    fn rewrite_position(&self, _text: &str) -> Result<Option<String>, NotationError> {
        Ok(None)
    }

    /// Formats a move. The text doesn't depend on the position.
    fn format_move(&self, mv: Self::Move) -> String;

    /// Reads a move, legal or not.
    ///
    /// # Errors
    /// If the text is not a move of this game.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// Returns the noun for the thing that a move names, such as "pit", for sentences.
    fn move_noun(&self) -> &'static str {
        "move"
    }

    /// Returns the name of the thing that [`Game::banked`] counts, for sentences, if there is one.
    ///
    /// For example "the difference of the stores".
    fn banked_name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the pieces that each side has yet to place, if a win scores 1, and 1 more for each
    /// that the winner has left.
    ///
    /// Scores are then put into words such as "wins in 5 moves".
    fn pieces_left(&self, _position: &Self::Position) -> Option<PiecesLeft> {
        None
    }

    /// Returns the plural noun for the thing that [`Game::layer`] counts: "seeds on the board".
    fn layer_name(&self) -> &'static str {
        "layer"
    }

    /// Returns a drawing of the position as text: a few lines, without a line break at the end.
    fn board(&self, position: &Self::Position) -> String {
        format!("  {}", self.format_position(position))
    }

    /// Returns the number of decimals of scores: with 1, a score of 5 stands for 0.5 points.
    fn decimals(&self) -> u32 {
        0
    }

    /// Returns whether the position's score is that of the whole game.
    ///
    /// If not, points already won are left out.
    fn is_whole(&self, _position: &Self::Position) -> bool {
        true
    }

    /// Returns the name of the game's family, in JSON and on the command line.
    ///
    /// It is the first word of the rules string.
    fn family(&self) -> String {
        let rules = self.rules();
        rules.split(' ').next().unwrap_or_default().to_owned()
    }
}

/// Returns a player, by the game's name for them, if there is one: "X".
fn player<G: Notation>(game: &G, side: Side) -> String {
    let name = game.capabilities().drawing.side_name(side);
    name.map_or_else(|| format!("{side} player"), str::to_owned)
}

/// Returns the number of decimals of the points that a game's scores tell.
///
/// `None` if they only tell outcomes and distances.
pub(crate) fn decimals_of<G: Notation>(game: &G) -> Option<u32> {
    let range = game.score_range();
    let has_points = !range.counts_plies() || range.highest > WON || game.decimals() > 0;
    has_points.then(|| game.decimals())
}

/// Returns a score of 0 in a position, to be put into words. [`InWords::like`] replaces the score.
pub(crate) fn in_words<G: Notation>(game: &G, position: &G::Position) -> InWords {
    let range = game.score_range();
    InWords {
        alternates: range.alternates(),
        decimals: decimals_of(game),
        pieces: game.pieces_left(position),
        ..InWords::new(0, range.counts_plies())
    }
}

/// Returns the side to move, or the result of the game.
pub(crate) fn status<G: Notation>(game: &G, position: &G::Position) -> String {
    let mover = game.side_to_move(position);
    match game.final_score(position) {
        None => format!("{} to move", capitalised(&player(game, mover))),
        // The points already won are unknown here, and with them the winner.
        Some(_) if !game.is_whole(position) => "The game is over".into(),
        Some(0) => "The game is drawn".into(),
        Some(score) => {
            let winner = if score > 0 { mover } else { mover.other() };
            let winner = capitalised(&player(game, winner));
            let words = in_words(game, position).like(Side::First, score.abs());
            match words.points().filter(|_| words.pieces.is_none()) {
                Some(points) => format!("{winner} has won by {}", points.value()),
                None => format!("{winner} has won"),
            }
        }
    }
}

/// The error for a position or move that can't be read, with a correct example.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("can't read \"{}\": {problem}", harmless(input))]
pub struct NotationError {
    /// The text that can't be read.
    pub input: String,
    /// The problem, in words that follow the text.
    pub problem: String,
    /// A correct text.
    pub example: String,
    /// Whether the text may be a position that an explicit game graph doesn't list.
    pub is_unlisted: bool,
}

impl NotationError {
    /// Returns an error for `input` with the problem and a correct example.
    ///
    /// The problem is written after the input.
    #[must_use]
    pub fn new(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            input: input.to_owned(),
            problem: problem.into(),
            example: example.into(),
            is_unlisted: false,
        }
    }

    /// Returns advice for the author of the text: the correct example, in words.
    #[must_use]
    pub fn tip(&self) -> String {
        format!("write it like {}", self.example)
    }

    /// Returns the number of the column, from 1, in which a part of a text begins.
    #[must_use]
    pub fn column(text: &str, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = text.char_indices().take_while(|(index, _)| *index < offset);
        before.count() + 1
    }

    /// Returns an error for a text that is not listed but may be a position.
    #[must_use]
    pub fn unlisted(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            is_unlisted: true,
            ..NotationError::new(input, problem, example)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_quote_what_was_given_without_what_moves_a_cursor() {
        let error = NotationError::new("\u{1b}[31m1,2\u{7}", "no position", "1,2");
        assert_eq!(
            error.to_string(),
            "can't read \"\\u{1b}[31m1,2\\u{7}\": no position"
        );
        assert_eq!(error.tip(), "write it like 1,2");
    }
}
