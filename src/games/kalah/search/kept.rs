//! Endgames with known scores, such as tables.

use crate::game::{EndgameError, KeptScores, Notation, SearchError, SearchSetup};
use crate::games::kalah::index::layout::segment_index;
use crate::games::kalah::{Kalah, MAX_TOTAL_SEEDS, Rules};
use std::sync::Arc;

/// An endgame whose scores are known already.
pub(super) struct KeptEndgame {
    scores: Arc<dyn KeptScores>,
    /// The most seeds on the board.
    pub up_to: usize,
}

impl KeptEndgame {
    /// Returns the setup's endgame if there is one; an error if it is of another game.
    pub fn of(setup: &SearchSetup, game: &Kalah) -> Result<Option<KeptEndgame>, EndgameError> {
        let Some(scores) = &setup.kept else {
            return Ok(None);
        };
        let Rules {
            pits,
            empty_capture,
            ..
        } = game.parameters();
        let unsuitable = |problem| {
            let variant = game.parameters().variant(" --empty-capture");
            let make = Some(format!("kalah --pits {pits} --up-to 20{variant}"));
            Err(EndgameError::Unsuitable { problem, make })
        };
        let found = scores.name();
        let (family, parameters) = scores.rules().split_once(' ').unwrap_or_default();
        if family != game.family() {
            return unsuitable(format!("it is a table of {found}"));
        }
        // Equal games have equal rules strings, so compare these.
        let is_it = |&up_to: &usize| {
            Kalah::endgame(pits, up_to, empty_capture)
                .is_ok_and(|game| game.rules() == scores.rules())
        };
        match (2..=MAX_TOTAL_SEEDS).find(is_it) {
            Some(up_to) => Ok(Some(KeptEndgame {
                scores: Arc::clone(scores),
                up_to,
            })),
            None if parameters.contains("up-to=") => {
                unsuitable(format!("{found} has other rules than {}", game.name()))
            }
            None => unsuitable(format!(
                "{found} holds only what can come up from its start"
            )),
        }
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
