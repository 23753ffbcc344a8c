//! An explicit game graph as a game.

use super::graph::Graph;
use crate::game::{Endless, Game, ScoreRange, Side};
use std::sync::Arc;

/// A game given as an explicit graph.
#[derive(Clone)]
pub struct Listed {
    pub(super) graph: Arc<Graph>,
    /// Names for people and tables.
    pub(super) names: Arc<Names>,
}

/// The texts of [`crate::game::Notation`] about the whole game.
pub(super) struct Names {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) rules: String,
}

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
        };
        Listed {
            names: Arc::new(names),
            graph: Arc::new(graph),
        }
    }

    /// Returns the game of a graph that needs no file, because its family can rebuild it.
    ///
    /// The rules string identifies it.
    #[must_use]
    pub fn with_rules(graph: Graph, title: String, rules: String) -> Listed {
        let name = title.clone();
        Listed {
            names: Arc::new(Names { name, title, rules }),
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
