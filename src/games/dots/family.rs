//! Dots and Boxes on the command line, and its optional methods: symmetry, solving and searching.

use super::search::DotsSearcher;
use super::{Dots, Position};
use crate::game::{
    Family, NoGame, OwnSearcher, OwnSolver, Parameter, Ranking, SearchSetup, Searching, Solving,
    Symmetry, Values,
};
use std::sync::Arc;

/// Rows, and columns, of boxes by default.
const SIDE: usize = 3;

/// Dots and Boxes on boards of any size.
#[derive(Clone, Copy, Debug)]
pub struct DotsFamily;

impl Family for DotsFamily {
    type Game = Dots;

    fn name(&self) -> &'static str {
        "dots-and-boxes"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["dots"]
    }

    fn about(&self) -> &'static str {
        "Dots and Boxes: draw lines, complete boxes"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("dots.txt")
    }

    fn details(&self) -> &'static str {
        "Solving takes some 80 MB of memory for 3×4 boxes, and 7.2 GB for 4×4, with 16 GB of disk. Single \
         positions can be searched instead: `query dots-and-boxes --rows 4 --columns 4`."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 2] = [
            Parameter::number(
                "rows",
                SIDE,
                "Rows of boxes, 1 to 7; a board has at most 60 lines",
            ),
            Parameter::number("columns", SIDE, "Columns of boxes, 1 to 7"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Dots, NoGame> {
        let side = |name| Ok::<usize, NoGame>(values.number(name)?.unwrap_or(SIDE));
        Dots::new(side("rows")?, side("columns")?)
    }

    fn search_memory(&self) -> Option<u64> {
        Some(1 << 30)
    }
}

/// The most lines of a board whose classes are numbered.
const MOST_NUMBERED: usize = 40;

/// Returns whether the board is small enough to number its classes.
fn is_numbered(game: &Dots) -> bool {
    game.board.ends.len() <= MOST_NUMBERED
}

impl Symmetry<Dots> for Dots {
    fn order(&self) -> usize {
        2 * self.board.turns.len()
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let Position { lines, boxes, side } = *position;
        let (lines, [first, second]) = self.board.image(symmetry / 2, lines, boxes);
        let (boxes, side) = match symmetry % 2 {
            0 => ([first, second], side),
            _ => ([second, first], side.other()),
        };
        Position { lines, boxes, side }
    }
}

impl Solving<Dots> for Dots {
    fn expected_classes(&self) -> Option<u64> {
        Some(self.board.classes())
    }

    fn ranking(&self) -> Option<Arc<dyn Ranking<Position>>> {
        is_numbered(self).then(|| self.layout() as _)
    }

    fn own_solver(&self) -> Option<Box<dyn OwnSolver>> {
        is_numbered(self).then(|| Box::new(self.clone()) as _)
    }
}

impl Searching<Dots> for Dots {
    fn searcher(&self, setup: &SearchSetup) -> OwnSearcher<Dots> {
        let searcher = DotsSearcher::new(self, setup);
        Some(searcher.map(|searcher| Box::new(searcher) as _))
    }
}
