//! All positions that can be reached from the start, stores and sides included.

use crate::check::error::CheckError;
use crate::game::{Game, Notation, Progress};
use crate::oracle::Inventory;
use rustc_hash::FxHashSet;

/// Positions in the order in which a walk found them, each with the one that it came from.
pub(in crate::check) struct Walk<G: Notation> {
    pub positions: Vec<G::Position>,
    /// For each position its parent's number; the start is its own.
    parents: Vec<u32>,
    known: FxHashSet<G::Position>,
    memory: u64,
}

/// About how many bytes a position takes in a walk: it is in a list and in a set, both of which
/// double when they are full.
fn bytes_a_position<G: Notation>() -> u64 {
    let size = size_of::<G::Position>();
    (2 * size + 2 * size_of::<u32>() + 2 * (size + 1)) as u64
}

impl<G: Notation> Walk<G> {
    /// A walk that is at the start and may use this number of bytes.
    pub fn new(game: &G, memory: u64) -> Walk<G> {
        let start = game.start();
        Walk {
            known: FxHashSet::from_iter([start.clone()]),
            positions: vec![start],
            parents: vec![0],
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
        if !self.known.insert(position.clone()) {
            return Ok(None);
        }
        let number = self.positions.len();
        if number as u64 * bytes_a_position::<G>() > self.memory || number > u32::MAX as usize {
            return Err(CheckError::TooMany {
                positions: number as u64,
                allowed: self.memory,
            });
        }
        self.positions.push(position);
        self.parents.push(parent as u32);
        Ok(Some(number))
    }

    /// The moves that lead from the start to a position of the walk.
    pub fn line_to(&self, game: &G, mut number: usize) -> Vec<G::Move> {
        let mut line = Vec::new();
        while number > 0 {
            let parent = self.parents[number] as usize;
            let moves = game.legal_moves(&self.positions[parent]);
            line.extend(
                moves
                    .into_iter()
                    .find(|&mv| game.play(&self.positions[parent], mv) == self.positions[number]),
            );
            number = parent;
        }
        line.reverse();
        line
    }
}

/// At most how many reachable positions of a layer are one class.
fn positions_a_class<G: Game>(game: &G, layer: u32) -> u64 {
    let offered = game.capabilities();
    let symmetries = || offered.symmetry.order() as u64;
    let most = offered.checking.positions_a_class(layer);
    most.unwrap_or_else(symmetries)
}

/// At most how many positions the listed classes stand for, stores and sides included.
fn most_positions<G: Notation>(game: &G, inventory: &dyn Inventory<G>) -> u64 {
    inventory.layers().iter().fold(0u64, |sum, layer| {
        let a_class = positions_a_class(game, layer.layer);
        sum.saturating_add(layer.entries.saturating_mul(a_class))
    })
}

/// Walks to all reachable unfinished positions, in the order of the number of moves that it takes.
/// With a list of the classes, what won't fit into the memory is refused at once rather than when
/// it is full.
pub(in crate::check) fn walk_all<G: Notation>(
    game: &G,
    inventory: Option<&dyn Inventory<G>>,
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
