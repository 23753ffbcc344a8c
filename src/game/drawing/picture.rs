//! What a board looks like, without how it is painted.

use crate::game::Side;

/// From the middle of one cell of a grid to the next one's.
const CELL: f64 = 44.0;
/// Beside a grid, for the names of its rows and columns.
const MARGIN: f64 = 22.0;
/// Round a picture, so that no line is cut off.
const EDGE: f64 = 10.0;

/// What a board looks like: its places, what lies on each, and what is written beside them. All
/// lengths are in pixels, from the top left corner.
///
/// Most games are played on a grid, and need no more than [`Picture::grid`]:
///
/// ```
/// use zermelo::game::{Picture, Piece, Side};
///
/// // Go on 5×5 points, with one black stone on b1.
/// let picture = Picture::grid(5, 5, |column, row| match (column, row) {
///     (1, 0) => Some(Piece::Disc(Side::First)),
///     _ => Some(Piece::Empty),
/// });
/// assert_eq!(picture.places.len(), 25);
/// assert_eq!(picture.places[1].name, "b1");
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Picture {
    /// The places.
    pub places: Vec<Place>,
    /// What is written beside the places.
    pub labels: Vec<Label>,
    /// What kind of board it is.
    pub surface: Surface,
}

/// What kind of board it is, for painters that make something of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Surface {
    /// Lines on paper.
    #[default]
    Paper,
    /// Pits and stores, hollowed out of wood.
    Wood,
    /// An upright rack with round holes, behind which discs fall.
    Rack,
    /// Cloth with discs on it.
    Cloth,
}

impl Surface {
    /// In a word, as a class for style sheets.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Surface::Paper => "paper",
            Surface::Wood => "wood",
            Surface::Rack => "rack",
            Surface::Cloth => "cloth",
        }
    }
}

/// What lies on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Piece {
    /// Nothing.
    Empty,
    /// A piece that is known by a letter, such as X and O or the pieces of chess.
    Letter(char),
    /// A round piece, black for the first player and white for the second.
    Disc(Side),
    /// So many seeds, coins or whatever is counted.
    Number(u32),
    /// The place is taken, no matter by whom.
    Block,
}

impl Piece {
    /// In a word, for those who can't see the picture; nothing where there is nothing.
    pub(crate) fn word(self) -> Option<String> {
        match self {
            Piece::Empty => None,
            Piece::Letter(letter) => Some(letter.to_string()),
            Piece::Disc(Side::First) => Some("black".into()),
            Piece::Disc(Side::Second) => Some("white".into()),
            Piece::Number(number) => Some(number.to_string()),
            Piece::Block => Some("taken".into()),
        }
    }
}

/// A place on the board: a cell, a pit, a point.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// Its name, by which moves are marked: see [`Drawing::places_of_move`].
    ///
    /// [`Drawing::places_of_move`]: crate::game::Drawing::places_of_move
    pub name: String,
    /// Where its middle is, to the right and downwards.
    pub middle: (f64, f64),
    /// Its width and height.
    pub size: (f64, f64),
    /// The radius of its corners.
    pub corner: f64,
    /// What lies on it.
    pub piece: Piece,
}

impl Place {
    /// A cell of a grid.
    #[must_use]
    pub fn new(name: impl Into<String>, middle: (f64, f64), piece: Piece) -> Place {
        Place {
            name: name.into(),
            middle,
            size: (CELL, CELL),
            corner: 0.0,
            piece,
        }
    }

    /// The same in another size and with rounded corners.
    #[must_use]
    pub fn rounded(self, size: (f64, f64), corner: f64) -> Place {
        Place {
            size,
            corner,
            ..self
        }
    }
}

/// A few words beside the places.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Label {
    /// The words.
    pub text: String,
    /// The middle of their base line.
    pub middle: (f64, f64),
}

impl Label {
    /// These words there.
    #[must_use]
    pub fn new(text: impl Into<String>, middle: (f64, f64)) -> Label {
        Label {
            text: text.into(),
            middle,
        }
    }
}

impl Picture {
    /// A board of cells in columns and rows. The cells are named `a1`, `b1`, … from the top left:
    /// columns by letters, rows by numbers. `piece` says what lies on a cell, column and row counted
    /// from 0, or nothing where there is no cell.
    #[must_use]
    pub fn grid(columns: u32, rows: u32, piece: impl Fn(u32, u32) -> Option<Piece>) -> Picture {
        let middle = |at: u32| MARGIN + CELL * (f64::from(at) + 0.5);
        let letter = |column: u32| char::from_u32('a' as u32 + column % 26).unwrap_or('?');
        let mut picture = Picture::default();
        for column in 0..columns {
            let at = (middle(column), MARGIN - 7.0);
            picture.labels.push(Label::new(letter(column), at));
        }
        for row in 0..rows {
            let at = (MARGIN - 11.0, middle(row) + 4.0);
            picture.labels.push(Label::new((row + 1).to_string(), at));
            for column in 0..columns {
                if let Some(piece) = piece(column, row) {
                    let name = format!("{}{}", letter(column), row + 1);
                    let middle = (middle(column), middle(row));
                    picture.places.push(Place::new(name, middle, piece));
                }
            }
        }
        picture
    }

    /// The width and height of it all.
    pub(crate) fn size(&self) -> (f64, f64) {
        let places = self.places.iter().map(|place| {
            (
                place.middle.0 + place.size.0 / 2.0,
                place.middle.1 + place.size.1 / 2.0,
            )
        });
        let labels = self.labels.iter().map(|label| label.middle);
        let (width, height) = places
            .chain(labels)
            .fold((0.0, 0.0), |(width, height): (f64, f64), (x, y)| {
                (width.max(x), height.max(y))
            });
        (width + EDGE, height + EDGE)
    }

    /// Everything on it in words: `b2: X, c3: O`.
    pub(crate) fn describe(&self) -> String {
        let words = self.places.iter().filter_map(|place| {
            let word = place.piece.word()?;
            Some(format!("{}: {word}", place.name))
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() {
            "the board is empty".into()
        } else {
            words.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_names_and_may_have_holes() {
        let corner = |column, row| (column + row > 0).then_some(Piece::Empty);
        let picture = Picture::grid(2, 3, corner);
        let names: Vec<&str> = picture.places.iter().map(|place| &*place.name).collect();
        assert_eq!(names, ["b1", "a2", "b2", "a3", "b3"]);
        let labels: Vec<&str> = picture.labels.iter().map(|label| &*label.text).collect();
        assert_eq!(labels, ["a", "b", "1", "2", "3"]);
    }

    #[test]
    fn what_lies_on_the_board_is_told_in_words() {
        let picture = Picture::grid(2, 2, |column, row| {
            Some(match (column, row) {
                (0, 0) => Piece::Letter('X'),
                (1, 0) => Piece::Disc(Side::Second),
                (0, 1) => Piece::Number(0),
                _ => Piece::Empty,
            })
        });
        assert_eq!(picture.describe(), "a1: X, b1: white, a2: 0");
    }
}
