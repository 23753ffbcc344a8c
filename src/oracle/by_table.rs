//! Answers from a table.

use super::{Draw, Inventory, LayerTotal, Oracle, OracleError};
use crate::game::Notation;
use crate::table::{self, Loaded, Table, random_entry};

impl<G: Notation> Oracle<G> for Table<G> {
    fn game(&self) -> &G {
        Table::game(self)
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Table::score(self, position)?)
    }

    fn inventory(&self) -> Option<&dyn Inventory<G>> {
        Some(self)
    }
}

impl<G: Notation> Oracle<G> for Loaded<'_, G> {
    fn game(&self) -> &G {
        self.table().game()
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Loaded::score(self, position)?)
    }

    fn inventory(&self) -> Option<&dyn Inventory<G>> {
        Some(self.table())
    }
}

impl<G: Notation> Inventory<G> for Table<G> {
    fn entries(&self) -> u64 {
        self.file().entries()
    }

    fn layers(&self) -> Vec<LayerTotal> {
        let counts = self.file().layers().into_iter();
        counts
            .map(|count| LayerTotal {
                layer: count.layer,
                entries: count.outcomes.total(),
            })
            .collect()
    }

    fn blocks(&self) -> u64 {
        self.file().blocks()
    }

    fn block(&self, number: u64) -> Result<Vec<G::Position>, OracleError> {
        let entries = self.block_entries(number)?.into_iter();
        Ok(entries.map(|(position, _)| position).collect())
    }

    fn draw_from(&self, layer: Option<u32>) -> Result<Draw<'_, G::Position>, OracleError> {
        Ok(match layer {
            Some(layer) => {
                let entries = table::LayerEntries::new(self, layer)?;
                Box::new(move |random| Ok(entries.choose(random)?))
            }
            None => {
                Box::new(
                    move |random| Ok(random_entry(self, random)?.map(|(position, _)| position)),
                )
            }
        })
    }
}
