//! Choice of the positions to ask about, and their distribution to the players.
//!
//! ```text
//! source ◄─ team ◄─┬─ lines ◄─┬─ plan
//!           walk ◄─┘          │
//! team ◄─ playouts ◄──────────┘
//! ```

mod lines;
mod plan;
mod playouts;
mod source;
mod team;
mod walk;

pub(in crate::check) use lines::LinesOfPlay;
pub(in crate::check) use plan::Plan;
pub(in crate::check) use team::{Interview, Team};
