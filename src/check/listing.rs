//! Complete lists of mistakes, for callers that want every one.

use super::judge::Judged;
use crate::game::{Notation, distance};
use serde::Serialize;

/// A mistake in a list. Scores are seen from the side that made it.
///
/// In a game that counts plies, a win in `d` plies is [`WON`](crate::game::WON)` - d`, and a loss
/// `d - WON`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ListedMistake {
    /// The position in which the mistake was made, in the game's notation.
    pub position: String,
    /// The side to move: `first` or `second`.
    pub side: String,
    /// The move that the AI made.
    #[serde(rename = "move")]
    pub mv: String,
    /// The best moves.
    pub best: Vec<String>,
    /// The score under best play before the move.
    pub before: i32,
    /// The target score of the move.
    ///
    /// It is `before`. If only the value of the game counts, it is the smaller of `before` and that
    /// value. If scores count plies, the smaller outcome decides.
    pub target: i32,
    /// The score under best play after the move.
    pub after: i32,
    /// The distances in plies of `before`, `target` and `after`: `None` for draws, and if scores
    /// don't count plies.
    pub before_distance: Option<u32>,
    /// Plies to the end with the target score; see `before_distance`.
    pub target_distance: Option<u32>,
    /// Plies to the end after the move; see `before_distance`.
    pub after_distance: Option<u32>,
    /// The regret: `target` less `after`, in points or plies.
    ///
    /// `None` if scores count plies and the move loses the outcome.
    pub regret: Option<i32>,
    /// The outcomes of `target` and `after`, if the latter is worse: "win to loss".
    ///
    /// "win to draw by repetition" if the opponent can bring the position up again for ever.
    pub outcomes: Option<String>,
    /// The layer of the game.
    pub layer: u32,
    /// The canonical position of the class.
    pub class: String,
}

/// Receiver of mistakes, in the order in which the positions are asked.
///
/// The order is the same for any number of jobs.
pub(crate) type List<'a> = dyn FnMut(&ListedMistake) + Send + 'a;

impl ListedMistake {
    /// Describes a mistake and the moves that would have been best.
    pub(super) fn of<G: Notation>(
        game: &G,
        position: &G::Position,
        judged: &Judged<G::Move>,
        best: &[G::Move],
    ) -> ListedMistake {
        let made = judged.answer.as_ref().ok();
        let best = best.iter().map(|&mv| game.format_move(mv));
        let counts_plies = game.score_range().counts_plies();
        let plies = |score| counts_plies.then(|| distance(score)).flatten();
        ListedMistake {
            position: game.format_position(position),
            side: game.side_to_move(position).to_string(),
            mv: made.map_or_else(String::new, |&mv| game.format_move(mv)),
            best: best.collect(),
            before: judged.before,
            target: judged.target,
            after: judged.after,
            before_distance: plies(judged.before),
            target_distance: plies(judged.target),
            after_distance: plies(judged.after),
            regret: judged.regret(judged.target),
            outcomes: judged.outcome_lost().map(|(from, to)| {
                let how = if judged.repeats { " by repetition" } else { "" };
                format!("{from} to {to}{how}")
            }),
            layer: judged.layer,
            class: game.format_position(&game.canonical(position)),
        }
    }
}
