//! A game whose type is known only at run time.
//!
//! Generic code is compiled once for it instead of once per game. Positions and moves are values
//! that carry pointers to their type's functions, so each call of a rule is a call by pointer. For
//! the moves of many classes that would be too slow; there, one call by pointer runs a loop in the
//! game's own type. A game with its own ranking, solver or search retains its type.

/// Implements methods by those of the same name of what `self.0` holds.
macro_rules! forward {
    ($(fn $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $method(&self $(, $argument: $type)*) $(-> $result)? {
            self.0.$method($($argument),*)
        })*
    };
}

mod game;
mod typed;
mod values;

pub use self::game::Erased;
pub use self::values::{ErasedMove, ErasedPosition};
