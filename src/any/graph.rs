//! All positions that can be reached from the start, and all moves between them, as arrays.

use crate::game::{Followed, Notation, Progress, SolveError, check_cancelled, points};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The positions and moves of a game, numbered from the start, which is 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MoveGraph {
    /// The positions as rows of [`super::ArrayShape::columns`]; empty without rows.
    pub rows: Vec<u8>,
    /// The positions as texts; empty with rows.
    pub texts: Vec<String>,
    /// Whether the second player is to move.
    pub sides: Vec<u8>,
    /// The moves of position `n` are numbers `first[n]..first[n + 1]`.
    pub first: Vec<u64>,
    /// The position after each move, or -1 if the game is over there.
    pub children: Vec<i32>,
    /// The name of each move, as an index of `names`.
    pub moves: Vec<u32>,
    /// The names of moves.
    pub names: Vec<String>,
    /// The points that the side to move gets by each move; at the end, those of the final score.
    ///
    /// In a game that counts plies, those of the outcome at its end, such as 1, 0 or -1.
    pub gains: Vec<i32>,
    /// Whether the turn passes with each move.
    pub turns: Vec<u8>,
}

/// Number of positions between two looks at the memory.
const CHUNK: usize = 1 << 12;

/// Returns the unfinished positions that can be reached, or one of each class, in breadth-first
/// order.
pub(super) fn graph<G: Notation>(
    game: &G,
    by_class: bool,
    memory: u64,
    progress: &dyn Progress,
) -> Result<MoveGraph, SolveError> {
    let start = match by_class {
        true => game.canonical(&game.start()),
        false => game.start(),
    };
    let mut finder = Finder {
        game,
        by_class,
        counts_plies: game.score_range().counts_plies(),
        columns: game.capabilities().arrays.columns().len(),
        numbers: FxHashMap::from_iter([(start.clone(), 0)]),
        all: vec![start],
        names: FxHashMap::default(),
        graph: MoveGraph {
            first: vec![0],
            ..MoveGraph::default()
        },
    };
    progress.phase("finding positions", "positions", 0);
    let (mut at, mut moves) = (0, Vec::new());
    while let Some(position) = finder.all.get(at).cloned() {
        if at % CHUNK == 0 {
            finder.check_memory(memory)?;
            progress.advance(CHUNK as u64);
            check_cancelled(progress, SolveError::Interrupted)?;
        }
        finder.add(&position);
        game.moves(&position, &mut moves);
        for &mv in &moves {
            finder.follow(&position, mv)?;
        }
        at += 1;
        let count = finder.graph.children.len() as u64;
        finder.graph.first.push(count);
    }
    finder.check_memory(memory)?;
    let (mut graph, names) = (finder.graph, finder.names);
    graph.names = vec![String::new(); names.len()];
    for (name, number) in names {
        graph.names[number as usize] = name;
    }
    Ok(graph)
}

/// The positions found so far.
struct Finder<'a, G: Notation> {
    game: &'a G,
    by_class: bool,
    counts_plies: bool,
    columns: usize,
    numbers: FxHashMap<G::Position, i32>,
    all: Vec<G::Position>,
    names: FxHashMap<String, u32>,
    graph: MoveGraph,
}

impl<G: Notation> Finder<'_, G> {
    /// Adds a position, without its moves.
    fn add(&mut self, position: &G::Position) {
        let (game, graph) = (self.game, &mut self.graph);
        graph.sides.push(game.side_to_move(position).index() as u8);
        if self.columns == 0 {
            graph.texts.push(game.format_position(position));
            return;
        }
        let start = graph.rows.len();
        graph.rows.resize(start + self.columns, 0);
        let arrays = game.capabilities().arrays;
        arrays.write_row(position, &mut graph.rows[start..]);
    }

    /// Adds a move of the position that was added last.
    fn follow(&mut self, position: &G::Position, mv: G::Move) -> Result<(), SolveError> {
        let mut child = position.clone();
        let followed = match self.by_class {
            true => self.game.follow(position, mv, &mut child),
            false => played(self.game, position, mv, &mut child),
        };
        let points = match self.counts_plies {
            true => points(followed.points),
            false => followed.points,
        };
        let new_name = self.names.len() as u32;
        let name = *self
            .names
            .entry(self.game.format_move(mv))
            .or_insert(new_name);
        let number = match followed.is_finished {
            true => -1,
            false => self.number(child)?,
        };
        let graph = &mut self.graph;
        graph.moves.push(name);
        graph.children.push(number);
        graph
            .gains
            .push(if followed.turns { -points } else { points });
        graph.turns.push(u8::from(followed.turns));
        Ok(())
    }

    /// Returns the number of a position, which may be new.
    fn number(&mut self, position: G::Position) -> Result<i32, SolveError> {
        let entry = match self.numbers.entry(position) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(new) => new,
        };
        let number = i32::try_from(self.all.len()).map_err(|_| SolveError::TooMany {
            game: self.game.name(),
        })?;
        self.all.push(entry.key().clone());
        Ok(*entry.insert(number))
    }

    /// Checks the memory for twice what is found so far, as every array grows to.
    fn check_memory(&self, memory: u64) -> Result<(), SolveError> {
        let graph = &self.graph;
        let texts = graph.texts.first().map_or(0, |text| 24 + text.len());
        let each = 2 * size_of::<G::Position>() + 32 + texts;
        let taken = self.all.len() * each + graph.rows.len() + 16 * graph.children.len();
        match 2 * taken as u64 > memory {
            true => Err(SolveError::Memory {
                game: self.game.name(),
                needed: None,
                allowed: memory,
            }),
            false => Ok(()),
        }
    }
}

/// Returns the effect of a move on a position with its banked points, which stay in it until the
/// end.
fn played<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    child: &mut G::Position,
) -> Followed {
    *child = game.play(position, mv);
    let score = game.final_score(child);
    Followed {
        turns: game.side_to_move(child) != game.side_to_move(position),
        is_finished: score.is_some(),
        counts_plies: false,
        points: score.unwrap_or_default(),
    }
}
