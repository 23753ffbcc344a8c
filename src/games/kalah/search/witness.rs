//! A search that shares no arithmetic with the retrograde analysis, to hold its scores against: the
//! endgame that it begins above is brought along, or there is none.

use super::KalahSearch;
use super::endgame::{Endgame, Form};
use super::kept::KeptEndgame;
use super::memory::{OVERHEAD, least_table, positions, suffices};
use crate::game::{EndgameError, NoProgress, SearchError, SearchSetup};
use crate::games::kalah::{Kalah, Rules};

/// So many positions of the endgame pay for each question; more than these never do.
const POSITIONS_A_QUESTION: u64 = 3000;
const MOST_POSITIONS: u64 = 100_000_000;
/// What each of them takes while it is solved, in bytes; one of them stays.
const BYTES_A_POSITION: u64 = 4;
/// What solving it takes beside, in bytes.
const PROGRAM: u64 = 128 << 20;
/// A larger transposition table makes no difference.
const MOST_TABLE: u64 = 1 << 30;

/// The endgame that pays for so many questions and takes no more than half of so many bytes.
pub fn endgame_that_pays(game: &Kalah, questions: u64, memory: u64) -> Option<Kalah> {
    let rules = game.parameters();
    let most = questions
        .saturating_mul(POSITIONS_A_QUESTION)
        .min(MOST_POSITIONS)
        .min(memory.saturating_sub(PROGRAM) / 2 / BYTES_A_POSITION);
    let pays = |&seeds: &usize| positions(rules.pits, seeds).is_some_and(|count| count <= most);
    // A third of the seeds is left to the search, or it would be no more than solving twice.
    let seeds = (2..=game.total_seeds() * 2 / 3).rev().find(pays)?;
    Kalah::endgame(rules.pits, seeds, rules.empty_capture).ok()
}

/// A search of positions of a game, each on the thread that asks, above the setup's endgame, all of
/// whose scores must be there; without one it searches every position to its end.
///
/// # Errors
/// If the endgame is not one of this game, there are too many seeds to search, or the memory is too
/// little.
pub fn witness(game: &Kalah, setup: &SearchSetup) -> Result<KalahSearch, SearchError> {
    let Rules {
        pits,
        empty_capture,
        ..
    } = game.parameters();
    let kept = KeptEndgame::of(setup, game)?;
    // Without seeds on both sides there are no positions.
    let up_to = kept.as_ref().map_or(1, |kept| kept.up_to);
    let copy = |mover: usize, opponent: usize, codes: &mut [u8]| match &kept {
        Some(kept) if kept.copy(mover, opponent, codes)? => Ok(true),
        // The retrograde analysis would compute it.
        _ => {
            let missing = format!("{mover} and {opponent} seeds of the endgame have no scores");
            Err(SearchError::from(EndgameError::Read(missing.into())))
        }
    };
    let endgame = Endgame::from_kept(Form::Bytes, pits, up_to, empty_capture, &NoProgress, &copy)?;
    let seeds = game.total_seeds();
    let least = positions(pits, seeds).map_or(0, least_table);
    let taken = OVERHEAD.saturating_add(endgame.positions);
    suffices(seeds, taken.saturating_add(least), setup.memory)?;
    let table = (setup.memory - taken).min(MOST_TABLE).max(least);
    KalahSearch::with_endgame(game, seeds, endgame, table, 1)
}
