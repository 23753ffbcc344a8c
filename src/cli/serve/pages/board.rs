//! The board, painted so that one can point at its moves. All colours are in the style sheet; what
//! they tell is told in words, signs or shapes, too.

use super::words;
use crate::any::{LegalMove, Look, View};
use crate::game::{Outcome, Piece, Place, Side, Surface};
use maud::{Markup, html};

/// A move on the board, or beside it.
pub struct Link<'a> {
    pub mv: &'a LegalMove,
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
const WOOD_ABOVE: f64 = 22.0;
const WOOD_HEIGHT: f64 = 212.0;
/// How wide boards are at least where there is room, and how much larger than in reports the others
/// are.
const WIDE: f64 = 460.0;
const LARGE: f64 = 2.1;
/// The edge of a wooden board round its pits.
const RIM: f64 = 8.0;

/// The position, with a link for each of its moves that has a place of its own.
pub fn board(look: &Look, links: &[Link<'_>]) -> Markup {
    painted(&look.view, links, "board")
}

/// The position alone, small.
pub fn still(view: &View) -> Markup {
    painted(view, &[], "still")
}

/// The moves that are no link on the board: those that have no place there, or share it.
pub fn without_place<'a>(view: &View, links: &'a [Link<'a>]) -> Vec<&'a Link<'a>> {
    let is_there = |link: &&Link<'_>| place_of(view, link, links).is_none();
    links.iter().filter(is_there).collect()
}

/// The place that a move is made at: the first of its places, or else the last, that no other move
/// has in the same role.
fn place_of<'a>(view: &'a View, link: &Link<'_>, links: &[Link<'_>]) -> Option<&'a Place> {
    let roles: [fn(&LegalMove) -> Option<&String>; 2] =
        [|mv| mv.places.first(), |mv| mv.places.last()];
    let own = roles.into_iter().find_map(|role| {
        let place = role(link.mv)?;
        let mut same = links.iter().filter(|of| role(of.mv) == Some(place));
        (same.next().is_some() && same.next().is_none()).then_some(place)
    })?;
    let places = &view.picture.as_ref()?.places;
    places.iter().find(|place| place.name == *own)
}

fn painted(view: &View, links: &[Link<'_>], class: &str) -> Markup {
    let Some(picture) = &view.picture else {
        return html! { pre class={ (class) " text" } { (view.board) } };
    };
    let surface = picture.surface;
    let label = format!("{}. {}.", view.status, picture.describe());
    let kind = match surface {
        Surface::Wood => "wood",
        Surface::Rack => "rack",
        Surface::Cloth => "cloth",
        _ => "paper",
    };
    // A group of links is read link by link, a picture as one.
    let role = if links.is_empty() { "img" } else { "group" };
    let bounds = bounds(&picture.places);
    let (left, width, height) = match surface {
        Surface::Wood => {
            let room = RIM + 2.0;
            (
                bounds.0 - room,
                bounds.2 - bounds.0 + 2.0 * room,
                WOOD_HEIGHT,
            )
        }
        _ => (0.0, picture.size().0, picture.size().1),
    };
    let large = (WIDE / width).max(LARGE);
    html! {
        svg class={ (class) " " (kind) } viewBox={ (tenths(left)) " 0 " (tenths(width)) " " (tenths(height)) }
            width=(tenths(large * width)) height=(tenths(large * height)) role=(role) aria-label=(label)
            text-anchor="middle" {
            g transform=[(surface == Surface::Wood).then(|| format!("translate(0 {WOOD_ABOVE})"))] {
                (ground(surface, bounds))
                @for label in &picture.labels {
                    @if let Some(down) = label_down(surface, label.middle, bounds) {
                        text class="label" x=(tenths(label.middle.0)) y=(tenths(label.middle.1 + down)) { (label.text) }
                    }
                }
                @for place in &picture.places {
                    @let link = links.iter().find(|link| place_of(view, link, links) == Some(place));
                    @match link {
                        None => { g { (spot(surface, place, None)) } },
                        Some(link) => {
                            a href=(link.address) class={ "move m" (link.number) } aria-label=(link.words) {
                                (spot(surface, place, Some(reach(surface, place, bounds))))
                                @if let Some(score) = link.score { (badge(surface, place, bounds, score, link.is_best)) }
                                @else { (hint(surface, place)) }
                            }
                        },
                    }
                }
                // Not in the links, whose names they are no part of.
                @for place in &picture.places {
                    @if let (Surface::Wood, Piece::Number(number)) = (surface, place.piece) {
                        text class={ "count" (if number == 0 { " none" } else { "" }) } x=(tenths(place.middle.0)) y=(tenths(place.middle.1 + 6.0)) { (number) }
                    }
                }
            }
        }
    }
}

/// The left, top, right and bottom edges of all places.
type Edges = (f64, f64, f64, f64);

fn bounds(places: &[Place]) -> Edges {
    let none = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
    places
        .iter()
        .fold(none, |(left, top, right, bottom), place| {
            let ((x, y), (width, height)) = (place.middle, place.size);
            (
                left.min(x - width / 2.0),
                top.min(y - height / 2.0),
                right.max(x + width / 2.0),
                bottom.max(y + height / 2.0),
            )
        })
}

/// What lies below all places.
fn ground(surface: Surface, (left, top, right, bottom): Edges) -> Markup {
    let (class, edge, corner) = match surface {
        Surface::Wood => ("plank", RIM, 30.0),
        Surface::Rack => ("frame", 3.0, 10.0),
        Surface::Cloth => ("felt", 3.0, 6.0),
        _ => return html! {},
    };
    html! {
        rect class=(class) x=(tenths(left - edge)) y=(tenths(top - edge)) width=(tenths(right - left + 2.0 * edge))
            height=(tenths(bottom - top + 2.0 * edge)) rx=(corner) {}
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
        -4.0
    } else if middle.0 < left + 26.0 {
        // The second player's store is named above it, on that player's side.
        top - bottom - 38.0
    } else {
        4.0
    };
    (!is_caption).then_some(down)
}

/// The area that one may point at for a move: left, top, width, height.
fn reach(surface: Surface, place: &Place, (_, top, _, bottom): Edges) -> (f64, f64, f64, f64) {
    let ((x, y), (width, height)) = (place.middle, place.size);
    match surface {
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
    }
}

/// A place and what lies on it.
fn spot(surface: Surface, place: &Place, reach: Option<(f64, f64, f64, f64)>) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let (left, top) = (tenths(x - width / 2.0), tenths(y - height / 2.0));
    html! {
        @if let Some((left, top, width, height)) = reach {
            rect class="reach" x=(tenths(left)) y=(tenths(top)) width=(tenths(width)) height=(tenths(height)) rx="8" {}
        }
        @match surface {
            Surface::Rack => { circle class="hole" cx=(tenths(x)) cy=(tenths(y)) r=(tenths(0.41 * width)) {} },
            Surface::Wood => { rect class="pit" x=(left) y=(top) width=(width) height=(height) rx=(width / 2.0) {} },
            _ => { rect class="cell" x=(left) y=(top) width=(width) height=(height) rx=(place.corner) {} },
        }
        (piece(surface, place))
    }
}

fn piece(surface: Surface, place: &Place) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let (x, y) = (tenths(x), tenths(y));
    let radius = tenths(0.38 * width.min(height));
    let side = |side: Side| {
        if side == Side::First {
            "first"
        } else {
            "second"
        }
    };
    html! {
        @match place.piece {
            Piece::Letter(letter) if surface == Surface::Rack => {
                @let class = if letter == 'X' { "first" } else { "second" };
                circle class={ "disc " (class) } cx=(x) cy=(y) r=(tenths(0.41 * width)) {}
                circle class="ring" cx=(x) cy=(y) r=(tenths(0.29 * width)) {}
                text class={ "on-disc " (class) } x=(x) y=(y + 6.0) { (letter) }
            },
            Piece::Letter('X') => {
                path class="cross" d={ "M" (x - 11.0) " " (y - 11.0) "l22 22m0-22l-22 22" } {}
            },
            Piece::Letter('O') => { circle class="nought" cx=(x) cy=(y) r="12" {} },
            Piece::Letter(letter) => { text class="letter" x=(x) y=(y + 9.5) { (letter) } },
            Piece::Disc(owner) => { circle class={ "stone " (side(owner)) } cx=(x) cy=(y) r=(radius) {} },
            Piece::Number(number) if surface == Surface::Wood => {
                (seeds(place, number))
            },
            Piece::Number(number) => { text class="letter" x=(x) y=(y + 6.5) { (number) } },
            Piece::Block => {
                rect class="block" x=(tenths(place.middle.0 - width / 2.0 + 5.0)) y=(tenths(place.middle.1 - height / 2.0 + 5.0))
                    width=(width - 10.0) height=(height - 10.0) rx="4" {}
            },
            _ => {},
        }
    }
}

/// More seeds than so many aren't told apart anyway.
const MOST_SEEDS: u32 = 60;

/// Round the number in the middle: in a ring, or in several if there are many.
fn seeds(place: &Place, number: u32) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let shown = number.min(MOST_SEEDS);
    // A store is longer than it is wide.
    let stretch = (height / 2.0 - 7.0) / (width / 2.0 - 7.0);
    let (outer, rings) = (width / 2.0 - 7.0, rings(shown, stretch));
    let radius = [4.2, 3.3, 2.6][rings.len().clamp(1, 3) - 1];
    html! {
        @for (ring, &count) in rings.iter().enumerate() {
            @let out = outer - 2.1 * radius * ring as f64;
            @for seed in 0..count {
                @let angle = std::f64::consts::TAU * (f64::from(seed) + 0.5 * (ring % 2) as f64) / f64::from(count) - 1.57;
                circle class={ "seed s" ((seed + ring as u32) % 3) } cx=(tenths(x + out * angle.cos()))
                    cy=(tenths(y + stretch * out * angle.sin())) r=(tenths(radius)) {}
            }
        }
    }
}

/// How many seeds go into which ring, the outermost first.
fn rings(seeds: u32, stretch: f64) -> Vec<u32> {
    // As many as have room beside each other, in one, two and three rings.
    let room: [&[f64]; 3] = [&[11.0], &[15.0, 9.0], &[19.0, 13.0, 8.0]];
    let stretch = f64::midpoint(1.0, stretch);
    for rooms in room {
        let mut left = seeds;
        let rings: Vec<u32> = rooms
            .iter()
            .map(|room| {
                let here = left.min((room * stretch) as u32);
                left -= here;
                here
            })
            .collect();
        if left == 0 {
            return rings.into_iter().filter(|&count| count > 0).collect();
        }
    }
    rings(
        room[2].iter().map(|room| (room * stretch) as u32).sum(),
        stretch,
    )
}

/// Where the score of a move at a place goes.
fn badge_middle(surface: Surface, place: &Place, (_, top, _, bottom): Edges) -> (f64, f64) {
    let (x, y) = place.middle;
    match surface {
        Surface::Wood if y < (top + bottom) / 2.0 => (x, top - RIM - 30.0 + 4.0),
        Surface::Wood => (x, bottom + RIM + 29.0),
        _ => (x, y),
    }
}

fn badge(surface: Surface, place: &Place, bounds: Edges, score: i32, is_best: bool) -> Markup {
    let (x, y) = badge_middle(surface, place, bounds);
    let text = words::signed(score);
    let width = (9.0 * text.chars().count() as f64 + 14.0).max(28.0);
    html! {
        g class={ "score " (class_of(score)) (if is_best { " best" } else { "" }) } {
            rect x=(tenths(x - width / 2.0)) y=(tenths(y - 11.0)) width=(tenths(width)) height="22" rx="11" {}
            text x=(tenths(x)) y=(tenths(y + 5.0)) { (text) }
            @if is_best {
                path class="star" d=(star(x + width / 2.0 - 2.0, y - 10.0)) {}
            }
        }
    }
}

/// That a move can be made here, where its score is not shown.
fn hint(surface: Surface, place: &Place) -> Markup {
    let (x, y) = place.middle;
    html! {
        @if surface != Surface::Wood && place.piece == Piece::Empty {
            circle class="hint" cx=(tenths(x)) cy=(tenths(y)) r="6" {}
        }
    }
}

/// A star of five points, about 12 high.
fn star(x: f64, y: f64) -> String {
    let mut path = String::new();
    for corner in 0..10 {
        let radius = if corner % 2 == 0 { 6.5 } else { 2.8 };
        let angle = std::f64::consts::PI * (f64::from(corner) / 5.0 - 0.5);
        let letter = if corner == 0 { 'M' } else { 'L' };
        let (across, down) = (x + radius * angle.cos(), y + radius * angle.sin());
        path.push_str(&format!("{letter}{} {}", tenths(across), tenths(down)));
    }
    path.push('Z');
    path
}

/// The class of what has this score.
pub fn class_of(score: i32) -> &'static str {
    match Outcome::of(score) {
        Outcome::Win => "win",
        Outcome::Draw => "draw",
        Outcome::Loss => "loss",
    }
}

fn tenths(length: f64) -> f64 {
    (10.0 * length).round() / 10.0
}
