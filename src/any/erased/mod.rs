//! A game whose type is known only at run time. All that is written for any game is compiled once
//! for it, in place of once for each.
//!
//! Positions and moves are values with their type's functions beside them, so that each call of the
//! rules is a call by pointer. Where such calls would be too many, for the moves of many classes at
//! once, the game's own type is behind one. A game with a numbering, a solver or a search of its own
//! keeps its type.

mod game;
mod typed;
mod values;

pub use self::game::Erased;
pub use self::values::{ErasedMove, ErasedPosition};
