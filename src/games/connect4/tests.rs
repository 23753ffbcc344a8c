use super::*;
use crate::game::{Family, Game, Notation, Solving, Values};

pub(super) fn game(columns: usize, rows: usize, line: usize) -> Connect4 {
    let parameters = Parameters {
        columns,
        rows,
        line,
    };
    Connect4::new(parameters).unwrap()
}

fn usual() -> Connect4 {
    Connect4::new(Parameters::default()).unwrap()
}

fn refused(game: &Connect4, text: &str) -> String {
    let error = game.parse_position(text).unwrap_err();
    assert!(game.parse_position(&error.example).is_ok(), "{error}");
    error.to_string()
}

#[test]
fn stones_fall_and_four_in_line_win() {
    let game = usual();
    for (columns, picture) in [
        ("-", "......./......./......./......./......./......."),
        ("4453", "......./......./......./......./...O.../..OXX.."),
        ("444444", "...O.../...X.../...O.../...X.../...O.../...X..."),
        ("7", "......./......./......./......./......./......X"),
    ] {
        let position = game.parse_position(columns).unwrap();
        assert_eq!(game.format_position(&position), picture, "{columns}");
        assert_eq!(game.parse_position(picture), Ok(position));
        assert_eq!(game.final_score(&position), None);
    }
    // Rows, a column and both diagonals; the score counts the winner's stones.
    for (columns, score) in [
        ("1122334", Some(-18)),
        ("1212121", Some(-18)),
        ("71212121", Some(-18)),
        ("7177117", None),
        ("4556676747", None),
        ("45566767177", Some(-16)),
        ("43322121711", Some(-16)),
    ] {
        let position = game.parse_position(columns).unwrap();
        assert_eq!(game.final_score(&position), score, "{columns}");
        assert_eq!(game.legal_moves(&position).is_empty(), score.is_some());
    }
}

#[test]
fn a_score_counts_the_stones_that_the_winner_has_left() {
    // 25 squares: the first player has 13 stones, the second 12.
    let odd = game(5, 5, 4);
    let score = |game: &Connect4, columns| game.final_score(&game.parse_position(columns).unwrap());
    assert_eq!(score(&odd, "1212121"), Some(-10));
    assert_eq!(score(&odd, "31212121"), Some(-9));
    assert_eq!(score(&odd, "51212425"), None);
    assert_eq!(odd.score_range().highest, 10);
    assert_eq!(usual().score_range().highest, 18);
    // Nobody can make a line of 4.
    assert_eq!(game(3, 1, 4).score_range().highest, 0);
    assert_eq!(score(&game(3, 1, 4), "123"), Some(0));
}

#[test]
fn positions_that_cannot_come_up_are_refused_with_the_reason() {
    let game = usual();
    for (text, reason) in [
        (
            "......./......./......./......./......./....",
            "row 6 has 4 squares",
        ),
        (
            "......./......./......./......./.......",
            "5 rows with \"/\"",
        ),
        (
            "......./......./......./......./......./...x...",
            "not \"x\"",
        ),
        (
            "......./......./......./...X.../......./.......",
            "column 4, row 4 from the top",
        ),
        (
            "......./......./......./......./......./...O...",
            "0 X and 1 O",
        ),
        (
            "......./......./......./......./......./X..X...",
            "2 X and 0 O",
        ),
        (
            "......./......./......./......./OOOO.../XXXX...",
            "both X and O have 4",
        ),
        (
            "......./......./......./......./OOO..../XXXXO..",
            "O has moved although X",
        ),
        (
            "......./......./......./......./XXX...X/OOOO..X",
            "X has moved although O",
        ),
        (
            "......./......./......./X....../X....../OO.....",
            "no order of alternating moves",
        ),
        // Two rows of the first player that no single stone can have completed.
        (
            "......./......./......./......O/XXXXOOO/OOOXXXX",
            "no last move of X",
        ),
        ("448", "move 3 is column 8"),
        ("4444444", "column 4 is full before move 7"),
        ("12121213", "the game is over before move 8"),
        ("4 5", "columns played"),
        ("4,,5", "columns played"),
    ] {
        let error = refused(&game, text);
        assert!(error.contains(reason), "{error}");
        assert!(error.contains(text), "{error}");
    }
    // X has moved last, but the top stone is O's.
    let error = refused(&self::game(1, 3, 3), "O/X/X");
    assert!(error.contains("none of its discs lies on top"), "{error}");
}

#[test]
fn wide_boards_have_commas_between_columns() {
    let game = game(16, 3, 4);
    let position = game.parse_position("10,3,3").unwrap();
    assert_eq!(
        game.format_position(&position),
        "................/..X............./..O......X......"
    );
    assert_eq!(game.parse_position("16"), game.parse_position(" 16 "));
    assert!(refused(&game, "17").contains("numbers from 1 to 16"));
    assert_eq!(game.parse_move("16"), Ok(Column(15)));
    for wrong in ["0", "17", "016", "+1", "a", ""] {
        assert!(game.parse_move(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn boards_that_do_not_fit_are_refused_with_those_that_do() {
    let refused = |columns: &str, rows: &str, line: &str| {
        let mut values = Values::default();
        for (name, value) in [("columns", columns), ("rows", rows), ("connect", line)] {
            values.set(name, value);
        }
        Connect4Family.game(&values).unwrap_err().0
    };
    for (columns, rows, reason) in [
        (
            "9",
            "7",
            "9 columns can have 6 rows at most, and 7 rows can have 8 columns at most",
        ),
        (
            "7",
            "9",
            "7 columns can have 8 rows at most, and 9 rows can have 6 columns at most",
        ),
        ("64", "1", "1 row can have 32 columns at most"),
        ("1", "64", "1 column can have 63 rows at most"),
        ("100", "100", "7 columns and 6 rows fit"),
        (
            "18446744073709551615",
            "18446744073709551615",
            "7 columns and 6 rows fit",
        ),
        ("0", "6", "at least 1 column and 1 row"),
        ("7", "0", "at least 1 column and 1 row"),
        ("seven", "6", "columns=seven is not a whole number"),
    ] {
        let error = refused(columns, rows, "4");
        assert!(error.contains(reason), "{error}");
    }
    for line in ["0", "1", "65"] {
        assert!(refused("7", "6", line).contains("a line is 2 to 64 discs"));
    }
    for (columns, rows) in [(8, 7), (9, 6), (32, 1), (1, 63), (16, 3), (4, 15)] {
        let game = game(columns, rows, 4);
        assert_eq!(game.board.cells() as usize, columns * rows);
    }
}

#[test]
fn the_board_says_whose_turn_it_is_or_who_has_won() {
    let game = usual();
    let board = |text| game.board(&game.parse_position(text).unwrap());
    assert_eq!(
        board("4453"),
        "   1 2 3 4 5 6 7
   . . . . . . .
   . . . . . . .
   . . . . . . .
   . . . . . . .   X to move
   . . . O . . .
   . . O X X . ."
    );
    assert!(board("1").contains("O to move"));
    assert!(board("1212121").contains("X has won"));
    assert!(board("71212121").contains("O has won"));
    let tiny = self::game(1, 2, 2);
    assert!(
        tiny.board(&tiny.parse_position("11").unwrap())
            .contains("drawn")
    );
}

#[test]
fn keys_have_a_mark_on_top_of_each_column() {
    let game = game(3, 3, 3);
    // The side to move's stones, and a mark above each column; the lowest squares are bits 0, 4 and
    // 8.
    let position = game.parse_position("32").unwrap();
    assert_eq!(game.key(&position), 0b0011_0010_0001);
    let canonical = game.canonical(&position);
    assert_eq!(canonical, game.parse_position("12").unwrap());
    let key = 0b0001_0010_0011;
    assert_eq!(game.key(&canonical), key);
    assert_eq!(game.position_of_key(key), Some(canonical));
    for wrong in [
        // The mirror image, a column without a mark, too many stones of the side to move.
        0b0011_0010_0001,
        0b0001_0010_0000,
        0b0001_0011_0011,
        1 << 12 | key,
        1 << 64 | key,
    ] {
        assert_eq!(game.position_of_key(wrong), None, "{wrong:#b}");
    }
}

#[test]
fn layers_count_stones_and_some_boards_classes_are_counted() {
    let game = game(4, 3, 4);
    for (position, stones) in [("-", 0), ("12", 2), ("4411", 4)] {
        let position = game.parse_position(position).unwrap();
        assert_eq!(game.layer(&game.canonical(&position)), stones);
    }
    assert_eq!(game.expected_classes(), Some(5_525));
}
