//! Writing.

mod checkpoint;
mod error;
mod growing;
mod job;
mod keyed;
mod options;
mod ranked;
mod writer;

pub(crate) use checkpoint::directory;
pub use error::{Misfit, WriteError};
pub use options::{WriteOptions, Written};
pub use writer::{TableWriter, write_table};
