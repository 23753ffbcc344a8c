//! Answers that would be legal if positions or moves were written in another way.

use crate::check::contenders::{Fault, FaultKind};
use crate::game::{Notation, Side};
use std::collections::BTreeSet;

/// Evidence for or against a cause.
pub(in crate::check) struct Evidence<'a, G: Notation> {
    pub game: &'a G,
    /// The faults, with their positions.
    pub faults: &'a [(G::Position, Fault)],
    /// Legal answers with their positions, perhaps not all.
    pub right: Vec<(G::Position, G::Move)>,
    /// The command that starts the AI, if it is a program.
    pub command: Option<&'a str>,
}

impl<G: Notation> Evidence<'_, G> {
    pub(in crate::check) fn all(&self, holds: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().all(|(_, fault)| holds(fault))
    }

    pub(in crate::check) fn is_python(&self) -> bool {
        let command = self.command.unwrap_or_default();
        command.contains("python") || command.contains(".py")
    }
}

/// The number of faults below which there is no evidence.
const FEWEST: usize = 3;

/// The highest probability, by chance, of a fit that counts as evidence.
const UNLIKELY: f64 = 1e-4;

/// The probability that chance turns a malformed answer into a move.
const BECOMES_A_MOVE: f64 = 0.1;

/// Other notation for moves.
struct Way {
    /// The error of the AI, as the end of a sentence that begins with "it".
    ///
    /// `NOUN` stands for the game's word for a move.
    sentence: &'static str,
    /// Returns the possible meanings of an answer.
    meant: fn(&Question, &str) -> Vec<String>,
}

/// Properties of the position on which the meaning of an answer depends.
struct Question<'a> {
    /// Highest number that names a move, if moves are numbers.
    highest: u32,
    /// All moves of the game, if it lists them.
    moves: &'a [String],
    side: Side,
}

impl Question<'_> {
    /// Changes an answer of the second player; the first player's are right.
    fn of_second(&self, text: &str, change: impl Fn(u32) -> Option<u32>) -> Vec<String> {
        match self.side {
            Side::First => vec![text.to_owned()],
            Side::Second => renumbered(text, change),
        }
    }

    /// Reads the number of a move among all of them.
    fn numbered(&self, text: &str, first: usize) -> Vec<String> {
        let number = text.parse::<usize>().ok();
        let place = number.and_then(|number| number.checked_sub(first));
        let named = place.and_then(|place| self.moves.get(place));
        named.into_iter().cloned().collect()
    }
}

/// Parses a square such as `b2` into column and row.
fn cell(text: &str) -> Option<(char, u32)> {
    let mut letters = text.chars();
    let column = letters.next().filter(char::is_ascii_lowercase)?;
    let digits = letters.as_str();
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number
        .then(|| digits.parse().ok())?
        .map(|row| (column, row))
}

/// Changes a number, or the row of a square.
fn renumbered(text: &str, change: impl Fn(u32) -> Option<u32>) -> Vec<String> {
    let renumbered = match cell(text) {
        Some((column, row)) => change(row).map(|row| format!("{column}{row}")),
        None => text
            .parse()
            .ok()
            .and_then(change)
            .map(|number| number.to_string()),
    };
    renumbered.into_iter().collect()
}

const WAYS: [Way; 11] = [
    Way {
        sentence: "writes capital letters where small ones belong",
        meant: |_, text| vec![text.to_lowercase()],
    },
    Way {
        sentence: "writes the row before the column",
        meant: |_, text| {
            let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
            let (row, column) = text.split_at(digits.len());
            vec![format!("{column}{row}")]
        },
    },
    Way {
        sentence: "writes more than the move on its line",
        meant: |_, text| {
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
            words.into_iter().map(str::to_owned).collect()
        },
    },
    Way {
        sentence: "counts from 0 where the first is 1",
        meant: |_, text| renumbered(text, |number| number.checked_add(1)),
    },
    Way {
        sentence: "writes numbers that are one too high",
        meant: |_, text| renumbered(text, |number| number.checked_sub(1)),
    },
    Way {
        sentence: "counts from the other end",
        meant: |asked, text| renumbered(text, |number| (asked.highest + 1).checked_sub(number)),
    },
    Way {
        sentence: "counts the second player's NOUNs from the other end",
        meant: |asked, text| {
            asked.of_second(text, |number| (asked.highest + 1).checked_sub(number))
        },
    },
    Way {
        sentence: "numbers the second player's NOUNs on from the first's",
        meant: |asked, text| asked.of_second(text, |number| number.checked_sub(asked.highest)),
    },
    Way {
        sentence: "numbers the NOUNs round the board, stores included",
        meant: |asked, text| asked.of_second(text, |number| number.checked_sub(asked.highest + 1)),
    },
    Way {
        sentence: "numbers the NOUNs from 0",
        meant: |asked, text| asked.numbered(text, 0),
    },
    Way {
        sentence: "numbers the NOUNs from 1",
        meant: |asked, text| asked.numbered(text, 1),
    },
];

/// Returns the notation in which all answers would be legal moves.
pub(super) fn misreading<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let game = evidence.game;
    let answers = Answers::of(evidence)?;
    let is_move = |number: &u32| game.parse_move(&number.to_string()).is_ok();
    let highest = (0..=99).rfind(is_move).unwrap_or(0);
    let moves = game.capabilities().arrays.all_moves().into_iter();
    let moves: Vec<String> = moves.map(|mv| game.format_move(mv)).collect();
    let is_legal = |position: &G::Position, text: &str| {
        let read = game.parse_move(text);
        read.is_ok_and(|mv| game.is_legal(position, mv))
    };
    let legal = |way: &Way, position: &G::Position, text: &str| {
        let asked = Question {
            highest,
            moves: &moves,
            side: game.side_to_move(position),
        };
        let mut meant = (way.meant)(&asked, text).into_iter();
        meant.find(|text| is_legal(position, text))
    };
    let ways = WAYS.iter().map(|way| {
        let chance = answers.chance(|position, text| legal(way, position, text).is_some());
        (chance, Some(way))
    });
    // The last word of a position says whose turn it is.
    let start = game.format_position(&game.start());
    let of_first = |position: &G::Position| {
        let text = game.format_position(position);
        let (board, first) = (text.rsplit_once(' ')?.0, start.rsplit_once(' ')?.1);
        game.parse_position(&format!("{board} {first}")).ok()
    };
    let as_first = answers.chance(|position, text| {
        of_first(position).is_some_and(|position| is_legal(&position, text))
    });
    let likely = ways
        .chain([(as_first, None)])
        .filter(|&(chance, _)| chance <= UNLIKELY);
    let (_, way) = likely.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let Some(way) = way else {
        let first = "it plays as if the first player were always to move: the last word of a \
                     position says whose turn it is";
        return Some(first.into());
    };
    let example = answers.all.iter().find_map(|(position, answer)| {
        let meant = legal(way, position, answer).filter(|meant| meant != answer)?;
        Some(format!(": {answer:?} where it means {meant}"))
    });
    let sentence = way.sentence.replace("NOUN", game.move_noun());
    Some(format!("it {sentence}{}", example.unwrap_or_default()))
}

/// Answers, with their positions.
struct Answers<'a, G: Notation> {
    game: &'a G,
    all: Vec<(&'a G::Position, String)>,
    distinct: BTreeSet<String>,
}

impl<'a, G: Notation> Answers<'a, G> {
    /// Collects the answers; `None` if there are too few, or a fault of another kind.
    fn of(evidence: &'a Evidence<'a, G>) -> Option<Answers<'a, G>> {
        let game = evidence.game;
        let faulty = evidence.faults.iter().map(|(position, fault)| {
            let is_answer = matches!(fault.kind, FaultKind::Illegal | FaultKind::Malformed)
                && fault.noticed.extra.is_none();
            let answer = fault.noticed.answer.clone().filter(|_| is_answer)?;
            Some((position, answer))
        });
        let mut all: Vec<(&G::Position, String)> = faulty.collect::<Option<_>>()?;
        let positions = all
            .iter()
            .map(|(position, _)| game.format_position(position));
        if positions.collect::<BTreeSet<_>>().len() < FEWEST {
            return None;
        }
        let right = evidence.right.iter();
        all.extend(right.map(|(position, mv)| (position, game.format_move(*mv))));
        let distinct = all.iter().map(|(_, answer)| answer.clone()).collect();
        Some(Answers {
            game,
            all,
            distinct,
        })
    }

    /// Returns the probability that all answers fit by chance.
    ///
    /// The model is an AI that gives the same answers in another order. The result is 1 if not all
    /// of them fit.
    fn chance(&self, fits: impl Fn(&G::Position, &str) -> bool) -> f64 {
        let mut fitting = self.all.iter();
        if !fitting.all(|(position, answer)| fits(position, answer)) {
            return 1.0;
        }
        let chances = self.all.iter().map(|(position, answer)| {
            let answers = self.distinct.iter();
            let fitting = answers.filter(|answer| fits(position, answer)).count();
            let share = fitting as f64 / self.distinct.len() as f64;
            match self.game.parse_move(answer) {
                Ok(_) => share,
                Err(_) => share * BECOMES_A_MOVE,
            }
        });
        chances.product()
    }
}
