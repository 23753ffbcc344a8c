//! Notation of explicit game graphs, with the texts of their author, and their family.

use super::rules::{Listed, Move, Position};
use crate::game::{Arrays, Capabilities, Family, NoGame, Notation, NotationError, Side, Values};

/// Suffixes that tell the side to move, if the graph has no sides.
///
/// Positions need one only if the other side gets there on a shortest way from the start.
pub(super) const SUFFIXES: [&str; 2] = [" first", " second"];

impl Notation for Listed {
    fn rules(&self) -> String {
        self.names.rules.clone()
    }

    fn capabilities(&self) -> Capabilities<'_, Listed> {
        Capabilities {
            arrays: self,
            ..Capabilities::default()
        }
    }

    fn name(&self) -> String {
        self.names.name.clone()
    }

    fn title(&self) -> String {
        self.names.title.clone()
    }

    fn format_position(&self, position: &Position) -> String {
        let text = self.graph.text(position.node);
        match position.side == self.graph.turn(position.node) {
            true => text.to_owned(),
            false => format!("{text}{}", SUFFIXES[position.side.index()]),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let word = text.trim();
        if let Some(node) = self.graph.find(word) {
            let side = self.graph.turn(node);
            return Ok(Position { node, side });
        }
        for (suffix, side) in SUFFIXES.into_iter().zip([Side::First, Side::Second]) {
            let word = word.strip_suffix(suffix);
            let word = word.filter(|_| self.graph.sides.is_none());
            if let Some(node) = word.and_then(|word| self.graph.find(word)) {
                return Ok(Position { node, side });
            }
        }
        let problem = format!("no position of {} is written so", self.graph.name);
        Err(NotationError::unlisted(text, problem, self.graph.text(0)))
    }

    fn format_move(&self, mv: Move) -> String {
        self.graph.names[mv.0 as usize].clone()
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let word = text.trim();
        let found = self.graph.names.iter().position(|name| name == word);
        found.map(|name| Move(name as u32)).ok_or_else(|| {
            let problem = format!("no move of {} is called so", self.graph.name);
            let example = self.graph.names.first().map_or("", |name| name);
            NotationError::new(text, problem, example)
        })
    }

    fn layer_name(&self) -> &'static str {
        "moves from the start"
    }
}

/// Greatest number of different moves for arrays.
///
/// With more, arrays with a column for each would be almost empty and fill the memory.
const MOST_MOVES: usize = 256;

impl Arrays<Listed> for Listed {
    fn all_moves(&self) -> Vec<Move> {
        let count = self.graph.names.len();
        let columns = if count > MOST_MOVES { 0 } else { count };
        (0..columns as u32).map(Move).collect()
    }
}

/// The family of explicit game graphs. No list of families contains it.
///
/// Its games are known only by their files.
#[derive(Clone, Copy, Debug)]
pub struct ListedFamily;

impl Family for ListedFamily {
    type Game = Listed;

    fn name(&self) -> &'static str {
        "listed"
    }

    fn about(&self) -> &'static str {
        "A game whose positions are listed in a file beside its table"
    }

    fn game(&self, _: &Values) -> Result<Listed, NoGame> {
        Err("a game that is a list is read from the file beside its table".into())
    }

    fn table_name(&self, game: &Listed) -> String {
        format!("{}.bin", game.graph().name())
    }
}
