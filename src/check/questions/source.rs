//! Sources of positions, and walks over those reachable from the start, stores and sides included.

use crate::check::error::CheckError;
use crate::check::judge::Origin;
use crate::game::{Notation, Progress, check_cancelled};
use crate::oracle::{Inventory, OracleError};
use crate::random::Random;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Source of positions, divided into units.
///
/// A unit is one position or more. The same unit always has the same positions.
pub(super) enum Source<'a, G: Notation> {
    /// Positions in memory, one per unit.
    Listed(Listed<'a, G>),
    /// All canonical positions in the order of the oracle's list; a unit is one block.
    Canonical(Box<dyn Inventory<G> + 'a>),
    /// A uniform sample of classes with replacement, and a random member of each class.
    ///
    /// The n-th position is the same in any batch.
    Sample {
        game: &'a G,
        table: Box<dyn Inventory<G> + 'a>,
        count: u64,
        seed: u64,
    },
}

/// Positions with their origins.
pub(super) struct Listed<'a, G: Notation> {
    pub positions: &'a [G::Position],
    /// Returns the moves from the start to the position of this index, if known.
    pub way: &'a (dyn Fn(usize) -> Option<Vec<G::Move>> + Sync),
    /// Returns the origin of the position of this index.
    pub origin: &'a (dyn Fn(usize) -> Origin + Sync),
}

impl<'a, G: Notation> Source<'a, G> {
    /// Wraps positions of unknown origin.
    pub fn of(positions: &'a [G::Position]) -> Source<'a, G> {
        Source::Listed(Listed {
            positions,
            way: &|_| None,
            origin: &|_| Origin::default(),
        })
    }

    pub fn units(&self) -> u64 {
        match self {
            Source::Listed(listed) => listed.positions.len() as u64,
            Source::Canonical(table) => table.blocks(),
            Source::Sample { count, .. } => *count,
        }
    }

    /// Returns the approximate number of positions per unit.
    pub fn positions_a_unit(&self) -> u64 {
        match self {
            Source::Canonical(table) => table.entries().div_ceil(table.blocks().max(1)).max(1),
            _ => 1,
        }
    }

    /// Puts the positions of some units into `into`, which must be empty.
    pub fn positions(
        &self,
        units: Range<u64>,
        into: &mut Vec<G::Position>,
    ) -> Result<(), CheckError> {
        match self {
            Source::Listed(listed) => {
                let units = units.start as usize..units.end as usize;
                into.extend_from_slice(&listed.positions[units]);
            }
            Source::Canonical(table) => {
                for block in units {
                    into.extend(table.block_positions(block).map_err(OracleError::from)?);
                }
            }
            Source::Sample {
                game, table, seed, ..
            } => {
                let symmetry = game.capabilities().symmetry;
                for number in units {
                    let mut random = stream(*seed, number);
                    let entry = table.choose(&mut |below| random.below(below));
                    let entry = entry.map_err(OracleError::from)?;
                    // In Kalah, canonical positions have the first player to move; only another
                    // member of the class has the second.
                    let image = random.index(symmetry.order());
                    into.extend(entry.map(|canonical| symmetry.apply(image, &canonical)));
                }
            }
        }
        Ok(())
    }

    /// Returns the moves from the start to the only position of a unit, if known.
    pub fn way_to(&self, unit: u64) -> Option<Vec<G::Move>> {
        match self {
            Source::Listed(listed) => (listed.way)(unit as usize),
            _ => None,
        }
    }

    /// Returns the origin of the only position of a unit.
    pub fn origin(&self, unit: u64) -> Origin {
        match self {
            Source::Listed(listed) => (listed.origin)(unit as usize),
            _ => Origin::default(),
        }
    }
}

/// Returns the random numbers for item `number` of a series.
pub(super) fn stream(seed: u64, number: u64) -> Random {
    // Consecutive numbers must not give similar sequences.
    Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32))
}

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
