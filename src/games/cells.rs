//! What games on boards of cells have in common: sets of cells as bits of a word, and how the pieces
//! of both players are written.

use crate::game::{Side, cell_owner};
use crate::text::counted;

/// A set of cells, or any other bits.
pub type Cells = u64;

/// The numbers of a set's bits, ascending.
#[inline]
pub fn ones(mut cells: Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = cells.trailing_zeros() as usize;
        (cells != 0).then(|| {
            cells &= cells - 1;
            bit
        })
    })
}

/// How many symmetries a square board has.
pub const SYMMETRIES: usize = 8;

/// Where a symmetry, `0..SYMMETRIES`, takes a set of cells of a board of so many rows and columns, with
/// bit `8 * row + column` for each: bit 2 of the symmetry swaps rows with columns, then bit 0 reverses
/// the columns and bit 1 the rows.
pub fn image(side: u32, symmetry: usize, mut cells: Cells) -> Cells {
    if symmetry & 4 != 0 {
        cells = transposed(cells);
    }
    if symmetry & 1 != 0 {
        // As if the board had 8 columns, then back to the left.
        cells = cells.reverse_bits().swap_bytes() >> (8 - side);
    }
    if symmetry & 2 != 0 {
        cells = cells.swap_bytes() >> (8 * (8 - side));
    }
    cells
}

/// Rows become columns.
fn transposed(mut cells: Cells) -> Cells {
    // Swaps ever larger squares beside the diagonal.
    for (distance, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let moved = (cells ^ cells >> distance) & mask;
        cells ^= moved ^ moved << distance;
    }
    cells
}

/// Who owns the cell of a bit, if anybody, given the cells of both players.
#[inline]
pub fn owner(sets: [Cells; 2], bit: u32) -> Option<Side> {
    let has = sets.map(|cells| cells >> bit & 1 == 1);
    match has {
        [true, _] => Some(Side::First),
        [_, true] => Some(Side::Second),
        _ => None,
    }
}

/// What stands beside the board of a game that is won by whoever moved last: whose turn it is, or
/// who has won. `score` is the final one, if it is finished.
pub fn status(letters: Letters, mover: Side, score: Option<i32>) -> String {
    match score {
        None => format!("{} to move", letters[mover.index()]),
        Some(0) => "drawn".to_owned(),
        Some(_) => format!("{} has won", letters[mover.other().index()]),
    }
}

/// The letters of the first and the second player's pieces.
pub type Letters = [char; 2];

/// The letter of a cell.
pub fn letter(letters: Letters, owner: Option<Side>) -> char {
    owner.map_or('.', |side| letters[side.index()])
}

/// Whose piece a letter says is on a cell. Words of problems go before the position.
pub fn owner_of(letters: Letters, letter: char) -> Result<Option<Side>, String> {
    let [first, second] = letters;
    match letter {
        '.' => Ok(None),
        _ if letter == first => Ok(Some(Side::First)),
        _ if letter == second => Ok(Some(Side::Second)),
        _ => Err(format!(
            "a cell is \"{first}\", \"{second}\" or \".\", not \"{letter}\", in"
        )),
    }
}

/// Whose pieces are on the cells of a board, given as rows with `/` between them, of as many cells as
/// `widths` says; `board` and `row` are what problems call the board and a row of this number.
pub fn read_rows(
    text: &str,
    letters: Letters,
    widths: &[usize],
    board: &str,
    row: impl Fn(usize) -> String,
) -> Result<Vec<Option<Side>>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != widths.len() {
        return Err(format!(
            "{} with \"/\" between them, but {board} has {}, in",
            counted(rows.len(), "row"),
            widths.len()
        ));
    }
    let mut owners = Vec::new();
    for (number, (cells, &width)) in (1..).zip(rows.iter().zip(widths)) {
        let length = cells.chars().count();
        if length != width {
            return Err(format!(
                "{} has {} instead of {width}, in",
                row(number),
                counted(length, "cell")
            ));
        }
        for letter in cells.chars() {
            owners.push(owner_of(letters, letter)?);
        }
    }
    Ok(owners)
}

/// The cells of the first and of the second player, given the bits of all cells and who owns each.
pub fn sets(
    bits: impl Iterator<Item = u32>,
    owners: impl IntoIterator<Item = Option<Side>>,
) -> [Cells; 2] {
    let mut sets = [0; 2];
    for (bit, owner) in bits.zip(owners) {
        if let Some(side) = owner {
            sets[side.index()] |= 1 << bit;
        }
    }
    sets
}

/// Who owns the cells of a row of bytes.
pub fn owners(row: &[u8]) -> Result<Vec<Option<Side>>, String> {
    row.iter().map(|&byte| cell_owner(byte)).collect()
}
