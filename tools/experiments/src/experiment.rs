//! Experiments: jobs that compute figures.

use serde::{Deserialize, Serialize};

/// The content of a table's cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    One(i64),
    /// Two numbers that belong together, such as the contents of both stores.
    Pair([i64; 2]),
}

/// The value of one cell of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// `GROUP/METHOD/MEASURE`, such as `kalah66/mtdf/hits`.
    pub table: String,
    /// The cell's name, such as `4,5`: the first player's depth and the second's.
    pub cell: String,
    pub value: Value,
}

/// The error of a job whose table of positions outgrows its limit.
///
/// The published programs let tables grow without limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

/// Computes a job's figures, given the limit of its table of positions in bytes.
type Run = dyn Fn(u64) -> Result<Vec<Figure>, OutOfMemory> + Send + Sync;

/// A part of an experiment that can run in parallel with the others.
pub struct Job {
    /// The name shown to users, such as "kalah66/mtdf at 4,5".
    pub name: String,
    /// A rough number of evaluations, used to start the longest jobs first.
    pub cost: f64,
    pub run: Box<Run>,
}

impl Job {
    pub fn new(
        name: String,
        cost: f64,
        run: impl Fn(u64) -> Result<Vec<Figure>, OutOfMemory> + Send + Sync + 'static,
    ) -> Job {
        Job {
            name,
            cost,
            run: Box::new(run),
        }
    }
}
