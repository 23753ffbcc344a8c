//! Shared code of games on boards of squares: bitboards, positions of pieces, and their notation.
//!
//! Symmetries are those of square boards.

use crate::game::{Arrays, Notation, NotationError, Side, cell_owner};
use crate::text::counted;
use std::fmt;

/// A set of squares as bits.
pub type Cells = u64;

/// Returns the indices of the set bits, in ascending order.
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

/// Returns the squares of a set as sets of one square, in ascending order.
#[inline(always)]
pub fn singles(mut cells: Cells) -> impl Iterator<Item = Cells> {
    std::iter::from_fn(move || {
        let single = cells & cells.wrapping_neg();
        cells ^= single;
        (single != 0).then_some(single)
    })
}

/// A square of a board with bit `8 * row + column` for each square.
///
/// Written as its column, a letter, and its row, a number counted from the top: `a1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell(pub u8);

impl Cell {
    /// Returns the square in this row and column.
    pub fn at(row: u8, column: u8) -> Cell {
        Cell(8 * row + column)
    }

    /// Returns the column, 0 at the left.
    pub fn column(self) -> u32 {
        u32::from(self.0 % 8)
    }

    /// Returns the row, 0 at the top.
    pub fn row(self) -> u32 {
        u32::from(self.0 / 8)
    }

    /// Returns the square with this name, among some.
    pub fn named(name: &str, cells: Cells) -> Option<Cell> {
        each(cells).find(|cell| cell.to_string() == name)
    }

    /// Returns the two squares of a piece's way, such as `a1-b1`.
    pub fn path(text: &str, cells: Cells) -> Option<(Cell, Cell)> {
        let (from, to) = text.split_once('-')?;
        Some((Cell::named(from, cells)?, Cell::named(to, cells)?))
    }

    /// Returns the set of this square alone.
    pub fn alone(self) -> Cells {
        1 << self.0
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.0 % 8);
        write!(f, "{column}{}", self.row() + 1)
    }
}

/// Returns the squares of a set, row by row.
pub fn each(cells: Cells) -> impl Iterator<Item = Cell> {
    ones(cells).map(|bit| Cell(bit as u8))
}

/// Number of symmetries of a square board.
pub const SYMMETRIES: usize = 8;

/// Returns the image of a set of squares under a symmetry, `0..SYMMETRIES`.
///
/// The board has `side` rows and columns, and bit `8 * row + column` for each square. Bit 2 of the
/// symmetry swaps rows and columns, then bit 0 reverses the columns and bit 1 the rows.
#[inline]
pub fn image(side: u32, symmetry: usize, cells: Cells) -> Cells {
    // Without branches, which would be mispredicted.
    let chosen = |bit: usize, cells: Cells, image: Cells| {
        let mask = ((symmetry >> bit & 1) as Cells).wrapping_neg();
        cells ^ (cells ^ image) & mask
    };
    let cells = chosen(2, cells, transposed(cells));
    let cells = chosen(0, cells, columns_reversed(side, cells));
    chosen(1, cells, rows_reversed(side, cells))
}

/// Reverses 8 columns, then shifts the board back to the left.
#[inline]
fn columns_reversed(side: u32, cells: Cells) -> Cells {
    cells.reverse_bits().swap_bytes() >> (8 - side)
}

#[inline]
fn rows_reversed(side: u32, cells: Cells) -> Cells {
    cells.swap_bytes() >> (8 * (8 - side))
}

/// Returns sets after a change of each.
///
/// In contrast to the `map` of arrays, the compiler always inlines it.
#[inline(always)]
pub fn changed<const N: usize>(
    mut sets: [Cells; N],
    change: impl Fn(Cells) -> Cells,
) -> [Cells; N] {
    for set in &mut sets {
        *set = change(*set);
    }
    sets
}

/// Returns the least image of some sets of squares, which all have the same symmetry applied.
#[inline]
pub fn least_image<const N: usize>(side: u32, sets: [Cells; N]) -> [Cells; N] {
    // The first set decides, unless several of its images are the least.
    let (first, which) = least_images(side, sets[0]);
    let symmetry = which.trailing_zeros() as usize;
    let mut least = changed(sets, |cells| image(side, symmetry, cells));
    least[0] = first;
    match which & (which - 1) {
        0 => least,
        others => least_of(side, sets, others, least),
    }
}

/// Returns the least image of a set, and which symmetries lead to it, as bits.
#[inline]
fn least_images(side: u32, set: Cells) -> (Cells, u32) {
    let mut images = [0; SYMMETRIES];
    for half in 0..2 {
        let cells = if half == 0 { set } else { transposed(set) };
        let columns = columns_reversed(side, cells);
        images[4 * half] = cells;
        images[4 * half + 1] = columns;
        images[4 * half + 2] = rows_reversed(side, cells);
        images[4 * half + 3] = rows_reversed(side, columns);
    }
    let mut least = images[0];
    for image in &images {
        least = least.min(*image);
    }
    let mut which = 0;
    for (symmetry, image) in images.iter().enumerate() {
        which |= u32::from(*image == least) << symmetry;
    }
    (least, which)
}

/// Returns the least of an image and those under further symmetries, given as bits.
#[cold]
fn least_of<const N: usize>(
    side: u32,
    sets: [Cells; N],
    mut which: u32,
    mut least: [Cells; N],
) -> [Cells; N] {
    while which != 0 {
        let symmetry = which.trailing_zeros() as usize;
        which &= which - 1;
        least = least.min(changed(sets, |cells| image(side, symmetry, cells)));
    }
    least
}

/// Packs a set of squares of a square board into `side * side` bits, row by row.
#[inline]
pub fn pack(side: u32, cells: Cells) -> u64 {
    let (row, mut packed) = ((1 << side) - 1, 0);
    for number in 0..side {
        packed |= (cells >> (8 * number) & row) << (side * number);
    }
    packed
}

/// Returns the inverse of [`pack`].
#[inline]
pub fn unpack(side: u32, packed: u64) -> Cells {
    let (row, mut cells) = ((1 << side) - 1, 0);
    for number in 0..side {
        cells |= (packed >> (side * number) & row) << (8 * number);
    }
    cells
}

/// Swaps rows and columns.
#[inline]
fn transposed(mut cells: Cells) -> Cells {
    // Swap ever larger blocks on both sides of the diagonal.
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

/// Returns the owner of the square with this bit, given the squares of both players.
#[inline]
pub fn owner(sets: [Cells; 2], bit: u32) -> Option<Side> {
    let has = sets.map(|cells| cells >> bit & 1 == 1);
    match has {
        [true, _] => Some(Side::First),
        [_, true] => Some(Side::Second),
        _ => None,
    }
}

/// Returns the note beside the board: the side to move or the winner.
///
/// `names` are those of the first and the second player. `score` is the final score, seen from the
/// side to move, if the position is finished.
pub fn status<T: fmt::Display>(names: [T; 2], mover: Side, score: Option<i32>) -> String {
    let name = |side: Side| &names[side.index()];
    match score {
        None => format!("{} to move", name(mover)),
        Some(0) => "drawn".to_owned(),
        Some(1..) => format!("{} has won", name(mover)),
        Some(_) => format!("{} has won", name(mover.other())),
    }
}

/// Letters of the first and the second player's pieces.
pub type Letters = [char; 2];

/// Returns the letter of a square.
pub fn letter(letters: Letters, owner: Option<Side>) -> char {
    owner.map_or('.', |side| letters[side.index()])
}

/// Reads the owner of a square from its letter, for [`read_rows`].
pub fn owner_of(letters: Letters) -> impl Fn(char) -> Result<Option<Side>, String> {
    move |letter| match letters.iter().position(|&of| of == letter) {
        _ if letter == '.' => Ok(None),
        Some(0) => Ok(Some(Side::First)),
        Some(_) => Ok(Some(Side::Second)),
        None => {
            let [first, second] = letters;
            Err(format!("\"{first}\", \"{second}\" or \".\""))
        }
    }
}

/// Returns the error for a text that is no position, with the start as an example.
pub fn unread<G: Notation>(game: &G, text: &str, problem: String) -> NotationError {
    NotationError::new(text, problem, game.format_position(&game.start()))
}

/// Reads a move by its name, one of those that a game has.
///
/// # Errors
/// If the game has no such move; `problem` says how a move is written.
pub fn move_named<G: Notation + Arrays<G>>(
    game: &G,
    text: &str,
    problem: &str,
) -> Result<G::Move, NotationError> {
    let moves = game.all_moves();
    let read = moves
        .iter()
        .find(|&&mv| game.format_move(mv) == text.trim());
    read.copied()
        .ok_or_else(|| NotationError::new(text, problem, game.format_move(moves[0])))
}

/// Returns the squares of a board, given rows separated by `/`.
///
/// `widths` are the numbers of squares in the rows. `read` reads a square, given its letter, or says
/// what the letter must be. `name` names a square by its row and column, from 0, for errors.
pub fn read_rows<T>(
    text: &str,
    widths: &[usize],
    name: impl Fn(usize, usize) -> String,
    mut read: impl FnMut(char) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != widths.len() {
        return Err(format!(
            "{} with \"/\" between them, but the board has {}",
            counted(rows.len(), "row"),
            widths.len()
        ));
    }
    let widest = widths.iter().max().copied().unwrap_or_default();
    let mut squares = Vec::new();
    for (row, (cells, &width)) in rows.iter().zip(widths).enumerate() {
        let length = cells.chars().count();
        if length != width {
            return Err(format!(
                "row {} has {} instead of {width}",
                row + 1,
                counted(length, "square")
            ));
        }
        // A row that is shorter than others is in the middle.
        for (column, letter) in ((widest - width) / 2..).zip(cells.chars()) {
            squares.push(read(letter).map_err(|expected| {
                format!("{} is {expected}, not \"{letter}\"", name(row, column))
            })?);
        }
    }
    Ok(squares)
}

/// Names a square of a board for [`read_rows`]: "square a1".
pub fn cell_at(row: usize, column: usize) -> String {
    format!("square {}", Cell::at(row as u8, column as u8))
}

/// Returns the first and the second player's squares, given all squares' bits and owners.
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

/// Checks the pieces of X and O, who place them in turn until one has a line.
///
/// Given are the numbers of their pieces, and who has a line. `pieces` and `line` name what the
/// game has of them.
///
/// # Errors
/// If they can't arise.
pub fn check_turns(
    [x, o]: [u32; 2],
    has_line: [bool; 2],
    pieces: &str,
    line: fmt::Arguments<'_>,
) -> Result<(), String> {
    if x != o && x != o + 1 {
        return Err(format!(
            "{x} X and {o} O can't arise: X moves first and the turns alternate, so X has as many \
             {pieces} as O or one more"
        ));
    }
    match has_line {
        [true, true] => Err(format!("both X and O have {line}")),
        [true, false] if x == o => Err(format!("O has moved although X already had {line}")),
        [false, true] if x > o => Err(format!("X has moved although O already had {line}")),
        _ => Ok(()),
    }
}

/// Returns the owners of the squares in a row of bytes.
pub fn owners(row: &[u8]) -> Result<Vec<Option<Side>>, String> {
    row.iter().map(|&byte| cell_owner(byte)).collect()
}

/// The first and the second player's pieces, those of neither, and the side to move.
///
/// On square boards, a set has a bit for each square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pieces<const N: usize> {
    pub(super) sets: [Cells; N],
    pub(super) side: Side,
}

/// Number of symmetries of a position: those of the board, with and without swapping the players.
pub const POSITION_SYMMETRIES: usize = 2 * SYMMETRIES;

impl<const N: usize> Pieces<N> {
    /// Returns the position in which the side to move has the first set.
    #[inline]
    pub fn of_mover(mut sets: [Cells; N], side: Side) -> Self {
        if side == Side::Second {
            sets.swap(0, 1);
        }
        Pieces { sets, side }
    }

    /// Returns the sets, that of the side to move first.
    #[inline]
    pub fn seen(&self) -> [Cells; N] {
        Self::of_mover(self.sets, self.side).sets
    }

    /// Returns the image under a symmetry, `0..POSITION_SYMMETRIES`, on a board of this many rows.
    pub fn image(&self, rows: u32, symmetry: usize) -> Self {
        let image = self.mapped(|set| image(rows, symmetry % SYMMETRIES, set));
        [image, image.swapped()][symmetry / SYMMETRIES]
    }

    /// Returns the position with each set changed.
    pub fn mapped(&self, change: impl Fn(Cells) -> Cells) -> Self {
        let (sets, side) = (changed(self.sets, change), self.side);
        Pieces { sets, side }
    }

    /// Returns the position with the players swapped.
    pub fn swapped(&self) -> Self {
        Self::of_mover(self.seen(), self.side.other())
    }

    /// Returns the canonical position, in which the first player is to move.
    #[inline]
    pub fn canonical(&self, rows: u32) -> Self {
        Self::of_mover(least_image(rows, self.seen()), Side::First)
    }
}

/// Implements [`Symmetry`](crate::game::Symmetry) for a game of pieces by their images on a board of
/// `$rows` rows.
macro_rules! symmetries_of_pieces {
    ($game:ty, |$of:ident| $rows:expr) => {
        impl crate::game::Symmetry<$game> for $game {
            fn order(&self) -> usize {
                crate::games::cells::POSITION_SYMMETRIES
            }

            fn apply(&self, symmetry: usize, position: &Position) -> Position {
                let $of = self;
                position.image($rows, symmetry)
            }
        }
    };
}

/// Reads the words of a position's text, of which the last is the side to move.
///
/// `names` says in an error what the other words are.
pub fn words<'a, const N: usize>(
    text: &'a str,
    names: &str,
) -> Result<([&'a str; N], Side), String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let side = words.pop().and_then(|word| word.parse().ok());
    let words = <[&str; N]>::try_from(words).ok();
    words.zip(side).ok_or_else(|| {
        format!("a position is {names} and the side to move, \"first\" or \"second\"")
    })
}

pub(super) use symmetries_of_pieces;
