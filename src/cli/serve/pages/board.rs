//! The board of a view.

use crate::any::{LegalMove, View};
use crate::draw::links::linked;
pub(super) use crate::draw::links::{Link, Shown};
use crate::game::{BoardPlace, Outcome, Picture};
use maud::{Markup, html};

/// Returns the place of a move's link on the board, if it has one.
///
/// The first or else the last of the move's places that no other move has in the same role.
pub fn place_of<'a>(view: &'a View, mv: &LegalMove, all: &[LegalMove]) -> Option<&'a BoardPlace> {
    let roles: [fn(&LegalMove) -> Option<&String>; 2] =
        [|mv| mv.places.first(), |mv| mv.places.last()];
    let own = roles.into_iter().find_map(|role| {
        let place = role(mv)?;
        let same = all.iter().filter(|of| role(of) == Some(place));
        (same.count() == 1).then_some(place)
    })?;
    let places = &view.picture.as_ref()?.places;
    places.iter().find(|place| place.name == *own)
}

/// The position with a link for each move that has its own place.
pub fn board(view: &View, links: &[Link<'_>]) -> Markup {
    painted(view, links, shown(view, "board"))
}

/// Returns the position without links, small.
pub fn still(view: &View) -> Markup {
    painted(view, &[], shown(view, "still"))
}

/// Returns a board of this class without marks of moves.
pub fn shown<'a>(view: &'a View, class: &'static str) -> Shown<'a> {
    let picture = view.picture.as_ref().map(Picture::describe);
    Shown {
        class,
        label: format!("{}. {}.", view.status, picture.unwrap_or_default()),
        deciding: &view.deciding,
        ..Shown::default()
    }
}

/// Returns the position with links and marks, or else its board as text.
pub fn painted(view: &View, links: &[Link<'_>], shown: Shown<'_>) -> Markup {
    match &view.picture {
        Some(picture) => linked(picture, links, &shown),
        None => html! { pre class={ (shown.class) " text" } { (view.board) } },
    }
}

/// Returns the class in the style sheet for a score.
pub fn class_of(score: i32) -> &'static str {
    match Outcome::of(score) {
        Outcome::Win => "win",
        Outcome::Draw => "draw",
        Outcome::Loss => "loss",
    }
}
