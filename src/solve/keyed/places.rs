//! In which order layers are found.

use serde::{Deserialize, Serialize};

/// Where each layer stands in an order in which no move leads to an earlier place. A game doesn't
/// say which way its moves lead; the walk finds out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Places {
    /// Moves lead to higher layers, or stay in theirs: discs on the board.
    #[default]
    Up,
    /// Moves lead to lower layers, or stay in theirs: seeds on the board.
    Down,
    /// Moves lead anywhere: all layers are at one place.
    One,
}

impl Places {
    /// The place of a layer.
    pub fn of(self, layer: u32) -> u32 {
        match self {
            Places::Up => layer,
            Places::Down => u32::MAX - 1 - layer,
            Places::One => 0,
        }
    }

    /// What to try if a move leads to an earlier place; nothing can in the last.
    pub fn next(self) -> Places {
        match self {
            Places::Up => Places::Down,
            Places::Down | Places::One => Places::One,
        }
    }
}
