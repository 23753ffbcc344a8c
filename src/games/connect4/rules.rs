//! The rules and the positions of Connect Four.

use super::arise;
use super::board::{Board, wins};
use crate::game::{Game, NoGame, ScoreRange, Side};
use crate::games::cells::{self, Cells, sets};
use crate::text::counted;
use std::hint::select_unpredictable;

/// The size of a board and the length of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Parameters {
    /// Number of columns, 1 to 32.
    ///
    /// All columns must fit in 64 bits with a spare row: `columns * (rows + 1)` is at most 64.
    pub columns: usize,
    /// Number of rows, 1 to 63.
    pub rows: usize,
    /// Number of stones in a line, 2 to 64.
    ///
    /// If no line fits on the board, nobody can win.
    pub line: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            columns: 7,
            rows: 6,
            line: 4,
        }
    }
}

/// Bits available for a board.
const BITS: usize = u64::BITS as usize;

/// Layers before an opening book's last one that it leaves to the search.
const SKIPPED: u32 = 2;

/// Connect Four on one board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connect4 {
    parameters: Parameters,
    pub(super) board: Board,
    /// The most stones in a table of this game, if it is an opening book.
    up_to: Option<u32>,
}

impl Connect4 {
    /// Returns the game with these parameters.
    ///
    /// # Errors
    /// If the parameters are invalid.
    pub fn new(parameters: Parameters) -> Result<Connect4, NoGame> {
        let Parameters {
            columns,
            rows,
            line,
        } = parameters;
        if columns == 0 || rows == 0 {
            return Err(NoGame(format!(
                "a board has at least 1 column and 1 row, not {columns}×{rows}"
            )));
        }
        if columns.saturating_mul(rows.saturating_add(1)) > BITS {
            return Err(NoGame(format!(
                "a board of {columns} columns and {rows} rows is too large: with a row to spare, \
                 its columns have to fit 64 bits, and {columns} × ({rows} + 1) is more; {} can have \
                 {} at most, and {} can have {} at most; 7 columns and 6 rows fit",
                counted(columns, "column"),
                counted((BITS / columns).saturating_sub(1), "row"),
                counted(rows, "row"),
                counted(BITS / rows.saturating_add(1), "column")
            )));
        }
        if !(2..=BITS).contains(&line) {
            return Err(NoGame(format!("a line is 2 to {BITS} discs, not {line}")));
        }
        let board = Board::new(columns as u32, rows as u32, line as u32);
        Ok(Connect4 {
            parameters,
            board,
            up_to: None,
        })
    }

    /// Returns the same game with an opening book of up to `up_to` stones as its table.
    ///
    /// # Errors
    /// If `up_to` is 0, or not less than the number of squares.
    pub fn opening(&self, up_to: u32) -> Result<Connect4, NoGame> {
        if up_to == 0 || up_to >= self.board.cells() {
            return Err(NoGame(format!(
                "an opening book goes up to 1 disc or more, and leaves a square free, so not {up_to}"
            )));
        }
        Ok(Connect4 {
            up_to: Some(up_to),
            ..self.clone()
        })
    }

    /// Returns the most stones in this game's table, if it is an opening book.
    #[must_use]
    pub fn up_to(&self) -> Option<u32> {
        self.up_to
    }

    /// Returns whether the game's table, an opening book, has a reachable position.
    ///
    /// It leaves out wins with the next stone, and the two layers before the last. A score of these
    /// follows from at most 49 of the last layer.
    #[must_use]
    pub fn has_in_book(&self, position: &Position) -> bool {
        let stones = position.stones();
        let is_kept = |up_to| stones == up_to || stones + SKIPPED < up_to;
        self.up_to.is_some_and(is_kept) && self.at_once(position).is_none()
    }

    /// Returns the score of a finished position, or of a win with the next stone.
    #[must_use]
    pub fn at_once(&self, position: &Position) -> Option<i32> {
        self.final_score(position).or_else(|| {
            let board = &self.board;
            let (own, all) = (position.own_and_other()[0], position.all());
            let wins = cells::singles(board.landings(all)).any(|stone| board.has_line(own | stone));
            wins.then(|| board.winners_score(position.stones() + 1))
        })
    }

    /// Returns the size of the board and the length of a line.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Returns whether the player who moved last has a line.
    pub(super) fn is_won(&self, position: &Position) -> bool {
        self.board.has_line(position.own_and_other()[1])
    }

    /// Returns each square's column and row, row by row from the top.
    ///
    /// Rows are counted from the bottom.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let columns = self.board.columns;
        let rows = (0..self.board.rows).rev();
        rows.flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Returns the position with these stones, listed row by row from the top.
    ///
    /// # Errors
    /// If a stone is above an empty square, or no moves lead to the position.
    pub(super) fn placed(&self, owners: Vec<Option<Side>>) -> Result<Position, String> {
        let board = &self.board;
        let bits = self
            .cells()
            .map(|(column, row)| board.stride() * column + row);
        let position = Position {
            sets: sets(bits, owners),
        };
        let all = position.all();
        let floating = all & !(all << 1 | board.bottom);
        if floating != 0 {
            let bit = floating.trailing_zeros();
            let (column, row) = (bit / board.stride(), bit % board.stride());
            return Err(format!(
                "nothing is below the disc in column {}, row {} from the top",
                column + 1,
                board.rows - row
            ));
        }
        arise::check(board, position.sets)?;
        Ok(position)
    }

    /// Returns the columns that aren't full.
    pub(super) fn open_columns(&self, position: &Position) -> impl Iterator<Item = Column> {
        let landings = self.board.landings(position.all());
        let is_open = move |&column: &u32| landings & self.board.column(column) != 0;
        let columns = (0..self.board.columns).filter(is_open);
        columns.map(|column| Column(column as u8))
    }

    /// Returns the bits of a position's key.
    fn bits_of_key(&self, position: &Position) -> u64 {
        // A column of the key has the stones of the side to move, and a mark above all stones.
        // Adding the bottom row's bit to a full stack of stones carries to that mark.
        let [own, _] = position.own_and_other();
        own | (position.all() + self.board.bottom)
    }

    pub(super) fn image(&self, position: &Position) -> Position {
        let sets = self.board.mirrored(position.sets);
        Position { sets }
    }
}

/// A column, counted from 0 at the left.
///
/// The notation counts from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Column(pub u8);

/// A position: the squares with stones of each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    pub(super) sets: [Cells; 2],
}

impl Position {
    /// Returns the number of stones on the board.
    #[must_use]
    pub fn stones(&self) -> u32 {
        self.all().count_ones()
    }

    pub(super) fn all(&self) -> Cells {
        self.sets[0] | self.sets[1]
    }

    pub(super) fn side(&self) -> Side {
        Side::after(self.stones())
    }

    /// Returns the stones of the side to move and those of the other side.
    pub(super) fn own_and_other(&self) -> [Cells; 2] {
        by_side(self.sets, self.side())
    }

    /// Returns the owner of the stone on a square, if any.
    ///
    /// The row is counted from the bottom.
    pub(super) fn owner(&self, board: &Board, column: u32, row: u32) -> Option<Side> {
        let bit = board.stride() * column + row;
        cells::owner(self.sets, bit)
    }
}

/// Turns the first and the second player's stones into those of the side to move and of the other
/// side, or back.
#[inline(always)]
fn by_side([one, other]: [Cells; 2], side: Side) -> [Cells; 2] {
    match side {
        Side::First => [one, other],
        Side::Second => [other, one],
    }
}

impl Game for Connect4 {
    type Position = Position;
    type Move = Column;

    fn start(&self) -> Position {
        Position::default()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side()
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Column>) {
        moves.clear();
        if !self.is_won(position) {
            // `extend` may be a call, and its closure another.
            self.open_columns(position)
                .for_each(|column| moves.push(column));
        }
    }

    #[inline(always)]
    fn play(&self, position: &Position, mv: Column) -> Position {
        let stone = self.board.landing(position.all(), mv.0.into());
        let mut after = *position;
        after.sets[position.side().index()] |= stone;
        after
    }

    #[inline(always)]
    fn final_score(&self, position: &Position) -> Option<i32> {
        if self.is_won(position) {
            return Some(-self.board.winners_score(position.stones()));
        }
        (position.all() == self.board.full).then_some(0)
    }

    fn score_range(&self) -> ScoreRange {
        // The earliest win is the first player's, with as many stones as make a line.
        let highest = self.board.winners_score(2 * self.board.line - 1).max(0);
        ScoreRange::up_to(highest, 1)
    }

    #[inline(always)]
    fn canonical(&self, position: &Position) -> Position {
        // The key of the mirror image is that of the position with its columns reversed.
        let (key, all) = (self.bits_of_key(position), position.all());
        let [image, all_image] = self.board.mirrored([key, all]);
        // A branch would be mispredicted half of the time.
        let all = select_unpredictable(image < key, all_image, all);
        let own = select_unpredictable(image < key, image, key) & all;
        let sets = by_side([own, all ^ own], position.side());
        Position { sets }
    }

    fn key(&self, canonical: &Position) -> u128 {
        u128::from(self.bits_of_key(canonical))
    }

    fn key_bits(&self) -> u32 {
        (self.board.columns * self.board.stride()).next_multiple_of(8)
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let key = u64::try_from(key).ok()?;
        let board = &self.board;
        if key & !(board.full | board.full << 1) != 0 {
            return None;
        }
        // Below its highest bit, the mark, each column is full.
        let mut towers = key;
        for _ in 0..board.rows {
            towers |= (towers & !board.bottom) >> 1;
        }
        if towers & board.bottom != board.bottom {
            return None;
        }
        let all = (towers & !board.bottom) >> 1;
        let marks = all + board.bottom;
        let own = key & all;
        let other = all & !own;
        let stones = all.count_ones();
        let sets = by_side([own, other], Side::after(stones));
        let position = Position { sets };
        let names_one = key == own | marks
            && own.count_ones() == stones / 2
            && all != board.full
            && !board.has_line(own)
            && !board.has_line(other)
            && board.mirrored([key]) >= [key];
        names_one.then_some(position)
    }

    /// Counts threats, which are free squares that would complete a line, and open lines.
    ///
    /// The first player reaches the squares of odd rows when the board fills up, the second those
    /// of even ones, so that threats there count double. No estimate is as good as a win that a
    /// search has found.
    fn evaluate(&self, position: &Position) -> i32 {
        let board = &self.board;
        let [own, other] = position.own_and_other();
        let free = board.full & !(own | other);
        let odd_rows = (0..board.rows).step_by(2);
        let odd = odd_rows.fold(0, |rows, row| rows | board.bottom << row);
        let worth = |stones: Cells, opponents: Cells, side: Side| {
            let threats = wins(stones, board.stride(), board.line) & free;
            let good = match side {
                Side::First => threats & odd,
                Side::Second => threats & !odd,
            };
            let open = board.lines(board.full & !opponents);
            4 * (threats.count_ones() + good.count_ones()) + open
        };
        let side = position.side();
        let estimate = worth(own, other, side) as i32 - worth(other, own, side.other()) as i32;
        let most = board.winners_score(position.stones() + 2).max(0);
        (estimate / 4).clamp(-most, most)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.stones()
    }
}
