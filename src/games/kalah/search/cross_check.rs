//! An independent search for cross-checking the retrograde solver.
//!
//! It must share no arithmetic with the solver. So it solves no endgame itself: it uses one that
//! the caller provides, or none.

use super::KalahSearch;
use super::endgame::{Endgame, Form, GivenEndgame};
use super::memory::{OVERHEAD, least_table, positions};
use crate::game::{EndgameError, NoProgress, SearchError, SearchSetup};
use crate::games::kalah::Kalah;

/// Positions of the endgame that pay off per question.
const POSITIONS_A_QUESTION: u64 = 3000;
/// The most positions of an endgame that pay off.
const MOST_POSITIONS: u64 = 100_000_000;
/// Bytes per position while the endgame is solved; one of them remains.
const BYTES_A_POSITION: u64 = 4;
/// Additional bytes for solving the endgame.
const PROGRAM: u64 = 128 << 20;
/// The largest useful transposition table, in bytes.
const MOST_TABLE: u64 = 1 << 30;

/// Returns the largest endgame that pays off, within half of `memory` bytes.
pub fn endgame_that_pays(game: &Kalah, questions: u64, memory: u64) -> Option<Kalah> {
    let rules = game.parameters();
    let most = questions
        .saturating_mul(POSITIONS_A_QUESTION)
        .min(MOST_POSITIONS)
        .min(memory.saturating_sub(PROGRAM) / 2 / BYTES_A_POSITION);
    let pays = |&seeds: &usize| positions(rules.pits, seeds).is_some_and(|count| count <= most);
    // Leave a third of the seeds to the search, because otherwise it would hardly check anything.
    let seeds = (2..=game.total_seeds() * 2 / 3).rev().find(pays)?;
    Kalah::endgame(rules.pits, seeds, rules.empty_capture).ok()
}

/// Returns a search that runs on the calling thread, above the setup's endgame.
///
/// The setup's endgame must have all of its scores. Without an endgame, the search follows every
/// position to its end.
///
/// # Errors
/// If the endgame is not one of this game, there are too many seeds to search, or the memory is too
/// little.
pub fn cross_checker(game: &Kalah, setup: &SearchSetup) -> Result<KalahSearch, SearchError> {
    let rules = game.parameters();
    let given = GivenEndgame::of(setup, game)?;
    // Without an endgame, use an empty one: no position has fewer than 2 seeds on the board.
    let up_to = given.as_ref().map_or(1, |given| given.up_to);
    let copy = |mover: usize, opponent: usize, codes: &mut [u8]| match &given {
        Some(given) if given.copy(mover, opponent, codes)? => Ok(true),
        // Missing scores would be computed by the retrograde solver, so they are an error.
        _ => {
            let missing = format!("{mover} and {opponent} seeds of the endgame have no scores");
            Err(SearchError::from(EndgameError::Read(missing.into())))
        }
    };
    let endgame = Endgame::from_scores(
        Form::Bytes,
        rules.pits,
        up_to,
        rules.empty_capture,
        &NoProgress,
        &copy,
    )?;
    let seeds = game.total_seeds();
    let least = positions(rules.pits, seeds).map_or(0, least_table);
    let taken = OVERHEAD.saturating_add(endgame.positions);
    SearchError::check_memory(taken.saturating_add(least), setup.memory)?;
    let table = (setup.memory - taken).min(MOST_TABLE).max(least);
    KalahSearch::with_endgame(game, seeds, endgame, table, 1)
}
