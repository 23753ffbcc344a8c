//! The values that were printed.

use super::{Figure, Value};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A figure that was printed wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Misprint {
    /// What was printed.
    pub published: i64,
    /// What it should be.
    pub value: i64,
}

/// The published values by table and cell, corrected where they were printed wrong.
#[derive(Clone, Debug, Deserialize)]
pub struct Published {
    /// Where the values were printed, by experiment.
    pub sources: BTreeMap<String, String>,
    /// The wrong ones, by table and cell with a space between.
    pub misprints: BTreeMap<String, Misprint>,
    /// The values.
    #[serde(flatten)]
    pub tables: BTreeMap<String, BTreeMap<String, Value>>,
}

/// A published value that a run does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What the run gave.
    pub figure: Figure,
    /// What was published.
    pub published: Value,
}

impl Published {
    /// The published values.
    ///
    /// # Panics
    /// Never: they are part of the program, and a test reads them.
    #[must_use]
    pub fn new() -> Published {
        serde_json::from_str(include_str!("expected.json"))
            .expect("published values that can be read")
    }

    /// The published value of a figure's cell, if there is one.
    #[must_use]
    pub fn value(&self, table: &str, cell: &str) -> Option<Value> {
        self.tables.get(table)?.get(cell).copied()
    }

    /// How many of the figures were published, and which of them differ.
    pub fn compare<'a>(
        &self,
        figures: impl IntoIterator<Item = &'a Figure>,
    ) -> (usize, Vec<Difference>) {
        let mut count = 0;
        let mut differences = Vec::new();
        for figure in figures {
            let Some(published) = self.value(&figure.table, &figure.cell) else {
                continue;
            };
            count += 1;
            if published != figure.value {
                differences.push(Difference {
                    figure: figure.clone(),
                    published,
                });
            }
        }
        (count, differences)
    }
}

impl Default for Published {
    fn default() -> Self {
        Published::new()
    }
}
