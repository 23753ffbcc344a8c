//! Experiments: jobs that compute figures, and limits on their time and memory.

use crate::game::Progress;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// The content of a table's cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    One(i64),
    /// Two numbers that belong together, such as the contents of both stores.
    Pair([i64; 2]),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::One(value) => write!(f, "{value}"),
            Value::Pair([one, other]) => write!(f, "{one},{other}"),
        }
    }
}

/// The value of one cell of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// `GROUP/METHOD/MEASURE`, such as `kalah66/mtdf/hits`.
    pub table: String,
    /// The cell's name, such as `4,5`: the first player's depth and the second's.
    pub cell: String,
    /// The value.
    pub value: Value,
}

/// The reason why a job has no figures.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The job was cancelled.
    #[error("the comparison was stopped")]
    Stopped,
    /// A table outgrew its limit; the published programs let tables grow without limit.
    #[error(
        "a transposition table would take more than {allowed} bytes; choose smaller depths or allow more memory"
    )]
    OutOfMemory {
        /// The limit of the table, in bytes.
        allowed: u64,
    },
}

/// The limits of a job: cancellation and memory.
pub struct Allowance<'a> {
    pub(super) progress: &'a dyn Progress,
    pub(super) table_bytes: u64,
}

/// The number of evaluations between two checks for cancellation.
pub(super) const STOP_INTERVAL: u64 = 1 << 12;

impl<'a> Allowance<'a> {
    /// Creates limits: cancellation by `progress`, and `table_bytes` for a job's table.
    #[must_use]
    pub fn new(progress: &'a dyn Progress, table_bytes: u64) -> Self {
        Allowance {
            progress,
            table_bytes,
        }
    }

    /// Creates limits without cancellation and with any amount of memory.
    #[must_use]
    pub fn unlimited() -> Allowance<'static> {
        Allowance::new(&crate::game::NoProgress, u64::MAX)
    }

    /// Checks for cancellation if `count` is a multiple of [`STOP_INTERVAL`].
    pub(super) fn check_stop(&self, count: u64) -> Result<(), ExperimentError> {
        if count.is_multiple_of(STOP_INTERVAL) {
            // Reporting 0 finished jobs shows that the work is still running.
            self.progress.advance(0);
            if self.progress.cancelled() {
                return Err(ExperimentError::Stopped);
            }
        }
        Ok(())
    }

    /// Returns an error if one more entry could exceed the limit of a job's table.
    ///
    /// `beside` is the memory of each entry outside the map, in bytes.
    pub(super) fn check_table<K, V>(
        &self,
        table: &FxHashMap<K, V>,
        beside: usize,
    ) -> Result<(), ExperimentError> {
        let (entries, capacity) = (table.len(), table.capacity());
        // While the map grows, it has its old slots and twice as many new ones. An eighth of all
        // slots stay empty.
        let places = if entries < capacity {
            capacity
        } else {
            3 * capacity
        };
        let slots = places * 8 / 7 * (size_of::<(K, V)>() + 1);
        if (slots + entries * beside) as u64 > self.table_bytes {
            return Err(ExperimentError::OutOfMemory {
                allowed: self.table_bytes,
            });
        }
        Ok(())
    }
}

/// The part of an experiment to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The methods; `None` means all.
    pub methods: Option<Vec<String>>,
    /// The search depths, for experiments that have depths.
    pub depths: RangeInclusive<u32>,
    /// The greatest depth for methods without cutoffs (`mancala62` only).
    pub without_cutoffs_to: u32,
}

impl Selection {
    pub(super) fn has(&self, method: &str) -> bool {
        self.methods
            .as_ref()
            .is_none_or(|methods| methods.iter().any(|name| name == method))
    }
}

pub(super) type Run = dyn Fn(&Allowance) -> Result<Vec<Figure>, ExperimentError> + Send + Sync;

/// A part of an experiment that can run in parallel with the others.
pub struct Job {
    pub(super) name: String,
    pub(super) cost: f64,
    pub(super) run: Box<Run>,
}

impl Job {
    pub(super) fn new(
        name: String,
        cost: f64,
        run: impl Fn(&Allowance) -> Result<Vec<Figure>, ExperimentError> + Send + Sync + 'static,
    ) -> Job {
        Job {
            name,
            cost,
            run: Box::new(run),
        }
    }

    /// Returns the name shown to users, such as "kalah66/mtdf at 4,5".
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a rough number of evaluations, used to start the longest jobs first.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Runs the job.
    ///
    /// # Errors
    /// If it is cancelled or needs more memory than allowed.
    pub fn run(&self, allowance: &Allowance) -> Result<Vec<Figure>, ExperimentError> {
        (self.run)(allowance)
    }
}

/// A published experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// Returns the methods, named as in the tables.
    pub methods: fn() -> Vec<&'static str>,
    /// The published depths, if the experiment has depths.
    pub depths: Option<RangeInclusive<u32>>,
    /// Returns the jobs of the selected part.
    pub jobs: fn(&Selection) -> Vec<Job>,
}
