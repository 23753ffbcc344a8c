//! Endgames with known scores, such as tables.

use crate::game::{EndgameError, Family, KnownScores, Notation, SearchError, SearchSetup};
use crate::games::kalah::index::layout::segment_index;
use crate::games::kalah::{Kalah, KalahFamily};
use std::sync::Arc;

/// An endgame whose scores are known already.
pub(super) struct KnownEndgame {
    scores: Arc<dyn KnownScores>,
    /// The most seeds on the board.
    pub up_to: usize,
}

impl KnownEndgame {
    /// Returns the setup's endgame if there is one; an error if it is of another game.
    pub fn of(setup: &SearchSetup, game: &Kalah) -> Result<Option<KnownEndgame>, EndgameError> {
        let Some(scores) = &setup.known else {
            return Ok(None);
        };
        let (rules, found) = (game.parameters(), scores.name());
        let (family, parameters) = scores.rules().split_once(' ').unwrap_or_default();
        let read = KalahFamily.read_rules(parameters).ok();
        let read = read.filter(|_| family == game.family());
        let suitable = |up_to| Kalah::endgame(rules.pits, up_to, rules.empty_capture);
        let problem = match read.map(|read| (read.up_to(), read)) {
            None => format!("it is a table of {found}"),
            Some((None, _)) => format!("{found} holds only what can come up from its start"),
            Some((Some(up_to), read)) if suitable(up_to).as_ref() == Ok(&read) => {
                let scores = Arc::clone(scores);
                return Ok(Some(KnownEndgame { scores, up_to }));
            }
            Some(_) => format!("{found} has other rules than {}", game.name()),
        };
        let variant = rules.variant(" --empty-capture");
        let make = Some(format!("kalah --pits {} --up-to 20{variant}", rules.pits));
        Err(EndgameError::Unsuitable { problem, make })
    }

    /// Copies the shares of the side to move, as [`super::endgame::Kept`] does.
    pub fn copy(
        &self,
        mover: usize,
        opponent: usize,
        codes: &mut [u8],
    ) -> Result<bool, SearchError> {
        let segment = segment_index(mover, opponent) as u32;
        let read = self.scores.codes_of_segment(segment, codes);
        read.map_err(|error| EndgameError::Read(error).into())
    }
}
