//! Tests of Connect Four: published scores, counts and winners.

use crate::common::{Random, all_positions};
use crate::run::ROOT;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zermelo::any::{AnyOracle, FAMILIES, game_of_rules};
use zermelo::game::{Game, NoProgress, Notation, SearchSetup, Searcher, Solution, SolveOptions};
use zermelo::games::connect4::search::Connect4Searcher;
use zermelo::games::connect4::{Connect4, Parameters, Position};
use zermelo::oracle::{Only, Wanted};
use zermelo::search::{Algorithm, Search, TranspositionTable};
use zermelo::solve::verify_by_search;
use zermelo::solve::{Method, score_of, solve};
use zermelo::table::{
    Sample, Table, TableFile, VerifyError, VerifyOptions, WriteOptions, verify, write_to_vec,
};

fn data(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/data").join(name)
}

fn game(columns: usize, rows: usize, line: usize) -> Connect4 {
    let parameters = Parameters {
        columns,
        rows,
        line,
    };
    Connect4::new(parameters).unwrap()
}

fn searcher(game: &Connect4, threads: usize, memory: u64) -> Connect4Searcher {
    let setup = SearchSetup::new(threads, memory);
    Connect4Searcher::new(game, &setup).unwrap()
}

fn score(searcher: &Connect4Searcher, position: &Position) -> i32 {
    let found = searcher.score(position, 0, &NoProgress, &mut |_| ());
    found.unwrap().score().unwrap()
}

/// Checks up to `most` positions of a published set against their published scores.
fn set_is_exact(set: &str, most: usize, threads: usize) {
    let game = Connect4::new(Parameters::default()).unwrap();
    let searcher = searcher(&game, threads, 128 << 20);
    let text = fs::read_to_string(data("connect4").join(format!("{set}.txt"))).unwrap();
    assert_eq!(text.lines().count(), 200);
    for line in text.lines().take(most) {
        let (columns, wanted) = line.split_once(' ').unwrap();
        let position = game.parse_position(columns).unwrap();
        let wanted: i32 = wanted.parse().unwrap();
        assert_eq!(score(&searcher, &position), wanted, "{set}: {line}");
    }
}

/// Returns the table in memory of the opening book that `scores` fill.
fn book_of(
    book: &Connect4,
    classes: &[(u128, Position)],
    score: impl Fn(&Position) -> i32,
) -> Table<Connect4> {
    let kept = classes
        .iter()
        .filter(|(_, position)| book.has_in_book(position));
    let entries = kept.map(|(key, position)| (*key, score(position)));
    let solution = Solution::Keyed(entries.collect());
    let bytes = write_to_vec(book, &solution, WriteOptions::default(), &NoProgress).unwrap();
    Table::new(TableFile::from_bytes(bytes).unwrap(), book.clone()).unwrap()
}

/// A book answers for every position that it can, exactly and without a search.
#[test]
fn a_search_with_an_opening_book_is_exact() {
    let game = game(4, 5, 4);
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 30,
    };
    let solved = solve(&game, Method::Backward, options, &NoProgress).unwrap();
    let Solution::Keyed(entries) = &solved.solution else {
        unreachable!("it has no ranking")
    };
    let classes = entries
        .iter()
        .map(|&(key, _)| (key, game.position_of_key(key).unwrap()));
    let classes: Vec<(u128, Position)> = classes.collect();
    let right = |position: &Position| score_of(&game, &solved.solution, position).unwrap();
    for up_to in [1, 3, 9] {
        let book = game.opening(up_to).unwrap();
        let table = book_of(&book, &classes, right);
        let sample = Sample {
            count: 100,
            seed: 1,
        };
        let searched = verify_by_search(&table, Some(sample), options, &NoProgress).unwrap();
        assert_eq!(searched.wrong, 0);
        let error = verify(&table, &VerifyOptions::within(2, 1 << 30), &NoProgress).unwrap_err();
        assert!(matches!(error, VerifyError::Opening { .. }), "{error}");
        let mut setup = SearchSetup::new(1, 1 << 20);
        setup.known = Some(Arc::new(table));
        let searcher = Connect4Searcher::new(&game, &setup).unwrap();
        let (known, unknown): (Vec<Position>, Vec<Position>) = classes
            .iter()
            .map(|(_, position)| position)
            .partition(|position| position.stones() <= up_to);
        for position in &known {
            assert_eq!(searcher.bounds(position).score(), Some(right(position)));
            assert_eq!(score(&searcher, position), right(position));
        }
        assert_eq!(searcher.nodes(), 0);
        for position in unknown.iter().step_by(997) {
            assert_eq!(score(&searcher, position), right(position));
        }
        assert!(searcher.nodes() > 0);
    }
}

#[test]
fn an_opening_book_of_another_game_is_refused() {
    let (book, other) = (game(4, 4, 4).opening(2).unwrap(), game(4, 5, 4));
    let mut setup = SearchSetup::new(1, 1 << 20);
    setup.known = Some(Arc::new(book_of(&book, &[], |_| 0)));
    let error = Connect4Searcher::new(&other, &setup).err().unwrap();
    assert_eq!(error.to_string(), "it is a table of connect4(4,4,up-to=2)");
    // A book that lacks a position leaves it to the search.
    let game = game(4, 4, 4);
    let searcher = Connect4Searcher::new(&game, &setup).unwrap();
    assert_eq!(score(&searcher, &game.start()), 0);
    assert!(searcher.nodes() > 0);
    for up_to in [0, 16] {
        assert!(game.opening(up_to).is_err());
    }
}

/// Returns the opening book of the usual board, which every search of it uses.
fn with_own_book() -> AnyOracle<'static> {
    let game = game_of_rules("connect4 columns=7 rows=6 connect=4", FAMILIES).unwrap();
    game.search(&SearchSetup::new(2, 64 << 20), &NoProgress)
        .unwrap()
}

#[test]
fn the_own_opening_book_has_the_known_scores_of_the_first_moves() {
    let oracle = with_own_book();
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    for (position, moves) in [
        ("-", "4 1 3 0 5 0 2 -1 6 -1 1 -2 7 -2"),
        ("4", "4 -1 2 -2 3 -2 5 -2 6 -2 1 -4 7 -4"),
        ("1", "2 2 4 2 3 1 6 1 1 -1 5 -1 7 -2"),
    ] {
        let answer = oracle.ask(Some(position), wanted, None).unwrap();
        let found: Vec<String> = answer
            .moves
            .unwrap()
            .into_iter()
            .map(|(mv, score)| format!("{mv} {score}"))
            .collect();
        assert_eq!(found.join(" "), moves, "{position}");
        assert_eq!(answer.effort.unwrap().nodes, 0);
    }
}

/// Each score follows from the positions after the moves, and some were searched.
#[test]
fn the_own_opening_book_agrees_with_itself_and_with_searches() {
    own_book_agrees(200, 4);
}

#[test]
#[ignore = "exhaustive: 20 s"]
fn more_of_the_own_opening_book_agrees_with_itself_and_with_searches() {
    own_book_agrees(5000, 60);
}

fn own_book_agrees(games: usize, searched: usize) {
    let game = Connect4::new(Parameters::default()).unwrap();
    let (oracle, mut random) = (with_own_book(), Random(1));
    let searcher = searcher(&game, 2, 128 << 20);
    let book_score = |position: &Position| {
        let wanted = Wanted {
            only: Some(Only::Score),
            ..Wanted::default()
        };
        let answer = oracle.ask(Some(&game.format_position(position)), wanted, None);
        answer.unwrap().bounds.lower
    };
    for number in 0..games {
        let mut position = game.start();
        for _ in 0..12 {
            if game.at_once(&position).is_some() {
                break;
            }
            let moves = game.legal_moves(&position);
            let best = moves
                .iter()
                .map(|&mv| -book_score(&game.play(&position, mv)))
                .max();
            assert_eq!(book_score(&position), best.unwrap(), "{position:?}");
            position = game.play(&position, moves[random.below(moves.len())]);
        }
        if number < searched {
            assert_eq!(
                score(&searcher, &position),
                book_score(&position),
                "{position:?}"
            );
        }
    }
}

#[test]
fn published_positions_that_are_soon_over_are_exact() {
    for set in ["l3_r1", "l2_r1", "l1_r1"] {
        set_is_exact(set, 200, 1);
    }
}

#[test]
fn published_positions_of_the_middle_game_are_exact() {
    set_is_exact("l2_r2", 20, 2);
}

#[test]
#[ignore = "exhaustive: 10 s"]
fn all_published_positions_of_the_middle_game_are_exact() {
    set_is_exact("l2_r2", 200, 2);
    set_is_exact("l1_r2", 10, 2);
}

#[test]
#[ignore = "takes a minute in a release build"]
fn huge_published_openings_with_an_end_in_sight_are_exact() {
    set_is_exact("l1_r2", 200, 2);
}

#[test]
#[ignore = "takes half an hour in a release build"]
fn huge_published_openings_are_exact() {
    set_is_exact("l1_r3", 200, 2);
}

/// A line of tests/data/connect4_boards.csv.
struct Published {
    columns: usize,
    rows: usize,
    positions: Option<u64>,
    classes: Option<u64>,
    /// The first player's score.
    score: i32,
}

fn published() -> Vec<Published> {
    let text = fs::read_to_string(data("connect4_boards.csv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let size = |field: &str| field.parse::<usize>().unwrap();
            let (columns, rows) = (size(fields[0]), size(fields[1]));
            // Half of the squares that remain when the winner plays the last disc.
            let score = || ((columns * rows + 2 - size(fields[5])) / 2) as i32;
            Published {
                columns,
                rows,
                positions: fields[2].parse().ok(),
                classes: fields[3].parse().ok(),
                score: match fields[4] {
                    "first" => score(),
                    "second" => -score(),
                    _ => 0,
                },
            }
        })
        .collect()
}

/// Checks the number of classes, the start's score, and some classes by a search.
fn solves(board: &Published, searched: usize) {
    let game = game(board.columns, board.rows, 4);
    let options = SolveOptions {
        threads: 2,
        memory: 4 << 30,
    };
    let solved = solve(&game, Method::Backward, options, &NoProgress).unwrap();
    assert_eq!(Some(solved.solution.count()), board.classes);
    let start = score_of(&game, &solved.solution, &game.start());
    assert_eq!(start, Some(board.score));
    let Solution::Keyed(entries) = &solved.solution else {
        panic!("it has no ranking");
    };
    let searcher = searcher(&game, 1, 1 << 20);
    for &(key, wanted) in entries.iter().step_by(entries.len().div_ceil(searched)) {
        let position = game.position_of_key(key).unwrap();
        assert_eq!(score(&searcher, &position), wanted, "{position:?}");
    }
}

#[test]
fn small_boards_have_the_published_counts_and_winners() {
    let boards = published();
    let solved = boards.iter().filter(|board| board.classes <= Some(100_000));
    for board in solved.filter(|board| board.classes.is_some()) {
        solves(board, 5000);
        let all = all_positions(&game(board.columns, board.rows, 4));
        assert_eq!(Some(all.len() as u64), board.positions);
    }
}

#[test]
#[ignore = "takes minutes and 2 GB"]
fn huge_larger_boards_have_the_published_counts_and_winners() {
    for board in published().iter().filter(|board| board.classes.is_some()) {
        solves(board, 20_000);
    }
}

fn start_scores(board: &Published, threads: usize) {
    let game = game(board.columns, board.rows, 4);
    let searcher = searcher(&game, threads, 1 << 30);
    let found = score(&searcher, &game.start());
    assert_eq!(found, board.score, "{}×{}", board.columns, board.rows);
}

#[test]
fn small_boards_have_the_published_winners_by_search() {
    for board in &published() {
        if board.columns * board.rows <= 16 {
            start_scores(board, 1);
        }
    }
}

#[test]
#[ignore = "exhaustive: 4 s"]
fn boards_of_20_cells_have_the_published_winners_by_search() {
    for board in &published() {
        if (17..=20).contains(&(board.columns * board.rows)) {
            start_scores(board, 1);
        }
    }
}

#[test]
#[ignore = "takes minutes in a release build"]
fn huge_boards_have_the_published_winners_by_search() {
    for board in &published() {
        if (21..=36).contains(&(board.columns * board.rows)) {
            start_scores(board, 2);
        }
    }
}

#[test]
#[ignore = "takes half an hour or so in a release build"]
fn huge_the_usual_board_is_a_win_with_the_last_stone_of_the_first_player() {
    let boards = published();
    let usual = boards.iter().find(|board| board.columns * board.rows == 42);
    start_scores(usual.unwrap(), 2);
}

/// Compares other boards and lines, with any table, with alpha-beta by the rules.
#[test]
fn other_lines_and_boards_are_searched_as_by_the_rules_alone() {
    for (columns, rows, line) in [
        (4, 4, 3),
        (5, 3, 3),
        (3, 5, 4),
        (6, 2, 3),
        (9, 1, 2),
        (1, 9, 3),
        (2, 7, 2),
        (4, 3, 9),
        (3, 4, 3),
    ] {
        let game = game(columns, rows, line);
        let table = TranspositionTable::new(1 << 24);
        let mut plain = Search::new(&game).with_table(&table);
        for (threads, memory) in [(1, 64), (2, 1 << 20)] {
            let searcher = searcher(&game, threads, memory);
            for position in all_positions(&game).iter().step_by(97) {
                let wanted = plain.score(Algorithm::AlphaBeta, position).unwrap();
                let known = searcher.bounds(position);
                assert!(known.lower <= wanted && wanted <= known.upper);
                for question in [wanted, wanted + 1] {
                    let bound = searcher.bound(position, question, &NoProgress).unwrap();
                    assert_eq!(bound.unwrap() >= question, wanted >= question);
                }
                assert_eq!(score(&searcher, position), wanted, "{position:?}");
            }
        }
    }
}
