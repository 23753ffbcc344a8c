//! Describes a board and its pieces, independently of how they are painted.

use super::Side;

/// Distance between the centres of neighbouring squares.
const CELL: f64 = 44.0;
/// Space beside a grid for the names of rows and columns.
const MARGIN: f64 = 22.0;

/// Space around a picture, so that no line is cut off.
const EDGE: f64 = 10.0;

/// A board: its places, the piece on each, and labels beside them.
///
/// All lengths start at the top left corner. A square of a grid is 44 wide. For a game on a grid, use
/// [`Picture::grid`]:
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
    /// The places of the board.
    pub places: Vec<BoardPlace>,
    /// Texts beside the places.
    pub labels: Vec<Label>,
    /// Kind of board.
    pub surface: Surface,
    /// Whether each player sits on a side of the board, the first player below.
    pub has_sides: bool,
}

/// The kind of board, which affects how it is painted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
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

crate::text::display_as_serialized!(Surface);

/// The piece on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Piece {
    /// No piece: the place is empty.
    Empty,
    /// A piece shown as a letter, such as X and O or the pieces of chess.
    Letter(char),
    /// A round piece, black for the first player and white for the second.
    Disc(Side),
    /// A number of seeds, coins or other things.
    Number(u32),
    /// A blocked place, which belongs to neither player.
    Block,
}

impl Piece {
    /// Returns the piece in a word, for people who can't see the picture; `None` if empty.
    pub fn word(self) -> Option<String> {
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

/// A place on the board: a square, a pit, a point.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct BoardPlace {
    /// Name, by which moves are marked: see [`Drawing::places_of_move`].
    ///
    /// [`Drawing::places_of_move`]: crate::game::Drawing::places_of_move
    pub name: String,
    /// Its centre, measured from the left and from the top.
    pub middle: (f64, f64),
    /// Width and height.
    pub size: (f64, f64),
    /// Radius of its corners.
    pub corner: f64,
    /// The piece on it.
    pub piece: Piece,
}

impl BoardPlace {
    /// Returns a square of a grid.
    #[must_use]
    pub fn new(name: impl Into<String>, middle: (f64, f64), piece: Piece) -> BoardPlace {
        BoardPlace {
            name: name.into(),
            middle,
            size: (CELL, CELL),
            corner: 0.0,
            piece,
        }
    }

    /// Returns the place with another size and rounded corners.
    #[must_use]
    pub fn rounded(self, size: (f64, f64), corner: f64) -> BoardPlace {
        BoardPlace {
            size,
            corner,
            ..self
        }
    }
}

/// A text beside the places.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Label {
    /// Text as it is painted.
    pub text: String,
    /// Centre of its base line.
    pub middle: (f64, f64),
}

impl Label {
    /// Returns a text centred on a point of its base line.
    #[must_use]
    pub fn new(text: impl Into<String>, middle: (f64, f64)) -> Label {
        Label {
            text: text.into(),
            middle,
        }
    }
}

impl Picture {
    /// Returns a board of squares in columns and rows, named `a1`, `b1`, … from the top left.
    ///
    /// Columns have letters, rows have numbers. `piece` returns the piece on a square by column and
    /// row, counted from 0, or `None` if the board has no square there.
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
                    picture.places.push(BoardPlace::new(name, middle, piece));
                }
            }
        }
        picture
    }

    /// Returns the left, top, right and bottom edges of all places.
    pub(crate) fn edges(&self) -> (f64, f64, f64, f64) {
        let none = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        let places = self.places.iter();
        places.fold(none, |(left, top, right, bottom), place| {
            let ((x, y), (width, height)) = (place.middle, place.size);
            (
                left.min(x - width / 2.0),
                top.min(y - height / 2.0),
                right.max(x + width / 2.0),
                bottom.max(y + height / 2.0),
            )
        })
    }

    /// Returns the width and height of the picture.
    pub fn size(&self) -> (f64, f64) {
        let (_, _, right, bottom) = self.edges();
        let labels = self.labels.iter().map(|label| label.middle);
        let farther = |(width, height): (f64, f64), (x, y)| (width.max(x), height.max(y));
        let (width, height) = labels.fold((right.max(0.0), bottom.max(0.0)), farther);
        (width + EDGE, height + EDGE)
    }

    /// Returns all pieces in words: `b2: X, c3: O`.
    pub fn describe(&self) -> String {
        let words = self.places.iter().filter_map(|place| {
            let word = place.piece.word()?;
            Some(format!("{}: {word}", place.name))
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() {
            "The board is empty".into()
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
    fn pictures_describe_the_board_in_words() {
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
