//! How people, AIs and tables write about a game.

use super::Game;
use super::capabilities::Capabilities;
use super::notation_error::NotationError;
use std::any::TypeId;

/// Names and texts of a game: what is written can be read back.
pub trait Notation: Game {
    /// The rules string that a table carries: the family's name, then the parameters of the rules,
    /// such as `kalah pits=6 seeds=4 capture=standard`. Games with the same string are the same.
    fn rules(&self) -> String;

    /// The game with its parameters, short: `kalah(6,2)`. It begins with the family's name.
    fn name(&self) -> String {
        self.rules()
    }

    /// The game with its parameters in plain words, for headings: "Kalah with 6 pits a side and 2
    /// seeds in each".
    fn title(&self) -> String {
        self.name()
    }

    /// The type that has the rules: this one, unless it stands for another.
    fn rules_type(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    /// What the game offers beyond its rules: nothing, unless it says so.
    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::default()
    }

    /// A position.
    fn format_position(&self, position: &Self::Position) -> String;

    /// Reads a position; one that is finished is read, too.
    ///
    /// # Errors
    /// If the text is not a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::Position, NotationError>;

    /// A move.
    fn format_move(&self, mv: Self::Move) -> String;

    /// Reads a move; whether it is legal is another question.
    ///
    /// # Errors
    /// If the text is not a move of this game.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// What a move names, for sentences such as "pit 5 is the only winning move".
    fn move_noun(&self) -> &'static str {
        "move"
    }

    /// What [`Game::banked`] counts, for sentences: "the difference of the stores". Nothing if the
    /// game doesn't say.
    fn banked_name(&self) -> Option<&'static str> {
        None
    }

    /// What [`Game::layer`] counts, in the plural: "seeds on the board".
    fn layer_name(&self) -> &'static str {
        "layer"
    }

    /// A drawing of the position for people, a few lines, no line end at its end.
    fn board(&self, position: &Self::Position) -> String {
        format!("  {}", self.format_position(position))
    }

    /// Whether the position's score is that of the whole game; if not, of what is still to come,
    /// points made before left out.
    fn is_whole(&self, _position: &Self::Position) -> bool {
        true
    }

    /// The family of the game, as the command line and JSON name it: the first word of its rules
    /// string.
    fn family(&self) -> String {
        let rules = self.rules();
        rules.split(' ').next().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_quote_what_was_given_without_what_moves_a_cursor() {
        let error = NotationError::new("\u{1b}[31m1,2\u{7}", "no position", "1,2").to_string();
        assert_eq!(
            error,
            r#"no position: "\u{1b}[31m1,2\u{7}" (a correct example: 1,2)"#
        );
    }
}
