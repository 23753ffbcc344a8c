//! Fuzzes the parsers of typed text: positions, moves, rules, options, questions.

use arbitrary::{Result, Unstructured};
use std::sync::OnceLock;
use zermelo::any::{FAMILIES, game_of_rules};
use zermelo::check::builtin::Builtin;
use zermelo::game::{Family, Notation, ParameterKind, Values, read_position};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::{Kalah, KalahFamily, Rules};
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};
use zermelo::oracle::Question;

/// A game of any type, and its notation.
trait Texts: Send + Sync {
    /// Returns whether the text is a position.
    fn position(&self, text: &str) -> bool;
    /// Returns whether the text is a move.
    fn mv(&self, text: &str) -> bool;
    /// Plays moves by number, and formats the position and the last move.
    fn play(&self, u: &mut Unstructured<'_>) -> Result<[String; 2]>;
}

impl<G: Notation> Texts for G {
    fn position(&self, text: &str) -> bool {
        let Ok(position) = read_position(self, text) else {
            return false;
        };
        let written = self.format_position(&position);
        let again = self.parse_position(&written);
        assert_eq!(
            again.as_ref().ok(),
            Some(&position),
            "{text:?} is {written:?}"
        );
        let _ = self.board(&position);
        // No position that can be typed may break the rules.
        if self.final_score(&position).is_none() {
            let canonical = self.canonical(&position);
            assert_eq!(self.canonical(&canonical), canonical, "{text:?}");
            for mv in self.legal_moves(&position) {
                let name = self.format_move(mv);
                assert_eq!(self.parse_move(&name).ok(), Some(mv), "{text:?}: {name:?}");
                let child = self.play(&position, mv);
                let written = self.format_position(&child);
                let again = self.parse_position(&written).expect("it was just written");
                assert_eq!(self.format_position(&again), written, "{text:?}");
                // If the stores of Kalah are omitted, seeds that they receive aren't written
                // either.
                assert!(!self.is_whole(&child) || again == child, "{written:?}");
            }
        }
        true
    }

    fn mv(&self, text: &str) -> bool {
        let Ok(mv) = self.parse_move(text) else {
            return false;
        };
        let written = self.format_move(mv);
        assert_eq!(self.parse_move(&written).ok(), Some(mv), "{text:?}");
        let _ = self.is_legal(&self.start(), mv);
        true
    }

    fn play(&self, u: &mut Unstructured<'_>) -> Result<[String; 2]> {
        let mut position = self.start();
        let mut last = String::new();
        for _ in 0..u.int_in_range(0..=40)? {
            let moves = self.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            let mv = *u.choose(&moves)?;
            last = self.format_move(mv);
            position = zermelo::game::Game::play(self, &position, mv);
            let written = self.format_position(&position);
            let again = self.parse_position(&written);
            assert_eq!(again.as_ref().ok(), Some(&position), "{written:?}");
        }
        Ok([self.format_position(&position), last])
    }
}

fn games() -> &'static [Box<dyn Texts>] {
    static GAMES: OnceLock<Vec<Box<dyn Texts>>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let kalah = |pits, seeds| -> Box<dyn Texts> {
            let rules = Rules {
                pits,
                seeds,
                empty_capture: pits == 3,
            };
            Box::new(Kalah::new(rules).expect("there is such a game"))
        };
        let endgame = Kalah::endgame(4, 10, false).expect("there is such an endgame");
        let mut games: Vec<Box<dyn Texts>> = vec![
            Box::new(Eight),
            kalah(1, 3),
            kalah(3, 2),
            kalah(6, 4),
            Box::new(endgame),
        ];
        for scoring in [Scoring::Shortest, Scoring::Outcome] {
            games.push(Box::new(TicTacToe { scoring }));
        }
        for board in [Board::FourByFour, Board::Octagon] {
            for start in Start::ALL {
                games.push(Box::new(Reversi { board, start }));
            }
        }
        games
    })
}

/// Prepares the games.
pub fn prepare() {
    games();
}

/// Parses a text by one of the parsers.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If a parsed value doesn't survive formatting and parsing.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let game = &games()[u.choose_index(games().len())?];
    let kind = u.int_in_range(0..=4)?;
    let mut text = match (kind, u.int_in_range(0..=3)?) {
        (_, 0) => {
            let bytes = u.bytes(u.len())?;
            String::from_utf8_lossy(bytes).into_owned()
        }
        (0 | 1, _) => game.play(u)?[0].clone(),
        (2, _) => game.play(u)?[1].clone(),
        (3, _) => (*u.choose(&RULES)?).to_owned(),
        _ => (*u.choose(&WORDS)?).to_owned(),
    };
    for _ in 0..u.int_in_range(0..=6)? {
        edit(u, &mut text)?;
    }
    let read = match kind {
        0 | 1 => game.position(&text),
        2 => game.mv(&text),
        3 => rules(&text),
        _ => options(&text),
    };
    Ok(if read { "read" } else { "refused" })
}

const RULES: [&str; 8] = [
    "kalah pits=6 seeds=4 capture=standard",
    "kalah pits=3 seeds=2 capture=empty",
    "kalah pits=4 up-to=20 capture=standard",
    "tictactoe scoring=shortest",
    "tictactoe scoring=outcome",
    "reversi4 start=cross",
    "reversi24 start=parallel",
    "eight",
];

const WORDS: [&str; 9] = [
    "first-player win?",
    "Second player wins",
    "draw?",
    "random:7",
    "depth:3",
    "greedy",
    "kalah 6 4",
    "kalah 3 - 20 yes",
    "reversi4 cross",
];

/// Inserts, removes or replaces a piece of a text.
fn edit(u: &mut Unstructured<'_>, text: &mut String) -> Result<()> {
    const PIECES: [&str; 32] = [
        "0",
        "1",
        "2",
        "9",
        "10",
        "255",
        "256",
        "65536",
        "4294967296",
        "18446744073709551616",
        "-1",
        "+1",
        ",",
        ":",
        "/",
        " ",
        "  ",
        "\t",
        "\n",
        "\0",
        "first",
        "second",
        "X",
        "O",
        ".",
        "=",
        "é",
        "𝟙",
        "a1",
        "z9",
        "pass",
        "--",
    ];
    let places: Vec<usize> = text.char_indices().map(|place| place.0).collect();
    let place = |u: &mut Unstructured<'_>| -> Result<usize> {
        let number = u.int_in_range(0..=places.len())?;
        Ok(places.get(number).copied().unwrap_or(text.len()))
    };
    let [one, other] = [place(u)?, place(u)?];
    let (start, end) = (one.min(other), one.max(other));
    match u.int_in_range(0..=3)? {
        0 => text.insert_str(start, u.choose(&PIECES)?),
        1 => text.replace_range(start..end, ""),
        2 => text.replace_range(start..end, u.choose(&PIECES)?),
        _ => {
            let piece = text[start..end].to_owned();
            text.insert_str(start, &piece);
        }
    }
    while text.len() > 4096 {
        text.pop();
    }
    Ok(())
}

fn rules(text: &str) -> bool {
    let Ok(game) = game_of_rules(text, FAMILIES) else {
        return false;
    };
    let written = game.rules();
    let again = game_of_rules(&written, FAMILIES);
    let again = again.map(|again| (again.rules(), again.name(), again.table_name().to_owned()));
    let expected = (written, game.name(), game.table_name().to_owned());
    assert_eq!(again.ok(), Some(expected), "{text:?}");
    let _ = game.has_start();
    true
}

fn options(text: &str) -> bool {
    if let Ok(question) = text.parse::<Question>() {
        let _ = format!("{question:?}");
        return true;
    }
    if text.parse::<Builtin>().is_ok() {
        return true;
    }
    // Like the command line, assign words to names and values of options.
    fn of<F: Family>(family: &F, words: &[&str]) -> bool {
        let mut values = Values::default();
        for (parameter, word) in family.parameters().iter().zip(words) {
            if !matches!(parameter.kind, ParameterKind::Flag) || *word == "yes" {
                values.set(parameter.name, *word);
            }
        }
        let Ok(game) = family.game(&values) else {
            return false;
        };
        let rules = game.rules();
        let parameters = rules.split_once(' ').map_or("", |parts| parts.1);
        let again = family.read_rules(parameters).map(|game| game.rules());
        assert_eq!(again.as_ref(), Ok(&rules), "{words:?}");
        true
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.split_first() {
        Some((&"kalah", rest)) => of(&KalahFamily, rest),
        Some((&"reversi4", rest)) => of(&Board::FourByFour, rest),
        Some((&"eight", rest)) => of(&Eight, rest),
        _ => false,
    }
}
