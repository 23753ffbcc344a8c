//! Parts of pages about positions.

use super::board::{self, Link};
use super::words;
use crate::any::View;
use crate::cli::serve::address::GameLine;
use crate::game::{InWords, Surface};
use maud::{Markup, html};

/// Maximum number of moves shown of a line. Each is a link that contains all moves before it.
pub const MOST_SHOWN: usize = 100;

/// Maximum number of moves shown of a line or its continuation, fewer if its address is long.
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

/// Links for all moves, best first; `has_scores` says that their scores are shown or being searched.
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
    html! { span class={ "pill " (board::class_of(score.score)) } { (words::sign(score)) } }
}
