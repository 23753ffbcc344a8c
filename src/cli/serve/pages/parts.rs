//! Parts of pages about positions: boards with links, lists of moves, and the turn.

use super::words;
use crate::any::{LegalMove, View};
use crate::cli::serve::address::GameLine;
use crate::draw::links::linked;
pub(super) use crate::draw::links::{Link, Shown};
use crate::game::{BoardPlace, InWords, Outcome, Picture, Surface};
use maud::{Markup, html};

/// Maximum number of moves shown of a line. Each is a link that contains all moves before it.
pub const MOST_SHOWN: usize = 100;

/// Returns the maximum number of moves shown of a line or its continuation, fewer if its address is
/// long.
pub fn most_shown(line: &GameLine) -> usize {
    (1_000_000 / (1 + line.as_value().len())).clamp(10, MOST_SHOWN)
}

/// Returns whether the board is much wider than high.
pub fn is_long(view: &View) -> bool {
    let surface = view.picture.as_ref().map(|picture| picture.surface);
    surface == Some(Surface::Wood)
}

/// Returns links for moves without a place on the board, such as passing.
pub fn beside_board(links: &[Link<'_>]) -> Markup {
    let without: Vec<_> = links.iter().filter(|link| link.place.is_none()).collect();
    html! {
        @if !without.is_empty() && without.len() < 4 {
            p class="buttons" {
                @for link in without {
                    a class="button" href=(link.address) {
                        (link.name)
                        @if let Some(score) = link.score { " " (pill(score)) }
                    }
                }
            }
        }
    }
}

/// Returns links for all moves, best first; `has_scores` if scores are shown or being searched.
pub fn list_of_moves(links: &[Link<'_>], has_scores: bool) -> Markup {
    let mut links: Vec<&Link<'_>> = links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.score.map(|score| score.score)));
    if !has_scores {
        return html! {
            ol class="line" {
                @for link in links {
                    li { a href=(link.address) data-key=(link.name) aria-label=(link.words) { (link.name) } }
                }
            }
        };
    }
    html! {
        ol class="moves" {
            @for link in links {
                li {
                    a class=[link.is_best.then_some("best")] href=(link.address) data-key=(link.name) {
                        kbd { (link.name) }
                        @match link.score {
                            Some(score) => { (pill(score)) span { (score.effect()) } },
                            None => { span class="pill open" { "\u{2026}" } span class="soft" { "not known yet" } },
                        }
                        span class="is-best" { @if link.is_best { "\u{2605} best" } @if link.is_played { " played" } }
                    }
                }
            }
        }
    }
}

/// Returns the side to move, or the result of the game.
pub fn turn(view: &View) -> Markup {
    turn_in_words(view, &view.status)
}

/// Returns the same in other words.
pub fn turn_in_words(view: &View, words: &str) -> Markup {
    let surface = view
        .picture
        .as_ref()
        .map(|picture| picture.surface.to_string());
    let surface = surface.unwrap_or_default();
    html! {
        p class={ "turn " (surface) " " (view.to_move) (if view.result.is_some() { " over" } else { "" }) } {
            span class="dot" aria-hidden="true" {}
            (words)
        }
    }
}

/// Returns a score seen from the side that makes a move.
pub fn pill(score: InWords) -> Markup {
    html! { span class={ "pill " (class_of(score.score)) } { (words::sign(score)) } }
}

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

/// Returns the position with a link for each move that has its own place.
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
