//! Boards with a link for each move.
//!
//! Style sheets have all colours. Words, signs or shapes carry the same information.

use super::pieces::{RIM, painted, rect};
use super::tenths;
use crate::game::{BoardPlace, InWords, Picture, Piece, Side, Surface};
use crate::text::signed;
use maud::{Markup, html};

/// A link at a place of a board: to the move made there, or to a choice of moves that go through it.
pub(crate) struct PlaceLink<'a> {
    pub place: &'a BoardPlace,
    pub address: String,
    /// The link in words: "Pit 5: +6, wins by 6, a best move".
    pub words: String,
    /// The best score of the move, or of all the moves through the place, if it is to be shown.
    pub badge: Option<Badge>,
    /// Whether the place has been chosen. Then the link takes that back.
    pub is_chosen: bool,
}

/// The score of a move, seen from the side that makes it.
#[derive(Clone)]
pub(crate) struct Badge {
    pub score: InWords,
    /// The score in a few letters: "+6".
    pub sign: String,
    pub is_best: bool,
}

/// A position on a board, with its marks besides the pieces and the links.
#[derive(Default)]
pub(crate) struct Shown<'a> {
    /// "board", or "still" for a small one.
    pub class: &'static str,
    /// The position as text.
    pub position: &'a str,
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
    /// Whether discs have letters.
    pub has_letters: bool,
    /// The colour of the disc that hovers over a column, if somebody may drop one.
    pub hovering: Option<Side>,
}

/// Space above and below a wooden board for scores.
const ROOM: f64 = 16.0;
/// Space above a rack for scores.
const ROOM_FOR_DISCS: f64 = 26.0;
/// Space around a board for lines that cross its edge.
const EDGE: f64 = 3.0;
/// Minimum width of a board if there is space, in pixels.
const WIDE: f64 = 460.0;
/// Minimum scale of a board, relative to the drawings in reports.
const LARGE: f64 = 2.1;

/// Paints a board with links at its places.
///
/// The script reads the position and each place from it, to show a move as motion.
pub(crate) fn linked(picture: &Picture, links: &[PlaceLink<'_>], shown: &Shown<'_>) -> Markup {
    let surface = picture.surface;
    // Screen readers read a group link by link, but a picture as a whole.
    let role = if links.is_empty() { "img" } else { "group" };
    let turned = if shown.is_turned { " turned" } else { "" };
    let letters = if shown.has_letters { " letters" } else { "" };
    let (above, below) = match surface {
        Surface::Wood => (ROOM, ROOM),
        Surface::Rack => (ROOM_FOR_DISCS, EDGE),
        _ => (EDGE, EDGE),
    };
    let (width, height) = picture.size();
    let (width, height) = (width + 2.0 * EDGE, height + above + below);
    let large = (WIDE / width).max(LARGE);
    let around = |place: &BoardPlace, piece: &Markup| {
        let word = place.piece.word().unwrap_or_default();
        let at = format!("{} {}", tenths(place.middle.0), tenths(place.middle.1));
        let Some(link) = links.iter().find(|link| link.place.name == place.name) else {
            return html! { g data-place=(place.name) data-at=(at) data-piece=(word) { (piece) } };
        };
        let chosen = if link.is_chosen { " chosen" } else { "" };
        html! {
            a href=(link.address) class={ "move" (chosen) } aria-label=(link.words) data-place=(place.name) data-at=(at) data-piece=(word) {
                (piece)
                @if let (Surface::Rack, Some(side)) = (surface, shown.hovering) { (hovering(picture, place, side)) }
                @if let Some(badge) = &link.badge { (painted_badge(picture, place, badge)) }
                @else if surface != Surface::Wood && !link.is_chosen {
                    circle class="hint" cx=(tenths(place.middle.0)) cy=(tenths(place.middle.1)) r="5" {}
                }
                // Topmost, so that it receives clicks.
                (reach(picture, place))
            }
        }
    };
    html! {
        svg class={ (shown.class) " " (surface) (turned) (letters) } data-position=(shown.position)
            viewBox={ (-EDGE) " " (-above) " " (tenths(width)) " " (tenths(height)) }
            width=(tenths(large * width)) height=(tenths(large * height)) preserveAspectRatio="xMinYMin" role=(role) aria-label=(shown.label)
            text-anchor="middle" {
            (painted(picture, around, |place| event_marks(surface, place, shown)))
        }
    }
}

/// Paints the disc that appears above a column while somebody points at it.
fn hovering(picture: &Picture, place: &BoardPlace, side: Side) -> Markup {
    let (_, top, _, _) = picture.edges();
    html! {
        circle class={ "disc hovering " (side) } cx=(tenths(place.middle.0)) cy=(tenths(top - 12.0)) r="12" {}
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
        Surface::Rack => (top - 42.0, bottom + 2.0),
        // Includes the number and the score of a pit.
        Surface::Wood if y < f64::midpoint(top, bottom) => (2.0 - ROOM, y + 24.0),
        Surface::Wood => (y - 24.0, bottom + 58.0),
        _ => (y - height / 2.0, y + height / 2.0),
    };
    html! {
        rect class="reach" x=(tenths(x - wide / 2.0)) y=(tenths(from)) width=(tenths(wide)) height=(tenths(to - from)) rx="8" {}
    }
}

/// Returns the score of a move at its place.
fn painted_badge(picture: &Picture, place: &BoardPlace, badge: &Badge) -> Markup {
    let ((x, y), (_, top, _, bottom)) = (place.middle, picture.edges());
    let y = match picture.surface {
        Surface::Wood if y < f64::midpoint(top, bottom) => top - RIM - 26.0,
        Surface::Wood => bottom + RIM + 29.0,
        Surface::Rack => top - 30.0,
        _ => y,
    };
    // Columns are narrow.
    let (letter, edges) = match picture.surface {
        Surface::Rack => (8.5, 14.0),
        _ => (9.5, 16.0),
    };
    let width = (letter * badge.sign.chars().count() as f64 + edges).max(30.0);
    html! {
        g class={ "score " (badge.score.outcome()) (if badge.is_best { " best" } else { "" }) } {
            rect x=(tenths(x - width / 2.0)) y=(tenths(y - 11.0)) width=(tenths(width)) height="22" rx="11" {}
            text x=(tenths(x)) y=(tenths(y + 5.0)) { (badge.sign) }
            @if badge.is_best {
                path class="star" d=(STAR) transform={ "translate(" (tenths(x + width / 2.0 - 2.0)) " " (tenths(y - 10.0)) ")" } {}
            }
        }
    }
}

/// A five-pointed star, about 12 high, centred at the origin.
const STAR: &str = "M0-6.5L1.6-2.3 6.2-2 2.7.9 3.8 5.3 0 2.8-3.8 5.3-2.7.9-6.2-2-1.6-2.3Z";
