//! Mistakes one by one, for who wants all of them.

use super::judge::{Judged, outcomes};
use crate::game::Notation;
use serde::Serialize;
use std::io;

/// One mistake of many. Scores are seen from the side that made it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ListedMistake {
    /// The position.
    pub position: String,
    /// Whose turn it is there: `first` or `second`.
    pub side: String,
    /// The move that the AI made.
    #[serde(rename = "move")]
    pub mv: String,
    /// The best moves.
    pub best: Vec<String>,
    /// The score under best play before the move.
    pub before: i32,
    /// What the move is held against: `before`, or where only the value of the game has to be kept
    /// what is left of it, if that is less.
    pub target: i32,
    /// The score under best play after the move.
    pub after: i32,
    /// The regret: `target` less `after`.
    pub regret: i32,
    /// The outcomes target and after the move, if they differ: "win to loss".
    pub outcomes: Option<String>,
    /// The layer of the game.
    pub layer: u32,
    /// The canonical position of the class.
    pub class: String,
}

/// Receives the mistakes in the order in which the positions are asked, which is the same for any
/// number of jobs. An error ends the check.
pub type List<'a> = dyn FnMut(&ListedMistake) -> io::Result<()> + Send + 'a;

impl ListedMistake {
    /// A move that is a mistake, and the best moves.
    pub(super) fn of<G: Notation>(
        game: &G,
        position: &G::Position,
        judged: &Judged<G::Move>,
        best: &[G::Move],
    ) -> ListedMistake {
        let made = judged.answer.as_ref().ok();
        let best = best.iter().map(|&mv| game.format_move(mv));
        ListedMistake {
            position: game.format_position(position),
            side: game.side_to_move(position).to_string(),
            mv: made.map_or_else(String::new, |&mv| game.format_move(mv)),
            best: best.collect(),
            before: judged.before,
            target: judged.target,
            after: judged.after,
            regret: judged.shortfall(),
            outcomes: outcomes(judged.target, judged.after),
            layer: judged.layer,
            class: game.format_position(&game.canonical(position)),
        }
    }
}
