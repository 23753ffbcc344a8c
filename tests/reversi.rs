//! Tests of Reversi against published values.

use crate::common::known;
use rustc_hash::FxHashSet;
use zermelo::game::Family;
use zermelo::game::{Game, NoProgress, Notation, Side, SolveOptions};
use zermelo::games::reversi::{Board, Move, Position, Reversi};
use zermelo::search::{Algorithm, Search, TranspositionTable, Window};
use zermelo::solve::{Method, score_of, solve};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

fn reversi(board: &str, start: &str) -> Reversi {
    let board = match board {
        "reversi4" => Board::FourByFour,
        _ => Board::Octagon,
    };
    let game = board.read_rules(&format!("start={start}"));
    game.unwrap()
}

/// Returns the position with the colours swapped if White is to move.
fn seen_from_the_mover(game: &Reversi, position: &Position) -> Position {
    // The first symmetry after the eight of the board only swaps the colours.
    match game.side_to_move(position) {
        Side::First => *position,
        Side::Second => game.capabilities().symmetry.apply(8, position),
    }
}

fn positions_seen_from_the_mover(game: &Reversi) -> FxHashSet<Position> {
    let mut positions = FxHashSet::from_iter([game.start()]);
    let mut waiting = vec![game.start()];
    while let Some(position) = waiting.pop() {
        for mv in game.legal_moves(&position) {
            let child = seen_from_the_mover(game, &game.play(&position, mv));
            if positions.insert(child) {
                waiting.push(child);
            }
        }
    }
    positions
}

#[test]
fn known_numbers_of_the_small_board_hold() {
    let rows = known(include_str!("data/reversi.csv"));
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row["board"] == "reversi4")
        .collect();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let game = reversi(row["board"], row["start"]);
        let positions = positions_seen_from_the_mover(&game);
        let is_finished = |position: &&Position| game.final_score(position).is_some();
        let must_pass = |position: &&Position| game.legal_moves(position) == [Move::Pass];
        let classes = |position: &Position| game.canonical(position);
        let found = match row["what"] {
            "positions seen from the mover" => positions.len() as i64,
            "finished positions seen from the mover" => {
                positions.iter().filter(is_finished).count() as i64
            }
            "forced passes seen from the mover" => {
                positions.iter().filter(must_pass).count() as i64
            }
            "classes" => FxHashSet::from_iter(positions.iter().map(classes)).len() as i64,
            "score" => {
                let solved = solve(&game, Method::Backward, OPTIONS, &NoProgress).unwrap();
                i64::from(score_of(&game, &solved.solution, &game.start()).unwrap())
            }
            other => panic!("{other} is not counted"),
        };
        assert_eq!(found.to_string(), row["value"], "{row:?}");
    }
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn known_scores_of_the_octagon_hold() {
    let rows = known(include_str!("data/reversi.csv"));
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row["board"] == "reversi24")
        .collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let game = reversi(row["board"], row["start"]);
        let table = TranspositionTable::new(1 << 28);
        let mut search = Search::new(&game).with_table(&table);
        let score = search.score(Algorithm::Mtdf, &game.start()).unwrap();
        assert_eq!(score.to_string(), row["value"], "{row:?}");
    }
}

/// The published search has the same order of moves and the same evaluations.
#[test]
fn published_searches_count_as_many_evaluations() {
    let game = reversi("reversi4", "cross");
    let mut search = Search::new(&game);
    assert_eq!(search.score(Algorithm::Negamax, &game.start()), Ok(-8));
    assert_eq!(search.counts().evaluations, 60_060);
}

#[test]
#[ignore = "exhaustive: 6 s"]
fn a_published_search_of_the_octagon_counts_as_many_evaluations() {
    let game = reversi("reversi24", "cross");
    let mut search = Search::new(&game);
    assert_eq!(
        search.in_window(Algorithm::AlphaBeta, &game.start(), Window::FULL),
        Ok(0)
    );
    assert_eq!(search.counts().evaluations, 1_690_895);
}
