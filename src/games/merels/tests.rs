use super::*;
use crate::game::{Game, Notation, WON};
use crate::games::cells::{Cells, SYMMETRIES, image, ones, unpack};
use rustc_hash::FxHashSet;

const STEPS: [&str; 4] = ["orthogonal", "lines", "neighbours", "any"];

/// Returns the game with this value of its option.
fn game(kind: Kind, option: &str) -> Merels {
    Merels::new(kind, option.to_owned())
}

fn after(game: &Merels, position: &str, mv: &str) -> Option<String> {
    let position = game.parse_position(position).unwrap();
    let after = game.try_play(&position, game.parse_move(mv).unwrap());
    after.map(|after| game.format_position(&after))
}

#[test]
fn goals_are_as_many_as_published() {
    for (kind, option, count) in [
        (Kind::Morris, "any", 8),
        (Kind::Teeko, "small", 44),
        (Kind::Teeko, "all", 58),
    ] {
        let game = game(kind, option);
        let goals = game.goals.as_flattened().iter().copied();
        let goals: FxHashSet<Cells> = goals.filter(|&goal| goal != 0).collect();
        assert_eq!(goals.len(), count, "{}", game.name());
        for goal in goals {
            assert_eq!(goal.count_ones(), game.pieces);
            let rows = game.grid.side;
            assert!((0..SYMMETRIES).all(|of| game.is_goal(image(rows, of, goal))));
        }
    }
}

/// All sets of as many squares as each player has pieces.
fn sets(board: &Merels) -> impl Iterator<Item = Cells> {
    let rows = board.grid.side;
    // The next number with as many ones.
    let next = |&set: &u64| {
        let above = set + (set & set.wrapping_neg());
        Some(above | ((set ^ above) >> set.trailing_zeros()) >> 2)
    };
    let all = std::iter::successors(Some((1 << board.pieces) - 1), next);
    let all = all.take_while(move |set| set >> (rows * rows) == 0);
    all.map(move |set| unpack(rows, set))
}

#[test]
fn players_can_move_until_they_have_lost() {
    for (kind, option) in [(Kind::Morris, "orthogonal"), (Kind::Teeko, "small")] {
        let board = game(kind, option);
        for own in sets(&board) {
            let near = ones(own).fold(0, |near, bit| near | board.steps[bit]) & !own;
            let can_enclose = near.count_ones() <= board.pieces;
            let is_over = board.is_goal(own) || board.is_goal(near);
            assert!(!can_enclose || is_over, "{own:x}");
        }
    }
}

#[test]
fn positions_of_each_morris_are_as_many_as_published() {
    for option in STEPS {
        let game = game(Kind::Morris, option);
        let mut known = FxHashSet::from_iter([game.start()]);
        let mut open = vec![game.start()];
        while let Some(position) = open.pop() {
            for mv in game.legal_moves(&position) {
                let child = game.play(&position, mv);
                if known.insert(child) {
                    open.push(child);
                }
            }
        }
        assert_eq!(known.len(), 5390, "{option}");
    }
}

#[test]
fn pieces_step_as_the_option_says() {
    // Along a row, to the middle, from edge to edge, across the board.
    let ways = ["a2-b2", "c1-b2", "a2-b3", "a2-c3"];
    for (number, option) in (1..).zip(STEPS) {
        let game = game(Kind::Morris, option);
        let legal = ways.map(|mv| after(&game, "OXX/X.O/O.. first", mv).is_some());
        assert_eq!(legal, [0, 1, 2, 3].map(|way| way < number), "{option}");
    }
    let teeko = game(Kind::Teeko, "small");
    let start = teeko.format_position(&teeko.start());
    let one = after(&teeko, &start, "c3").unwrap();
    assert_eq!(one, "...../...../..X../...../..... second");
    assert_eq!(after(&teeko, &one, "c3"), None);
    let placed = "XXX../..O../..X../..O../..OO. first";
    let diagonal = after(&teeko, placed, "c3-d2").unwrap();
    assert_eq!(diagonal, "XXX../..OX./...../..O../..OO. second");
    // Over another piece, and two steps.
    assert_eq!(after(&teeko, placed, "c3-c4"), None);
    assert_eq!(after(&teeko, placed, "c3-e3"), None);
}

#[test]
fn goals_win() {
    let [small, all] = ["small", "all"].map(|squares| game(Kind::Teeko, squares));
    let is_over = |game: &Merels, position| {
        game.final_score(&game.parse_position(position).unwrap()) == Some(-WON)
    };
    for (position, by_small) in [
        ("XX.../XX.../OOO../O..../..... second", true),
        ("...X./..X../.X.../....X/OOOO. first", true),
        ("X...X/.OO../..O../..O../X...X second", false),
    ] {
        assert_eq!(is_over(&small, position), by_small, "{position}");
        assert!(is_over(&all, position), "{position}");
    }
    assert!(small.board(&small.start()).contains("X to move"));
}

#[test]
fn wrong_texts_are_refused_with_the_reason() {
    let game = game(Kind::Morris, "any");
    for (text, reason) in [
        ("X../.../...", "the side to move"),
        ("X../... second", "2 rows"),
        ("X../.Z./... second", "not \"Z\" as in column 6"),
        (
            "X../.../... first",
            "the side to move has 1 of its pieces on the board and the other 0",
        ),
        ("XXO/OXO/OX. second", "can't arise"),
        ("XXX/OO./... first", "can't arise"),
        ("XXX/OO./O.. first", "has won already"),
    ] {
        let error = game.parse_position(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for text in ["d1", "a1-", "a1-b2-c3", "a1-a4", "1a"] {
        assert!(game.parse_move(text).is_err(), "{text}");
    }
}
