//! A table together with its game: scores of positions.

use super::best::best_move;
use super::format::{Difference, Spot};
use super::read::{Access, Block, Cache, CheckedFile, NOT_YET, ReadError, TableFile};
use crate::game::{Notation, Ranking, ScoreRange, Slot};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Derived scores by block, cell and index, kept while one score is derived: the cache, if it is
/// small, may have dropped their cells, and without them the same would be derived again and again.
pub(super) type Known = FxHashMap<(u64, usize), i32>;

/// What the cache keeps: a block, or one of its cells.
pub(super) struct Piece {
    pub(super) block: Block,
    /// Which rows are decoded.
    rows: Range<u32>,
    /// How often it was decoded.
    times: u32,
}

impl Piece {
    /// A block that was decoded once, in full.
    pub(super) fn whole(block: Block) -> Piece {
        Piece {
            block,
            rows: 0..u32::MAX,
            times: 1,
        }
    }
}

/// An entry that was found.
struct Found {
    /// The number of its piece.
    number: u64,
    piece: Arc<Piece>,
    segment: u32,
    /// Its index in the piece.
    index: usize,
}

/// The number of a piece in the cache: no tile has as many cells.
fn piece_number(block: u64, cell: u32) -> u64 {
    block << 8 | u64::from(cell)
}

/// By default, at most this many bytes of decoded blocks are kept.
const CACHE_BYTES: usize = 256 << 20;

/// The scores of all reachable classes of a game, in a file. Can be probed from several threads at
/// once.
pub struct Table<G: Notation> {
    file: CheckedFile,
    game: G,
    ranking: Option<Arc<dyn Ranking<G::Position>>>,
    cache: Cache<Piece>,
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
    /// As for [`TableFile::open`] and [`Table::new`].
    pub fn open(path: &Path, access: Access, game: G) -> Result<Table<G>, ReadError> {
        Table::new(TableFile::open(path, access)?, game)
    }

    /// Joins a file and its game, after a check that all that the file says of itself is what the
    /// game says: rules, names, scores, and the numbering of the positions.
    ///
    /// # Errors
    /// If it is not.
    pub fn new(file: TableFile, game: G) -> Result<Table<G>, ReadError> {
        let (file, ranking) = CheckedFile::new(file, &game)?;
        Ok(Table {
            file,
            game,
            ranking,
            cache: Cache::new(CACHE_BYTES),
        })
    }

    /// The same table, keeping at most this many bytes of decoded blocks.
    #[must_use]
    pub fn with_cache(mut self, bytes: usize) -> Table<G> {
        self.cache = Cache::new(bytes);
        self
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &CheckedFile {
        &self.file
    }

    /// The file alone.
    #[must_use]
    pub fn into_file(self) -> CheckedFile {
        self.file
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The numbering of the positions, of a table with ranks.
    pub(crate) fn shared_ranking(&self) -> Option<Arc<dyn Ranking<G::Position>>> {
        self.ranking.clone()
    }

    pub(super) fn ranking(&self) -> Option<&dyn Ranking<G::Position>> {
        self.ranking.as_deref()
    }

    /// A block whose entries are listed.
    pub(super) fn block(&self, number: u64) -> Result<Arc<Piece>, ReadError> {
        let key = piece_number(number, 0);
        if let Some(piece) = self.cache.get(key) {
            return Ok(piece);
        }
        // Unlocked meanwhile: two threads may decode the same block, which is better than that one
        // waits.
        let block = self.file.block(number)?;
        let bytes = block.bytes();
        let piece = Arc::new(Piece::whole(block));
        self.cache.put(key, piece.clone(), bytes);
        Ok(piece)
    }

    /// The cell of a slot, decoded at least in the slot's row.
    pub(super) fn cell(&self, segment: u32, spot: &Spot) -> Result<Arc<Piece>, ReadError> {
        let key = piece_number(spot.block, spot.cell);
        let cached = self.cache.get(key);
        let times = match cached {
            Some(piece) if piece.rows.contains(&spot.row) => return Ok(piece),
            Some(piece) => piece.times + 1,
            None => 1,
        };
        // Where a few rows were not enough, there will be more probes, and where probes are near
        // each other, too.
        let whole = times > 2 || self.cache.is_warm(key);
        let (block, rows) = self.file.cell(segment, spot, whole)?;
        let bytes = block.bytes();
        let piece = Arc::new(Piece { block, rows, times });
        self.cache.put(key, piece.clone(), bytes);
        Ok(piece)
    }

    /// Where the entry of a slot is, if there is one.
    fn find_slot(&self, slot: Slot) -> Result<Option<Found>, ReadError> {
        let Some(spot) = self.file.plan().spot(slot) else {
            return Ok(None);
        };
        let piece = self.cell(slot.segment, &spot)?;
        Ok(piece.block.is_present(spot.index).then(|| Found {
            number: piece_number(spot.block, spot.cell),
            segment: slot.segment,
            index: spot.index,
            piece,
        }))
    }

    /// Whether there is an entry at a slot, of a table with ranks.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged where its score would be.
    pub fn contains_slot(&self, slot: Slot) -> Result<bool, ReadError> {
        Ok(self.find_slot(slot)?.is_some())
    }

    /// Where the entry of a canonical position is, if there is one.
    fn find(&self, canonical: &G::Position) -> Result<Option<Found>, ReadError> {
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
            let piece = self.block(block)?;
            let index = piece.block.keys.binary_search(&key);
            index.ok().map(|index| Found {
                number: piece_number(block, 0),
                segment: 0,
                index,
                piece,
            })
        };
        Ok(found)
    }

    /// Whether a canonical position is in the table. Cheaper than [`Table::probe`] where scores are
    /// derived.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged where its score would be.
    pub fn contains(&self, canonical: &G::Position) -> Result<bool, ReadError> {
        Ok(self.find(canonical)?.is_some())
    }

    /// The score of a canonical position, or nothing if it is not in the table: finished, or not
    /// reachable.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged where its score would be.
    pub fn probe(&self, canonical: &G::Position) -> Result<Option<i32>, ReadError> {
        self.probe_knowing(canonical, &mut Known::default())
    }

    /// The same, with what has been derived on the way here.
    fn probe_knowing(
        &self,
        canonical: &G::Position,
        known: &mut Known,
    ) -> Result<Option<i32>, ReadError> {
        let Some(found) = self.find(canonical)? else {
            return Ok(None);
        };
        let scores = self.file.plan().scores(found.segment);
        let (block, index) = (&found.piece.block, found.index);
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

    /// The score of an entry: its code's, or if that was left out the best of its moves.
    pub(super) fn entry_score(
        &self,
        block: &Block,
        index: usize,
        scores: ScoreRange,
        canonical: &G::Position,
        known: &mut Known,
    ) -> Result<i32, ReadError> {
        if let Some(code) = block.code(index) {
            return Ok(scores.score(code));
        }
        let best = self.best_of_moves(canonical, |child| self.probe_knowing(child, known))?;
        block.keep(index, self.code_of_derived(canonical, scores, best)?);
        Ok(best)
    }

    /// The best of an unfinished position's moves; `probe` gives the scores of canonical positions.
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

    /// The code of a score that was left out, if the position can have that score.
    pub(super) fn code_of_derived(
        &self,
        canonical: &G::Position,
        scores: ScoreRange,
        best: i32,
    ) -> Result<u8, ReadError> {
        let code = scores.code(best).filter(|&code| code != NOT_YET);
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

    /// The score of a position, seen from the side to move, banked points included.
    ///
    /// # Errors
    /// If the position is not in the table, or the table can't be read.
    pub fn score(&self, position: &G::Position) -> Result<i32, ReadError> {
        self.score_by(position, |canonical| self.probe(canonical))
    }

    /// The same, if `probe` gives the scores of canonical positions.
    pub(super) fn score_by(
        &self,
        position: &G::Position,
        probe: impl FnOnce(&G::Position) -> Result<Option<i32>, ReadError>,
    ) -> Result<i32, ReadError> {
        if let Some(score) = self.game.final_score(position) {
            return Ok(score);
        }
        match probe(&self.game.canonical(position))? {
            Some(score) => Ok(self.game.banked(position) + score),
            None => Err(ReadError::NotInTable {
                path: self.file.path().to_owned(),
                position: self.game.format_position(position),
                game: self.game.name(),
            }),
        }
    }
}
