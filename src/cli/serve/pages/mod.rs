//! The pages, made here and complete without a script.
//!
//! `home`, what can be explored; `position`, a position with the score of each move; `play`, against
//! the program; `review`, a game from its end; `scene`, what a page is about; `board` and `chart`, what is painted; `parts`, what
//! several pages have; `address`, where everything is; `assets`, the style sheet and the script,
//! which only adds keys.

mod address;
mod assets;
mod board;
mod chart;
mod frame;
mod home;
mod parts;
mod play;
mod position;
mod puzzles;
mod review;
mod rules;
mod scene;
mod statistics;
mod words;

use super::explorer::Explorer;
use axum::Router;
use axum::routing::get;
pub use frame::problem;
use std::sync::Arc;

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/", get(home::page))
        .route("/explore/{game}", get(position::page))
        .route("/play/{game}", get(play::page))
        .route("/review/{game}", get(review::page))
        .route("/statistics/{game}", get(statistics::page))
        .route("/puzzles/{game}", get(puzzles::page))
        .route("/rules/{game}", get(rules::page))
        .route("/assets/{file}", get(assets::file))
}
