//! Writing.

mod checkpoint;
mod growing;
mod job;
mod keyed;
mod options;
mod ranked;
mod writer;

pub(crate) use checkpoint::directory;
pub use options::{WriteOptions, Written};
pub use writer::{TableWriter, write_table};
