//! A whole table, decoded in memory, for callers that need most of its scores.

use super::read::ReadError;
use super::table::Table;
use super::verify::VerifyError;
use super::verify::tile::bits_of;
use super::verify::view::View;
use crate::game::{Notation, Progress, Slot};

/// A decoded table in memory.
///
/// It takes a byte per entry, or two if there are more than 62 codes. In addition, a table with ranks
/// takes a bit per slot of its blocks, and a table with keys takes all of its keys. A probe at random
/// costs one or two memory accesses. There is none of a table whose codes take more than a byte.
pub struct Loaded<'a, G: Notation>(View<'a, G>);

impl<'a, G: Notation> Loaded<'a, G> {
    /// Reads a whole table.
    ///
    /// # Errors
    /// If the table can't be read, is damaged, or takes more than `memory` bytes.
    pub fn new(
        table: &'a Table<G>,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Loaded<'a, G>, VerifyError> {
        Ok(Loaded(View::load_all(table, memory, progress)?))
    }

    /// Returns whether a slot of a table with ranks has an entry.
    #[must_use]
    pub fn contains_slot(&self, slot: Slot) -> bool {
        let place = self.0.place_of_slot(slot);
        place.is_some_and(|place| self.0.entry_at(place).is_some())
    }

    /// Returns the score of a canonical position, or `None` if it is not in the table.
    ///
    /// # Errors
    /// If the table omits the score and it can't be recomputed from the moves.
    pub fn probe(&self, canonical: &G::Position) -> Result<Option<i32>, ReadError> {
        let (view, table) = (&self.0, self.0.table);
        if view.ranking.is_none() && view.game.final_score(canonical).is_some() {
            return Ok(None);
        }
        let place = view.place(canonical);
        let Some((place, entry)) = place.and_then(|it| Some((it, view.entry_at(it)?))) else {
            return Ok(None);
        };
        let scores = view.scores(place);
        if let Some(code) = entry.code() {
            return Ok(Some(scores.score(code)));
        }
        // Recompute the omitted score from the moves; stored scores are a few moves away.
        let best = table.best_of_moves(canonical, |child| self.probe(child))?;
        entry.put(bits_of(table.code_of_derived(canonical, scores, best)?));
        Ok(Some(best))
    }

    /// Returns a position's score for the side to move, with the points already won.
    ///
    /// # Errors
    /// If the position is not in the table, or the table is damaged.
    pub fn score(&self, position: &G::Position) -> Result<i32, ReadError> {
        let (table, game) = (self.0.table, self.0.table.game());
        if let Some(score) = game.final_score(position) {
            return Ok(score);
        }
        table.with_banked(position, self.probe(&game.canonical(position))?)
    }

    /// Returns the table.
    #[must_use]
    pub fn table(&self) -> &'a Table<G> {
        self.0.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{NoProgress, SolveOptions};
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::tictactoe::TicTacToe;
    use crate::solve::{Method, solve};
    use crate::table::{TableFile, WriteOptions, write_to_vec};
    use crate::testing::tables::kalah;

    fn table_of<G: Notation>(game: G) -> Table<G> {
        let options = SolveOptions {
            threads: 2,
            memory: 1 << 30,
        };
        let solved = solve(&game, Method::Backward, options, &NoProgress).unwrap();
        let options = WriteOptions::default();
        let bytes = write_to_vec(&game, &solved.solution, options, &NoProgress).unwrap();
        Table::new(TableFile::from_bytes(bytes).unwrap(), game).unwrap()
    }

    fn agrees<G: Notation>(game: G) {
        let table = table_of(game);
        let loaded = Loaded::new(&table, 1 << 30, &NoProgress).unwrap();
        for entry in table.entries() {
            let (position, score) = entry.unwrap();
            assert_eq!(loaded.probe(&position).unwrap(), Some(score));
            for mv in table.game().legal_moves(&position) {
                let child = table.game().play(&position, mv);
                assert_eq!(loaded.score(&child).unwrap(), table.score(&child).unwrap());
            }
        }
        assert!(matches!(
            Loaded::new(&table, 10, &NoProgress),
            Err(VerifyError::Memory { .. })
        ));
    }

    #[test]
    fn a_loaded_table_has_the_same_scores() {
        agrees(TicTacToe::default());
        for empty_capture in [false, true] {
            agrees(
                Kalah::new(Rules {
                    pits: 3,
                    seeds: 2,
                    empty_capture,
                })
                .unwrap(),
            );
        }
        agrees(Kalah::endgame(3, 7, false).unwrap());
    }

    #[test]
    fn unreachable_positions_have_no_score() {
        let game = kalah(2, 1);
        let table = table_of(game);
        let loaded = Loaded::new(&table, 1 << 30, &NoProgress).unwrap();
        let position = table.game().parse_position("4,0/0,0").unwrap();
        assert_eq!(loaded.score(&position).unwrap(), 4);
        let position = table.game().parse_position("0,3/1,0").unwrap();
        let (one, other) = (loaded.score(&position), table.score(&position));
        assert_eq!(
            one.map_err(|e| e.to_string()),
            other.map_err(|e| e.to_string())
        );
    }
}
