//! The rules.

use super::board::{Board, Lines, MOST_LINES, MOST_SIDE, Move, Position};
use super::layout::Layout;
use crate::game::{Game, NoGame, ScoreRange, Side};
use crate::text::counted;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Dots and Boxes on one board.
#[derive(Clone)]
pub struct Dots {
    pub(super) board: Arc<Board>,
    /// The numbering of the classes, made when it is first asked for.
    layout: Arc<OnceLock<Arc<Layout>>>,
}

impl Dots {
    /// Returns the game on a board with these numbers of rows and columns of boxes.
    ///
    /// # Errors
    /// If the board has no box, more than 7 rows or columns, or more than 60 lines.
    pub fn new(rows: usize, columns: usize) -> Result<Dots, NoGame> {
        if ![rows, columns]
            .iter()
            .all(|side| (1..=MOST_SIDE).contains(side))
        {
            return Err(NoGame(format!(
                "{} and {} of boxes: both must be from 1 to {MOST_SIDE}",
                counted(rows, "row"),
                counted(columns, "column")
            )));
        }
        let lines = rows * (columns + 1) + columns * (rows + 1);
        if lines > MOST_LINES {
            return Err(NoGame(format!(
                "{rows} rows and {columns} columns of boxes have {lines} lines: at most {MOST_LINES} are possible"
            )));
        }
        Ok(Dots {
            board: Arc::new(Board::new(rows, columns)),
            layout: Arc::default(),
        })
    }

    /// Returns the numbering of the classes.
    pub(super) fn layout(&self) -> Arc<Layout> {
        let make = || Arc::new(Layout::new(&self.board));
        Arc::clone(self.layout.get_or_init(make))
    }
}

impl fmt::Debug for Dots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dots").field(&self.board).finish()
    }
}

impl Game for Dots {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Position::bare(0)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let lines = self.board.in_order.iter();
        let undrawn = lines.filter(|&line| position.lines >> line & 1 == 0);
        moves.extend(undrawn.map(|&line| Move(line)));
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let mut after = *position;
        after.lines |= 1 << mv.0;
        after.side = position.side.other();
        for (others, index) in self.board.sides[usize::from(mv.0)] {
            if position.lines & others == others {
                after.boxes[position.side.index()] |= 1 << index;
                after.side = position.side;
            }
        }
        after
    }

    #[inline]
    fn final_score(&self, position: &Position) -> Option<i32> {
        (position.lines == self.board.all()).then(|| self.banked(position))
    }

    fn score_range(&self) -> ScoreRange {
        self.board.scores()
    }

    fn key(&self, canonical: &Position) -> u128 {
        canonical.lines.into()
    }

    fn key_bits(&self) -> u32 {
        self.board.ends.len().next_multiple_of(8) as u32
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let lines = Lines::try_from(key).ok()?;
        let is_unfinished = lines < self.board.all();
        (is_unfinished && self.board.canonical(lines) == lines).then(|| Position::bare(lines))
    }

    #[inline]
    fn layer(&self, canonical: &Position) -> u32 {
        (self.board.all() & !canonical.lines).count_ones()
    }

    #[inline]
    fn canonical(&self, position: &Position) -> Position {
        Position::bare(self.board.canonical(position.lines))
    }

    /// Adds what can be taken now, and what the side that must then give chains away loses.
    fn evaluate(&self, position: &Position) -> i32 {
        self.banked(position) + self.board.estimate(position.lines)
    }

    #[inline]
    fn banked(&self, position: &Position) -> i32 {
        let owned = |side: Side| position.boxes[side.index()].count_ones() as i32;
        owned(position.side) - owned(position.side.other())
    }
}
