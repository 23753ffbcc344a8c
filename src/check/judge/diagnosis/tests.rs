use super::*;
use crate::check::contenders::player::Noticed;
use crate::game::Game;
use crate::games::Cell;
use crate::games::connect4::{Connect4, Parameters};
use crate::games::tictactoe::TicTacToe;

const GAME: TicTacToe = TicTacToe {
    scoring: crate::games::tictactoe::Scoring::Outcome,
};

fn fault(kind: FaultKind, notice: impl FnOnce(&mut Noticed)) -> Fault {
    let mut fault = Fault::new(kind, "");
    notice(&mut fault.noticed);
    fault
}

/// Returns a crash with this text on standard error.
fn crash(stderr: &str) -> Fault {
    Fault {
        stderr: stderr.to_owned(),
        ..Fault::new(FaultKind::Crash, "exited with code 1")
    }
}

/// Returns the likely cause of a program's faults; `right` other answers are legal.
fn cause_of(command: &str, faults: &[Fault], right: usize) -> String {
    let start = GAME.start();
    let answer = (start, Cell(0));
    let faults: Vec<_> = faults.iter().map(|fault| (start, fault.clone())).collect();
    let evidence = Evidence {
        game: &GAME,
        faults: &faults,
        right: vec![answer; right],
        command: Some(command),
    };
    likely_cause(&evidence).unwrap_or_default()
}

#[test]
fn the_cause_explains_half_of_the_faults() {
    let python = "Traceback (most recent call last):\n  File \"ai.py\"\nKeyError: 'x1'\n\n";
    let other = crash("panicked at 7\nnote: more\n");
    for (faults, cause) in [
        (
            vec![crash(python)],
            "a Python error ends it: KeyError: 'x1'",
        ),
        (
            vec![crash(python); 2],
            "a Python error ends it, each time: KeyError: 'x1'",
        ),
        (
            vec![other.clone(), other.clone(), crash("alas\n"), crash("")],
            "it ends with the message, in 2 of 4 faults: panicked at 7",
        ),
        (
            [vec![other.clone(); 3], vec![crash(""); 3]].concat(),
            "it ends with the message, in 3 of 6 faults: panicked at 7",
        ),
        // Neither a single message of another program is a pattern, nor less than half of the
        // faults.
        (vec![other.clone()], ""),
        ([vec![other.clone(); 2], vec![crash(""); 3]].concat(), ""),
        // Messages without a crash don't count.
        (
            vec![
                Fault {
                    kind: FaultKind::Timeout,
                    ..other.clone()
                };
                2
            ],
            "it is too slow in 1 position",
        ),
    ] {
        assert_eq!(cause_of("./ai", &faults, 1), cause);
    }
    // A Python message whose beginning is cut off is recognised by its last line.
    let rest = [crash("  in line 3\nValueError: no\n")];
    let cause = "a Python error ends it: ValueError: no";
    for command in ["python3 -u ai", "./ai.py"] {
        assert_eq!(cause_of(command, &rest, 0), cause);
    }
    assert_eq!(cause_of("./ai", &rest, 0), "");
}

#[test]
fn programs_that_end_after_one_answer_are_told_to_read_on() {
    let end = |code, lines_before| {
        let mut end = fault(FaultKind::Crash, |noticed| {
            noticed.lines_before = lines_before
        });
        end.detail = format!("exited with code {code}");
        end
    };
    let is_once = |faults: &[Fault]| cause_of("./ai", faults, 1).contains("one position and ends");
    assert!(is_once(&vec![end(0, 1); 3]));
    for others in [end(0, 2), end(0, 0), end(1, 1)] {
        assert!(!is_once(&[end(0, 1), end(0, 1), others]));
    }
    assert!(!is_once(&vec![end(0, 1); 1]));
}

#[test]
fn silent_programs_are_diagnosed_by_their_behaviour() {
    let late = |notice: fn(&mut Noticed)| fault(FaultKind::Timeout, notice);
    let never = late(|_| ());
    let once = late(|noticed| noticed.lines_before = 1);
    let at_end = late(|noticed| noticed.answered_at_end = true);
    let unended = late(|noticed| noticed.unended = Some("a1".to_owned()));
    for (faults, right, words) in [
        (vec![unended.clone(); 1], 0, "doesn't end its lines"),
        (vec![at_end.clone(); 1], 1, "only when its input ends"),
        (vec![never.clone(); 2], 0, "never answered"),
        (
            vec![once.clone(); 3],
            1,
            "one position and then nothing more",
        ),
    ] {
        let cause = cause_of("./ai", &faults, right);
        assert!(cause.contains(words), "{cause:?} without {words:?}");
        assert!(!cause.contains("print("), "{cause}");
        // For Python programs, the advice is in Python.
        let cause = cause_of("python3 ai.py", &faults, right);
        assert!(
            cause.contains(words) && cause.contains("flush=True"),
            "{cause:?}"
        );
    }
    let crashed = Fault::new(FaultKind::Crash, "exited with code 1");
    for (faults, right) in [
        // The faults differ.
        (vec![at_end, crashed.clone()], 0),
        (vec![once.clone(), never.clone()], 0),
        (vec![unended, crashed], 0),
    ] {
        assert_eq!(cause_of("./ai", &faults, right), "", "{faults:?}");
    }
}

#[test]
fn timeouts_besides_right_answers_are_called_slow() {
    let late = |lines_before| {
        fault(FaultKind::Timeout, |noticed| {
            noticed.lines_before = lines_before
        })
    };
    for faults in [vec![late(1); 2], vec![late(0); 3], vec![late(1), late(7)]] {
        let cause = cause_of("./ai", &faults, 1);
        assert_eq!(cause, "it is too slow in 1 position");
    }
}

#[test]
fn lines_that_are_no_moves_are_shown() {
    let line = |line: &str, lines_before, move_followed| {
        fault(FaultKind::Malformed, |noticed| {
            noticed.answer = Some(line.to_owned());
            noticed.lines_before = lines_before;
            noticed.move_followed = move_followed;
        })
    };
    let cause = |faults: &[Fault]| cause_of("./ai", faults, 1);
    let greeting = cause(&vec![line("hello", 0, true); 2]);
    assert!(greeting.starts_with("it begins with a line that is no move, \"hello\""));
    // The line comes later, or is not always the same.
    for other in [line("hello", 4, true), line("I think", 0, true)] {
        let cause = cause(&[line("hello", 0, true), other]);
        assert!(cause.starts_with("it writes lines besides its moves, such as \"hello\""));
    }
    // One fault is no pattern, and a line that nothing follows may be meant as a move.
    assert_eq!(cause(&[line("hello", 0, true)]), "");
    assert_eq!(cause(&vec![line("hello", 0, false); 2]), "");
}

/// Returns the cause for these answers; those that are not legal moves are faults.
fn cause_of_answers<G: Notation>(
    game: &G,
    answers: &[(&str, &str)],
    notice: impl Fn(&mut Fault),
) -> String {
    let positions = answers
        .iter()
        .map(|(text, _)| game.parse_position(text).unwrap());
    let positions: Vec<G::Position> = positions.collect();
    let (mut faults, mut right) = (Vec::new(), Vec::new());
    for (position, &(_, answer)) in positions.iter().zip(answers) {
        let kind = match game.parse_move(answer) {
            Ok(mv) if game.is_legal(position, mv) => {
                right.push((position.clone(), mv));
                continue;
            }
            Ok(_) => FaultKind::Illegal,
            Err(_) => FaultKind::Malformed,
        };
        let mut fault = Fault::new(kind, "");
        fault.noticed.answer = Some(answer.to_owned());
        notice(&mut fault);
        faults.push((position.clone(), fault));
    }
    let evidence = Evidence {
        game,
        faults: &faults,
        right,
        command: None,
    };
    likely_cause(&evidence).unwrap_or_default()
}

/// Returns the cause for an AI that writes its moves with `written`.
///
/// The AI means free squares, one after another.
fn cause_of_writing(written: impl Fn(&str) -> String, notice: impl Fn(&mut Fault)) -> String {
    let positions = [
        "XO.X.O...",
        "X...OXO..",
        ".XO.X..O.",
        "OXXO.....",
        "..XXO...O",
        "X.XO...O.",
        ".OX..OX..",
        "O...XXO..",
        ".X.OOX...",
        "X..O.O.X.",
        "OX.XO....",
        "..OX.X.O.",
    ];
    let mut answers = Vec::new();
    for (at, text) in positions.into_iter().cycle().take(36).enumerate() {
        let moves = GAME.legal_moves(&GAME.parse_position(text).unwrap());
        let meant = moves[(at + at / 12) % moves.len()];
        answers.push((text, written(&GAME.format_move(meant))));
    }
    let answers: Vec<_> = answers
        .iter()
        .map(|(text, answer)| (*text, answer.as_str()))
        .collect();
    cause_of_answers(&GAME, &answers, notice)
}

/// Changes the column and row of a square.
fn changed(text: &str, change: impl Fn(u8, u8) -> (u8, u8)) -> String {
    let bytes = text.as_bytes();
    let (column, row) = change(bytes[0] - b'a' + 1, bytes[1] - b'0');
    format!("{}{row}", char::from(b'a' - 1 + column))
}

#[test]
fn other_ways_to_write_cells_are_recognised() {
    for (written, words) in [
        (
            (|text| text.to_uppercase()) as fn(&str) -> String,
            "capital letters",
        ),
        (
            |text| text.chars().rev().collect(),
            "the row before the column",
        ),
        (|text| format!("move {text}"), "more than the move"),
        (
            |text| changed(text, |column, row| (column, row - 1)),
            "counts from 0",
        ),
        (
            |text| changed(text, |column, row| (column, row + 1)),
            "numbers that are one too high",
        ),
        (
            |text| {
                let cell = GAME.parse_move(text).unwrap();
                (3 * cell.row() + cell.column()).to_string()
            },
            "numbers the squares from 0",
        ),
        (
            |text| changed(text, |column, row| (row, column)),
            "swaps rows and columns",
        ),
        (
            |text| changed(text, |column, row| (column, 4 - row)),
            "counts the rows from the other end",
        ),
        (
            |text| changed(text, |column, row| (4 - column, row)),
            "counts the columns from the other end",
        ),
        (
            |text| {
                let cell = GAME.parse_move(text).unwrap();
                format!("({}, {})", cell.row(), cell.column())
            },
            "row and column as two numbers from 0",
        ),
        (
            |text| {
                let cell = GAME.parse_move(text).unwrap();
                format!("{} {}", cell.column() + 1, cell.row() + 1)
            },
            "column and row as two numbers from 1",
        ),
        (
            |text| format!("\u{1b}[1;32m{text}\u{1b}[0m"),
            "colours its answers",
        ),
        (|text| format!("\"{text}\""), "more than the move"),
        (str::to_owned, ""),
    ] {
        let cause = cause_of_writing(written, |_| ());
        assert!(cause.contains(words), "{cause:?} without {words:?}");
        assert_eq!(cause.is_empty(), words.is_empty(), "{cause}");
    }
}

#[test]
fn boards_and_beginnings_of_moves_are_read_as_moves() {
    let answers = [
        ("XO.X.O...", "XO.X.OX.."),
        ("X...OXO..", "X...OXO.X"),
        (".XO.X..O.", ".XO.X.XO."),
    ];
    let cause = cause_of_answers(&GAME, &answers, |_| ());
    assert!(
        cause.contains("the board after its move: \"XO.X.OX..\" where it means a3"),
        "{cause}"
    );
    let game = Connect4::new(Parameters::default()).unwrap();
    let answers = [
        ("12", "d2"),
        ("444", "a1"),
        ("7", "g2"),
        ("-", "f1"),
        ("1", "c1"),
    ];
    let cause = cause_of_answers(&game, &answers, |_| ());
    assert!(
        cause.contains("a square where a number belongs: \"d2\" where it means 4"),
        "{cause}"
    );
}

#[test]
fn only_answers_that_are_no_moves_are_read_in_other_ways() {
    for spoil in [
        (|fault| fault.kind = FaultKind::Timeout) as fn(&mut Fault),
        |fault| fault.noticed.extra = Some("A1".to_owned()),
        |fault| fault.noticed.answer = None,
    ] {
        // One fault of another kind is enough to rule out a misreading.
        let is_first = std::cell::Cell::new(true);
        let cause = cause_of_writing(str::to_uppercase, |fault| {
            if is_first.replace(false) {
                spoil(fault);
            }
        });
        assert_eq!(cause, "");
    }
}

#[test]
fn the_reading_that_chance_explains_least_is_told() {
    // Counted from 0, all answers are free squares, too; but then any answer is nearly anywhere.
    let answers = [
        (".X.O.....", "1"),
        ("X..OX...O", "3"),
        ("XO..X....", "6"),
        ("XO.X..O..", "8"),
    ];
    let cause = cause_of_answers(&GAME, &answers, |_| ());
    assert!(cause.contains("numbers the squares from"), "{cause}");
    // An answer that is the same everywhere is no evidence.
    let answers = [
        (".X.......", "b1"),
        (".XO......", "b1"),
        (".XOX.....", "b1"),
    ];
    assert_eq!(cause_of_answers(&GAME, &answers, |_| ()), "");
}

#[test]
fn questions_end_once_the_cause_is_certain() {
    let late = |notice: fn(&mut Noticed)| fault(FaultKind::Timeout, notice);
    let (silent, behind) = (
        late(|_| ()),
        late(|noticed| noticed.answered_at_next = true),
    );
    let crashed = |code| Fault::new(FaultKind::Crash, format!("exited with code {code}"));
    let later = fault(FaultKind::Crash, |noticed| noticed.lines_before = 1);
    for (faults, right, ends) in [
        (vec![], 0, false),
        // An AI that has answered before may be slow in one position.
        (vec![silent.clone()], 0, true),
        (vec![silent.clone()], 1, false),
        (vec![behind], 1, true),
        (vec![crashed(1); 2], 0, false),
        (vec![crashed(1); 3], 0, true),
        (vec![crashed(1); 3], 1, false),
        (vec![crashed(1), crashed(1), crashed(2)], 0, false),
        (vec![later; 3], 0, false),
        (vec![silent, crashed(1), crashed(1)], 0, false),
    ] {
        let start = GAME.start();
        let found: Vec<_> = faults.iter().map(|fault| (start, fault.clone())).collect();
        let evidence = Evidence {
            game: &GAME,
            faults: &found,
            right: vec![(start, Cell(0)); right],
            command: Some("./ai"),
        };
        assert_eq!(is_mute(&evidence), ends, "{faults:?}, {right} right");
        // A function is soon asked again, so only programs end early by crashes.
        let function = Evidence {
            command: None,
            ..evidence
        };
        let crashes = faults.iter().any(|fault| fault.kind == FaultKind::Crash);
        assert_eq!(is_mute(&function), ends && !crashes, "{faults:?}");
    }
}

#[test]
fn crashes_without_a_message_are_named_by_their_end() {
    let crash = || crash("");
    assert_eq!(
        cause_of("./ai", &[crash(), crash()], 1),
        "it exited with code 1, each time"
    );
    assert_eq!(cause_of("./ai", &[crash()], 1), "");
}
