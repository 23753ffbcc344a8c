//! Positions as rows of bytes, for arrays in other languages.

use super::{Game, Side};

/// Name of every row's last column: the side to move.
///
/// 0 stands for the first player, 1 for the second.
pub const SIDE_COLUMN: &str = "side";

/// Conversion of positions to rows of bytes, and a fixed list of all moves.
///
/// Many positions then make one array, and the scores of their moves another. A game that
/// implements this has at least one move in [`Arrays::all_moves`]. It may have no columns: then
/// only the scores of moves make an array, and positions are text.
pub trait Arrays<G: Game>: Sync {
    /// Names of a row's bytes, such as `first_pit_1`. The last one is `side`.
    ///
    /// Empty (the default) if the game has no rows.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes a position into a row, which has one byte per column.
    fn write_row(&self, _position: &G::Position, _row: &mut [u8]) {}

    /// Reads a position from a row, which has one byte per column.
    ///
    /// # Errors
    /// If the row is not a position of the game. The message says what is wrong.
    fn read_row(&self, _row: &[u8]) -> Result<G::Position, String> {
        Err("the game has no rows".into())
    }

    /// Returns all moves that the game has, in the order of their columns.
    ///
    /// Empty (the default) if the game doesn't support arrays.
    fn all_moves(&self) -> Vec<G::Move> {
        Vec::new()
    }

    /// Returns an upper limit for the scores of finished positions that are beyond the score range.
    fn greatest_score(&self) -> i32 {
        0
    }
}

/// Returns the side that the last byte of a row stands for.
///
/// # Errors
/// If the byte is neither 0 nor 1.
pub(crate) fn side_of(byte: u8) -> Result<Side, String> {
    match byte {
        0 => Ok(Side::First),
        1 => Ok(Side::Second),
        _ => Err(format!(
            "the side to move must be 0 (first) or 1 (second), not {byte}"
        )),
    }
}

/// Returns the byte of a square: 0 if empty, 1 and 2 for the first and second player's piece.
pub(crate) fn cell_byte(owner: Option<Side>) -> u8 {
    owner.map_or(0, |side| side.index() as u8 + 1)
}

/// Returns the owner of the piece that a square's byte stands for.
///
/// # Errors
/// If the byte is not 0, 1 or 2.
pub(crate) fn cell_owner(byte: u8) -> Result<Option<Side>, String> {
    match byte {
        0 => Ok(None),
        1 => Ok(Some(Side::First)),
        2 => Ok(Some(Side::Second)),
        _ => Err(format!(
            "a square must be 0 (empty), 1 (the first player's) or 2 (the second's), not {byte}"
        )),
    }
}

/// Checks a row's side to move against the one that follows from its board.
///
/// # Errors
/// If they differ.
pub(crate) fn same_side(byte: u8, told: Side) -> Result<(), String> {
    if side_of(byte)? == told {
        return Ok(());
    }
    Err(format!(
        "the board tells that the {told} player is to move, which is side {}",
        told.index()
    ))
}
