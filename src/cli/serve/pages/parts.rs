//! Parts of pages about positions: boards with links, lists of moves, and the turn.

use super::words;
use crate::any::{LegalMove, View};
use crate::cli::serve::address::GameLine;
pub(super) use crate::draw::links::Shown;
use crate::draw::links::{Badge, PlaceLink, linked};
use crate::game::{BoardPlace, InWords, Outcome, Picture, Piece, Surface};
use crate::text::{capitalised, counted};
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
    view.surface() == Some(Surface::Wood)
}

/// A link for a legal move.
pub struct Link<'a> {
    pub mv: &'a LegalMove,
    pub address: String,
    /// Its score, if it is known and to be shown.
    pub score: Option<InWords>,
    /// Whether it is better than others.
    pub is_best: bool,
    /// Whether it is the next move of the line.
    pub is_played: bool,
    /// The link in words: "Pit 5: +6, wins by 6, a best move".
    pub words: String,
}

impl Link<'_> {
    /// Returns the number by which moves are compared, if it is known.
    fn points(&self) -> Option<i32> {
        self.score.map(|score| score.score)
    }
}

/// The links of a page for the moves through the places that somebody has chosen.
#[derive(Default)]
pub struct Links<'a> {
    /// Legal moves through these places, each with its address.
    pub moves: Vec<Link<'a>>,
    pub places: Vec<PlaceLink<'a>>,
    /// Which of the moves no further click on the board makes, such as passing.
    beside: Vec<usize>,
    /// The address without chosen places, if there are some.
    pub unchosen: Option<String>,
}

impl<'a> Links<'a> {
    /// Returns the moves through chosen places, and a link at each place where the next of them may
    /// be chosen.
    ///
    /// `to` returns the address of a page on which these places are chosen.
    pub fn through(
        view: &'a View,
        mut moves: Vec<Link<'a>>,
        chosen: &[String],
        to: impl Fn(&[String]) -> String,
    ) -> Links<'a> {
        moves.retain(|link| view.goes_through(link.mv, chosen));
        let with = |place: &str| [chosen, &[place.to_owned()]].concat();
        let places = view.picture.iter().flat_map(|picture| &picture.places);
        let places = places.filter_map(|place| {
            if let Some(number) = chosen.iter().position(|name| *name == place.name) {
                return Some(PlaceLink {
                    place,
                    address: to(&without(view, chosen, number)),
                    words: format!("Take back {}", place.name),
                    badge: None,
                    is_chosen: true,
                });
            }
            let with = with(&place.name);
            let through = moves
                .iter()
                .filter(|link| view.goes_through(link.mv, &with));
            place_link(place, &with, &through.collect::<Vec<_>>(), &to)
        });
        let mut places: Vec<PlaceLink<'_>> = places.collect();
        let open = || places.iter().filter(|place| !place.is_chosen);
        let next: Vec<Vec<String>> = open().map(|open| with(&open.place.name)).collect();
        let ends = |link: &Link<'_>| !next.iter().any(|next| view.goes_through(link.mv, next));
        let beside = (0..moves.len()).filter(|&number| ends(&moves[number]));
        let signs = open().map(|open| open.badge.as_ref().map(|badge| &badge.sign));
        let signs: Vec<_> = signs.collect();
        // Only differences are worth a mark.
        if signs.windows(2).all(|pair| pair[0] == pair[1]) {
            places.iter_mut().for_each(|place| place.badge = None);
        }
        Links {
            beside: beside.collect(),
            places,
            unchosen: (!chosen.is_empty()).then(|| to(&[])),
            moves,
        }
    }

    /// Returns buttons for moves that no click on the board makes, and one to choose other places.
    pub fn beside_board(&self) -> Markup {
        let shown = if self.beside.len() < 4 {
            &*self.beside
        } else {
            &[]
        };
        html! {
            @if !shown.is_empty() || self.unchosen.is_some() {
                p class="buttons" {
                    @for link in shown.iter().map(|&number| &self.moves[number]) {
                        a class="button" href=(link.address) {
                            (link.mv.name)
                            @if let Some(score) = link.score { " " (pill(score)) }
                        }
                    }
                    @if let Some(address) = &self.unchosen { a class="button" href=(address) { "Choose again" } }
                }
            }
        }
    }

    /// Returns links for all moves, best first; `has_scores` if scores are shown or being searched.
    pub fn list(&self, has_scores: bool) -> Markup {
        let mut links: Vec<&Link<'_>> = self.moves.iter().collect();
        links.sort_by_key(|link| std::cmp::Reverse(link.points()));
        if !has_scores {
            return names(&links);
        }
        let all_alike = !differ(&self.moves);
        html! {
            ul class="results" {
                @for alike in links.chunk_by(|one, next| one.points() == next.points()) {
                    li class=[alike[0].is_best.then_some("best")] {
                        p {
                            @match alike[0].score {
                                Some(score) if all_alike && alike.len() > 1 => { "Every move " (score.effect()) },
                                Some(score) => { (pill(score)) " " (capitalised(&score.effect())) },
                                None => { span class="pill open" { "\u{2026}" } " Not known yet" },
                            }
                            @if alike[0].is_best { ", best" }
                        }
                        (names(alike))
                    }
                }
            }
        }
    }
}

/// Returns the places that remain chosen when one is taken back.
fn without(view: &View, chosen: &[String], number: usize) -> Vec<String> {
    let mut others = chosen.to_vec();
    // Later places may depend on this one, unless they have no order.
    match number < view.unordered && chosen.len() <= view.unordered {
        true => drop(others.remove(number)),
        false => others.truncate(number),
    }
    others
}

/// Returns the link at a place, given the moves through all places chosen with it.
fn place_link<'a>(
    place: &'a BoardPlace,
    with: &[String],
    through: &[&Link<'_>],
    to: impl Fn(&[String]) -> String,
) -> Option<PlaceLink<'a>> {
    let best = through.iter().max_by_key(|link| link.points())?;
    // A piece that is touched can still go to another place.
    let is_made = best.mv.places.len() == with.len() || place.piece == Piece::Empty;
    let (address, words) = match through.len() {
        1 if is_made => (best.address.clone(), best.words.clone()),
        count => {
            let count = counted(count, "move");
            (to(with), format!("{}: {count}", capitalised(&place.name)))
        }
    };
    let badge = best.score.map(|score| Badge {
        score,
        sign: words::sign(score),
        is_best: best.is_best,
    });
    Some(PlaceLink {
        place,
        address,
        words,
        badge,
        is_chosen: false,
    })
}

/// Maximum number of moves of one score that are listed at once. Others are made on the board.
const MOST_NAMES: usize = 24;

/// Returns whether moves have other scores than others, or only some are known.
fn differ(links: &[Link<'_>]) -> bool {
    links
        .windows(2)
        .any(|pair| pair[0].points() != pair[1].points())
}

/// Returns the names of moves, each with its link.
fn names(links: &[&Link<'_>]) -> Markup {
    let list = html! {
        ol class="line" {
            @for link in links {
                li {
                    a class=[link.is_played.then_some("played")] href=(link.address) data-key=(link.mv.name) aria-label=(link.words) { (link.mv.name) }
                }
            }
        }
    };
    match links.len() {
        ..=MOST_NAMES => list,
        count => html! { details class="many" { summary { (count) " moves" } (list) } },
    }
}

/// Returns the side to move, or the result of the game.
pub fn turn(view: &View) -> Markup {
    turn_in_words(view, &view.status)
}

/// Returns the same in other words.
pub fn turn_in_words(view: &View, words: &str) -> Markup {
    let surface = view.surface().map(|surface| surface.to_string());
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

/// Returns the position with links at its places.
pub fn board(view: &View, links: &Links<'_>) -> Markup {
    painted(view, links, shown(view, "board"))
}

/// Returns the position without links, small.
pub fn still(view: &View) -> Markup {
    painted(view, &Links::default(), shown(view, "still"))
}

/// Returns a board of this class without marks of moves.
pub fn shown<'a>(view: &'a View, class: &'static str) -> Shown<'a> {
    let picture = view.picture.as_ref().map(Picture::describe);
    Shown {
        class,
        position: &view.position,
        label: format!("{}. {}.", view.status, picture.unwrap_or_default()),
        deciding: &view.deciding,
        ..Shown::default()
    }
}

/// Returns the position with links and marks, or else its board as text.
pub fn painted(view: &View, links: &Links<'_>, mut shown: Shown<'_>) -> Markup {
    shown.hovering = (!links.places.is_empty()).then_some(view.to_move);
    match &view.picture {
        Some(picture) => linked(picture, &links.places, &shown),
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
