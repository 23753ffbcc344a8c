//! Many positions at once, as arrays of numbers.

use crate::game::{Notation, NotationError, Progress, check_cancelled, decimals_of, read_position};
use crate::oracle::{AskError, Oracle, OracleError};
use crate::pool::try_map;
use crate::table::ReadError;
use std::sync::Mutex;

/// The value for a move that is not legal. It is less than every score.
pub const NO_SCORE: i32 = i32::MIN;

/// The numbers of an array that holds a game's scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreNumbers {
    /// Integers of 16 bits; [`i16::MIN`] stands for [`NO_SCORE`].
    Short,
    /// Integers of 32 bits.
    Long,
    /// 64-bit floats, for points with this many decimals; minus infinity stands for [`NO_SCORE`].
    Decimal(u32),
}

impl ScoreNumbers {
    pub(super) fn of<G: Notation>(game: &G) -> ScoreNumbers {
        let range = game.score_range();
        let most = range
            .highest
            .max(-range.lowest)
            .max(game.capabilities().arrays.greatest_score());
        match (decimals_of(game), most) {
            (Some(decimals @ 1..), _) if !range.counts_plies() => ScoreNumbers::Decimal(decimals),
            (_, ..=32_767) => ScoreNumbers::Short,
            _ => ScoreNumbers::Long,
        }
    }
}

/// Number of positions that one thread answers at a time.
const CHUNK: usize = 1024;

/// The columns of a game's arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayShape {
    /// Names of the numbers in a row; the last is the side to move.
    ///
    /// Empty if positions of the game are available only as text.
    pub columns: Vec<String>,
    /// All moves of the game, in the order of their columns.
    pub moves: Vec<String>,
}

/// Many positions, as texts or as rows of numbers.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// In the game's notation.
    Texts(&'a [&'a str]),
    /// Rows of [`ArrayShape::columns`], one after the other.
    Rows(&'a [u8]),
}

/// The scores that are wanted of each position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoresOf {
    /// One score per position.
    Positions,
    /// One row per position with the score of each of [`ArrayShape::moves`].
    ///
    /// [`NO_SCORE`] stands for a move that is not legal.
    Moves,
}

/// Why many positions can't be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The error for the first position that has no answer.
    #[error("position {index}: {cause}")]
    Position {
        /// Index of the position, from 0.
        index: usize,
        /// The position's error.
        cause: AskError,
    },
    /// The game doesn't support this form. The message has no full stop.
    #[error("{0}")]
    Form(String),
    /// The caller cancelled the work.
    #[error("interrupted")]
    Interrupted,
}

pub(super) fn shape<G: Notation>(game: &G) -> Option<ArrayShape> {
    let arrays = game.capabilities().arrays;
    let moves = arrays.all_moves();
    (!moves.is_empty()).then(|| ArrayShape {
        columns: arrays.columns(),
        moves: moves.into_iter().map(|mv| game.format_move(mv)).collect(),
    })
}

/// Names of the columns; an error if the game has none.
fn columns_or_error<G: Notation>(game: &G) -> Result<Vec<String>, BatchError> {
    let columns = game.capabilities().arrays.columns();
    (!columns.is_empty()).then_some(columns).ok_or_else(|| {
        BatchError::Form(format!(
            "{} has no positions as rows of numbers: write them as text, such as \"{}\"",
            game.name(),
            game.format_position(&game.start())
        ))
    })
}

/// Reads positions of a game whose type is known, one by one.
struct Reader<'a, G> {
    game: &'a G,
    positions: Positions<'a>,
    /// Number of bytes in a row.
    width: usize,
    count: usize,
}

impl<'a, G: Notation> Reader<'a, G> {
    fn new(game: &'a G, positions: Positions<'a>) -> Result<Reader<'a, G>, BatchError> {
        let (width, count) = match positions {
            Positions::Texts(texts) => (0, texts.len()),
            Positions::Rows(rows) => {
                let columns = columns_or_error(game)?;
                let (expected, found) = (columns.len(), rows.len());
                if found % expected != 0 {
                    let columns = columns.join(", ");
                    let problem = format!("{found} numbers are no rows of {expected}: {columns}");
                    return Err(BatchError::Form(problem));
                }
                (expected, found / expected)
            }
        };
        Ok(Reader {
            game,
            positions,
            width,
            count,
        })
    }

    fn read(&self, index: usize) -> Result<G::Position, AskError> {
        match self.positions {
            Positions::Texts(texts) => Ok(read_position(self.game, texts[index])?),
            Positions::Rows(rows) => {
                let row = &rows[index * self.width..][..self.width];
                let read = self.game.capabilities().arrays.read_row(row);
                Ok(read.map_err(|problem| {
                    let numbers = |row: &[u8]| format!("{row:?}");
                    let mut example = vec![0; self.width];
                    let arrays = self.game.capabilities().arrays;
                    arrays.write_row(&self.game.start(), &mut example);
                    NotationError::new(&numbers(row), problem, numbers(&example))
                })?)
            }
        }
    }

    /// Reads a position; an error names its index.
    fn read_named(&self, index: usize) -> Result<G::Position, BatchError> {
        let read = self.read(index);
        read.map_err(|cause| BatchError::Position { index, cause })
    }
}

fn is_missing(error: &AskError) -> bool {
    match error {
        AskError::Oracle(OracleError::Table(error)) => {
            matches!(**error, ReadError::NotInTable { .. })
        }
        AskError::Notation(notation) => notation.is_unlisted,
        _ => false,
    }
}

/// Puts the scores of each position into `out`.
///
/// If `missing` is given, it stands for the scores of positions that are not in the table.
pub(super) fn scores<G: Notation>(
    oracle: &dyn Oracle<G>,
    positions: Positions<'_>,
    of: ScoresOf,
    missing: Option<i32>,
    out: &mut [i32],
    progress: &dyn Progress,
) -> Result<(), BatchError> {
    let width = width_of(oracle.game(), of)?;
    let reader = Reader::new(oracle.game(), positions)?;
    assert_eq!(out.len(), reader.count * width, "a place for each answer");
    if reader.count == 0 {
        return Ok(());
    }
    let one = |oracle: &dyn Oracle<G>, index: usize, out: &mut [i32]| {
        let answered = reader
            .read(index)
            .and_then(|position| answer(oracle, &position, of, out));
        match (answered, missing) {
            (Err(error), Some(missing)) if is_missing(&error) => {
                out.fill(missing);
                Ok(())
            }
            (answered, _) => answered.map_err(|cause| match cause {
                AskError::Oracle(OracleError::Interrupted(_)) => BatchError::Interrupted,
                cause => BatchError::Position { index, cause },
            }),
        }
    };
    if oracle.effort().is_some() {
        // A search uses its own threads. Preparing may fail for a position that can't be
        // searched, which causes an error when it is asked about.
        let known = (0..reader.count).filter_map(|index| reader.read(index).ok());
        let _ = oracle.prepare(&known.collect::<Vec<_>>(), false);
        let own = oracle.with_progress(progress);
        let oracle = own.as_deref().unwrap_or(oracle);
        return out
            .chunks_mut(width)
            .enumerate()
            .try_for_each(|(index, out)| one(oracle, index, out));
    }
    let chunks: Vec<_> = out.chunks_mut(CHUNK * width).map(Mutex::new).collect();
    try_map(chunks.len(), |number| {
        check_cancelled(progress, BatchError::Interrupted)?;
        let mut out = chunks[number].lock().expect("nobody panics here");
        let mut places = (number * CHUNK..).zip(out.chunks_mut(width));
        places.try_for_each(|(index, out)| one(oracle, index, out))
    })?;
    Ok(())
}

/// Returns the number of scores per position.
fn width_of<G: Notation>(game: &G, of: ScoresOf) -> Result<usize, BatchError> {
    let moves = match of {
        ScoresOf::Positions => return Ok(1),
        ScoresOf::Moves => game.capabilities().arrays.all_moves().len(),
    };
    (moves > 0).then_some(moves).ok_or_else(|| {
        BatchError::Form(format!(
            "{} has no array with a column for each of its moves: ask about one position at a time",
            game.name()
        ))
    })
}

fn answer<G: Notation>(
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    of: ScoresOf,
    out: &mut [i32],
) -> Result<(), AskError> {
    match of {
        ScoresOf::Positions => {
            out[0] = oracle.score(position)?;
            Ok(())
        }
        ScoresOf::Moves => into_columns(oracle, position, out),
    }
}

/// Puts the scores of a position's moves into their columns.
pub(super) fn into_columns<G: Notation>(
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    out: &mut [i32],
) -> Result<(), AskError> {
    let game = oracle.game();
    let columns = game.capabilities().arrays.all_moves();
    out.fill(NO_SCORE);
    for mv in game.legal_moves(position) {
        let score = oracle.score_after(position, mv)?;
        let column = columns.iter().position(|&other| other == mv);
        if let Some(place) = column.and_then(|column| out.get_mut(column)) {
            *place = score;
        }
    }
    Ok(())
}

pub(super) fn rows<G: Notation>(game: &G, positions: &[&str]) -> Result<Vec<u8>, BatchError> {
    let width = columns_or_error(game)?.len();
    let reader = Reader::new(game, Positions::Texts(positions))?;
    let mut rows = vec![0; width * positions.len()];
    for (index, row) in rows.chunks_mut(width).enumerate() {
        let position = reader.read_named(index)?;
        game.capabilities().arrays.write_row(&position, row);
    }
    Ok(rows)
}

pub(super) fn texts<G: Notation>(game: &G, rows: &[u8]) -> Result<Vec<String>, BatchError> {
    let reader = Reader::new(game, Positions::Rows(rows))?;
    let text = |index| Ok(game.format_position(&reader.read_named(index)?));
    (0..reader.count).map(text).collect()
}
