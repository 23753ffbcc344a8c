//! AIs in this process and AIs that are programs, with their common interface.
//!
//! ```text
//! player ◄─┬─ in_process ◄─ builtin
//!          └─ process ◄─ program ◄─ line, ugi ◄─ external
//! supervisor ◄─┘
//! ```

pub mod builtin;
mod external;
mod in_process;
mod line;
mod player;
mod process;
mod program;
#[cfg(unix)]
mod supervisor;
mod ugi;

pub(crate) use in_process::in_process;
pub use in_process::{Ai, InProcess, InText, TextAi};
pub use player::{Contender, Fault, FaultKind, Noticed, Player, Replies, Reply, Round, StartError};
pub(in crate::check) use player::{ask_one, errors_end, gone};
pub use program::{External, Protocol};
