//! The order in which layers are found.

use serde::{Deserialize, Serialize};

/// Maps layers to places such that no move leads to an earlier place.
///
/// A game doesn't say in which direction its moves lead; the walk finds out by trying.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Places {
    /// Moves lead to the same or a higher layer: discs on the board.
    #[default]
    Up,
    /// Moves lead to the same or a lower layer: seeds on the board.
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

    /// The order to try next if a move leads to an earlier place. The last can't fail.
    pub fn next(self) -> Places {
        match self {
            Places::Up => Places::Down,
            Places::Down | Places::One => Places::One,
        }
    }
}
