//! Numbers of positions: of one side's pits, and of the classes of a whole game.

pub mod arrangement;
pub mod layout;

pub use arrangement::Arrangements;
pub use layout::Layout;
