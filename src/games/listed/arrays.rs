//! Moves of an explicit game graph as columns. It has no rows for positions.

use super::Listed;
use super::rules::Move;
use crate::game::Arrays;

/// Greatest number of different moves for arrays.
///
/// With more, arrays with a column for each would be almost empty and fill the memory.
pub const MOST_MOVES: usize = 256;

impl Arrays<Listed> for Listed {
    fn all_moves(&self) -> Vec<Move> {
        let count = self.graph.names.len();
        let columns = if count > MOST_MOVES { 0 } else { count };
        (0..columns as u32).map(Move).collect()
    }

    fn move_column(&self, mv: Move) -> Option<usize> {
        Some(mv.0 as usize)
    }
}
