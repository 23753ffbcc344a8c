//! The optional methods of Dots and Boxes: symmetry, solving and searching.

use super::search::DotsSearcher;
use super::{Dots, Position};
use crate::game::{OwnSearcher, OwnSolver, Ranking, SearchSetup, Searching, Solving, Symmetry};
use std::sync::Arc;

/// The most lines of a board whose classes are numbered.
const MOST_NUMBERED: usize = 40;

/// Whether the board is small enough to number its classes.
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
