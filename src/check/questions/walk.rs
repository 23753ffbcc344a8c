//! All positions that can be reached from the start, stores and sides included.

use crate::check::error::CheckError;
use crate::game::{Notation, Progress};
use crate::table::Table;
use rustc_hash::FxHashMap;

/// Positions in the order in which a walk found them, each with the one that it came from.
pub(in crate::check) struct Walk<G: Notation> {
    pub positions: Vec<G::Position>,
    /// For each position its parent's number; the start is its own.
    parents: Vec<u32>,
    known: FxHashMap<G::Position, u32>,
    /// For the first positions what the AI answered there, if that is known.
    answers: Vec<Option<G::Move>>,
    memory: u64,
}

/// About how many bytes a position takes in a walk: it is in a list and in a map, both of which
/// double when they are full, and has an answer.
fn bytes_a_position<G: Notation>() -> u64 {
    let size = size_of::<G::Position>();
    let entry = size_of::<(G::Position, u32)>();
    let answer = size_of::<Option<G::Move>>();
    (2 * size + 2 * size_of::<u32>() + 2 * (entry + 1) + answer) as u64
}

impl<G: Notation> Walk<G> {
    /// A walk that is at the start and may use this number of bytes.
    pub fn new(game: &G, memory: u64) -> Walk<G> {
        let start = game.start();
        Walk {
            known: FxHashMap::from_iter([(start.clone(), 0)]),
            positions: vec![start],
            parents: vec![0],
            answers: Vec::new(),
            memory,
        }
    }

    /// Adds an unfinished position that a move from `parent` leads to, if it is new; says its
    /// number then.
    pub fn add(
        &mut self,
        parent: usize,
        position: G::Position,
    ) -> Result<Option<usize>, CheckError> {
        let number = self.positions.len();
        if self.known.contains_key(&position) {
            return Ok(None);
        }
        if number as u64 * bytes_a_position::<G>() > self.memory || number > u32::MAX as usize {
            return Err(CheckError::TooMany {
                positions: number as u64,
                allowed: self.memory,
            });
        }
        self.known.insert(position.clone(), number as u32);
        self.positions.push(position);
        self.parents.push(parent as u32);
        Ok(Some(number))
    }

    /// Keeps what the AI answered in a position of the walk.
    pub fn keep_answer(&mut self, number: usize, mv: G::Move) {
        if self.answers.len() <= number {
            self.answers.resize(number + 1, None);
        }
        self.answers[number] = Some(mv);
    }

    /// Keeps what the AI answered in all positions, in their order: moves, or none for a fault.
    pub fn keep_answers(&mut self, answers: Vec<Option<G::Move>>) {
        self.answers = answers;
    }

    /// The AI's answer in a position, if it was kept.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        self.answer_at(*self.known.get(position)? as usize)
    }

    fn answer_at(&self, number: usize) -> Option<G::Move> {
        self.answers.get(number).copied().flatten()
    }

    /// The moves that lead from the start to a position of the walk; of several the AI's own.
    pub fn line_to(&self, game: &G, mut number: usize) -> Vec<G::Move> {
        let mut line = Vec::new();
        while number > 0 {
            let parent = self.parents[number] as usize;
            let moves = game.legal_moves(&self.positions[parent]);
            let own = self.answer_at(parent);
            line.extend(
                own.into_iter()
                    .chain(moves)
                    .find(|&mv| game.play(&self.positions[parent], mv) == self.positions[number]),
            );
            number = parent;
        }
        line.reverse();
        line
    }
}

/// At most how many reachable positions of a layer are one class.
fn positions_a_class<G: Notation>(game: &G, layer: u32) -> u64 {
    let offered = game.capabilities();
    let symmetries = || offered.symmetry.order() as u64;
    let most = offered.checking.positions_a_class(layer);
    most.unwrap_or_else(symmetries)
}

/// At most how many positions the listed classes stand for, stores and sides included.
fn most_positions<G: Notation>(game: &G, inventory: &Table<G>) -> u64 {
    inventory.file().layers().iter().fold(0u64, |sum, layer| {
        let a_class = positions_a_class(game, layer.layer);
        sum.saturating_add(layer.outcomes.total().saturating_mul(a_class))
    })
}

/// Walks to all reachable unfinished positions, in the order of the number of moves that it takes.
/// With a list of the classes, what won't fit into the memory is refused at once rather than when
/// it is full.
pub(in crate::check) fn walk_all<G: Notation>(
    game: &G,
    inventory: Option<&Table<G>>,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Walk<G>, CheckError> {
    if let Some(inventory) = inventory {
        let positions = most_positions(game, inventory);
        if positions.saturating_mul(bytes_a_position::<G>()) > memory {
            return Err(CheckError::TooMany {
                positions,
                allowed: memory,
            });
        }
    }
    progress.phase("finding all positions", "positions", 0);
    let mut walk = Walk::new(game, memory);
    let mut moves = Vec::new();
    let mut next = 0;
    while next < walk.positions.len() {
        let position = walk.positions[next].clone();
        game.moves(&position, &mut moves);
        for &mv in &moves {
            let child = game.play(&position, mv);
            if game.final_score(&child).is_none() {
                walk.add(next, child)?;
            }
        }
        next += 1;
        if next.is_multiple_of(1 << 12) {
            progress.advance(1 << 12);
            if progress.cancelled() {
                return Err(CheckError::Interrupted);
            }
        }
    }
    Ok(walk)
}
