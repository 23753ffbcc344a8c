//! The optional methods of Connect Four: symmetry, searching and solving.

use super::rules::{Column, Connect4, Position};
use super::search::Connect4Searcher;
use crate::game::{Roots, SearchError, SearchSetup, Searcher, Searching, Solving, Symmetry};

impl Symmetry<Connect4> for Connect4 {
    fn order(&self) -> usize {
        // A single column is its own mirror image.
        self.board.columns.min(2) as usize
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        match symmetry {
            0 => *position,
            _ => self.image(position),
        }
    }

    fn apply_to_move(&self, symmetry: usize, mv: Column) -> Column {
        match symmetry {
            0 => mv,
            _ => Column(self.board.columns as u8 - 1 - mv.0),
        }
    }
}

impl Searching<Connect4> for Connect4 {
    fn searcher(
        &self,
        setup: &SearchSetup,
    ) -> Option<Result<Box<dyn Searcher<Connect4>>, SearchError>> {
        let searcher = Connect4Searcher::new(self, setup);
        Some(searcher.map(|searcher| Box::new(searcher) as _))
    }
}

impl Solving<Connect4> for Connect4 {
    fn roots(&self) -> Roots {
        match self.up_to() {
            Some(_) => Roots::Opening,
            None => Roots::Start,
        }
    }

    fn expected_classes(&self) -> Option<u64> {
        super::arise::expected_classes(self)
    }
}
