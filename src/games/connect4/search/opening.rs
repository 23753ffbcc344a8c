//! Opening books: the scores of positions with few stones.

use crate::game::{EndgameError, Game, KnownScores, Notation, SearchError, SearchSetup};
use crate::games::connect4::{Connect4, Position};
use std::sync::Arc;

/// A table of [`Connect4::opening`].
pub struct Opening {
    game: Connect4,
    scores: Arc<dyn KnownScores>,
}

impl Opening {
    /// Returns the setup's opening book if there is one; an error if it is of another game.
    pub fn of(setup: &SearchSetup, game: &Connect4) -> Result<Option<Opening>, EndgameError> {
        let Some(scores) = setup.known.clone() else {
            return Ok(None);
        };
        // Equal games have equal rules strings, so compare these.
        let mut openings = (1..game.board.cells()).filter_map(|up_to| game.opening(up_to).ok());
        match openings.find(|game| game.rules() == scores.rules()) {
            Some(game) => Ok(Some(Opening { game, scores })),
            None => Err(EndgameError::Unsuitable {
                problem: format!("it is a table of {}", scores.name()),
                make: None,
            }),
        }
    }

    /// Returns the score of a position, unless it has more stones than the book.
    pub fn score(&self, game: &Connect4, position: &Position) -> Result<Option<i32>, SearchError> {
        let range = game.score_range();
        self.score_within(game, position, [range.lowest, range.highest])
    }

    /// Returns the score if it lies within the window, otherwise a bound, by alpha-beta.
    fn score_within(
        &self,
        game: &Connect4,
        position: &Position,
        [mut alpha, beta]: [i32; 2],
    ) -> Result<Option<i32>, SearchError> {
        if let Some(score) = game.at_once(position) {
            return Ok(Some(score));
        }
        if self.game.has_in_book(position) {
            let key = game.key(&game.canonical(position));
            let score = self.scores.score_of_key(key).map_err(EndgameError::Read);
            return Ok(score?);
        }
        if self
            .game
            .up_to()
            .is_none_or(|up_to| position.stones() > up_to)
        {
            return Ok(None);
        }
        let mut best = i32::MIN;
        for mv in game.legal_moves(position) {
            let child = game.play(position, mv);
            let Some(score) = self.score_within(game, &child, [-beta, -alpha])? else {
                return Ok(None);
            };
            best = best.max(-score);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(Some(best))
    }
}
