//! The published values.

use crate::experiment::{Figure, Value};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A misprinted figure.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Misprint {
    /// The printed value.
    pub published: i64,
    /// The correct value.
    pub value: i64,
}

/// The published values by table and cell, with misprints corrected.
#[derive(Deserialize)]
pub struct Published {
    /// The misprints, by table and cell with a space between.
    pub misprints: BTreeMap<String, Misprint>,
    #[serde(flatten)]
    pub tables: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Published {
    /// Reads the published values, which are part of the program.
    pub fn read() -> Published {
        serde_json::from_str(include_str!("published.json"))
            .expect("published values that can be read")
    }

    /// Returns the published value of a cell, if there is one.
    pub fn value(&self, table: &str, cell: &str) -> Option<Value> {
        self.tables.get(table)?.get(cell).copied()
    }

    /// Returns the number of figures that were published, and those that differ.
    ///
    /// Each of these comes with the published value.
    pub fn compare<'a>(
        &self,
        figures: impl IntoIterator<Item = &'a Figure>,
    ) -> (usize, Vec<(&'a Figure, Value)>) {
        let known = |figure: &'a Figure| Some((figure, self.value(&figure.table, &figure.cell)?));
        let known: Vec<(&Figure, Value)> = figures.into_iter().filter_map(known).collect();
        let differs = |&(figure, published): &(&Figure, Value)| figure.value != published;
        (known.len(), known.into_iter().filter(differs).collect())
    }
}
