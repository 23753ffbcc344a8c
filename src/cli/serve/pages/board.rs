//! The board, painted with a link for each move.
//!
//! Style sheets have all colours. Words, signs or shapes carry the same information.

use super::words;
use crate::any::{LegalMove, View};
use crate::draw::pieces::{Edges, RIM, ground, piece, seed_number, spot};
use crate::draw::tenths;
use crate::game::{InWords, Outcome, Picture, Piece, Place, Surface};
use maud::{Markup, html};

/// A link for a move, on the board or next to it.
pub struct Link<'a> {
    pub mv: &'a LegalMove,
    /// The move's place on the board, if it has one that no other move shares.
    pub place: Option<&'a Place>,
    pub address: String,
    /// Its score, if it is known and to be shown.
    pub score: Option<InWords>,
    pub is_best: bool,
    /// Whether it is the next move of the line.
    pub is_played: bool,
    /// The link in words: "Pit 5: +6, wins by 6, a best move".
    pub words: String,
}

/// Space above and below a wooden board for scores.
const WOOD_ROOM: f64 = 16.0;
/// Minimum width of a board if there is space, in pixels.
const WIDE: f64 = 460.0;
/// Minimum scale of a board, relative to the drawings in reports.
const LARGE: f64 = 2.1;

/// The place of a move's link on the board, if it has one.
///
/// The first or else the last of the move's places that no other move has in the same role.
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

/// What is marked on a board besides the places that decide the result.
#[derive(Default)]
pub struct Marks<'a> {
    /// Names of the places of the last moves.
    pub last: Vec<&'a String>,
    /// The board before these moves.
    pub before: Option<&'a Picture>,
    /// Whether the board is shown as the second player sees it.
    pub is_turned: bool,
}

/// The position with a link for each move that has its own place.
pub fn board(view: &View, links: &[Link<'_>]) -> Markup {
    marked(view, links, &Marks::default())
}

/// The position with links, and marks of the last moves.
pub fn marked(view: &View, links: &[Link<'_>], marks: &Marks<'_>) -> Markup {
    painted(view, links, marks, "board")
}

/// The position without links, small.
pub fn still(view: &View) -> Markup {
    painted(view, &[], &Marks::default(), "still")
}

fn painted(view: &View, links: &[Link<'_>], marks: &Marks<'_>, class: &str) -> Markup {
    let Some(picture) = &view.picture else {
        return html! { pre class={ (class) " text" } { (view.board) } };
    };
    let surface = picture.surface;
    let label = format!("{}. {}.", view.status, picture.describe());
    // Screen readers read a group link by link, but a picture as a whole.
    let turned = if marks.is_turned { " turned" } else { "" };
    let role = if links.is_empty() { "img" } else { "group" };
    let bounds = picture.edges();
    let room = if surface == Surface::Wood {
        WOOD_ROOM
    } else {
        0.0
    };
    let (width, height) = picture.size();
    let height = height + 2.0 * room;
    let large = (WIDE / width).max(LARGE);
    html! {
        svg class={ (class) " " (surface) (turned) } viewBox={ "0 " (-room) " " (tenths(width)) " " (tenths(height)) }
            width=(tenths(large * width)) height=(tenths(large * height)) role=(role) aria-label=(label)
            text-anchor="middle" {
            (ground(surface, bounds))
            @for label in &picture.labels {
                text class="label" x=(tenths(label.middle.0)) y=(tenths(label.middle.1)) { (label.text) }
            }
            @for place in &picture.places {
                @match links.iter().find(|link| link.place == Some(place)) {
                    None => { g { (spot(surface, place)) (piece(surface, place)) } },
                    Some(link) => {
                        a href=(link.address) class="move" aria-label=(link.words) {
                            (spot(surface, place))
                            (piece(surface, place))
                            @if let Some(score) = link.score { (badge(surface, place, bounds, score, link.is_best)) }
                            @else if surface != Surface::Wood && place.piece == Piece::Empty {
                                circle class="hint" cx=(tenths(place.middle.0)) cy=(tenths(place.middle.1)) r="6" {}
                            }
                            // Topmost, so that it receives clicks.
                            (reach(surface, place, bounds))
                        }
                    },
                }
            }
            // Outside the links, because the numbers are not part of their names.
            @for place in &picture.places { (seed_number(surface, place)) (happened(view, surface, place, marks)) }
        }
    }
}

/// What happened at a place: whether it decides the game, the last move, and the change since then.
fn happened(view: &View, surface: Surface, place: &Place, marks: &Marks<'_>) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let class = match view.deciding.contains(&place.name) {
        true => Some("deciding"),
        false => marks.last.contains(&&place.name).then_some("last"),
    };
    let mut before = marks.before.into_iter().flat_map(|picture| &picture.places);
    let before = before.find(|before| before.name == place.name);
    let before = before.map_or(place.piece, |before| before.piece);
    let (inset, corner) = match surface {
        Surface::Rack => (2.0, width / 2.0),
        Surface::Wood => (-2.0, width / 2.0),
        _ => (2.0, place.corner),
    };
    html! {
        @if let Some(class) = class {
            rect class=(class) x=(tenths(x - width / 2.0 + inset)) y=(tenths(y - height / 2.0 + inset)) rx=(tenths(corner))
                width=(tenths(width - 2.0 * inset)) height=(tenths(height - 2.0 * inset)) {}
        }
        @match (before, place.piece) {
            (Piece::Number(before), Piece::Number(now)) if before != now => {
                text class="change" x=(tenths(x)) y=(tenths(y + height / 2.0 - 5.0)) { (words::signed(now as i32 - before as i32)) }
            },
            (Piece::Disc(before), Piece::Disc(now)) if before != now => {
                circle class={ "flipped " (now) } cx=(tenths(x)) cy=(tenths(y)) r="4" {}
            },
            _ => {},
        }
    }
}

/// The area of the board that is clickable for a move.
fn reach(surface: Surface, place: &Place, (_, top, _, bottom): Edges) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
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

/// The score of a move at its place.
fn badge(surface: Surface, place: &Place, bounds: Edges, score: InWords, is_best: bool) -> Markup {
    let ((x, y), (_, top, _, bottom)) = (place.middle, bounds);
    let y = match surface {
        Surface::Wood if y < f64::midpoint(top, bottom) => top - RIM - 26.0,
        Surface::Wood => bottom + RIM + 29.0,
        _ => y,
    };
    let text = words::sign(score);
    let width = (9.0 * text.chars().count() as f64 + 14.0).max(28.0);
    html! {
        g class={ "score " (class_of(score.score)) (if is_best { " best" } else { "" }) } {
            rect x=(tenths(x - width / 2.0)) y=(tenths(y - 11.0)) width=(tenths(width)) height="22" rx="11" {}
            text x=(tenths(x)) y=(tenths(y + 5.0)) { (text) }
            @if is_best {
                path class="star" d=(STAR) transform={ "translate(" (tenths(x + width / 2.0 - 2.0)) " " (tenths(y - 10.0)) ")" } {}
            }
        }
    }
}

/// A five-pointed star, about 12 high, centred at the origin.
const STAR: &str = "M0-6.5L1.6-2.3 6.2-2 2.7.9 3.8 5.3 0 2.8-3.8 5.3-2.7.9-6.2-2-1.6-2.3Z";

/// The class in the style sheet for a score.
pub fn class_of(score: i32) -> &'static str {
    match Outcome::of(score) {
        Outcome::Win => "win",
        Outcome::Draw => "draw",
        Outcome::Loss => "loss",
    }
}
