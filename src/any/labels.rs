//! All entries of a table with their scores, as arrays.

use super::batch::{ArrayShape, into_columns, shape};
use crate::game::{Notation, Progress};
use crate::oracle::{AskError, Oracle, OracleError};
use crate::pool::{map_of, try_map_of, width};
use crate::random::Random;
use crate::table::{
    CheckedFile, LayerEntries, Loaded, ReadError, Table, VerifyError, random_entries,
};

/// The data wanted of each entry, besides its position and score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LabelsWanted {
    /// The position as text; always included if the game has no rows.
    pub texts: bool,
    /// The score of every move.
    pub moves: bool,
    /// For each move, whether it is one of the best.
    pub best: bool,
}

/// Entries with their scores, one row per entry in each array.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// The canonical positions as [`ArrayShape::columns`]; empty without rows.
    pub rows: Vec<u8>,
    /// The positions as text, if wanted.
    pub texts: Vec<String>,
    /// The layer of each.
    pub layers: Vec<u32>,
    /// The score of each, seen from its side to move.
    pub scores: Vec<i32>,
    /// The scores of [`ArrayShape::moves`], if wanted.
    ///
    /// [`super::NO_SCORE`] stands for a move that is not legal.
    pub moves: Vec<i32>,
    /// 1 for each best move and 0 for the others, if wanted.
    pub best: Vec<u8>,
}

impl Labels {
    /// Appends other entries.
    pub fn extend(&mut self, others: Labels) {
        self.rows.extend(others.rows);
        self.texts.extend(others.texts);
        self.layers.extend(others.layers);
        self.scores.extend(others.scores);
        self.moves.extend(others.moves);
        self.best.extend(others.best);
    }
}

/// Number of entries that one thread labels at a time.
const CHUNK: usize = 256;

/// Reads the entries of a table. Several threads may call it at once.
pub trait Labeller: Send + Sync {
    /// Returns the entries of a block, of these layers or of all.
    ///
    /// # Errors
    /// If the table can't be read.
    fn block(&self, number: u64, layers: Option<&[u32]>) -> Result<Labels, AskError>;

    /// Returns a uniform random sample of entries, with replacement, of these layers or of all.
    ///
    /// The same seed gives the same sample. Progress counts entries; if it cancels, the sample is
    /// smaller.
    ///
    /// # Errors
    /// If the table can't be read.
    fn sample(
        &self,
        count: usize,
        seed: u64,
        layers: Option<&[u32]>,
        progress: &dyn Progress,
    ) -> Result<Labels, AskError>;
}

/// Number of entries that can be loaded in the time of reading a random one.
const LOADED_PER_DRAWN: u64 = 2048;

/// Returns the memory to give to a labeller for a sample of `count` of a table's `entries`.
///
/// 0 if loading the table takes longer than reading the sample.
#[must_use]
pub fn memory_for_sample(count: u64, entries: u64, memory: u64) -> u64 {
    match count.saturating_mul(LOADED_PER_DRAWN) < entries {
        true => 0,
        false => memory,
    }
}

/// Passes the entries of a table's file, of these layers or of all, to `take`.
///
/// They come block by block in the order of the table, made by the threads of the caller's pool.
/// Progress counts entries.
///
/// It returns early, without an error, if the caller cancels.
///
/// # Errors
/// If the table can't be read, or `take` fails.
pub fn each_in_order<E: From<AskError>>(
    (file, labeller): (&CheckedFile, &dyn Labeller),
    layers: Option<&[u32]>,
    progress: &dyn Progress,
    take: &mut dyn FnMut(u64, Labels) -> Result<(), E>,
) -> Result<(), E> {
    // Enough blocks that threads rarely wait for each other, few enough to take little memory.
    let blocks = file.blocks_with_entries(layers);
    for some in blocks.chunks(8 * width()) {
        if progress.cancelled() {
            break;
        }
        let made = map_of(some, |&block| labeller.block(block, layers));
        for (&block, labels) in some.iter().zip(made) {
            let labels = labels?;
            progress.advance(labels.scores.len() as u64);
            take(block, labels)?;
        }
    }
    Ok(())
}

pub(super) fn labeller<'t, G: Notation>(
    table: &'t Table<G>,
    wanted: LabelsWanted,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Box<dyn Labeller + 't>, ReadError> {
    // A table in memory has no codes of more than a byte.
    let is_wide = table.file().plan().has_wide_codes();
    let loaded = match memory {
        0 => None,
        _ if is_wide => None,
        _ => match Loaded::new(table, memory, progress) {
            Ok(loaded) => Some(loaded),
            Err(VerifyError::Read(error)) => return Err(error),
            // Not enough memory to load the table: work without it, which is slower.
            Err(_) => None,
        },
    };
    let shape = shape(table.game());
    let wanted = LabelsWanted {
        texts: wanted.texts || shape.as_ref().is_none_or(|shape| shape.columns.is_empty()),
        moves: wanted.moves && shape.is_some(),
        best: wanted.best && shape.is_some(),
    };
    Ok(Box::new(OfTable {
        table,
        loaded,
        shape,
        wanted,
    }))
}

struct OfTable<'t, G: Notation> {
    table: &'t Table<G>,
    loaded: Option<Loaded<'t, G>>,
    shape: Option<ArrayShape>,
    wanted: LabelsWanted,
}

impl<G: Notation> OfTable<'_, G> {
    fn oracle(&self) -> &dyn Oracle<G> {
        match &self.loaded {
            Some(loaded) => loaded,
            None => self.table,
        }
    }

    /// Returns the positions of a random sample of entries.
    fn drawn(
        &self,
        count: usize,
        seed: u64,
        layers: Option<&[u32]>,
        progress: &dyn Progress,
    ) -> Result<Vec<G::Position>, OracleError> {
        let mut random = Random::new(seed);
        let entries = match layers {
            Some(layers) => LayerEntries::new(self.table, layers)?,
            None => LayerEntries::all(self.table),
        };
        let has = |slot| match &self.loaded {
            Some(loaded) => Ok(loaded.contains_slot(slot)),
            None => self.table.contains_slot(slot),
        };
        let random = |limit| random.below(limit);
        Ok(random_entries(&entries, count, random, has, progress)?)
    }

    fn add(&self, labels: &mut Labels, position: &G::Position, score: i32) -> Result<(), AskError> {
        let game = self.table.game();
        labels.scores.push(score);
        labels.layers.push(game.layer(position));
        if self.wanted.texts {
            labels.texts.push(game.format_position(position));
        }
        let Some(shape) = &self.shape else {
            return Ok(());
        };
        let start = labels.rows.len();
        labels.rows.resize(start + shape.columns.len(), 0);
        let row = &mut labels.rows[start..];
        game.capabilities().arrays.write_row(position, row);
        if !self.wanted.moves && !self.wanted.best {
            return Ok(());
        }
        let start = labels.moves.len();
        labels.moves.resize(start + shape.moves.len(), 0);
        let moves = &mut labels.moves[start..];
        into_columns(self.oracle(), position, moves)?;
        if self.wanted.best {
            let is_best = |&mv: &i32| u8::from(mv == score);
            labels.best.extend(moves.iter().map(is_best));
        }
        if !self.wanted.moves {
            labels.moves.clear();
        }
        Ok(())
    }
}

impl<G: Notation> Labeller for OfTable<'_, G> {
    fn block(&self, number: u64, layers: Option<&[u32]>) -> Result<Labels, AskError> {
        let mut labels = Labels::default();
        let table = self.table;
        let mut each = |position: &G::Position, score: Option<i32>| {
            if layers.is_some_and(|layers| !layers.contains(&table.game().layer(position))) {
                return Ok(());
            }
            let score = match score {
                Some(score) => score,
                None => self.oracle().score(position)?,
            };
            self.add(&mut labels, position, score)
        };
        if self.loaded.is_some() {
            // Scores that the table omits are recomputed faster in memory.
            let positions = table.block_positions(number).map_err(OracleError::from)?;
            for position in positions {
                each(&position, None)?;
            }
        } else {
            let entries = table.block_entries(number).map_err(OracleError::from)?;
            for (position, score) in entries {
                each(&position, Some(score))?;
            }
        }
        Ok(labels)
    }

    fn sample(
        &self,
        count: usize,
        seed: u64,
        layers: Option<&[u32]>,
        progress: &dyn Progress,
    ) -> Result<Labels, AskError> {
        let drawn = self.drawn(count, seed, layers, progress)?;
        let chunks: Vec<&[G::Position]> = drawn.chunks(CHUNK).collect();
        let made = try_map_of(&chunks, |chunk| {
            let mut labels = Labels::default();
            if !progress.cancelled() {
                for position in *chunk {
                    self.add(&mut labels, position, self.oracle().score(position)?)?;
                }
                progress.advance(chunk.len() as u64);
            }
            Ok::<_, AskError>(labels)
        })?;
        let mut labels = Labels::default();
        made.into_iter().for_each(|made| labels.extend(made));
        Ok(labels)
    }
}
