//! Searches of a position compared, in text.

use super::position::position_of;
use crate::game::{Notation, Progress, Side, SolveError, endless};
use crate::oracle::AskError;
use crate::search::{CompareError, Comparison, Outcome, Run, compare};

/// Several searches of a position, and what each has cost.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ComparedInText {
    /// The position, in the game's notation.
    pub position: String,
    /// Whose turn it is: who the values are seen from.
    pub to_move: Side,
    /// What is taken for the score at a depth, if the game says: [`Notation::banked_name`].
    pub estimate: Option<&'static str>,
    /// The searches, by depth and then in the order of the methods.
    pub runs: Vec<Run<String>>,
    /// Whether they were told to stop before the last one was through.
    pub is_interrupted: bool,
}

/// Why searches can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareSearchesError {
    /// It isn't an unfinished position.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// They can't be run, or contradict each other.
    #[error(transparent)]
    Compare(CompareError),
    /// Plays are too long, or never end.
    #[error(transparent)]
    Endless(SolveError),
}

pub(super) fn compare_searches<G: Notation>(
    game: &G,
    position: Option<&str>,
    comparison: &Comparison,
    progress: &dyn Progress,
) -> Result<ComparedInText, CompareSearchesError> {
    let position = position_of(game, position)?;
    if let Some(score) = game.final_score(&position) {
        return Err(CompareSearchesError::Ask(AskError::Finished {
            position: game.format_position(&position),
            first_player_score: game.seen_from(Side::First, &position, score),
            start: game.format_position(&game.start()),
        }));
    }
    let compared = compare(game, &position, comparison, progress);
    let compared = compared.map_err(|error| match error {
        CompareError::TooLong { moves } => {
            CompareSearchesError::Endless(endless(game, &position, moves))
        }
        error => CompareSearchesError::Compare(error),
    })?;
    let in_text = |run: Run<G::Move>| Run {
        method: run.method,
        depth: run.depth,
        outcome: match run.outcome {
            Outcome::Found { value, best_move } => Outcome::Found {
                value,
                best_move: best_move.map(|mv| game.format_move(mv)),
            },
            Outcome::OverLimit => Outcome::OverLimit,
            Outcome::NotTried => Outcome::NotTried,
            Outcome::Interrupted => Outcome::Interrupted,
        },
        counts: run.counts,
        time: run.time,
    };
    Ok(ComparedInText {
        position: game.format_position(&position),
        to_move: game.side_to_move(&position),
        estimate: game.banked_name(),
        runs: compared.runs.into_iter().map(in_text).collect(),
        is_interrupted: compared.is_interrupted,
    })
}
