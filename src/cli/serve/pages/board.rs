//! The board, painted so that one can point at its moves. All colours are in style sheets; what they
//! tell is told in words, signs or shapes, too.

use super::words;
use crate::any::{LegalMove, View};
use crate::game::drawing::surface::{Edges, RIM, edges, ground, piece, seed_number, spot, tenths};
use crate::game::{Outcome, Piece, Place, Surface};
use maud::{Markup, html};

/// A move on the board, or beside it.
pub struct Link<'a> {
    pub mv: &'a LegalMove,
    /// Where it is on the board, if it has a place of its own there.
    pub place: Option<&'a Place>,
    /// Which one in the game's order, from 0.
    pub number: usize,
    pub address: String,
    /// Its score, if it is known and to be shown.
    pub score: Option<i32>,
    pub is_best: bool,
    /// In words: "Pit 5: +6, wins by 6, a best move".
    pub words: String,
}

/// How far above and below its pits a wooden board's numbers and scores go.
const WOOD_ABOVE: f64 = 16.0;
const WOOD_HEIGHT: f64 = 212.0;
/// How wide boards are at least where there is room, and how much larger than in reports the others
/// are.
const WIDE: f64 = 460.0;
const LARGE: f64 = 2.1;

/// The place that a move is made at: the first of its places, or else the last, that no other move
/// has in the same role.
pub fn place_of<'a>(view: &'a View, mv: &LegalMove, all: &[LegalMove]) -> Option<&'a Place> {
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

/// The position, with a link for each of its moves that has a place of its own.
pub fn board(view: &View, links: &[Link<'_>]) -> Markup {
    painted(view, links, "board")
}

/// The position alone, small.
pub fn still(view: &View) -> Markup {
    painted(view, &[], "still")
}

fn painted(view: &View, links: &[Link<'_>], class: &str) -> Markup {
    let Some(picture) = &view.picture else {
        return html! { pre class={ (class) " text" } { (view.board) } };
    };
    let surface = picture.surface;
    let label = format!("{}. {}.", view.status, picture.describe());
    // A group of links is read link by link, a picture as one.
    let role = if links.is_empty() { "img" } else { "group" };
    let bounds = edges(&picture.places);
    let (left, width, height, above) = match surface {
        Surface::Wood => {
            let left = bounds.0 - RIM - 2.0;
            (left, bounds.2 + RIM + 2.0 - left, WOOD_HEIGHT, WOOD_ABOVE)
        }
        _ => (0.0, picture.size().0, picture.size().1, 0.0),
    };
    let large = (WIDE / width).max(LARGE);
    html! {
        svg class={ (class) " " (surface.name()) } viewBox={ (tenths(left)) " " (-above) " " (tenths(width)) " " (tenths(height)) }
            width=(tenths(large * width)) height=(tenths(large * height)) role=(role) aria-label=(label)
            text-anchor="middle" {
            (ground(surface, bounds))
            @for label in &picture.labels {
                @if let Some(down) = label_down(surface, label.middle, bounds) {
                    text class="label" x=(tenths(label.middle.0)) y=(tenths(label.middle.1 + down)) { (label.text) }
                }
            }
            @for place in &picture.places {
                @match links.iter().find(|link| link.place == Some(place)) {
                    None => { g { (spot(surface, place)) (piece(surface, place)) } },
                    Some(link) => {
                        a href=(link.address) class={ "move m" (link.number) } aria-label=(link.words) {
                            (spot(surface, place))
                            (piece(surface, place))
                            @if let Some(score) = link.score { (badge(surface, place, bounds, score, link.is_best)) }
                            @else if surface != Surface::Wood && place.piece == Piece::Empty {
                                circle class="hint" cx=(tenths(place.middle.0)) cy=(tenths(place.middle.1)) r="6" {}
                            }
                            // Above all else, so that one sees it.
                            (reach(surface, place, bounds))
                        }
                    },
                }
            }
            // Not in the links, whose names they are no part of.
            @for place in &picture.places { (seed_number(surface, place)) }
        }
    }
}

/// How much lower a label goes than the picture has it; nothing if it is left out.
fn label_down(
    surface: Surface,
    middle: (f64, f64),
    (left, top, right, bottom): Edges,
) -> Option<f64> {
    if surface != Surface::Wood {
        return Some(0.0);
    }
    let is_far_out = middle.1 < top - 20.0 || middle.1 > bottom + 35.0;
    // Whose row it is stands beside the board.
    let is_caption = is_far_out && (middle.0 - (left + right) / 2.0).abs() < 1.0;
    let down = if middle.1 < top {
        2.0
    } else if middle.0 < left + 26.0 {
        // The second player's store is named above it, on that player's side.
        top - bottom - 44.0
    } else {
        -2.0
    };
    (!is_caption).then_some(down)
}

/// The area that one may point at for a move.
fn reach(surface: Surface, place: &Place, (_, top, _, bottom): Edges) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let (left, top, width, height) = match surface {
        // The whole column.
        Surface::Rack => (x - width / 2.0, top - 20.0, width, bottom - top + 22.0),
        Surface::Wood if y < (top + bottom) / 2.0 => {
            (x - 26.0, -WOOD_ABOVE, 52.0, y + 24.0 + WOOD_ABOVE)
        }
        Surface::Wood => (
            x - 26.0,
            y - 24.0,
            52.0,
            WOOD_HEIGHT - WOOD_ABOVE - y + 24.0,
        ),
        _ => (x - width / 2.0, y - height / 2.0, width, height),
    };
    html! {
        rect class="reach" x=(tenths(left)) y=(tenths(top)) width=(tenths(width)) height=(tenths(height)) rx="8" {}
    }
}

/// The score of a move at its place.
fn badge(surface: Surface, place: &Place, bounds: Edges, score: i32, is_best: bool) -> Markup {
    let ((x, y), (_, top, _, bottom)) = (place.middle, bounds);
    let y = match surface {
        Surface::Wood if y < f64::midpoint(top, bottom) => top - RIM - 26.0,
        Surface::Wood => bottom + RIM + 29.0,
        _ => y,
    };
    let text = words::signed(score);
    let width = (9.0 * text.chars().count() as f64 + 14.0).max(28.0);
    html! {
        g class={ "score " (class_of(score)) (if is_best { " best" } else { "" }) } {
            rect x=(tenths(x - width / 2.0)) y=(tenths(y - 11.0)) width=(tenths(width)) height="22" rx="11" {}
            text x=(tenths(x)) y=(tenths(y + 5.0)) { (text) }
            @if is_best {
                path class="star" d=(STAR) transform={ "translate(" (tenths(x + width / 2.0 - 2.0)) " " (tenths(y - 10.0)) ")" } {}
            }
        }
    }
}

/// A star of five points, about 12 high, round the origin.
const STAR: &str = "M0-6.5L1.6-2.3 6.2-2 2.7.9 3.8 5.3 0 2.8-3.8 5.3-2.7.9-6.2-2-1.6-2.3Z";

/// The class of what has this score.
pub fn class_of(score: i32) -> &'static str {
    match Outcome::of(score) {
        Outcome::Win => "win",
        Outcome::Draw => "draw",
        Outcome::Loss => "loss",
    }
}
