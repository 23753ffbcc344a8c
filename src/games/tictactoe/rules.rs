//! Rules and positions of tic-tac-toe.

use crate::game::{Game, ScoreRange, Side, Symmetry};
use crate::games::cells::{Cell, Cells, SYMMETRIES, check_turns, each, image};
use crate::games::grid::Grid;

/// Three rows of three squares.
pub const GRID: Grid = Grid {
    side: 3,
    cells: 0x07_0707,
    letters: ['X', 'O'],
};

/// Three rows, three columns, two diagonals.
pub const LINES: [Cells; 8] = [
    0x7, 0x700, 0x7_0000, 0x1_0101, 0x2_0202, 0x4_0404, 0x4_0201, 0x1_0204,
];

/// Returns whether a set of squares contains a line.
pub fn has_line(cells: Cells) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

/// Returns the number with base-3 digit 1 for each square of a set; `a1` is highest.
pub fn base_3(cells: Cells) -> u16 {
    each(GRID.cells).fold(0, |number, cell| {
        3 * number + u16::from(cells & cell.alone() != 0)
    })
}

/// The score of a win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// A win scores 1 and a loss -1.
    Outcome,
    /// A sooner win scores more: 1, plus 1 for each unused mark of the winner.
    ///
    /// X has five marks and O has four.
    #[default]
    Shortest,
}

crate::text::display_as_serialized!(Scoring);

/// The game with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TicTacToe {
    /// The score of a win.
    pub scoring: Scoring,
}

/// A state of the game: the marks of both players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    /// The marks of X and those of O.
    pub(super) sets: [Cells; 2],
}

impl Position {
    fn marks(self) -> u32 {
        9 - self.free().count_ones()
    }

    /// Returns the squares without a mark.
    fn free(self) -> Cells {
        GRID.cells & !(self.sets[0] | self.sets[1])
    }

    fn has_line(self) -> bool {
        self.sets.into_iter().any(has_line)
    }

    fn is_finished(self) -> bool {
        self.has_line() || self.free() == 0
    }

    /// Returns the position with these marks, or why no game can reach it.
    pub(super) fn of(sets: [Cells; 2]) -> Result<Position, String> {
        let (marks, lines) = (sets.map(Cells::count_ones), sets.map(has_line));
        check_turns(marks, lines, "marks", format_args!("three in a line"))?;
        Ok(Position { sets })
    }
}

impl Game for TicTacToe {
    type Position = Position;
    type Move = Cell;

    fn start(&self) -> Position {
        Position::default()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        Side::after(position.marks())
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Cell>) {
        moves.clear();
        if position.is_finished() {
            return;
        }
        moves.extend(each(position.free()));
    }

    fn play(&self, position: &Position, mv: Cell) -> Position {
        let mut after = *position;
        after.sets[self.side_to_move(position).index()] |= mv.alone();
        after
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        if !position.is_finished() {
            return None;
        }
        // The player who moved last made the line, so the side to move has lost.
        Some(match (position.has_line(), self.scoring) {
            (false, _) => 0,
            (true, Scoring::Outcome) => -1,
            // X wins with an odd number n of marks and scores (11 - n) / 2; O scores (10 - n) / 2.
            (true, Scoring::Shortest) => -((11 - position.marks() as i32) / 2),
        })
    }

    fn score_range(&self) -> ScoreRange {
        let highest = match self.scoring {
            Scoring::Outcome => 1,
            Scoring::Shortest => 3,
        };
        ScoreRange::up_to(highest, 1)
    }

    fn canonical(&self, position: &Position) -> Position {
        let images = (0..SYMMETRIES).map(|symmetry| self.apply(symmetry, position));
        images
            .min_by_key(|image| self.key(image))
            .unwrap_or(*position)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let [x, o] = canonical.sets.map(base_3);
        u128::from(x + 2 * o)
    }

    fn key_bits(&self) -> u32 {
        16
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let mut digits = u16::try_from(key).ok()?;
        let mut position = Position::default();
        let cells: Vec<Cell> = each(GRID.cells).collect();
        for cell in cells.into_iter().rev() {
            match usize::from(digits % 3) {
                0 => {}
                digit => position.sets[digit - 1] |= cell.alone(),
            }
            digits /= 3;
        }
        let names_one = digits == 0
            && Position::of(position.sets).is_ok()
            && !position.is_finished()
            && self.canonical(&position) == position;
        names_one.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.marks()
    }
}

impl Symmetry<TicTacToe> for TicTacToe {
    fn order(&self) -> usize {
        SYMMETRIES
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let sets = position.sets.map(|marks| image(GRID.side, symmetry, marks));
        Position { sets }
    }
}
