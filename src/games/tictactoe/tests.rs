use super::*;
use crate::game::{Game, Notation};
use crate::games::Cell;

fn game(scoring: Scoring) -> TicTacToe {
    TicTacToe { scoring }
}

fn final_score(scoring: Scoring, position: &str) -> Option<i32> {
    let game = game(scoring);
    game.final_score(&game.parse_position(position).unwrap())
}

#[test]
fn a_line_ends_the_game_and_sooner_is_worth_more() {
    for (position, outcome, shortest) in [
        ("XXXOO....", Some(-1), Some(-3)),
        ("OOOXX.X..", Some(-1), Some(-2)),
        ("XXXOO.X.O", Some(-1), Some(-2)),
        ("OXXXOOX.O", Some(-1), Some(-1)),
        ("XOXOXOOXX", Some(-1), Some(-1)),
        ("XOXXOOOXX", Some(0), Some(0)),
        ("XX.OO....", None, None),
    ] {
        assert_eq!(
            final_score(Scoring::Outcome, position),
            outcome,
            "{position}"
        );
        assert_eq!(
            final_score(Scoring::Shortest, position),
            shortest,
            "{position}"
        );
    }
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    for (text, reason) in [
        ("X.O", "has 3 cells instead of 9"),
        ("X.O......X", "has 10 cells instead of 9"),
        ("X.0......", "not \"0\""),
        ("XXXXXOO..", "5 X and 2 O"),
        ("O........", "0 X and 1 O"),
        ("XXXOOO...", "both X and O have three in a line"),
        ("XXXOO.O..", "O has moved although X"),
        ("OOOXX.XX.", "X has moved although O"),
    ] {
        let error = TicTacToe::default().parse_position(text).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn cells_are_named_by_column_letter_and_row_from_the_top() {
    let game = TicTacToe::default();
    let after = game.play(&game.start(), game.parse_move("c1").unwrap());
    assert_eq!(game.format_position(&after), "..X......");
    assert_eq!(game.format_move(Cell::at(2, 1)), "b3");
    for wrong in ["", "d1", "a4", "1a", "A1", "a11"] {
        let error = game.parse_move(wrong).unwrap_err();
        assert!(error.to_string().contains("a move is a cell"), "{error}");
    }
}

#[test]
fn the_board_says_whose_turn_it_is_or_who_has_won() {
    let game = TicTacToe::default();
    let board = |text| game.board(&game.parse_position(text).unwrap());
    assert_eq!(
        board("X.O......"),
        "     a b c\n  1  X . O\n  2  . . .   X to move\n  3  . . ."
    );
    assert!(board("X........").contains("O to move"));
    assert!(board("XXXOO....").contains("X has won"));
    assert!(board("OOOXX.X..").contains("O has won"));
    assert!(board("XOXXOOOXX").contains("drawn"));
}

#[test]
fn keys_are_base_three_with_the_first_cell_highest() {
    let game = TicTacToe::default();
    let canonical = game.canonical(&game.parse_position("X.O......").unwrap());
    assert_eq!(game.format_position(&canonical), "......X.O");
    assert_eq!(game.key(&canonical), 11);
    assert_eq!(game.position_of_key(11), Some(canonical));
    // Another image of the same class; both sides having a line; more than nine digits.
    for text in ["X.O......", "......O.X"] {
        let key = game.key(&game.parse_position(text).unwrap());
        assert_eq!(game.position_of_key(key), None, "{text}");
    }
    let both_lines = 13 * 729 + 26 * 27;
    for key in [both_lines, 19_683, 1 << 16] {
        assert_eq!(game.position_of_key(key), None, "{key}");
    }
}

#[test]
fn the_free_cells_of_the_board_are_legal() {
    let game = TicTacToe::default();
    let position = game.parse_position("X...O....").unwrap();
    let legal = (0..64)
        .map(Cell)
        .filter(|&cell| game.is_legal(&position, cell));
    let legal: Vec<String> = legal.map(|cell| cell.to_string()).collect();
    assert_eq!(legal, ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]);
    assert_eq!(game.layer(&position), 2, "marks on the board");
}
