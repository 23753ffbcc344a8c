//! Drawings of positions, with the side to move.

use super::pieces::{Mark, Placed};
use super::{STYLE, pieces};
use crate::game::{BoardPlace, Game, Notation, Picture, status};
use crate::text::capitalised;
use maud::{Markup, html};

/// Moves to mark in a drawing.
#[derive(Clone, Debug)]
pub struct Marks<G: Game> {
    /// The move that was made, and whether it is right. If not, it is marked as a mistake.
    pub made: Option<(G::Move, bool)>,
    /// The best moves.
    pub best: Vec<G::Move>,
    /// The position before this one, and the move that was made there.
    pub last: Option<(G::Position, G::Move)>,
}

impl<G: Game> Default for Marks<G> {
    fn default() -> Self {
        Marks {
            made: None,
            best: Vec::new(),
            last: None,
        }
    }
}

/// A marked move: its name and the names of its places.
struct Marked {
    mark: Mark,
    name: String,
    places: Vec<String>,
}

impl Marked {
    fn is_on(&self, place: &BoardPlace) -> bool {
        self.places.contains(&place.name)
    }
}

/// Returns the marks of moves, most important first.
fn marked<G: Notation>(game: &G, position: &G::Position, marks: &Marks<G>) -> Vec<Marked> {
    let drawing = game.capabilities().drawing;
    let marked = |mark, position: &G::Position, mv| {
        let name = game.format_move(mv);
        let places = drawing.places_of_move(position, mv);
        Marked {
            mark,
            places: places.unwrap_or_else(|| vec![name.clone()]),
            name,
        }
    };
    let mut all = Vec::new();
    if let Some((mv, is_right)) = marks.made {
        let mark = if is_right { Mark::Made } else { Mark::Mistake };
        all.push(marked(mark, position, mv));
    }
    for &mv in &marks.best {
        if marks.made.is_none_or(|(made, _)| made != mv) {
            all.push(marked(Mark::Best, position, mv));
        }
    }
    if let Some((before, mv)) = &marks.last {
        all.push(marked(Mark::Last, before, *mv));
    }
    all
}

/// Returns the marks in words: "mistake: b1, best move: a3".
fn describe<'a>(marked: impl Iterator<Item = &'a Marked>) -> String {
    let words = marked.map(|of| format!("{}: {}", of.mark.outline().name, of.name));
    words.collect::<Vec<_>>().join(", ")
}

/// Draws a position and its side to move as an SVG element.
///
/// Uses the game's picture, or else its board as text. The page's style sheet has the colours.
pub fn board<G: Notation>(game: &G, position: &G::Position, marks: &Marks<G>) -> String {
    let (status, text) = (status(game, position), game.board(position));
    let picture = game.capabilities().drawing.picture(position);
    let marked = marked(game, position, marks);
    drawn(&status, picture.as_ref(), &text, &marked)
}

/// Draws the status and the picture, or else the board as text.
fn drawn(status: &str, picture: Option<&Picture>, board: &str, marked: &[Marked]) -> String {
    let words = describe(marked.iter());
    let Some(picture) = picture else {
        let remark = (!marked.is_empty()).then_some(&*words);
        let lines: Vec<&str> = board.lines().chain(remark).collect();
        let label = [&[status], &lines[..]].concat().join("; ");
        return framed("text", status, (0.0, 0.0), &html! {}, &lines, &label);
    };
    // Moves without a place on the board, such as passing, are named below it.
    let is_beside = |of: &&Marked| !picture.places.iter().any(|place| of.is_on(place));
    let remark = describe(marked.iter().filter(is_beside));
    let lines: Vec<&str> = remark.lines().collect();
    let mut label = format!("{status}. {}", picture.describe());
    if !marked.is_empty() {
        label.push_str(&format!(". {}", capitalised(&words)));
    }
    label.push('.');
    let (class, painted) = (picture.surface.to_string(), marked_picture(picture, marked));
    framed(&class, status, picture.size(), &painted, &lines, &label)
}

/// Draws a position as a file of its own, with the colours of the pages.
pub(crate) fn file(status: &str, picture: Option<&Picture>, board: &str) -> String {
    let drawing = drawn(status, picture, board, &[]);
    let style = format!("><style>{STYLE}svg{{color:var(--ink);background:var(--paper)}}</style>");
    drawing.replacen('>', &style, 1) + "\n"
}

/// Returns an SVG element of this class: the status, a picture and lines of text below it.
///
/// Sizes are in pixels.
fn framed(
    class: &str,
    status: &str,
    (width, height): (f64, f64),
    picture: &Markup,
    lines: &[&str],
    label: &str,
) -> String {
    let texts = lines.iter().chain([&status]);
    let longest = texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let wide = width.max(LETTER * longest as f64 + 8.0).ceil();
    let high = (height + LINE * (lines.len() as f64 + 1.2)).ceil();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" class=(class) viewBox={ "0 0 " (wide) " " (high) } width=(wide) height=(high)
            role="img" aria-label=(label) font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor" {
            text x="4" y="14" font-size="13" font-weight="600" text-anchor="start" { (status) }
            g transform={ "translate(0 " (LINE) ")" } { (picture) }
            g font-family="ui-monospace, monospace" font-size="14" text-anchor="start" {
                @for (number, line) in lines.iter().enumerate() {
                    text x="4" y=(height + LINE * (number + 2) as f64 - 4.0) xml:space="preserve" { (line) }
                }
            }
        }
    }
    .into_string()
}

/// The height of a line of text.
const LINE: f64 = 20.0;

/// Greatest width of a letter in most fonts.
const LETTER: f64 = 8.7;

/// Returns a picture with its marks.
fn marked_picture(picture: &Picture, marked: &[Marked]) -> Markup {
    let marks_of = |place: &BoardPlace| {
        let here = marked.iter().filter(|of| of.is_on(place));
        let mut marks: Vec<Placed> = here
            .map(|of| (of.mark, of.places.last() == Some(&place.name)))
            .collect();
        marks.sort();
        marks.dedup_by_key(|mark| mark.0);
        marks
    };
    let around = |place: &BoardPlace, piece: &Markup| {
        let marks = marks_of(place);
        let names: Vec<&str> = marks.iter().map(|mark| mark.0.outline().name).collect();
        html! {
            g {
                @if !names.is_empty() { title { (place.name) ": " (names.join(", ")) } }
                (piece)
            }
        }
    };
    let above = |place: &BoardPlace| pieces::outlines(picture.surface, place, &marks_of(place));
    pieces::painted(picture, around, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::eight::Eight;
    use crate::games::reversi::{Board, Reversi, Start};
    use crate::games::tictactoe::TicTacToe;
    use crate::testing::tables::kalah;

    fn drawing<G: Notation>(game: &G, position: &str, made: (&str, bool), best: &[&str]) -> String {
        let read = |mv: &str| game.parse_move(mv).unwrap();
        let marks = Marks {
            made: Some((read(made.0), made.1)),
            best: best.iter().map(|mv| read(mv)).collect(),
            last: None,
        };
        board(game, &game.parse_position(position).unwrap(), &marks)
    }

    /// Returns all text elements of a drawing in order, without titles.
    fn texts(drawing: &str) -> Vec<&str> {
        drawing
            .split("<text ")
            .skip(1)
            .map(|rest| {
                let (_, text) = rest.split_once('>').unwrap();
                text.split_once("</text>").unwrap().0
            })
            .collect()
    }

    #[test]
    fn crosses_and_noughts_are_no_stones() {
        let drawing = drawing(&TicTacToe::default(), "X..X...O.", ("b1", false), &["a3"]);
        let found = texts(&drawing);
        assert_eq!(found[0], "O to move");
        for (letter, times) in [("cross", 2), ("nought", 1), ("stone", 0)] {
            let class = format!("class=\"{letter}\"");
            assert_eq!(drawing.matches(&class).count(), times, "{letter}");
        }
        for name in ["a", "b", "c", "1", "2", "3"] {
            assert!(found.contains(&name), "{name}: {found:?}");
        }
        assert!(drawing.contains("<title>b1: mistake</title>"));
        assert!(drawing.contains("<title>a3: best move</title>"));
        assert!(drawing.contains(
            "aria-label=\"O to move. a1: X, a2: X, b3: O. Mistake: b1, best move: a3.\""
        ));
    }

    #[test]
    fn kalah_has_numbers_on_both_sides_and_names_its_stores() {
        let kalah = kalah(3, 2);
        let drawing = drawing(&kalah, "2,0,3:1/2,2,2:0 second", ("1", true), &["1", "2"]);
        let found = texts(&drawing);
        assert_eq!(found[0], "Second player to move");
        for pit in ["1", "2", "3"] {
            assert!(found.iter().filter(|text| **text == pit).count() >= 2);
        }
        for name in ["first's store", "second's store"] {
            assert!(found.contains(&name), "{name}: {found:?}");
        }
        // The pits of the side to move, not the first player's.
        assert!(drawing.contains("<title>second's pit 1: move made</title>"));
        assert!(drawing.contains("<title>second's pit 2: best move</title>"));
        assert_eq!(drawing.matches("<title>").count(), 2);
    }

    #[test]
    fn every_cell_of_reversi_is_drawn_with_its_disc() {
        for (squares, cells) in [(Board::FourByFour, 16), (Board::Octagon, 24)] {
            let start = Start::Cross;
            let game = Reversi {
                board: squares,
                start,
            };
            let drawing = board(&game, &game.start(), &Marks::default());
            assert_eq!(drawing.matches("class=\"cell\"").count(), cells);
            assert_eq!(drawing.matches("class=\"stone ").count(), 4);
            assert!(drawing.contains(">Black to move<"));
        }
    }

    #[test]
    fn moves_without_a_place_are_told_below_the_board() {
        let game = Reversi {
            board: Board::FourByFour,
            start: Start::Cross,
        };
        let drawing = drawing(&game, "..../.WB./.BW./.... B", ("pass", true), &[]);
        assert_eq!(texts(&drawing).last(), Some(&"move made: pass"));
    }

    #[test]
    fn the_move_before_is_marked_where_it_was_made() {
        let game = TicTacToe::default();
        let start = game.start();
        let mv = game.parse_move("b2").unwrap();
        let marks = Marks {
            last: Some((start, mv)),
            ..Marks::default()
        };
        let drawing = board(&game, &game.play(&start, mv), &marks);
        assert!(drawing.contains("<title>b2: move before</title>"));
    }

    #[test]
    fn the_end_tells_who_has_won() {
        let game = TicTacToe::default();
        for (position, status) in [
            ("XXXOO....", "X has won"),
            ("XX.OOOX..", "O has won"),
            ("XOXXOOOXX", "The game is drawn"),
        ] {
            let position = game.parse_position(position).unwrap();
            let drawing = board(&game, &position, &Marks::default());
            assert_eq!(texts(&drawing)[0], status);
        }
    }

    #[test]
    fn a_game_without_a_picture_is_drawn_as_text() {
        let drawing = drawing(&Eight, "5,2 second", ("3", true), &["3", "1"]);
        let found = texts(&drawing);
        assert_eq!(found[0], "Second player to move");
        assert!(found.contains(&"  total    5 of 8"), "{found:?}");
        assert_eq!(found.last(), Some(&"move made: 3, best move: 1"));
    }

    #[test]
    fn text_in_drawings_is_escaped() {
        let drawing = framed("text", "c>d", (0.0, 0.0), &html! {}, &["a<b", "\"&\""], "");
        assert!(drawing.contains("a&lt;b") && drawing.contains("&amp;"));
        assert!(!drawing.contains("a<b"));
    }
}
