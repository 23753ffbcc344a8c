//! Other ways to write a move, which an AI may use by mistake.

use crate::game::{Notation, Side};

/// Another way to write moves.
pub(in crate::check) struct Reading {
    /// The error of the AI, as the end of a sentence that begins with "it".
    pub sentence: String,
    meant: Meant,
}

/// Returns the texts of the moves that an answer may mean.
type Meant = Box<dyn Fn(&Asked<'_>, &str) -> Vec<String>>;
type MeantOnce = fn(&Asked<'_>, &str) -> Option<String>;

/// Properties of the position on which the meaning of an answer depends.
struct Asked<'a> {
    board: &'a Board,
    side: Side,
    /// The legal moves.
    legal: &'a [String],
    /// Returns the position after one of them, by its index.
    after: &'a dyn Fn(usize) -> String,
}

/// The sizes of a game's board, as far as its moves show them.
struct Board {
    /// Highest number that names a move, or 0.
    highest: u32,
    /// Last column and row of a square such as `c3` that names a move, or 0.
    columns: u32,
    rows: u32,
    /// All moves of the game, if it lists them.
    moves: Vec<String>,
}

/// Parses a square such as `b2` into the numbers of its column and row.
fn square(text: &str) -> Option<(u32, u32)> {
    let column = text.chars().next().filter(char::is_ascii_lowercase)?;
    let row = &text[1..];
    let is_number = row.bytes().all(|digit| digit.is_ascii_digit());
    let row = is_number.then(|| row.parse().ok())??;
    Some((u32::from(column) - u32::from('a') + 1, row))
}

/// Returns the text of a square; none if its column has no letter.
fn square_text((column, row): (u32, u32)) -> Option<String> {
    let letter = char::from_u32(u32::from('a') + column.checked_sub(1)?)?;
    letter
        .is_ascii_lowercase()
        .then(|| format!("{letter}{row}"))
}

/// Changes a number, or the row of a square.
fn renumbered(text: &str, change: impl Fn(u32) -> Option<u32>) -> Option<String> {
    match square(text) {
        Some((column, row)) => square_text((column, change(row)?)),
        None => Some(change(text.parse().ok()?)?.to_string()),
    }
}

/// Returns the words of an answer, each once.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let mut words: Vec<String> = words
        .filter(|of| !of.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Removes the escape sequences that colour a text on a terminal.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or("", |(_, rest)| rest));
    std::iter::once(first).chain(rest).collect()
}

impl Asked<'_> {
    /// Changes the number in an answer of the second player; the first player's are right.
    fn of_second(&self, text: &str, change: impl Fn(u32) -> Option<u32>) -> Option<String> {
        match self.side {
            Side::First => Some(text.to_owned()),
            Side::Second => renumbered(text, change),
        }
    }

    /// Reads the number of a move among all of them.
    fn numbered(&self, text: &str, first: usize) -> Option<String> {
        let place = text.parse::<usize>().ok()?.checked_sub(first)?;
        self.board.moves.get(place).cloned()
    }

    /// Returns the moves that lead to a position; its side to move may be missing.
    fn leading_to(&self, board: &str) -> Vec<String> {
        let leads = |&index: &usize| {
            let after = (self.after)(index);
            let without_side = after.rsplit_once(' ').map(|(board, _)| board);
            after == board || without_side == Some(board)
        };
        let leading = (0..self.legal.len()).filter(leads);
        leading.map(|index| self.legal[index].clone()).collect()
    }

    /// Returns the moves of which an answer is only the beginning.
    fn beginning_with(&self, text: &str) -> Vec<String> {
        let longer = self.legal.iter().filter(|mv| mv.starts_with(text));
        let longer = longer.filter(|mv| !text.is_empty() && mv.len() > text.len());
        longer.cloned().collect()
    }
}

/// Ways in which an answer means one text; `NOUN` stands for the game's word for a move.
const WAYS: [(&str, MeantOnce); 16] = [
    (
        "writes capital letters where small ones belong",
        |_, text| Some(text.to_lowercase()),
    ),
    (
        "writes small letters where capital ones belong",
        |_, text| Some(text.to_uppercase()),
    ),
    ("writes the row before the column", |_, text| {
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        let (row, column) = text.split_at(digits.len());
        Some(format!("{column}{row}"))
    }),
    ("swaps rows and columns", |_, text| {
        square(text).and_then(|(column, row)| square_text((row, column)))
    }),
    ("counts the rows from the other end", |asked, text| {
        let (column, row) = square(text)?;
        square_text((column, (asked.board.rows + 1).checked_sub(row)?))
    }),
    ("counts the columns from the other end", |asked, text| {
        let (column, row) = square(text)?;
        square_text(((asked.board.columns + 1).checked_sub(column)?, row))
    }),
    ("colours its answers (ANSI escape sequences)", |_, text| {
        Some(without_colours(text))
    }),
    ("writes a square where a number belongs", |_, text| {
        square(text).map(|(column, _)| column.to_string())
    }),
    ("counts from 0 where the first is 1", |_, text| {
        renumbered(text, |number| number.checked_add(1))
    }),
    ("writes numbers that are one too high", |_, text| {
        renumbered(text, |number| number.checked_sub(1))
    }),
    ("counts from the other end", |asked, text| {
        let number: u32 = text.parse().ok()?;
        Some((asked.board.highest + 1).checked_sub(number)?.to_string())
    }),
    (
        "counts the second player's NOUNs from the other end",
        |asked, text| asked.of_second(text, |number| (asked.board.highest + 1).checked_sub(number)),
    ),
    (
        "numbers the second player's NOUNs on from the first's",
        |asked, text| asked.of_second(text, |number| number.checked_sub(asked.board.highest)),
    ),
    (
        "numbers the NOUNs round the board, stores included",
        |asked, text| asked.of_second(text, |number| number.checked_sub(asked.board.highest + 1)),
    ),
    ("numbers the NOUNs from 0", |asked, text| {
        asked.numbered(text, 0)
    }),
    ("numbers the NOUNs from 1", |asked, text| {
        asked.numbered(text, 1)
    }),
];

/// Returns the ways; `NOUN` is replaced by the game's word for a move.
fn ways(noun: &str) -> Vec<Reading> {
    let way = |sentence: &str, meant: Meant| Reading {
        sentence: sentence.replace("NOUN", noun),
        meant,
    };
    let one = WAYS.map(|(sentence, meant)| {
        let all = move |asked: &Asked<'_>, text: &str| meant(asked, text).into_iter().collect();
        way(sentence, Box::new(all))
    });
    let mut ways = Vec::from(one);
    for (order, column_is_first) in [("row and column", false), ("column and row", true)] {
        for first in [0, 1] {
            let meant = move |text: &str| {
                let [one, two] = numbers(text)[..] else {
                    return None;
                };
                let (column, row) = if column_is_first {
                    (one, two)
                } else {
                    (two, one)
                };
                square_text((
                    column.saturating_add(1) - first,
                    row.saturating_add(1) - first,
                ))
            };
            ways.push(way(
                &format!("writes {order} as two numbers from {first}"),
                Box::new(move |_, text| meant(text).into_iter().collect()),
            ));
        }
    }
    let board: Meant = Box::new(|asked, text| asked.leading_to(text));
    let beginning: Meant = Box::new(|asked, text| asked.beginning_with(text));
    let among_words: Meant = Box::new(|_, text| words(text));
    ways.extend([
        way("writes the board after its move", board),
        way("writes only the beginning of its move", beginning),
        way("writes more than the move on its line", among_words),
    ]);
    ways
}

/// Returns the numbers in a text, in order.
fn numbers(text: &str) -> Vec<u32> {
    let digits = text.split(|letter: char| !letter.is_ascii_digit());
    digits.filter_map(|digits| digits.parse().ok()).collect()
}

/// A game's moves, read in other ways.
pub(in crate::check) struct Readings<'a, G: Notation> {
    game: &'a G,
    board: Board,
    pub all: Vec<Reading>,
}

impl<'a, G: Notation> Readings<'a, G> {
    pub fn new(game: &'a G) -> Readings<'a, G> {
        let is_move =
            |text: Option<String>| text.is_some_and(|text| game.parse_move(&text).is_ok());
        let is_number = |number: &u32| is_move(Some(number.to_string()));
        let squares = (1..=26).flat_map(|column| (1..=26).map(move |row| (column, row)));
        let squares: Vec<_> = squares.filter(|&of| is_move(square_text(of))).collect();
        let moves = game.capabilities().arrays.all_moves().into_iter();
        let board = Board {
            highest: (0..=99).rfind(is_number).unwrap_or(0),
            columns: squares.iter().map(|of| of.0).max().unwrap_or(0),
            rows: squares.iter().map(|of| of.1).max().unwrap_or(0),
            moves: moves.map(|mv| game.format_move(mv)).collect(),
        };
        Readings {
            game,
            board,
            all: ways(game.move_noun()),
        }
    }

    /// Returns the readings of answers in a position.
    pub fn at<'r>(&'r self, position: &'r G::Position) -> ReadingsAt<'r, G> {
        let legal = self.game.legal_moves(position);
        let named = legal.iter().map(|&mv| self.game.format_move(mv)).collect();
        ReadingsAt {
            of: self,
            position,
            legal,
            named,
        }
    }
}

/// The readings of answers in a position.
pub(in crate::check) struct ReadingsAt<'r, G: Notation> {
    of: &'r Readings<'r, G>,
    position: &'r G::Position,
    legal: Vec<G::Move>,
    named: Vec<String>,
}

impl<G: Notation> ReadingsAt<'_, G> {
    /// Returns the legal move that an answer means if it is read in another way.
    pub fn meant(&self, way: &Reading, text: &str) -> Option<G::Move> {
        let game = self.of.game;
        let after = |mv: usize| game.format_position(&game.play(self.position, self.legal[mv]));
        let asked = Asked {
            board: &self.of.board,
            side: game.side_to_move(self.position),
            legal: &self.named,
            after: &after,
        };
        let meant = (way.meant)(&asked, text).into_iter();
        let mut read = meant.filter_map(|text| game.parse_move(&text).ok());
        read.find(|mv| self.legal.contains(mv))
    }
}
