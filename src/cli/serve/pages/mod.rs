//! The pages. They are complete without the script, which only adds keyboard shortcuts.
//!
//! - `home`: all games.
//! - `position`: a line of moves, and a position on it with the score of each move; the same for a
//!   frame in another site.
//! - `play`: a game against the program or an AI.
//! - `opponents`: the programs that play, and reports on the moves of AIs.
//! - `puzzles`: positions with a single winning move.
//! - `scene`: the position of a page, on a line of moves.
//! - `review`: the scores along a line, and its mistakes.
//! - `why`: refutations of mistakes.
//! - `search`: a search tree, step by step.
//! - `tree`: the moves after a position, two or three plies deep.
//! - `reading`: reads what somebody pastes.
//! - `about`: rules and statistics.
//! - `frame`, `parts`: shared by pages; `frame` has the style sheet and the script, too, `parts`
//!   boards with links.

mod about;
mod frame;
mod home;
mod lesson;
mod opponents;
mod parts;
mod play;
mod position;
mod puzzles;
mod reading;
mod review;
mod scene;
mod search;
mod tree;
mod why;
mod words;

use super::explorer::Explorer;
use axum::Router;
use axum::routing::get;
pub use frame::{framed, problem};
pub use position::embedded_problem;
pub use scene::wanted;
use std::sync::Arc;

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/", get(home::page))
        .route("/boards", get(home::open))
        .route("/explore/{game}", get(position::page))
        .route("/embed/{game}", get(position::embedded))
        .route("/play/{game}", get(play::page))
        .route("/statistics/{game}", get(about::statistics))
        .route("/puzzles/{game}", get(puzzles::page))
        .route("/puzzles/{game}/{id}", get(puzzles::one))
        .route("/puzzles/{game}/{id}/next", get(puzzles::next))
        .route("/rules/{game}", get(about::rules))
        .route("/search/{game}", get(search::page))
        .route("/assets/{file}", get(frame::asset_file))
}
