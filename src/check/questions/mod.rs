//! Choice of the positions to ask about, and their distribution to the players.
//!
//! ```text
//! team ◄─ asking ◄─┬─ walk ◄─┬─ plan
//! walk ◄─ lines ◄──┴─ play ◄─┤
//! team ◄─ plays ◄────────────┘
//! ```

mod asking;
mod lines;
mod plan;
mod play;
mod plays;
mod source;
mod team;
mod walk;

pub(in crate::check) use asking::Asking;
pub(in crate::check) use lines::Lines;
pub(in crate::check) use plan::Plan;
pub(in crate::check) use team::Team;
