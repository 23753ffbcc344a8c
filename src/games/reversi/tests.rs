use super::*;
use crate::game::{Game, Notation, Side};
use crate::games::cells::each;

const SMALL: Reversi = Reversi {
    board: Board::FourByFour,
    start: Start::Cross,
};
const LARGE: Reversi = Reversi {
    board: Board::Octagon,
    start: Start::Parallel,
};

fn moves(game: &Reversi, position: &str) -> String {
    let position = game.parse_position(position).unwrap();
    let moves = game.legal_moves(&position);
    let moves: Vec<String> = moves.iter().map(|&mv| game.format_move(mv)).collect();
    moves.join(" ")
}

fn after(game: &Reversi, position: &str, mv: &str) -> String {
    let position = game.parse_position(position).unwrap();
    let mv = game.parse_move(mv).unwrap();
    game.format_position(&game.try_play(&position, mv).unwrap())
}

#[test]
fn empty_cells_are_what_the_discs_leave() {
    for (game, cells) in [(SMALL, 16), (LARGE, 24)] {
        let start = game.start();
        assert_eq!(game.empty_cells(&start), cells - 4);
        let mv = game.legal_moves(&start).into_iter().next().unwrap();
        let after = game.play(&start, mv);
        assert_eq!(game.empty_cells(&after), cells - 5);
        assert_eq!(game.layer(&game.canonical(&after)), 5, "discs on the board");
        // Either side can end with no disc on a full board.
        let range = game.score_range();
        assert_eq!(range.lowest..=range.highest, -(cells as i32)..=cells as i32);
    }
}

#[test]
fn the_starts_are_as_named() {
    for (board, start, position) in [
        (Board::FourByFour, Start::Cross, "..../.WB./.BW./.... B"),
        (Board::FourByFour, Start::Parallel, "..../.WB./.WB./.... B"),
        (
            Board::Octagon,
            Start::Cross,
            "../..../..WB../..BW../..../.. B",
        ),
        (
            Board::Octagon,
            Start::Parallel,
            "../..../..WB../..WB../..../.. B",
        ),
    ] {
        let game = Reversi { board, start };
        assert_eq!(game.format_position(&game.start()), position);
    }
}

#[test]
fn a_disc_flips_all_that_it_encloses_and_nothing_else() {
    assert_eq!(moves(&SMALL, "..../.WB./.BW./.... B"), "b1 a2 d3 c4");
    assert_eq!(
        after(&SMALL, "..../.WB./.BW./.... B", "b1"),
        ".B../.BB./.BW./.... W"
    );
    // Two to the right, two downwards and one diagonally; the others are not enclosed.
    assert_eq!(
        after(&SMALL, ".WWB/WWWW/WWB./B... B", "a1"),
        "BBBB/BBWW/BWB./B... W"
    );
    // Four in a row, from edge to edge.
    assert_eq!(
        after(&LARGE, "../..../.WWWWB/..BW../..../.. B", "a3"),
        "../..../BBBBBB/..BW../..../.. W"
    );
}

#[test]
fn cells_come_from_the_corners_inwards() {
    let cells = |game: &Reversi| {
        let cells: Vec<String> = game
            .shape()
            .by_neighbours
            .into_iter()
            .flat_map(each)
            .map(|cell| cell.to_string())
            .collect();
        cells.join(" ")
    };
    assert_eq!(
        cells(&SMALL),
        "a1 d1 a4 d4 b1 c1 a2 d2 a3 d3 b4 c4 b2 c2 b3 c3"
    );
    assert_eq!(
        cells(&LARGE),
        "c1 d1 a3 f3 a4 f4 c6 d6 b2 e2 b5 e5 c2 d2 b3 e3 b4 e4 c5 d5 c3 d3 c4 d4"
    );
    assert_eq!(moves(&SMALL, "..../.BW./.WB./.BW. B"), "d4 c1 d2 a3");
}

#[test]
fn players_pass_if_they_cannot_place_a_disc() {
    let must_pass = "BBBB/BBB./BBBB/BBW. W";
    assert_eq!(moves(&SMALL, must_pass), "pass");
    assert_eq!(after(&SMALL, must_pass, "pass"), "BBBB/BBB./BBBB/BBW. B");
    assert_eq!(moves(&SMALL, "BBBB/BBB./BBBB/BBW. B"), "d4");
    let pass = |position| SMALL.try_play(&SMALL.parse_position(position).unwrap(), Move::Pass);
    assert_eq!(pass("BBBB/BBB./BBBB/BBW. B"), None);
    // Over with an empty square, which doesn't count; over with a full board.
    for (position, score) in [
        ("BBBB/BBB./BBBB/BBBB W", -15),
        ("BBBB/BBB./BBBB/BBBB B", 15),
        ("WBBB/BBBW/BBBB/BBBB W", -12),
    ] {
        assert_eq!(moves(&SMALL, position), "");
        assert_eq!(pass(position), None);
        let position = SMALL.parse_position(position).unwrap();
        assert_eq!(SMALL.final_score(&position), Some(score));
        assert_eq!(position.disc_difference(), score);
    }
}

#[test]
fn wrong_positions_are_refused_with_the_reason() {
    for (text, reason) in [
        ("..../.WB./.BW./....", "whose turn it is"),
        ("..../.WB./.BW./.... X", "not \"X\""),
        (".WB./.BW./.... B", "3 rows"),
        ("../..../..WB../..BW../..../.. B", "6 rows"),
        ("..../.WB./.BW/.... B", "row 3 has 3 squares instead of 4"),
        ("..../.WB./.bW./.... B", "not \"b\""),
        ("..../.WB./..W./.... B", "b3 is empty"),
    ] {
        let error = SMALL.parse_position(text).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(error.example, "..../.WB./.BW./.... B");
    }
    let error = LARGE.parse_position("..../.WB./.BW./.... B").unwrap_err();
    assert!(error.to_string().contains("the board has 6"), "{error}");
}

#[test]
fn keys_have_discs_in_the_middle_and_one_in_a_cell() {
    let set = |cells: &[&str]| -> u64 {
        let cells = cells.iter().map(|cell| match SMALL.parse_move(cell) {
            Ok(Move::Place(cell)) => cell.alone(),
            // Squares in the centre are not moves.
            _ => 1 << (8 * (cell.as_bytes()[1] - b'1') + cell.as_bytes()[0] - b'a'),
        });
        cells.fold(0, |set, cell| set | cell)
    };
    let named = |own: &[&str], other: &[&str]| {
        let position = Position {
            sets: [set(own), set(other)],
            side: Side::First,
        };
        assert_eq!(SMALL.final_score(&position), None);
        let key = SMALL.key(&SMALL.canonical(&position));
        SMALL.position_of_key(key).is_some()
    };
    assert!(named(&["b2", "c3"], &["c2", "b3"]));
    assert!(
        !named(&["b2"], &["c2"]),
        "two squares of the middle are empty"
    );
    let (own, other) = (["a2", "b3", "c3"], ["b2", "c2", "b3"]);
    assert!(!named(&own, &other), "both have a disc in b3");
    assert!(named(&own, &other[..2]));
}

#[test]
fn moves_are_cells_outside_the_middle() {
    for wrong in ["b2", "a5", "e1", "A1", "1a", "pas", "a1 b1"] {
        let error = SMALL.parse_move(wrong).unwrap_err();
        assert!(error.tip().contains("write it like a1"), "{error}");
    }
    for wrong in ["a1", "b1", "c3", "g3"] {
        let error = LARGE.parse_move(wrong).unwrap_err();
        assert!(error.tip().contains("write it like "), "{error}");
    }
}

#[test]
fn boards_are_drawn_with_whose_turn_it_is() {
    let board = |game: &Reversi, text| game.board(&game.parse_position(text).unwrap());
    assert_eq!(
        board(&SMALL, ".B../.BB./.BW./.... W"),
        "     a b c d
  1  . B . .
  2  . B B .   W to move
  3  . B W .   B 4, W 1
  4  . . . ."
    );
    assert_eq!(
        board(&LARGE, "../..../..WB../..WB../..../.. B"),
        "     a b c d e f
  1      . .
  2    . . . .
  3  . . W B . .   B to move
  4  . . W B . .   B 2, W 2
  5    . . . .
  6      . ."
    );
    assert!(board(&SMALL, "BBBB/BBB./BBBB/BBW. W").contains("W must pass"));
    assert!(board(&SMALL, "BBBB/BBB./BBBB/BBBB W").contains("the game is over"));
}
