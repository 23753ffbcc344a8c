//! A table with its game: scores of positions.

use super::format::{Difference, Spot};
use super::read::{Access, Block, Cache, CheckedFile, NOT_YET, ReadError, TableFile};
use crate::game::{Game, Notation, Ranking, ScoreRange, Slot};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Recomputed scores by cache key and index, saved while one omitted score is computed.
///
/// A small cache may have dropped their cells, and the same scores would be recomputed many times.
pub(super) type ScoresByEntry = FxHashMap<(u64, usize), i32>;

/// An item of the cache: a block, or one of its cells.
pub(super) struct CachedBlock {
    pub(super) block: Block,
    /// Rows whose entries are decoded.
    rows: Range<u32>,
    /// Number of times that the item was decoded.
    times: u32,
}

impl CachedBlock {
    /// Creates an item from a block that was decoded once and completely.
    pub(super) fn whole(block: Block) -> CachedBlock {
        CachedBlock {
            block,
            rows: 0..u32::MAX,
            times: 1,
        }
    }
}

/// An entry found in the table.
struct FoundEntry {
    /// Key of the item in the cache.
    number: u64,
    cached: Arc<CachedBlock>,
    segment: u32,
    /// Index of the entry in the block.
    index: usize,
}

/// Returns the cache key of a block's cell. A tile has fewer than 256 cells.
fn cache_key(block: u64, cell: u32) -> u64 {
    block << 8 | u64::from(cell)
}

/// Default size of the cache of decoded blocks in bytes.
const CACHE_BYTES: usize = 256 << 20;

/// The scores of all reachable classes of a game, in a file.
///
/// Several threads can probe a table at once.
pub struct Table<G: Notation> {
    file: CheckedFile,
    game: G,
    ranking: Option<Arc<dyn Ranking<G::Position>>>,
    cache: Cache<CachedBlock>,
}

impl<G: Notation> std::fmt::Debug for Table<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("file", &self.file)
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

impl<G: Notation> Table<G> {
    /// Opens the table of a game.
    ///
    /// # Errors
    /// Those of [`TableFile::open`] and [`Table::new`].
    pub fn open(path: &Path, access: Access, game: G) -> Result<Table<G>, ReadError> {
        Table::new(TableFile::open(path, access)?, game)
    }

    /// Combines a file with its game.
    ///
    /// It first checks that the file's description of itself agrees with the game: rules, names,
    /// scores, and the numbering of positions.
    ///
    /// # Errors
    /// If they differ.
    pub fn new(file: TableFile, game: G) -> Result<Table<G>, ReadError> {
        let (file, ranking) = CheckedFile::new(file, &game)?;
        Ok(Table {
            file,
            game,
            ranking,
            cache: Cache::new(CACHE_BYTES),
        })
    }

    /// Sets the size of the cache of decoded blocks in bytes.
    #[must_use]
    pub fn with_cache(mut self, bytes: usize) -> Table<G> {
        self.cache = Cache::new(bytes);
        self
    }

    /// Returns the table's file.
    #[must_use]
    pub fn file(&self) -> &CheckedFile {
        &self.file
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns the numbering of positions, if this is a table with ranks.
    pub(crate) fn ranking(&self) -> Option<&Arc<dyn Ranking<G::Position>>> {
        self.ranking.as_ref()
    }

    /// Returns a block of a keyed table.
    pub(super) fn block(&self, number: u64) -> Result<Arc<CachedBlock>, ReadError> {
        let key = cache_key(number, 0);
        if let Some(cached) = self.cache.get(key) {
            return Ok(cached);
        }
        // Don't hold the lock while decoding: it is better that two threads decode the same block
        // than that one of them waits.
        let block = self.file.block(number)?;
        let bytes = block.bytes();
        let cached = Arc::new(CachedBlock::whole(block));
        self.cache.put(key, cached.clone(), bytes);
        Ok(cached)
    }

    /// Returns the cell of a slot, in which at least the slot's row is decoded.
    pub(super) fn cell(&self, segment: u32, spot: &Spot) -> Result<Arc<CachedBlock>, ReadError> {
        let key = cache_key(spot.block, spot.cell);
        let cached = self.cache.get(key);
        let times = match cached {
            Some(cached) if cached.rows.contains(&spot.row) => return Ok(cached),
            Some(cached) => cached.times + 1,
            None => 1,
        };
        // Decode the whole cell if a few rows were not enough before, or if probes are close to
        // each other: further probes will follow.
        let whole = times > 2 || self.cache.is_warm(key);
        let (block, rows) = self.file.cell(segment, spot, whole)?;
        let bytes = block.bytes();
        let cached = Arc::new(CachedBlock { block, rows, times });
        self.cache.put(key, cached.clone(), bytes);
        Ok(cached)
    }

    /// Returns the entry of a slot, if there is one.
    fn find_slot(&self, slot: Slot) -> Result<Option<FoundEntry>, ReadError> {
        let Some(spot) = self.file.plan().spot(slot) else {
            return Ok(None);
        };
        let cached = self.cell(slot.segment, &spot)?;
        Ok(cached.block.is_present(spot.index).then(|| FoundEntry {
            number: cache_key(spot.block, spot.cell),
            segment: slot.segment,
            index: spot.index,
            cached,
        }))
    }

    /// Returns whether a slot of a table with ranks has an entry.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged at the entry.
    pub fn contains_slot(&self, slot: Slot) -> Result<bool, ReadError> {
        Ok(self.find_slot(slot)?.is_some())
    }

    /// Returns the entry of a canonical position, if there is one.
    fn find(&self, canonical: &G::Position) -> Result<Option<FoundEntry>, ReadError> {
        let found = if let Some(ranking) = &self.ranking {
            let Some(slot) = ranking.slot(canonical) else {
                return Ok(None);
            };
            self.find_slot(slot)?
        } else {
            if self.game.final_score(canonical).is_some() {
                return Ok(None);
            }
            let key = self.game.key(canonical);
            let Some(block) = self.file.block_of_key(key) else {
                return Ok(None);
            };
            let cached = self.block(block)?;
            let index = cached.block.keys.binary_search(&key);
            index.ok().map(|index| FoundEntry {
                number: cache_key(block, 0),
                segment: 0,
                index,
                cached,
            })
        };
        Ok(found)
    }

    /// Returns whether a canonical position is in the table.
    ///
    /// This is cheaper than [`Table::probe`] where the table omits scores.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged at the entry.
    pub fn contains(&self, canonical: &G::Position) -> Result<bool, ReadError> {
        Ok(self.find(canonical)?.is_some())
    }

    /// Returns the score of a canonical position, or `None` if it is not in the table.
    ///
    /// Positions that are finished or not reachable are not in the table.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged at the entry.
    pub fn probe(&self, canonical: &G::Position) -> Result<Option<i32>, ReadError> {
        self.probe_knowing(canonical, &mut ScoresByEntry::default())
    }

    /// Probes like [`Table::probe`], with the scores recomputed so far.
    fn probe_knowing(
        &self,
        canonical: &G::Position,
        known: &mut ScoresByEntry,
    ) -> Result<Option<i32>, ReadError> {
        let Some(found) = self.find(canonical)? else {
            return Ok(None);
        };
        let scores = self.file.plan().scores(found.segment);
        let (block, index) = (&found.cached.block, found.index);
        if !block.is_derived() {
            return Ok(block.code(index).map(|code| scores.score(code)));
        }
        let key = (found.number, index);
        if let Some(&score) = known.get(&key) {
            return Ok(Some(score));
        }
        let score = self.entry_score(block, index, scores, canonical, known)?;
        known.insert(key, score);
        Ok(Some(score))
    }

    /// Returns the score of an entry, recomputed from its moves if it is omitted.
    pub(super) fn entry_score(
        &self,
        block: &Block,
        index: usize,
        scores: ScoreRange,
        canonical: &G::Position,
        known: &mut ScoresByEntry,
    ) -> Result<i32, ReadError> {
        if let Some(code) = block.code(index) {
            return Ok(scores.score(code));
        }
        let best = self.best_of_moves(canonical, |child| self.probe_knowing(child, known))?;
        block.save_code(index, self.code_of_derived(canonical, scores, best)?);
        Ok(best)
    }

    /// Returns the best score of an unfinished position's moves.
    ///
    /// `probe` returns the scores of canonical positions.
    pub(super) fn best_of_moves(
        &self,
        canonical: &G::Position,
        mut probe: impl FnMut(&G::Position) -> Result<Option<i32>, ReadError>,
    ) -> Result<i32, ReadError> {
        let score = |class: &G::Position, _| match probe(class)? {
            None => {
                let class = self.game.format_position(class);
                Err(self.damaged_moves(canonical, format!("a score of {class}"), "none"))
            }
            score => Ok(score),
        };
        let best = best_move(&self.game, canonical, score)?;
        Ok(best.map_or(i32::MIN, |(best, _)| best))
    }

    /// Returns the code of a recomputed score, if the position can have that score.
    pub(super) fn code_of_derived(
        &self,
        canonical: &G::Position,
        scores: ScoreRange,
        best: i32,
    ) -> Result<u32, ReadError> {
        let code = scores.code(best).filter(|&code| code < NOT_YET);
        code.ok_or_else(|| {
            let expected = format!("a score from {} to {}", scores.lowest, scores.highest);
            self.damaged_moves(canonical, expected, &best.to_string())
        })
    }

    fn damaged_moves(&self, canonical: &G::Position, expected: String, found: &str) -> ReadError {
        let position = self.game.format_position(canonical);
        let damage = Difference::new(expected, found);
        self.file
            .damaged(format!("what follows from {position}"), damage)
    }

    /// Returns a position's score for the side to move, with the points already won.
    ///
    /// # Errors
    /// If the position is not in the table, or the table can't be read.
    pub fn score(&self, position: &G::Position) -> Result<i32, ReadError> {
        if let Some(score) = self.game.final_score(position) {
            return Ok(score);
        }
        let canonical = self.game.canonical(position);
        let found = self.probe_knowing(&canonical, &mut ScoresByEntry::default())?;
        self.with_banked(position, found)
    }

    /// Adds the points already won in an unfinished position to the score found in the table.
    pub(super) fn with_banked(
        &self,
        position: &G::Position,
        found: Option<i32>,
    ) -> Result<i32, ReadError> {
        let score = found.ok_or_else(|| ReadError::NotInTable {
            path: self.file.path().to_owned(),
            position: self.game.format_position(position),
            game: self.game.name(),
        })?;
        Ok(self.game.banked(position) + score)
    }
}

/// Returns the best score of an unfinished position and the first move with it.
///
/// The position must be canonical. `score` returns the score of the class after a move, or `None`
/// to skip the move. The result is `None` if all moves are skipped.
pub(super) fn best_move<G: Game, S>(
    game: &G,
    position: &G::Position,
    mut score: impl FnMut(&G::Position, G::Move) -> Result<Option<i32>, S>,
) -> Result<Option<(i32, G::Move)>, S> {
    let mut best: Option<(i32, G::Move)> = None;
    let mut class = position.clone();
    for mv in game.legal_moves(position) {
        let followed = game.follow(position, mv, &mut class);
        let to_come = match followed.is_finished {
            true => Some(0),
            false => score(&class, mv)?,
        };
        let score = to_come.map(|to_come| followed.score(to_come));
        if score > best.map(|best| best.0) {
            best = score.map(|score| (score, mv));
        }
    }
    Ok(best)
}
