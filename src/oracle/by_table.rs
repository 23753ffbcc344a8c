//! Oracles that read a table.

use super::{Oracle, OracleError};
use crate::game::Notation;
use crate::table::{Loaded, Table};

impl<G: Notation> Oracle<G> for Table<G> {
    fn game(&self) -> &G {
        Table::game(self)
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Table::score(self, position)?)
    }

    fn inventory(&self) -> Option<&Table<G>> {
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

    fn inventory(&self) -> Option<&Table<G>> {
        Some(self.table())
    }
}
