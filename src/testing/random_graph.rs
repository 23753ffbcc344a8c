//! Random graphs as games in which positions repeat, and a naive solver to compare others with.

use crate::game::{Endless, Game, Notation, NotationError, ScoreRange, Side, WON};
use crate::random::Random;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A random graph. Some edges lead to a later layer, the others to a node of the same.
#[derive(Clone, Debug)]
pub(crate) struct RandomGraph {
    pub nodes: Arc<Vec<Node>>,
    /// Number of nodes in a layer.
    pub width: u32,
    pub endless: Endless,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub side: Side,
    pub edges: Vec<u32>,
    pub score: Option<i32>,
}

impl RandomGraph {
    /// Returns a graph with `layers` layers of `width` nodes.
    pub fn random(seed: u64, layers: u32, width: u32) -> RandomGraph {
        let mut random = Random::new(seed);
        let nodes = (0..layers * width).map(|number| {
            let next = (number / width + 1) * width;
            let is_last = next == layers * width;
            let side = [Side::First, Side::Second][random.index(2)];
            let score = [-WON, 0, WON - 1, -WON][random.index(4)];
            if number > 0 && random.below(8) == 0 {
                return Node {
                    side,
                    edges: Vec::new(),
                    score: Some(score),
                };
            }
            let edges = 1 + random.index(4);
            let edges = (0..edges).map(|_| match random.below(6) {
                0 if !is_last => next + random.below(width.into()) as u32,
                _ => next - width + random.below(width.into()) as u32,
            });
            let mut edges: Vec<u32> = edges.collect();
            edges.sort_unstable();
            edges.dedup();
            let side = if number == 0 { Side::First } else { side };
            Node {
                side,
                edges,
                score: None,
            }
        });
        RandomGraph {
            nodes: Arc::new(nodes.collect()),
            width,
            endless: Endless::Draw,
        }
    }

    pub fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }
}

impl Game for RandomGraph {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> u32 {
        0
    }
    fn side_to_move(&self, &node: &u32) -> Side {
        self.node(node).side
    }
    fn moves(&self, &node: &u32, moves: &mut Vec<u32>) {
        moves.clone_from(&self.node(node).edges);
    }
    fn play(&self, _: &u32, edge: u32) -> u32 {
        edge
    }
    fn final_score(&self, &node: &u32) -> Option<i32> {
        self.node(node).score
    }
    fn score_range(&self) -> ScoreRange {
        ScoreRange::PLIES
    }
    fn endless(&self) -> Endless {
        self.endless
    }
    fn key(&self, &node: &u32) -> u128 {
        node.into()
    }
    fn key_bits(&self) -> u32 {
        24
    }
    fn position_of_key(&self, key: u128) -> Option<u32> {
        let node = self.nodes.get(usize::try_from(key).ok()?)?;
        node.score.is_none().then_some(key as u32)
    }
    fn layer(&self, &node: &u32) -> u32 {
        node / self.width
    }
}

impl Notation for RandomGraph {
    fn rules(&self) -> String {
        "graph".into()
    }
    fn format_position(&self, node: &u32) -> String {
        node.to_string()
    }
    fn parse_position(&self, text: &str) -> Result<u32, NotationError> {
        let read = text.parse().ok();
        let node = read.filter(|&node| node < self.nodes.len() as u32);
        node.ok_or_else(|| NotationError::new(text, "no node", "0"))
    }
    fn format_move(&self, edge: u32) -> String {
        edge.to_string()
    }
    fn parse_move(&self, text: &str) -> Result<u32, NotationError> {
        self.parse_position(text)
    }
}

/// Returns the score of every reachable class by value iteration: the best within more and more
/// plies.
///
/// It shares nothing with the solvers and the proof but [`Game::follow`]'s default parts.
pub(crate) fn by_value_iteration<G: Game>(game: &G) -> FxHashMap<u128, i32> {
    let start = game.canonical(&game.start());
    let mut positions = vec![start.clone()];
    let mut numbers = FxHashMap::from_iter([(game.key(&start), 0)]);
    // Each move's target, or the score there if it ends the game, and whether the turn passes.
    let mut moves: Vec<Vec<(Result<usize, i32>, bool)>> = Vec::new();
    while let Some(position) = positions.get(moves.len()).cloned() {
        let children = game.legal_moves(&position).into_iter().map(|mv| {
            let child = game.play(&position, mv);
            let turns = game.side_to_move(&child) != game.side_to_move(&position);
            if let Some(score) = game.final_score(&child) {
                return (Err(score), turns);
            }
            let child = game.canonical(&child);
            let number = *numbers.entry(game.key(&child)).or_insert_with(|| {
                positions.push(child);
                positions.len() - 1
            });
            (Ok(number), turns)
        });
        moves.push(children.collect());
    }
    let mut scores = vec![0; positions.len()];
    loop {
        let best = moves.iter().map(|moves| {
            let worth = |&(to, turns): &(Result<usize, i32>, bool)| {
                let score = to.map_or_else(|score| score, |child| scores[child]);
                let score = if turns { -score } else { score };
                score - score.signum()
            };
            moves.iter().map(worth).max().unwrap()
        });
        let next: Vec<i32> = best.collect();
        if next == scores {
            break;
        }
        scores = next;
    }
    numbers
        .into_iter()
        .map(|(key, number)| (key, scores[number]))
        .collect()
}
