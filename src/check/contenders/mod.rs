//! Who is asked: AIs in this process, programs of their own, and the face that the referee sees of
//! them all.
//!
//! `player` ← `program` ← `line`, `ugi` ← `external`: each file uses those to its left.

pub mod builtin;
mod external;
mod line;
mod player;
mod process;
mod ugi;

pub use external::{External, Protocol};
pub use player::{Ai, Contender, Fault, FaultKind, InProcess, Player, Reply, Round, StartError};
pub(in crate::check) use player::{ask_one, gone};
