//! Positions as rows of small numbers: what arrays in other languages are made of.

use super::{Game, Side};

/// The last column of every row: whose turn it is, 0 for the first player and 1 for the second.
pub const SIDE_COLUMN: &str = "side";

/// Positions as rows of bytes, and a list of all moves, so that many positions make one array and
/// the scores of their moves another.
///
/// A game that offers this names at least one move. It may have no columns: then its positions are
/// text only, and only the scores of their moves make an array.
pub trait Arrays<G: Game>: Sync {
    /// What the bytes of a row are, by names such as `first_pit_1`; the last one is
    /// [`SIDE_COLUMN`]. None if the game has no rows.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes a position into a row, which has a byte for each of the columns.
    fn write_row(&self, _position: &G::Position, _row: &mut [u8]) {}

    /// Reads a row that has a byte for each of the columns.
    ///
    /// # Errors
    /// If it is not a position of the game: what is wrong, as words that stand before the row.
    fn read_row(&self, _row: &[u8]) -> Result<G::Position, String> {
        Err("the game has no rows, unlike".into())
    }

    /// All moves that the game has, in the order of their columns; none if the game doesn't offer
    /// this.
    fn all_moves(&self) -> Vec<G::Move> {
        Vec::new()
    }

    /// The place of a legal move in [`Arrays::all_moves`].
    fn move_column(&self, mv: G::Move) -> Option<usize> {
        self.all_moves().iter().position(|&other| other == mv)
    }
}

/// Whose turn the last byte of a row says it is.
///
/// # Errors
/// If it is neither 0 nor 1.
pub(crate) fn side_of(byte: u8) -> Result<Side, String> {
    match byte {
        0 => Ok(Side::First),
        1 => Ok(Side::Second),
        _ => Err(format!(
            "the side to move must be 0 (first) or 1 (second), not {byte}, in"
        )),
    }
}

/// The byte of a cell: 0 if it is empty, 1 for the first player's, 2 for the second's.
pub(crate) fn cell_byte(owner: Option<Side>) -> u8 {
    owner.map_or(0, |side| side.index() as u8 + 1)
}

/// Whose a cell is.
///
/// # Errors
/// If the byte is none of a cell.
pub(crate) fn cell_owner(byte: u8) -> Result<Option<Side>, String> {
    match byte {
        0 => Ok(None),
        1 => Ok(Some(Side::First)),
        2 => Ok(Some(Side::Second)),
        _ => Err(format!(
            "a cell must be 0 (empty), 1 (the first player's) or 2 (the second's), not {byte}, in"
        )),
    }
}

/// Holds the side that a row names against the one that its board tells.
///
/// # Errors
/// If they differ.
pub(crate) fn same_side(byte: u8, told: Side) -> Result<(), String> {
    if side_of(byte)? == told {
        return Ok(());
    }
    Err(format!(
        "the board tells that the {told} player is to move, which is side {}, in",
        told.index()
    ))
}
