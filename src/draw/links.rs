//! Boards with a link for each move.
//!
//! Style sheets have all colours. Words, signs or shapes carry the same information.

use super::pieces::{RIM, painted, rect};
use super::tenths;
use crate::game::{BoardPlace, InWords, Outcome, Picture, Piece, Surface};
use crate::text::signed;
use maud::{Markup, html};

/// A link for a move, on the board or next to it.
pub(crate) struct Link<'a> {
    /// The move's name.
    pub name: &'a str,
    /// The move's place on the board, if it has one that no other move shares.
    pub place: Option<&'a BoardPlace>,
    pub address: String,
    /// Its score, if it is known and to be shown.
    pub score: Option<InWords>,
    /// The score in a few letters: "+6".
    pub sign: String,
    pub is_best: bool,
    /// Whether it is the next move of the line.
    pub is_played: bool,
    /// The link in words: "Pit 5: +6, wins by 6, a best move".
    pub words: String,
}

/// Marks of a board besides its pieces and the links.
#[derive(Default)]
pub(crate) struct Shown<'a> {
    /// "board", or "still" for a small one.
    pub class: &'static str,
    /// The board's content in words.
    pub label: String,
    /// Names of the places that decide the result.
    pub deciding: &'a [String],
    /// Names of the places of the last moves.
    pub last: Vec<&'a String>,
    /// The board before these moves.
    pub before: Option<&'a Picture>,
    /// Whether the board is shown as the second player sees it.
    pub is_turned: bool,
}

/// Space above and below a wooden board for scores.
const WOOD_ROOM: f64 = 16.0;
/// Minimum width of a board if there is space, in pixels.
const WIDE: f64 = 460.0;
/// Minimum scale of a board, relative to the drawings in reports.
const LARGE: f64 = 2.1;

/// Paints a board with a link for each move that has its own place.
pub(crate) fn linked(picture: &Picture, links: &[Link<'_>], shown: &Shown<'_>) -> Markup {
    let surface = picture.surface;
    // Screen readers read a group link by link, but a picture as a whole.
    let role = if links.is_empty() { "img" } else { "group" };
    let turned = if shown.is_turned { " turned" } else { "" };
    let room = match surface {
        Surface::Wood => WOOD_ROOM,
        _ => 0.0,
    };
    let (width, height) = picture.size();
    let height = height + 2.0 * room;
    let large = (WIDE / width).max(LARGE);
    let around = |place: &BoardPlace, piece: &Markup| {
        let Some(link) = links.iter().find(|link| link.place == Some(place)) else {
            return html! { g { (piece) } };
        };
        html! {
            a href=(link.address) class="move" aria-label=(link.words) {
                (piece)
                @if let Some(score) = link.score { (badge(picture, place, score.outcome(), link)) }
                @else if surface != Surface::Wood && place.piece == Piece::Empty {
                    circle class="hint" cx=(tenths(place.middle.0)) cy=(tenths(place.middle.1)) r="6" {}
                }
                // Topmost, so that it receives clicks.
                (reach(picture, place))
            }
        }
    };
    html! {
        svg class={ (shown.class) " " (surface) (turned) } viewBox={ "0 " (-room) " " (tenths(width)) " " (tenths(height)) }
            width=(tenths(large * width)) height=(tenths(large * height)) role=(role) aria-label=(shown.label)
            text-anchor="middle" {
            (painted(picture, around, |place| event_marks(surface, place, shown)))
        }
    }
}

/// Paints marks of a place: whether it decides the game, the last move, and the change since then.
fn event_marks(surface: Surface, place: &BoardPlace, shown: &Shown<'_>) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let class = match shown.deciding.contains(&place.name) {
        true => Some("deciding"),
        false => shown.last.contains(&&place.name).then_some("last"),
    };
    let mut before = shown.before.into_iter().flat_map(|picture| &picture.places);
    let before = before.find(|before| before.name == place.name);
    let (inset, corner) = match surface {
        Surface::Rack => (2.0, width / 2.0),
        Surface::Wood => (-2.0, width / 2.0),
        _ => (2.0, place.corner),
    };
    html! {
        @if let Some(class) = class { (rect(class, place, inset, corner)) }
        @match (before.map(|before| before.piece), place.piece) {
            (Some(Piece::Number(before)), Piece::Number(now)) if before != now => {
                text class="change" x=(tenths(x)) y=(tenths(y + height / 2.0 - 5.0)) {
                    (signed(now as i32 - before as i32).replace('-', "\u{2212}"))
                }
            },
            (Some(Piece::Disc(before)), Piece::Disc(now)) if before != now => {
                circle class={ "flipped " (now) } cx=(tenths(x)) cy=(tenths(y)) r="4" {}
            },
            _ => {},
        }
    }
}

/// Returns the area of the board that is clickable for a move.
fn reach(picture: &Picture, place: &BoardPlace) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let (surface, (_, top, _, bottom)) = (picture.surface, picture.edges());
    let wide = if surface == Surface::Wood {
        52.0
    } else {
        width
    };
    let (from, to) = match surface {
        // The whole column.
        Surface::Rack => (top - 20.0, bottom + 2.0),
        // Includes the number and the score of a pit.
        Surface::Wood if y < f64::midpoint(top, bottom) => (-WOOD_ROOM, y + 24.0),
        Surface::Wood => (y - 24.0, bottom + 58.0),
        _ => (y - height / 2.0, y + height / 2.0),
    };
    html! {
        rect class="reach" x=(tenths(x - wide / 2.0)) y=(tenths(from)) width=(tenths(wide)) height=(tenths(to - from)) rx="8" {}
    }
}

/// Returns the score of a move at its place.
fn badge(picture: &Picture, place: &BoardPlace, outcome: Outcome, link: &Link<'_>) -> Markup {
    let ((x, y), (_, top, _, bottom)) = (place.middle, picture.edges());
    let y = match picture.surface {
        Surface::Wood if y < f64::midpoint(top, bottom) => top - RIM - 26.0,
        Surface::Wood => bottom + RIM + 29.0,
        _ => y,
    };
    let width = (9.0 * link.sign.chars().count() as f64 + 14.0).max(28.0);
    html! {
        g class={ "score " (outcome) (if link.is_best { " best" } else { "" }) } {
            rect x=(tenths(x - width / 2.0)) y=(tenths(y - 11.0)) width=(tenths(width)) height="22" rx="11" {}
            text x=(tenths(x)) y=(tenths(y + 5.0)) { (link.sign) }
            @if link.is_best {
                path class="star" d=(STAR) transform={ "translate(" (tenths(x + width / 2.0 - 2.0)) " " (tenths(y - 10.0)) ")" } {}
            }
        }
    }
}

/// A five-pointed star, about 12 high, centred at the origin.
const STAR: &str = "M0-6.5L1.6-2.3 6.2-2 2.7.9 3.8 5.3 0 2.8-3.8 5.3-2.7.9-6.2-2-1.6-2.3Z";
