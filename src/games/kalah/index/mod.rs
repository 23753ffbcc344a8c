//! Numbers of positions: of one side's pits, and of all classes of a game.

pub mod arrangement;
pub mod layout;

pub use arrangement::Arrangements;
pub(super) use layout::Layout;
