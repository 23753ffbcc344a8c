//! Answers from a table.

use super::{Oracle, OracleError};
use crate::game::Notation;
use crate::table::Table;

impl<G: Notation> Oracle<G> for Table<G> {
    fn game(&self) -> &G {
        Table::game(self)
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(Table::score(self, position)?)
    }
}
