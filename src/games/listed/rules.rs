//! An explicit game graph as a game, with the texts of its author, and its family.

use super::graph::Graph;
use crate::game::{
    Arrays, Capabilities, Checking, Drawing, Endless, Family, Game, Misreading, NoGame, Notation,
    NotationError, OtherRules, Picture, ScoreRange, Side, Values, boxed,
};
use std::sync::Arc;

/// A game given as an explicit graph.
#[derive(Clone)]
pub struct Listed {
    pub(crate) graph: Arc<Graph>,
    /// Names for people and tables.
    pub(super) names: Arc<Names>,
}

/// The texts of [`crate::game::Notation`] about the whole game.
pub(super) struct Names {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) rules: String,
    pub(super) misreadings: Misreadings,
}

/// Explores a game by misread rules: returns sentences and graphs.
///
/// Each graph begins with the positions and the names of moves of the right one, in order.
pub(crate) type Misreadings = Box<dyn Fn() -> Vec<(String, Graph)> + Send + Sync>;

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Listed").field(&self.graph.name).finish()
    }
}

impl Listed {
    /// Returns the game of a graph, with a rules string made of its name and digest.
    #[must_use]
    pub fn new(graph: Graph) -> Listed {
        let name = &graph.name;
        let names = Names {
            name: format!("listed({name})"),
            title: name.clone(),
            rules: format!("listed name={name} sha256={}", graph.digest),
            misreadings: Box::new(Vec::new),
        };
        Listed {
            names: Arc::new(names),
            graph: Arc::new(graph),
        }
    }

    /// Returns the game of a graph that needs no file, because its family can rebuild it.
    ///
    /// The rules string identifies it.
    pub(crate) fn with_rules(
        graph: Graph,
        title: String,
        rules: String,
        misreadings: Misreadings,
    ) -> Listed {
        let names = Names {
            name: title.clone(),
            title,
            rules,
            misreadings,
        };
        Listed {
            names: Arc::new(names),
            graph: Arc::new(graph),
        }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the scores of unfinished positions by key, as a table stores them.
    #[must_use]
    pub fn entries(&self, scores: &[i32]) -> Vec<(u128, i32)> {
        let all = (0u32..).zip(scores);
        let unfinished = all.filter(|&(node, _)| self.graph.final_score(node).is_none());
        unfinished
            .map(|(node, &score)| (u128::from(node), score))
            .collect()
    }
}

/// A position, by its number in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) node: u32,
    pub(super) side: Side,
}

/// A move, by the number of its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move(pub(super) u32);

impl Game for Listed {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let side = self.graph.turn(0);
        Position { node: 0, side }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let names = &self.graph.moves[self.graph.moves_of(position.node)];
        moves.extend(names.iter().map(|&name| Move(name)));
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let mut edges = self.graph.moves_of(position.node);
        let edge = edges.find(|&edge| self.graph.moves[edge] == mv.0);
        let Some(edge) = edge else {
            panic!("{} is not legal", self.graph.names[mv.0 as usize]);
        };
        let node = self.graph.children[edge];
        let side = self.graph.side(node).unwrap_or(position.side.other());
        Position { node, side }
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        self.graph.final_score(position.node)
    }

    fn score_range(&self) -> ScoreRange {
        self.graph.scores
    }

    fn endless(&self) -> Endless {
        self.graph.endless
    }

    fn key(&self, canonical: &Position) -> u128 {
        u128::from(canonical.node)
    }

    fn key_bits(&self) -> u32 {
        32
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let node = u32::try_from(key).ok()?;
        let is_one = (node as usize) < self.graph.positions();
        (is_one && self.graph.final_score(node).is_none()).then(|| {
            let side = self.graph.turn(node);
            Position { node, side }
        })
    }

    fn layer(&self, canonical: &Position) -> u32 {
        self.graph.level(canonical.node)
    }

    fn canonical(&self, position: &Position) -> Position {
        // If the graph has no sides, the score is the same for both.
        let side = self.graph.turn(position.node);
        Position { side, ..*position }
    }
}

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
            checking: self,
            drawing: self,
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

    fn decimals(&self) -> u32 {
        self.graph.decimals
    }
}

impl Drawing<Listed> for Listed {
    fn picture(&self, position: &Position) -> Option<Picture> {
        self.graph.look.picture(position.node)
    }

    /// Returns the squares in a name such as "a1-a2".
    fn places_of_move(&self, position: &Position, mv: Move) -> Option<Vec<String>> {
        let name = self.format_move(mv);
        if !name.contains('-') {
            return None;
        }
        let places = self.picture(position)?.places;
        let parts: Vec<String> = name.split('-').map(str::to_owned).collect();
        let is_place = |part: &String| places.iter().any(|place| place.name == *part);
        parts.iter().all(is_place).then_some(parts)
    }
}

impl Checking<Listed> for Listed {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Listed>>> {
        let all = (self.names.misreadings)().into_iter();
        boxed(all.map(|(sentence, graph)| OtherRules {
            sentence,
            game: Listed {
                graph: Arc::new(graph),
                names: Arc::clone(&self.names),
            },
            is_symmetric: false,
        }))
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

    fn greatest_score(&self) -> i32 {
        self.graph.greatest
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
