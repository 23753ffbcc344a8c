//! Choice of the positions to ask about, and their distribution to the players.
//!
//! ```text
//! source ◄─ team ◄─┬─ lines ◄────┬─ plan
//!                  └─ playouts ◄─┘
//! ```

mod lines;
mod plan;
mod playouts;
mod source;
mod team;

pub(in crate::check) use lines::LinesOfPlay;
pub(in crate::check) use plan::Plan;
pub(in crate::check) use team::{Interview, Team};
