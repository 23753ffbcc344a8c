//! What an experiment is: jobs that give figures, and limits on what they may take.

use crate::game::Progress;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// What a cell of a table holds.
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

/// One value in one cell of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// `GROUP/METHOD/MEASURE`, such as `kalah66/mtdf/hits`.
    pub table: String,
    /// Such as `4,5`: the first player's depth and the second's.
    pub cell: String,
    /// The value.
    pub value: Value,
}

/// Why a job has no figures.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExperimentError {
    /// It was told to stop.
    #[error("the comparison was stopped")]
    Stopped,
    /// The published programs let their tables grow without end.
    #[error(
        "a transposition table would take more than {allowed} bytes; choose smaller depths or allow more memory"
    )]
    OutOfMemory {
        /// What the table may take.
        allowed: u64,
    },
}

/// What a job may do, and for how long.
pub struct Allowance<'a> {
    pub(super) progress: &'a dyn Progress,
    pub(super) table_bytes: u64,
}

/// How many evaluations there are between two looks at whether to stop.
pub(super) const STOP_INTERVAL: u64 = 1 << 12;

impl<'a> Allowance<'a> {
    /// Until `progress` says otherwise, with at most so many bytes for what a job remembers.
    #[must_use]
    pub fn new(progress: &'a dyn Progress, table_bytes: u64) -> Self {
        Allowance {
            progress,
            table_bytes,
        }
    }

    /// To the end, with any amount of memory.
    #[must_use]
    pub fn unlimited() -> Allowance<'static> {
        Allowance::new(&crate::game::NoProgress, u64::MAX)
    }

    /// Now and then looks whether to stop.
    pub(super) fn check_stop(&self, count: u64) -> Result<(), ExperimentError> {
        if count.is_multiple_of(STOP_INTERVAL) {
            // No job is done yet, but it shows that the work goes on.
            self.progress.advance(0);
            if self.progress.cancelled() {
                return Err(ExperimentError::Stopped);
            }
        }
        Ok(())
    }

    /// An error unless a table of positions may take one more; each entry has so many bytes beside
    /// those in the map.
    pub(super) fn check_table<K, V>(
        &self,
        table: &FxHashMap<K, V>,
        beside: usize,
    ) -> Result<(), ExperimentError> {
        let (entries, capacity) = (table.len(), table.capacity());
        // While it grows, there are the old one and one of twice the size; a seventh is left free.
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

/// Which part of an experiment to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The methods; nothing means all.
    pub methods: Option<Vec<String>>,
    /// The depths, where an experiment has any.
    pub depths: RangeInclusive<u32>,
    /// The greatest depth for methods without cutoffs, where they are a case of their own
    /// (`mancala62`).
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

/// A part of an experiment that can run beside the others.
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

    /// What it does, for people: "kalah66/mtdf at 4,5".
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Very roughly, how many positions it evaluates: those that take longest are best begun first.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Does it.
    ///
    /// # Errors
    /// If it is told to stop or needs more memory than allowed.
    pub fn run(&self, allowance: &Allowance) -> Result<Vec<Figure>, ExperimentError> {
        (self.run)(allowance)
    }
}

/// A published experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// What it is called.
    pub name: &'static str,
    /// Its methods, by the names that its tables have.
    pub methods: fn() -> Vec<&'static str>,
    /// The depths that were published, if it has depths.
    pub depths: Option<RangeInclusive<u32>>,
    /// The selected part of it.
    pub jobs: fn(&Selection) -> Vec<Job>,
}
