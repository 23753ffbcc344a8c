//! Many positions at once, ranks, and AIs that are asked in text.

use super::*;
use crate::check::{CheckOptions, TextAi, Verdict};
use crate::game::{NoProgress, SearchSetup, SolveOptions};
use std::sync::Arc;

fn game(name: &str, given: &[(&str, &str)]) -> Box<dyn AnyGame> {
    let given: Vec<_> = given
        .iter()
        .map(|&(name, value)| (name, value.to_owned()))
        .collect();
    game_named(name, &given, FAMILIES).unwrap()
}

fn solved(game: &dyn AnyGame) -> Box<dyn AnyTable> {
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 30,
    };
    game.solve_in_memory(options, &NoProgress).unwrap()
}

fn kalah() -> Box<dyn AnyGame> {
    game("kalah", &[("pits", "3"), ("seeds", "2")])
}

/// Some positions, as texts and as rows.
fn some(table: &dyn AnyTable) -> (Vec<String>, Vec<u8>) {
    let wanted = LabelsWanted {
        texts: true,
        ..LabelsWanted::default()
    };
    let labeller = table.labeller(wanted, 0, &NoProgress).unwrap();
    let labels = labeller.sample(3000, 7, None).unwrap();
    (labels.texts, labels.rows)
}

#[test]
fn texts_and_rows_are_the_same_positions() {
    for (name, given) in [
        ("kalah", &[("pits", "3"), ("seeds", "2")][..]),
        ("tictactoe", &[]),
        (
            "connect4",
            &[("columns", "4"), ("rows", "3"), ("connect", "3")],
        ),
        ("reversi4", &[]),
    ] {
        let game = game(name, given);
        let table = solved(&*game);
        let (texts, rows) = some(&*table);
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        assert_eq!(table.rows(&texts).unwrap(), rows);
        assert_eq!(table.texts(&rows).unwrap(), texts);
        let moves = table.array_shape().unwrap().moves;
        let mut scores = [vec![0; texts.len()], vec![0; texts.len()]];
        let mut of_moves = vec![0; texts.len() * moves.len()];
        for (scores, positions) in scores
            .iter_mut()
            .zip([Positions::Texts(&texts), Positions::Rows(&rows)])
        {
            table.scores(positions, None, scores, &NoProgress).unwrap();
            table
                .scores_of_moves(positions, None, &mut of_moves, &NoProgress)
                .unwrap();
        }
        assert_eq!(scores[0], scores[1]);
        for ((text, &score), of_moves) in texts
            .iter()
            .zip(&scores[0])
            .zip(of_moves.chunks(moves.len()))
            .step_by(29)
        {
            assert_eq!(table.score(text, &NoProgress).unwrap(), i32::from(score));
            let told = table.move_scores(text, &NoProgress).unwrap();
            let legal = moves
                .iter()
                .zip(of_moves)
                .filter(|&(_, &score)| score != NO_SCORE);
            let mut legal: Vec<(String, i32)> = legal
                .map(|(name, &score)| (name.clone(), i32::from(score)))
                .collect();
            legal.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
            legal.sort();
            let mut sorted = told.clone();
            sorted.sort();
            assert_eq!(legal, sorted, "{text}");
        }
        // A search says the same.
        let setup = SearchSetup {
            threads: 1,
            memory: 1 << 28,
            endgame: None,
        };
        let search = game.search(&setup, &NoProgress).unwrap();
        let few = &texts[..50];
        let mut searched = vec![0; few.len()];
        search
            .scores(Positions::Texts(few), None, &mut searched, &NoProgress)
            .unwrap();
        assert_eq!(searched, scores[0][..few.len()]);
    }
}

#[test]
fn the_first_position_without_an_answer_is_named() {
    let table = solved(&*kalah());
    let start = table.start();
    let mut positions = vec![&*start; 5000];
    positions[3000] = "12,0,0/0,0,0,0";
    positions[1500] = "11,0,0:0/1,0,0:0";
    let mut out = vec![0; positions.len()];
    let mut ask = |positions: &[&str], missing| {
        let asked = table.scores(Positions::Texts(positions), missing, &mut out, &NoProgress);
        (asked.map_err(|error| error.to_string()), out.clone())
    };
    let (asked, _) = ask(&positions, None);
    assert!(
        asked
            .unwrap_err()
            .starts_with("position 1500: (memory) has no score")
    );
    let (asked, _) = ask(&positions, Some(-99));
    assert!(asked.unwrap_err().starts_with("position 3000: "));
    positions[3000] = &start;
    let (asked, scores) = ask(&positions, Some(-99));
    asked.unwrap();
    assert_eq!(scores.iter().filter(|&&score| score == -99).count(), 1);
    let rows = table.rows(&[&start]).unwrap();
    let error = table
        .scores(Positions::Rows(&rows[1..]), None, &mut [0], &NoProgress)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("8 numbers are no rows of 9: first_pit_1"),
        "{error}"
    );
}

#[test]
fn ranks_lead_back_to_positions() {
    let table = solved(&*kalah());
    let slots = table.slots().unwrap();
    for rank in (0..slots).step_by(13) {
        let position = table.unrank(rank).unwrap();
        assert_eq!(table.rank(&position).unwrap(), Some(rank), "{position}");
    }
    assert_eq!(table.unrank(slots), None);
    assert_eq!(table.rank("0,0,0:6/2,2,2:0").unwrap(), None);
    assert_eq!(solved(&*game("eight", &[])).slots(), None);
}

/// Plays the first of the moves that a table calls best.
struct Best(Box<dyn AnyTable>);

impl TextAi for Best {
    fn moves(&self, positions: &[String]) -> Vec<String> {
        let best = |position: &String| {
            self.0.move_scores(position, &NoProgress).unwrap()[0]
                .0
                .clone()
        };
        positions.iter().map(best).collect()
    }
}

/// Names the same move everywhere.
struct Always(&'static str);

impl TextAi for Always {
    fn moves(&self, positions: &[String]) -> Vec<String> {
        vec![self.0.to_owned(); positions.len()]
    }
}

#[test]
fn an_ai_in_text_is_checked() {
    let table = solved(&*game("tictactoe", &[]));
    let best = AnyAi::Text(Arc::new(Best(solved(&*game("tictactoe", &[])))));
    let options = CheckOptions::default();
    let report = table.check(&best, &options, None, &NoProgress).unwrap();
    assert_eq!((report.verdict, report.asked), (Verdict::Perfect, 4520));
    for (mv, kind) in [("a1", "illegal"), ("z9", "garbled")] {
        let ai = AnyAi::Text(Arc::new(Always(mv)));
        let report = table.check(&ai, &options, None, &NoProgress).unwrap();
        assert_eq!(report.verdict, Verdict::Faulty);
        assert!(report.fault_groups.iter().any(|group| group.kind == kind));
    }
}
