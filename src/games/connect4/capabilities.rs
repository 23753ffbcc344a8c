//! The optional methods of Connect Four: symmetry, searching and solving.

use super::rules::{Connect4, Position};
use super::search::Connect4Searcher;
use crate::game::{OwnSearcher, Roots, SearchSetup, Searching, Solving, Symmetry};

impl Symmetry<Connect4> for Connect4 {
    fn order(&self) -> usize {
        // A single column is its own mirror image.
        self.board.columns.min(2) as usize
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        [*position, self.image(position)][symmetry]
    }
}

impl Searching<Connect4> for Connect4 {
    fn searcher(&self, setup: &SearchSetup) -> OwnSearcher<Connect4> {
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

    /// Estimates the number rather too low than too high.
    fn expected_classes(&self) -> Option<u64> {
        let board = &self.board;
        if board.line != 4 {
            return None;
        }
        let size = (board.columns, board.rows);
        let counted = COUNTED
            .iter()
            .find(|counted| (counted.0, counted.1) == size);
        if let Some(&(_, _, classes)) = counted {
            return Some(classes);
        }
        // A filling stacks the stones of both sides in columns, as many of each side as in a game.
        // Mirror images count once. Only a share of the fillings is reachable, and a smaller one on
        // larger boards: a thirtieth on 7 columns and 6 rows.
        const SHARE: f64 = 100.0;
        let cells = board.cells() as usize;
        // Number of sets of column heights, by the number of stones.
        let mut heights = vec![0.0f64; cells + 1];
        heights[0] = 1.0;
        for column in 0..board.columns as usize {
            for stones in (0..=(column + 1) * board.rows as usize).rev() {
                let fewer = stones.saturating_sub(board.rows as usize);
                heights[stones] = heights[fewer..=stones].iter().sum();
            }
        }
        let mut ways = 1.0;
        let mut fillings = 0.0;
        for (stones, sets) in heights.iter().enumerate() {
            fillings += ways * sets;
            // Step from C(n, n/2), the ways to choose the first player's stones, to the next n.
            let next = stones as f64 + 1.0;
            ways *= next / (next / 2.0).ceil();
        }
        Some((fillings / 2.0 / SHARE) as u64)
    }
}

/// Columns, rows and reachable unfinished classes of boards with lines of 4.
///
/// Counted by a walk from the start.
const COUNTED: [(u32, u32, u64); 7] = [
    (3, 3, 391),
    (4, 3, 5_525),
    (4, 4, 67_163),
    (5, 4, 1_551_317),
    (4, 5, 674_263),
    (5, 5, 25_366_620),
    (6, 4, 34_820_331),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect4::tests::game;

    #[test]
    fn more_is_expected_of_larger_boards() {
        let expected = |columns, rows| game(columns, rows, 4).expected_classes().unwrap();
        assert_eq!(expected(5, 5), 25_366_620);
        // 4,531,985,219,092 positions are reachable; few of them are their own mirror images.
        assert!((10_000_000_000..2_300_000_000_000).contains(&expected(7, 6)));
        assert!(expected(6, 6) < expected(7, 6) && expected(7, 6) < expected(8, 7));
        assert_eq!(game(7, 6, 3).expected_classes(), None);
    }
}
