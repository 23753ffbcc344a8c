//! The published values.

use super::{Figure, Value};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A misprinted figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Misprint {
    /// The printed value.
    pub published: i64,
    /// The correct value.
    pub value: i64,
}

/// The published values by table and cell, with misprints corrected.
#[derive(Clone, Debug, Deserialize)]
pub struct Published {
    /// The publications, by experiment.
    pub sources: BTreeMap<String, String>,
    /// The misprints, by table and cell with a space between.
    pub misprints: BTreeMap<String, Misprint>,
    /// The values.
    #[serde(flatten)]
    pub tables: BTreeMap<String, BTreeMap<String, Value>>,
}

/// A published value that a run doesn't reproduce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The figure of the run.
    pub figure: Figure,
    /// The published value.
    pub published: Value,
}

impl Published {
    /// Reads the published values.
    ///
    /// # Panics
    /// Never: the values are part of the program, and a test reads them.
    #[must_use]
    pub fn new() -> Published {
        serde_json::from_str(include_str!("expected.json"))
            .expect("published values that can be read")
    }

    /// Returns the published value of a cell, if there is one.
    #[must_use]
    pub fn value(&self, table: &str, cell: &str) -> Option<Value> {
        self.tables.get(table)?.get(cell).copied()
    }

    /// Returns the number of figures that were published, and those that differ.
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
