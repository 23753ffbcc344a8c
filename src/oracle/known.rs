//! Oracle of some positions, the scores of whose moves are listed.

use super::{Oracle, OracleError};
use crate::game::{Notation, sort_best_first};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The scores of all moves of some positions. Other unfinished positions have none.
pub(crate) struct Known<G: Notation> {
    game: G,
    moves: FxHashMap<G::Position, Vec<(G::Move, i32)>>,
}

impl<G: Notation> Known<G> {
    /// Returns an oracle without positions.
    pub fn new(game: G) -> Known<G> {
        Known {
            game,
            moves: FxHashMap::default(),
        }
    }

    /// Adds a position with the scores of its moves, seen from the side to move.
    ///
    /// # Errors
    /// The position or the move that can't be read or is wrong, or the position if a move is missing.
    pub fn add(&mut self, position: &str, scores: &BTreeMap<String, i32>) -> Result<(), String> {
        let game = &self.game;
        let known = game
            .parse_position(position)
            .map_err(|error| error.to_string())?;
        let mut moves = Vec::new();
        for mv in game.legal_moves(&known) {
            let name = game.format_move(mv);
            let score = scores.get(&name);
            let score = score.ok_or_else(|| format!("{position} has no score of {name}"))?;
            moves.push((mv, *score));
        }
        if moves.is_empty() || moves.len() != scores.len() {
            return Err(format!("{position} has {} legal moves", moves.len()));
        }
        sort_best_first(&mut moves);
        self.moves.insert(known, moves);
        Ok(())
    }

    fn scores_at(&self, position: &G::Position) -> Result<&[(G::Move, i32)], OracleError> {
        let unlisted = || OracleError::Unlisted(self.game.format_position(position));
        let moves = self.moves.get(position).ok_or_else(unlisted)?;
        Ok(moves)
    }
}

impl<G: Notation> Oracle<G> for Known<G> {
    fn game(&self) -> &G {
        &self.game
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        match self.game.final_score(position) {
            Some(score) => Ok(score),
            None => Ok(self.scores_at(position)?[0].1),
        }
    }

    fn score_after(&self, position: &G::Position, mv: G::Move) -> Result<i32, OracleError> {
        let mut scores = self.scores_at(position)?.iter();
        let (_, score) = scores.find(|(of, _)| *of == mv).expect("a legal move");
        Ok(*score)
    }

    fn keeps(&self, position: &G::Position, mv: G::Move, score: i32) -> Result<bool, OracleError> {
        Ok(self.score_after(position, mv)? == score)
    }

    fn score_after_knowing(
        &self,
        position: &G::Position,
        mv: G::Move,
        _: i32,
    ) -> Result<i32, OracleError> {
        self.score_after(position, mv)
    }
}
