//! How a listed game looks: pictures of its positions, names of squares, and its rules in words.
//!
//! Nothing here affects scores, so it is not part of the graph's digest. In the file it follows the
//! graph: a line of JSON with the rules and the names, then a line of JSON for each position if there
//! are pictures. A picture is a list of rows; a row has a text for each square, or null where the
//! board has no square.

use crate::game::{Picture, Piece, Side};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The greatest number of rows and of columns.
const MOST_SIDE: usize = 26;
/// The greatest number on a square.
const MOST_NUMBER: u32 = 9999;
/// The greatest number of bytes of a square's name.
const MOST_NAME: usize = 60;
/// The greatest number of letters of the rules.
const MOST_ABOUT: usize = 10_000;

/// Rows with the text of each square, or `None` where there is no square.
pub type Squares = Vec<Vec<Option<String>>>;

/// Rules in words, names of squares, and pictures of positions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Look {
    #[serde(default)]
    pub about: String,
    /// The names of squares, if there are any.
    #[serde(default)]
    names: Squares,
    /// A picture for each position as a line of JSON, or nothing.
    #[serde(skip)]
    pub pictures: Vec<Box<str>>,
}

impl Look {
    /// Returns a look without pictures; long rules are cut off.
    pub fn of(about: &str, names: Squares) -> Result<Look, String> {
        check_names(&names).map_err(|problem| format!("`squares` {problem}"))?;
        Ok(Look {
            about: about.chars().take(MOST_ABOUT).collect(),
            names,
            pictures: Vec::new(),
        })
    }

    /// Adds the picture of the next position. A problem is the end of a sentence.
    pub fn push(&mut self, squares: &Squares) -> Result<(), String> {
        check(squares, &self.names)?;
        let line = serde_json::to_string(squares).map_err(|error| error.to_string())?;
        self.pictures.push(line.into());
        Ok(())
    }

    /// Writes everything, unless there is nothing.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        if !self.about.is_empty() || !self.pictures.is_empty() {
            serde_json::to_writer(&mut to, self)?;
            to.write_all(b"\n")?;
        }
        (self.pictures.iter()).try_for_each(|line| writeln!(to, "{line}"))
    }

    /// Reads what [`Look::write`] wrote for a number of positions.
    ///
    /// A picture that is not allowed is not drawn.
    pub fn read(bytes: Vec<u8>, positions: usize) -> Result<Look, &'static str> {
        let text = String::from_utf8(bytes).map_err(|_| "its pictures are no text")?;
        let Some((head, lines)) = text.split_once('\n') else {
            let none = text.is_empty().then(Look::default);
            return none.ok_or("its rules in words don't end");
        };
        let mut look: Look = serde_json::from_str(head).map_err(|_| "its rules can't be read")?;
        if look.about.chars().count() > MOST_ABOUT || check_names(&look.names).is_err() {
            return Err("its rules or names of squares are not allowed");
        }
        look.pictures = lines.split_terminator('\n').map(Box::from).collect();
        let is_whole = lines.is_empty() || lines.ends_with('\n');
        let is_right = is_whole && [0, positions].contains(&look.pictures.len());
        let problem = "it doesn't have a picture for each position";
        is_right.then_some(look).ok_or(problem)
    }

    /// Returns the picture of a position, if it has one.
    pub fn picture(&self, node: u32) -> Option<Picture> {
        let line = self.pictures.get(node as usize)?;
        let squares: Squares = serde_json::from_str(line).ok()?;
        check(&squares, &self.names).ok()?;
        let (columns, rows) = (squares[0].len() as u32, squares.len() as u32);
        let mut picture = Picture::grid(columns, rows, |column, row| {
            piece(squares[row as usize][column as usize].as_deref()?)
        });
        if !self.names.is_empty() {
            picture.labels.clear();
        }
        let named = squares.iter().flatten().zip(self.names.iter().flatten());
        let named = named.filter(|(square, _)| square.is_some());
        for (place, (_, name)) in picture.places.iter_mut().zip(named) {
            if let Some(name) = name {
                place.name.clone_from(name);
            }
        }
        Some(picture)
    }
}

/// Returns the piece that a text stands for.
fn piece(text: &str) -> Option<Piece> {
    let mut letters = text.chars();
    Some(match (text, letters.next(), letters.next()) {
        ("" | " " | ".", ..) => Piece::Empty,
        ("black", ..) => Piece::Disc(Side::First),
        ("white", ..) => Piece::Disc(Side::Second),
        ("grey", ..) => Piece::Block,
        (_, Some('0'..='9'), _) => {
            Piece::Number(text.parse().ok().filter(|&number| number <= MOST_NUMBER)?)
        }
        (_, Some(letter), None) if !letter.is_control() => Piece::Letter(letter),
        _ => return None,
    })
}

/// Checks the shape of rows. A problem is the end of a sentence.
fn check_shape(squares: &Squares) -> Result<(), String> {
    let (rows, columns) = (squares.len(), squares.first().map_or(0, Vec::len));
    if let Some(other) = squares.iter().find(|row| row.len() != columns) {
        return Err(format!(
            "has rows of {columns} and of {} squares: give each row as many, with None where the \
             board has no square",
            other.len()
        ));
    }
    let is_right = [rows, columns]
        .iter()
        .all(|side| (1..=MOST_SIDE).contains(side));
    is_right.then_some(()).ok_or_else(|| {
        format!(
            "has {rows} rows of {columns} squares: give 1 to {MOST_SIDE} rows of 1 to {MOST_SIDE} \
             squares"
        )
    })
}

/// Checks a picture.
fn check(squares: &Squares, names: &Squares) -> Result<(), String> {
    check_shape(squares)?;
    if !names.is_empty() && (names.len(), names[0].len()) != (squares.len(), squares[0].len()) {
        return Err("has other rows than `squares`: give as many names in `squares`".to_owned());
    }
    let mut all = squares.iter().flatten().flatten();
    let wrong = all.find(|square| piece(square).is_none());
    wrong.map_or(Ok(()), |wrong| {
        Err(format!(
            "has the square {wrong:?}: write one letter, a whole number up to {MOST_NUMBER}, \
             \"black\" or \"white\" for a disc, \"grey\" for a blocked square, or \"\" for an \
             empty one"
        ))
    })
}

/// Checks the names of squares, if there are any.
fn check_names(names: &Squares) -> Result<(), String> {
    if names.is_empty() {
        return Ok(());
    }
    check_shape(names)?;
    let mut seen = FxHashSet::default();
    let mut all = names.iter().flatten().flatten();
    let wrong = all.find(|&name| name.is_empty() || name.len() > MOST_NAME || !seen.insert(name));
    wrong.map_or(Ok(()), |name| {
        Err(format!(
            "has the name {name:?}: give each square another name, of 1 to {MOST_NAME} letters"
        ))
    })
}
