//! What several pages show of a position.

use super::address::Line;
use super::board::{self, Link};
use super::words;
use crate::any::{AnyOracle, Look, Played, View};
use crate::cli::serve::thinking::Found;
use crate::game::Surface;
use crate::text::{capitalised, counted};
use maud::{Markup, html};

/// At most so many moves of a line are shown: each is a link that holds all moves before it.
pub const MOST_SHOWN: usize = 100;

/// How many moves of a line, or of what goes on from there, are shown: fewer where its address is long.
pub fn most_shown(line: &Line) -> usize {
    (1_000_000 / (1 + line.as_value().len())).clamp(10, MOST_SHOWN)
}

/// When to look again for what is searched, in seconds.
pub fn again(found: &Found) -> Option<u64> {
    let searched = found.searching.as_ref()?.searched;
    Some((searched.as_secs() / 4).clamp(1, 8))
}

/// The score of a move, whether or not all are known.
pub fn score_of(found: &Found, mv: &str) -> Option<i32> {
    let moves = found.answer.as_ref()?.moves.as_ref()?;
    let scored = moves.iter().find(|scored| scored.0 == mv);
    scored.map(|scored| scored.1)
}

/// The legal moves, each leading where `to` says, with what is known and to be shown of them.
pub fn links<'a>(
    oracle: &dyn AnyOracle,
    look: &'a Look,
    known: Option<&Found>,
    to: &dyn Fn(&str) -> String,
) -> Vec<Link<'a>> {
    let moves = look.moves.iter().enumerate();
    let links = moves.map(|(number, mv)| {
        let score = known.and_then(|found| score_of(found, &mv.name));
        let answer = known.and_then(Found::whole);
        let is_best = answer.is_some_and(|answer| answer.best_moves().any(|best| best == mv.name));
        let mut words = capitalised(&words::of_move(oracle, &mv.name));
        if let Some(score) = score {
            words.push_str(&format!(
                ": {}, {}",
                words::signed(score),
                words::outcome(score)
            ));
        }
        if is_best {
            words.push_str(", a best move");
        }
        Link {
            mv,
            place: board::place_of(&look.view, mv, &look.moves),
            number,
            address: to(&mv.name),
            score,
            is_best,
            words,
        }
    });
    links.collect()
}

/// Whether the board is much wider than high.
pub fn is_long(view: &View) -> bool {
    let surface = view.picture.as_ref().map(|picture| picture.surface);
    surface == Some(Surface::Wood)
}

/// Moves that have no place on the board, such as passing.
pub fn beside_board(links: &[Link<'_>]) -> Markup {
    let without: Vec<_> = links.iter().filter(|link| link.place.is_none()).collect();
    html! {
        @if !without.is_empty() && without.len() < 4 {
            p class="buttons" {
                @for link in without {
                    a class={ "button m" (link.number) } href=(link.address) {
                        (link.mv.name)
                        @if let Some(score) = link.score { " " (pill(score)) }
                    }
                }
            }
        }
    }
}

/// All moves, best first.
pub fn list_of_moves(links: &[Link<'_>]) -> Markup {
    let mut links: Vec<&Link<'_>> = links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.score));
    html! {
        ol class="moves" {
            @for link in links {
                li {
                    a class={ "m" (link.number) (if link.is_best { " best" } else { "" }) } href=(link.address) data-key=(link.mv.name) {
                        kbd { (link.mv.name) }
                        @match link.score {
                            Some(score) => { (pill(score)) span { (words::outcome(score)) } },
                            None => { span class="pill open" { "\u{2026}" } span class="soft" { "not known yet" } },
                        }
                        @if link.is_best { span class="is-best" { "\u{2605} best" } }
                    }
                }
            }
        }
    }
}

/// The moves that led to a position, the last ones of many, each leading to the position after it.
pub fn line_so_far(oracle: &dyn AnyOracle, line: &Line, played: &[Played]) -> Markup {
    let hidden = played.len().saturating_sub(most_shown(line));
    html! {
        @if hidden > 0 { li { "\u{2026} " (counted(hidden, "move")) " \u{2026}" } }
        @for (number, mv) in (1..).zip(played).skip(hidden) {
            li class=(mv.side) {
                a href=(line.up_to(number).explore()) aria-current=[(number == played.len()).then_some("step")]
                    aria-label={ (capitalised(&mv.side.to_string())) " player: " (words::of_move(oracle, &mv.mv)) } { (mv.mv) }
            }
        }
    }
}

/// Whose turn it is, or how the game has ended.
pub fn turn(view: &View) -> Markup {
    let surface = view
        .picture
        .as_ref()
        .map_or("", |picture| picture.surface.name());
    html! {
        p class={ "turn " (surface) " " (view.to_move) (if view.result.is_some() { " over" } else { "" }) } {
            span class="dot" aria-hidden="true" {}
            (view.status)
        }
    }
}

/// A score of who makes a move.
pub fn pill(score: i32) -> Markup {
    html! { span class={ "pill " (board::class_of(score)) } { (words::signed(score)) } }
}

/// A score of the first player, beside the sentence that says so.
pub fn first_pill(score: i32) -> Markup {
    html! {
        span class={ "pill large " (board::class_of(score)) } title="seen from the first player" { (words::signed(score)) }
    }
}
