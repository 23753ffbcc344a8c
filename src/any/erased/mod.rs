//! A game whose type is known only at run time.
//!
//! Generic code is compiled once for it instead of once per game. Positions and moves are values
//! that carry pointers to their type's functions, so each call of a rule is a call by pointer. For
//! the moves of many classes that would be too slow; there, one call by pointer runs a loop in the
//! game's own type. A game with its own ranking, solver or search retains its type.

mod game;
mod typed;
mod values;

pub use self::game::Erased;
pub use self::values::{ErasedMove, ErasedPosition};
