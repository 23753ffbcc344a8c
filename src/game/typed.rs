//! Positions as people type and paste them.

use super::{Notation, NotationError, Roots, Side};
use crate::text::legal_moves;

/// Reads a position as people write it: in the game's notation, as a drawing, or as moves from the
/// start.
///
/// A drawing has a line for each row, with or without labels and notes beside it
/// ([`Notation::board`]). Blanks, `_` and `-` stand for empty squares, and letters may have either
/// case or be those of the players' names. Moves are separated by blanks.
///
/// # Errors
/// If the text is not a position of the game, or can mean several.
pub fn read_position<G: Notation>(game: &G, text: &str) -> Result<G::Position, NotationError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut error = match game.parse_position(text) {
        // An own game may write its positions like moves.
        Err(error) if !error.is_unlisted => error,
        read => return read,
    };
    let text = text.replace('\r', "");
    if let Some(text) = game.rewrite_position(&text)? {
        return game.parse_position(&text);
    }
    let drawing = Drawing::of(&text);
    match drawing.read(game) {
        Some(Err(of_drawing)) if drawing.rows.len() > 1 => error = of_drawing,
        Some(Ok(position)) => return Ok(position),
        _ => {}
    }
    played(game, &text).unwrap_or(Err(error))
}

/// Returns the position after some moves from the start; `None` if the words aren't all moves.
fn played<G: Notation>(game: &G, text: &str) -> Option<Result<G::Position, NotationError>> {
    let moves = text
        .split_whitespace()
        .map(|word| game.parse_move(word).ok());
    let moves: Vec<G::Move> = moves.collect::<Option<_>>()?;
    if moves.is_empty() || game.capabilities().solving.roots() == Roots::Everywhere {
        return None;
    }
    let mut position = game.start();
    for (number, mv) in (1..).zip(moves) {
        let Some(next) = game.try_play(&position, mv) else {
            let legal = game.legal_moves(&position).into_iter();
            let legal: Vec<String> = legal.map(|mv| game.format_move(mv)).collect();
            let (mv, legal) = (game.format_move(mv), legal_moves(&legal, "move"));
            let problem = format!("move {number}, \"{mv}\", is not legal: {legal}");
            let start = game.format_position(&game.start());
            return Some(Err(NotationError::new(text, problem, start)));
        };
        position = next;
    }
    Some(Ok(position))
}

/// Names of columns above or below a drawing.
const COLUMNS: [&str; 2] = [
    "abcdefghijklmnop",
    "1234567891011121314151617181920212223242526272829303132",
];

/// The rows of a drawing, without labels, and the notes beside them.
struct Drawing {
    rows: Vec<String>,
    notes: String,
    /// The lines with a dot for each blank, which may be the rows.
    lines: Vec<String>,
}

impl Drawing {
    fn of(text: &str) -> Drawing {
        let text = text.trim_matches('\n');
        let is_single = !text.contains('\n');
        let widths = text.lines().map(|line| line.chars().count());
        // No board is wider, and many lines of a hostile width would fill the memory.
        let width = widths.max().unwrap_or_default().min(99);
        let dotted = |line| format!("{line:<width$}").replace(' ', ".");
        let (mut rows, mut notes) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let words = words_of(line);
            let is_cell = |word: &&String| word.chars().count() == 1;
            let is_heading = |names: &&str| names.starts_with(&words.concat());
            // A single line has neither labels nor notes.
            if is_single && !words.iter().all(|word| is_cell(&word))
                || !is_single && COLUMNS.iter().any(is_heading)
            {
                continue;
            }
            let label = (rows.len() + 1).to_string();
            let has_label = !is_single && words.len() > 1 && words[0] == label;
            let words = &words[usize::from(has_label)..];
            let mut cells = words.iter().take_while(is_cell).count();
            if let (Some(next), 1..) = (words.get(cells), cells) {
                // The last letter is a player's.
                cells -=
                    usize::from(["to", "has", "must"].contains(&&**next) || next.ends_with(','));
            } else if words.len() == 1 {
                // A row without blanks.
                cells = 1;
            }
            rows.extend((cells > 0).then(|| words[..cells].concat()));
            notes.extend_from_slice(&words[cells..]);
        }
        Drawing {
            rows,
            notes: notes.join(" "),
            lines: text.lines().map(dotted).collect(),
        }
    }

    /// Returns the position; `None` if it isn't a drawing.
    ///
    /// An error is the first one, which is about the drawing as it is.
    fn read<G: Notation>(&self, game: &G) -> Option<Result<G::Position, NotationError>> {
        let side_name = |side| game.capabilities().drawing.side_name(side);
        let grids = [&self.rows, &self.lines].map(|rows| rows.join("/"));
        let mut error = None;
        for text in grids.iter().flat_map(|rows| spellings(rows, side_name)) {
            for end in self.ends(game) {
                let read = game.parse_position(&format!("{text}{end}"));
                match read.and_then(|position| self.checked(game, position)) {
                    Ok(position) => return Some(Ok(position)),
                    Err(of_text) => error.get_or_insert(of_text),
                };
            }
        }
        error.map(Err)
    }

    /// Returns the words that may follow the rows: pieces in hand and the side to move.
    fn ends<G: Notation>(&self, game: &G) -> Vec<String> {
        let start = game.format_position(&game.start());
        if self.notes.is_empty() || !start.contains(' ') {
            return vec![String::new()];
        }
        let held = self.notes.split_once(": ");
        let held = held.map_or(String::new(), |(_, held)| format!(" {held}"));
        let end = |side: Side| {
            let name = game.capabilities().drawing.side_name(side);
            let letter = name.and_then(|name| initials(name).next());
            match letter.filter(|_| !start.ends_with(" first")) {
                Some(letter) => format!("{held} {letter}"),
                None => format!("{held} {side}"),
            }
        };
        [Side::First, Side::Second].map(end).to_vec()
    }

    /// Returns the position unless its own drawing has other notes.
    fn checked<G: Notation>(
        &self,
        game: &G,
        position: G::Position,
    ) -> Result<G::Position, NotationError> {
        let (noted, own) = (&self.notes, Drawing::of(&game.board(&position)).notes);
        if own.to_lowercase().contains(&noted.to_lowercase()) {
            return Ok(position);
        }
        let text = game.format_position(&position);
        let problem = format!("the note beside the board is \"{noted}\" and should be \"{own}\"");
        Err(NotationError::new(&text, problem, text.clone()))
    }
}

/// Returns the words of a drawing's line. Bars separate squares, which may be blank.
fn words_of(line: &str) -> Vec<String> {
    // A rule between two rows.
    if line.contains('+') {
        return Vec::new();
    }
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    if !inner.contains('|') {
        return inner.split_whitespace().map(str::to_owned).collect();
    }
    let squares = inner.split('|').map(str::trim);
    let squares = squares.map(|square| if square.is_empty() { "." } else { square });
    squares.map(str::to_owned).collect()
}

/// Returns a text as it is, and with the letters that the game may have in their place.
fn spellings(text: &str, name: impl Fn(Side) -> Option<&'static str>) -> Vec<String> {
    let dotted = text.replace(['_', '-'], ".");
    let upper = dotted.to_uppercase();
    // The last letter of "Red (X)" is on the board, and R is not.
    let of_names = |letter: char| {
        let mut sides = [Side::First, Side::Second].into_iter().filter_map(&name);
        let named = sides.find(|name| initials(name).any(|initial| initial == letter));
        named
            .and_then(|name| initials(name).last())
            .unwrap_or(letter)
    };
    let named = upper.chars().map(of_names).collect();
    vec![text.to_owned(), dotted, upper, named]
}

/// Returns the first letters of a player's names.
fn initials(name: &str) -> impl Iterator<Item = char> {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words.filter_map(|word| word.chars().next())
}

#[cfg(test)]
mod tests {
    use crate::any::{FAMILIES, game_of_rules};

    /// Returns the notation of a typed position, or why it can't be read.
    fn read(rules: &str, text: &str) -> Result<String, String> {
        let game = game_of_rules(rules, FAMILIES).unwrap();
        let view = game.without_scores().view(Some(text), &[]);
        view.map(|view| view.position)
            .map_err(|error| error.to_string())
    }

    const TICTACTOE: &str = "tictactoe scoring=shortest";
    const CONNECT4: &str = "connect4 columns=7 rows=6 connect=4";
    const SMALL: &str = "connect4 columns=4 rows=4 connect=3";
    const REVERSI: &str = "reversi4 start=cross";
    const KALAH: &str = "kalah pits=6 seeds=4 capture=standard";

    #[test]
    fn positions_are_read_as_people_type_them() {
        for (rules, text, position) in [
            (TICTACTOE, "\u{feff}X.O......", "X.O......"),
            (TICTACTOE, "x_o------", "X.O......"),
            (TICTACTOE, "X O      ", "X.O......"),
            (TICTACTOE, "X.O/.X./...", "X.O.X...."),
            (TICTACTOE, "X.O\r\n.X.\r\n...\r\n", "X.O.X...."),
            (TICTACTOE, "x . o\n. x .\n. . .", "X.O.X...."),
            (TICTACTOE, "X O\n X \n   ", "X.O.X...."),
            (
                TICTACTOE,
                "X |   | O\n--+---+--\n  | X |  \n--+---+--\n  |   |  ",
                "X.O.X....",
            ),
            (
                TICTACTOE,
                "    a b c\n1 X . O\n2 . X .   O to move\n3 . . .",
                "X.O.X....",
            ),
            (TICTACTOE, "b2 a1 c3", "O...X...X"),
            (SMALL, "....\n....\nRY..\nRRYY", "..../..../XO../XXOO"),
            (SMALL, "    \n    \nr y \no x ", "..../..../X.O./O.X."),
            (
                SMALL,
                "|. . . .|\n|. . . .|\n|. . . .|\n|x . . o|\n 1 2 3 4",
                "..../..../..../X..O",
            ),
            (
                CONNECT4,
                "4 4 5",
                "......./......./......./......./...O.../...XX..",
            ),
            (
                REVERSI,
                "....\n.wb.\n.bw.\n....\nb to move",
                "..../.WB./.BW./.... B",
            ),
            (
                KALAH,
                "(4 4 4 4 4 4) / (4 4 4 4 4 4)",
                "4,4,4,4,4,4:0/4,4,4,4,4,4:0 first",
            ),
            (
                KALAH,
                "4 4 4 4 0 5 : 1 / 5, 5, 4, 4, 4, 4 : 0 north",
                "4,4,4,4,0,5:1/5,5,4,4,4,4:0 second",
            ),
            (
                KALAH,
                "[1,0,0,0,0,0]/[1,0,0,0,0,0] 2",
                "1,0,0,0,0,0/1,0,0,0,0,0 second",
            ),
            (KALAH, "3 6", "4,4,0,5,5,0:2/5,5,5,5,4,4:0 second"),
        ] {
            assert_eq!(read(rules, text).as_deref(), Ok(position), "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_place_on_the_board() {
        for (rules, text, problem) in [
            (
                TICTACTOE,
                "X.O..Z...",
                "square c2 is \"X\", \"O\" or \".\", not \"Z\"",
            ),
            (TICTACTOE, "X.O\n..Z\n...", "square c2 is"),
            (TICTACTOE, "X.O\n..", "has 5 squares instead of 9"),
            (
                TICTACTOE,
                "  X . .   X to move\n  . . .\n  . . .",
                "is \"X to move\" and should be \"O to move\"",
            ),
            (
                TICTACTOE,
                "a1 a1",
                "move 2, \"a1\", is not legal: the legal moves are b1, c1",
            ),
            (
                SMALL,
                "....\n....\n....\n..Q.",
                "column 3, row 4 from the top is",
            ),
            (
                REVERSI,
                "....\n.WB.\n.BQ.\n....\nB to move",
                "square c3 is \"B\", \"W\" or \".\", not \"Q\"",
            ),
            (
                KALAH,
                "4 4 4 4 4 4 0 4 4 4 4 4 4 0",
                "14 numbers could be the pits in several orders",
            ),
            (
                KALAH,
                "[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]",
                "12 numbers could be",
            ),
            (KALAH, "1 1 7", "the side to move must be"),
            (KALAH, "1 1 1", "move 3, \"1\", is not legal"),
        ] {
            let error = read(rules, text).unwrap_err();
            assert!(error.contains(problem), "{text:?}: {error}");
        }
    }
}
