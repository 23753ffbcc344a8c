//! Walks over the positions reachable from the start, stores and sides included.

use crate::check::error::CheckError;
use crate::game::{Notation, Progress, check_cancelled};
use rustc_hash::FxHashMap;

/// Positions in the order in which a walk found them, each with its parent.
pub(in crate::check) struct Walk<G: Notation> {
    pub positions: Vec<G::Position>,
    /// The number of each position's parent; the start is its own.
    parents: Vec<u32>,
    known: FxHashMap<G::Position, u32>,
    /// The AI's answers in the first positions, where known.
    pub(super) answers: Vec<Option<G::Move>>,
    memory: u64,
}

/// Returns the approximate number of bytes per position of a walk.
///
/// A position is in a list and in a map, which both double in size when full, and has an answer.
fn bytes_a_position<G: Notation>() -> u64 {
    let size = size_of::<G::Position>();
    let entry = size_of::<(G::Position, u32)>();
    let answer = size_of::<Option<G::Move>>();
    (2 * size + 2 * size_of::<u32>() + 2 * (entry + 1) + answer) as u64
}

impl<G: Notation> Walk<G> {
    /// Begins a walk at the start; it may use `memory` bytes.
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

    /// Adds an unfinished position that a move from `parent` leads to.
    ///
    /// Returns its number if it is new.
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

    /// Saves the AI's answer in a position of the walk.
    pub fn save_answer(&mut self, number: usize, mv: G::Move) {
        if self.answers.len() <= number {
            self.answers.resize(number + 1, None);
        }
        self.answers[number] = Some(mv);
    }

    /// Returns the AI's answer in a position, if it was saved.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        self.answer_at(self.number(position)?)
    }

    /// Returns the number of a position of the walk.
    pub fn number(&self, position: &G::Position) -> Option<usize> {
        self.known.get(position).map(|&number| number as usize)
    }

    fn answer_at(&self, number: usize) -> Option<G::Move> {
        self.answers.get(number).copied().flatten()
    }

    /// Returns the moves from the start to a position, the AI's own where several do.
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

/// Walks to all reachable unfinished positions, those nearest to the start first.
pub(in crate::check) fn walk_all<G: Notation>(
    game: &G,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Walk<G>, CheckError> {
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
            check_cancelled(progress, CheckError::Interrupted)?;
        }
    }
    Ok(walk)
}
