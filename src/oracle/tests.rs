//! Tables and searches compared with plain minimax.

use super::*;
use crate::game::{Game, NoProgress, Progress, SearchSetup, Side};
use crate::games::tictactoe::{Scoring, TicTacToe};
use crate::testing::linear_game::{LinearGame, circular, linear_game};
use crate::testing::tables::{kalah, table_of};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

type ScoreMap<G> = FxHashMap<<G as Game>::Position, i32>;

const SETUP: SearchSetup = SearchSetup::new(1, 1 << 26);

fn tictactoe() -> TicTacToe {
    TicTacToe {
        scoring: Scoring::Shortest,
    }
}

fn minimax<G: Notation>(game: &G, position: &G::Position, known: &mut ScoreMap<G>) -> i32 {
    let found = game.final_score(position);
    if let Some(score) = found.or_else(|| known.get(position).copied()) {
        return score;
    }
    let moves = game.legal_moves(position).into_iter();
    let scores = moves.map(|mv| after(game, position, mv, known));
    let best = scores.max().unwrap();
    known.insert(position.clone(), best);
    best
}

/// Returns the score of a move by minimax, seen from the side that makes it.
fn after<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    known: &mut ScoreMap<G>,
) -> i32 {
    let child = game.play(position, mv);
    let score = minimax(game, &child, known);
    let is_same_side = game.side_to_move(&child) == game.side_to_move(position);
    if is_same_side { score } else { -score }
}

/// Returns some positions with their scores by minimax.
fn positions<G: Notation>(game: &G) -> (Vec<(G::Position, i32)>, ScoreMap<G>) {
    let mut known = ScoreMap::<G>::default();
    minimax(game, &game.start(), &mut known);
    let all = known
        .iter()
        .map(|(position, &score)| (position.clone(), score));
    // The start and a sample of the other positions.
    let start = (game.start(), known[&game.start()]);
    let some = all.step_by(1 + known.len() / 300).chain([start]).collect();
    (some, known)
}

fn oracles<G: Notation>(game: &G) -> [Box<dyn Oracle<G>>; 2] {
    [
        Box::new(table_of(game)),
        Box::new(BySearch::new(game, &SETUP, &NoProgress).unwrap()),
    ]
}

fn every_method_is_right<G: Notation>(game: &G) {
    let (positions, mut known) = positions(game);
    for oracle in oracles(game) {
        for (position, score) in &positions {
            let (score, name) = (*score, game.format_position(position));
            let bounds = oracle.bounds(position);
            assert!(bounds.lower <= score && score <= bounds.upper, "{name}");
            for wanted in score - 1..=score + 1 {
                let Bounds { lower, upper } = oracle.bound(position, wanted).unwrap();
                assert!(lower <= score && score <= upper, "{name}: {wanted}");
                assert!(lower >= wanted || upper < wanted, "{name}: {wanted}");
            }
            assert_eq!(oracle.outcome(position).unwrap(), Outcome::of(score));
            // A move's score first, before the oracle knows anything about the position.
            let mut scores = Vec::new();
            for mv in game.legal_moves(position) {
                let after = after(game, position, mv, &mut known);
                scores.push((mv, after));
                let keeps = oracle.keeps(position, mv, score).unwrap();
                assert_eq!(keeps, after == score, "{name}");
                let found = oracle.score_after_knowing(position, mv, score);
                assert_eq!(found.unwrap(), after, "{name}");
                assert_eq!(oracle.score_after(position, mv).unwrap(), after, "{name}");
            }
            scores.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
            assert_eq!(oracle.move_scores(position).unwrap(), scores, "{name}");
            let best = oracle.best_move(position, score).unwrap();
            assert!(scores.contains(&(best.unwrap(), score)), "{name}");
            assert_eq!(oracle.score(position).unwrap(), score, "{name}");
            assert_eq!(
                oracle.score_telling(position, None, &mut |_| ()).unwrap(),
                score
            );

            let line = oracle.principal_variation(position).unwrap();
            let end = line.iter().fold(position.clone(), |position, &mv| {
                assert!(game.is_legal(&position, mv), "{name}");
                game.play(&position, mv)
            });
            let end_score = game.final_score(&end).expect("a line goes to the end");
            let seen = game.seen_from(game.side_to_move(position), &end, end_score);
            assert_eq!(seen, score, "{name}");
        }
    }
}

#[test]
fn every_method_is_right_of_kalah() {
    every_method_is_right(&kalah(2, 2));
}

#[test]
fn every_method_is_right_of_tic_tac_toe() {
    every_method_is_right(&tictactoe());
}

#[test]
fn a_table_lists_the_positions_that_it_has() {
    let game = kalah(2, 2);
    let table = table_of(&game);
    let inventory = table.inventory().unwrap();
    let (_, known) = positions(&game);
    let mut classes: Vec<_> = known
        .keys()
        .map(|position| game.canonical(position))
        .collect();
    classes.sort_by_key(|position| game.key(position));
    classes.dedup();
    assert_eq!(inventory.entries(), classes.len() as u64);
    let mut listed: Vec<_> = (0..inventory.blocks())
        .flat_map(|block| inventory.block_positions(block).unwrap())
        .collect();
    listed.sort_by_key(|position| game.key(position));
    assert_eq!(listed, classes);
    assert!(
        listed
            .iter()
            .all(|position| table.contains(position).unwrap())
    );
    // Only some positions with few seeds are reachable.
    for seeds in 0..81u8 {
        let [a, b, c, d] = [1, 3, 9, 27].map(|place| seeds / place % 3);
        let text = format!("{a},{b}/{c},{d} first");
        let position = game.parse_position(&text).unwrap();
        if game.final_score(&position).is_none() {
            let is_listed = classes.contains(&position);
            assert_eq!(table.contains(&position).unwrap(), is_listed, "{text}");
        }
    }
    let layers = table.file().layers();
    for (layer, outcomes) in &layers {
        let of_layer = classes
            .iter()
            .filter(|position| game.layer(position) == *layer);
        assert_eq!(outcomes.total(), of_layer.count() as u64, "layer {layer}");
    }
    let sum: u64 = layers.values().map(|outcomes| outcomes.total()).sum();
    assert_eq!(sum, inventory.entries());
}

/// Returns the number of questions that were answered without the exact score.
fn answers_are_right<G: Notation>(game: &G) -> usize {
    let (positions, mut known) = positions(game);
    let mut without_score = 0;
    for oracle in oracles(game) {
        let is_search = oracle.effort().is_some();
        for (position, score) in &positions {
            let (score, name) = (*score, game.format_position(position));
            let to_move = game.side_to_move(position);
            let mut after_named = |mv: &str| {
                let mv = game.parse_move(mv).unwrap();
                after(game, position, mv, &mut known)
            };
            for question in [
                Question::Wins(Some(Side::First)),
                Question::Wins(Some(Side::Second)),
                Question::Wins(None),
                Question::Loses(Some(Side::First)),
                Question::HoldsDraw(Some(Side::Second)),
                Question::Draw,
            ] {
                let wanted = Wanted {
                    question: Some(question),
                    ..Wanted::default()
                };
                let answer = ask(&*oracle, position, wanted, &mut |_| ()).unwrap();
                assert_eq!(answer.yes, question.answer(to_move, score), "{name}");
                assert_eq!(answer.moves.is_some(), !is_search);
                let bounds = answer.bounds;
                assert!(bounds.lower <= score && score <= bounds.upper, "{name}");
                without_score += usize::from(bounds.score().is_none());
                // A draw or more is worth preserving.
                assert_eq!(answer.best_move.is_some(), !is_search || bounds.lower >= 0);
                if let Some(best) = answer.best_move {
                    assert!(after_named(&best) >= bounds.lower, "{name}: {best}");
                }
                // Wanting more than the question gives the exact score.
                for (moves, line) in [(true, 0), (false, 2)] {
                    let wanted = Wanted {
                        question: Some(question),
                        moves,
                        line,
                        ..Wanted::default()
                    };
                    let answer = ask(&*oracle, position, wanted, &mut |_| ()).unwrap();
                    assert_eq!(answer.yes, question.answer(to_move, score), "{name}");
                    assert_eq!(answer.bounds, Bounds::exactly(score), "{name}");
                    assert_eq!(answer.moves.is_some(), moves || !is_search);
                    assert_eq!(answer.line.is_some(), line > 0);
                    assert!(answer.line.unwrap_or_default().len() <= line);
                }
            }
            let wanted = Wanted {
                moves: true,
                ..Wanted::default()
            };
            let answer = ask(&*oracle, position, wanted, &mut |_| ()).unwrap();
            let moves = answer.moves.as_deref().unwrap();
            assert_eq!(moves.len(), game.legal_moves(position).len());
            assert!(moves.iter().all(|(mv, score)| after_named(mv) == *score));
            let best = moves.iter().filter(|mv| mv.1 == score).map(|mv| &*mv.0);
            assert!(answer.best_moves().eq(best), "{name}");
        }
        assert!(is_search || without_score == 0);
    }
    without_score
}

#[test]
fn answers_about_kalah_are_right_and_no_more_than_wanted() {
    answers_are_right(&kalah(2, 2));
}

#[test]
fn answers_about_tic_tac_toe_are_right_and_no_more_than_wanted() {
    // A search does only as much as the question needs.
    assert!(answers_are_right(&tictactoe()) > 0);
    answers_are_right(&TicTacToe {
        scoring: Scoring::Outcome,
    });
}

#[test]
fn an_answer_costs_what_it_took_itself() {
    let game = tictactoe();
    let oracle = BySearch::new(&game, &SETUP, &NoProgress).unwrap();
    let nodes = |text: &str| {
        let position = game.parse_position(text).unwrap();
        let answer = ask(&oracle, &position, Wanted::default(), &mut |_| ()).unwrap();
        answer.effort.unwrap().nodes
    };
    let visited = nodes("X...O....") + nodes("........X") + nodes("X...O....");
    let effort = Oracle::<TicTacToe>::effort(&oracle).unwrap();
    assert_eq!(effort.nodes, visited);
}

#[derive(Default)]
struct Phases(Mutex<Vec<String>>);

impl Progress for Phases {
    fn phase(&self, name: &str, _unit: &str, _total: u64) {
        self.0.lock().unwrap().push(name.to_owned());
    }

    fn advance(&self, _units: u64) {}
}

#[test]
fn a_search_says_what_it_searches_and_what_is_known_of_it() {
    let (game, phases) = (tictactoe(), Phases::default());
    let oracle = BySearch::new(&game, &SETUP, &phases).unwrap();
    let position = game.parse_position("X...O....").unwrap();
    let mv = game.parse_move("b1").unwrap();
    oracle.score(&position).unwrap();
    // At most a draw, so that it doesn't preserve the win.
    let score = oracle.score_after_knowing(&position, mv, 3);
    assert!(score.unwrap() < 3);
    let told = phases.0.into_inner().unwrap();
    assert_eq!(told[0], "score -3 to +3");
    assert!(told.iter().any(|name| name.starts_with("after b1: -")));
}

struct Stopped;

impl Progress for Stopped {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn of_several_askers_each_hears_of_its_questions_and_stops_only_them() {
    let (game, phases) = (tictactoe(), Phases::default());
    let oracle = BySearch::new(&game, &SETUP, &NoProgress).unwrap();
    let position = game.start();
    let stopped = oracle.with_progress(&Stopped).unwrap().score(&position);
    assert!(matches!(stopped, Err(OracleError::Interrupted(_))));
    let nodes = || Oracle::<TicTacToe>::effort(&oracle).unwrap().nodes;
    let before = nodes();
    let score = oracle
        .with_progress(&phases)
        .unwrap()
        .score(&position)
        .unwrap();
    assert!(!phases.0.lock().unwrap().is_empty());
    let visited = nodes() - before;
    // Results for one client serve all.
    assert_eq!(oracle.score(&position).unwrap(), score);
    assert!(nodes() - before < 2 * visited);
    // A table answers at once.
    assert!(Oracle::with_progress(&table_of(&game), &phases).is_none());
}

#[test]
fn a_line_is_as_long_as_is_wanted_or_the_play() {
    let game = linear_game(1_000);
    let oracle = BySearch::new(&game, &SETUP, &NoProgress).unwrap();
    for (most, length) in [(0, 0), (7, 7), (usize::MAX, 1_000)] {
        let line = oracle.line(&game.start(), most).unwrap();
        assert_eq!(line.len(), length);
    }
}

/// An oracle that always calls the first move the best.
struct First(LinearGame);

impl Oracle<LinearGame> for First {
    fn game(&self) -> &LinearGame {
        &self.0
    }
    fn score(&self, _: &(u32, Side)) -> Result<i32, OracleError> {
        Ok(1)
    }
    fn best_move(&self, position: &(u32, Side), _: i32) -> Result<Option<bool>, OracleError> {
        Ok(self.0.legal_moves(position).first().copied())
    }
}

#[test]
fn a_line_that_goes_round_is_an_error() {
    let oracle = First(circular());
    let error = oracle.principal_variation(&oracle.0.start()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("come up twice in one play"), "{text}");
    assert!(
        text.contains(
            "only games without repetition can be solved: 2000 first -> (on) -> 2001 first"
        ),
        "{text}"
    );
    assert!(oracle.line(&oracle.0.start(), 1_000).is_ok());
}
