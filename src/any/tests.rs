//! Batches of positions, ranks, text AIs, and explicit game graphs.

use super::*;
use crate::check::{CheckOptions, Fault, InText, TextAi, Verdict};
use crate::game::{NoProgress, Progress, SearchSetup, Solution, SolveOptions};
use crate::games::listed::{BuildError, Builder};
use crate::oracle::Wanted;
use crate::table::{WriteOptions, write_to_vec};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// Returns some positions, as texts and as rows.
fn some(table: &dyn AnyTable) -> (Vec<String>, Vec<u8>) {
    let wanted = LabelsWanted {
        texts: true,
        ..LabelsWanted::default()
    };
    let labeller = table.labeller(wanted, 0, &NoProgress).unwrap();
    let labels = labeller.sample(600, 7, None, &NoProgress).unwrap();
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
            table
                .scores(positions, ScoresOf::Positions, None, scores, &NoProgress)
                .unwrap();
            table
                .scores(positions, ScoresOf::Moves, None, &mut of_moves, &NoProgress)
                .unwrap();
        }
        assert_eq!(scores[0], scores[1]);
        for ((text, &score), of_moves) in texts
            .iter()
            .zip(&scores[0])
            .zip(of_moves.chunks(moves.len()))
            .step_by(29)
        {
            let answer = table.ask(Some(text), Wanted::default(), None).unwrap();
            assert_eq!(answer.bounds.score(), Some(score));
            let legal = moves
                .iter()
                .zip(of_moves)
                .filter(|&(_, &score)| score != NO_SCORE);
            let mut legal: Vec<(String, i32)> =
                legal.map(|(name, &score)| (name.clone(), score)).collect();
            legal.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
            legal.sort();
            let mut sorted = answer.moves.unwrap();
            sorted.sort();
            assert_eq!(legal, sorted, "{text}");
        }
        // A search gives the same scores.
        let setup = SearchSetup::new(1, 1 << 28);
        let search = game.search(&setup, &NoProgress).unwrap();
        let few = &texts[..50];
        let mut searched = vec![0; few.len()];
        search
            .scores(
                Positions::Texts(few),
                ScoresOf::Positions,
                None,
                &mut searched,
                &NoProgress,
            )
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
        let asked = table.scores(
            Positions::Texts(positions),
            ScoresOf::Positions,
            missing,
            &mut out,
            &NoProgress,
        );
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
        .scores(
            Positions::Rows(&rows[1..]),
            ScoresOf::Positions,
            None,
            &mut [0],
            &NoProgress,
        )
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

/// An AI that plays the first best move of a table.
struct Best(Box<dyn AnyTable>);

impl TextAi for Best {
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>> {
        let best = |position: &String| {
            let answer = self.0.ask(Some(position), Wanted::default(), None);
            Ok(answer.unwrap().best_move.unwrap())
        };
        positions.iter().map(best).collect()
    }
}

/// An AI that gives the same answer everywhere.
struct Always(&'static str);

impl TextAi for Always {
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>> {
        vec![Ok(self.0.to_owned()); positions.len()]
    }
}

#[test]
fn an_ai_in_text_is_checked() {
    let table = solved(&*game("tictactoe", &[]));
    let best = AnyAi::Text(InText(Arc::new(Best(solved(&*game("tictactoe", &[]))))));
    let options = CheckOptions::default();
    let report = table.check(&best, &options, None, &NoProgress).unwrap();
    assert_eq!((report.verdict, report.asked), (Verdict::Perfect, 4520));
    for (mv, kind) in [("a1", "illegal"), ("z9", "malformed")] {
        let ai = AnyAi::Text(InText(Arc::new(Always(mv))));
        let report = table.check(&ai, &options, None, &NoProgress).unwrap();
        assert_eq!(report.verdict, Verdict::Faulty);
        assert!(
            report
                .fault_groups
                .iter()
                .any(|group| group.fault.kind.to_string() == kind)
        );
    }
}

/// An AI that panics in one position, and else plays best moves.
struct Panics(Best, &'static str);

impl TextAi for Panics {
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>> {
        assert!(!positions.contains(&self.1.to_owned()), "no idea");
        self.0.moves(positions)
    }
}

#[test]
fn panics_of_an_ai_in_text_are_faults_of_one_position() {
    let table = solved(&*game("tictactoe", &[]));
    let best = Best(solved(&*game("tictactoe", &[])));
    let ai = AnyAi::Text(InText(Arc::new(Panics(best, "X...O...."))));
    let options = CheckOptions::default();
    let report = table.check(&ai, &options, None, &NoProgress).unwrap();
    assert_eq!((report.verdict, report.asked), (Verdict::Faulty, 4520));
    let faults: Vec<_> = report
        .fault_list
        .iter()
        .map(|fault| &fault.position[..])
        .collect();
    assert_eq!(faults, ["X...O...."]);
    assert_eq!(report.fault_list[0].fault.detail, "panicked: no idea");
}

/// Returns the game of taking one or two counters, as an explicit game graph.
fn nim(counters: u32) -> (Listed, Solution) {
    let mut builder = Builder::default();
    for left in (0..=counters).rev() {
        builder
            .position(&format!("{left} left"), None, (left == 0).then_some(-1))
            .unwrap();
        for taken in 1..=left.min(2) {
            builder.name(&format!("take, {taken}"));
        }
        let place = counters - left;
        builder.moves((1..=left.min(2)).map(|taken| (taken - 1, place + taken)));
    }
    let (graph, scores) = builder.finish("nim", &NoProgress).unwrap();
    let game = Listed::new(graph);
    let solution = Solution::Keyed(game.entries(&scores.unwrap()));
    (game, solution)
}

#[test]
fn moves_of_a_list_are_columns() {
    let (game, solution) = nim(5);
    let bytes = write_to_vec(&game, &solution, WriteOptions::default(), &NoProgress).unwrap();
    let table = listed_game(game)
        .open(TableFile::from_bytes(bytes).unwrap())
        .unwrap();
    assert_eq!(table.array_shape().unwrap().moves, ["take, 1", "take, 2"]);
    assert!(table.array_shape().unwrap().columns.is_empty());
    let mut of_moves = [0; 6];
    let texts = ["5 left", "4 left second", "1 left"];
    table
        .scores(
            Positions::Texts(&texts),
            ScoresOf::Moves,
            None,
            &mut of_moves,
            &NoProgress,
        )
        .unwrap();
    assert_eq!(of_moves, [-1, 1, 1, -1, 1, NO_SCORE]);
    let rows = table.scores(
        Positions::Rows(&[5]),
        ScoresOf::Positions,
        None,
        &mut [0],
        &NoProgress,
    );
    let error = rows.unwrap_err().to_string();
    assert!(
        error.contains("write them as text, such as \"5 left\""),
        "{error}"
    );
    let wanted = LabelsWanted {
        moves: true,
        best: true,
        ..LabelsWanted::default()
    };
    let labeller = table.labeller(wanted, 0, &NoProgress).unwrap();
    let labels = labeller.sample(1, 1, Some(&[0]), &NoProgress).unwrap();
    assert_eq!((labels.texts, labels.rows), (vec!["5 left".into()], vec![]));
    assert_eq!((labels.moves, labels.best), (vec![-1, 1], vec![0, 1]));
}

#[test]
fn a_list_of_very_many_moves_has_no_columns() {
    let mut builder = Builder::default();
    builder.position("start", None, None).unwrap();
    let count = 257;
    let moves: Vec<_> = (0..count)
        .map(|mv| (builder.name(&format!("m{mv}")), mv + 1))
        .collect();
    builder.moves(moves);
    for end in 0..count {
        builder
            .position(&format!("end {end}"), None, Some(0))
            .unwrap();
        builder.moves([]);
    }
    let (graph, scores) = builder.finish("wide", &NoProgress).unwrap();
    let game = Listed::new(graph);
    let solution = Solution::Keyed(game.entries(&scores.unwrap()));
    let bytes = write_to_vec(&game, &solution, WriteOptions::default(), &NoProgress).unwrap();
    let table = listed_game(game)
        .open(TableFile::from_bytes(bytes).unwrap())
        .unwrap();
    assert_eq!(table.array_shape(), None);
    let start = Positions::Texts(&["start"]);
    let error = table
        .scores(start, ScoresOf::Moves, None, &mut [], &NoProgress)
        .unwrap_err();
    assert!(
        error.to_string().contains("one position at a time"),
        "{error}"
    );
}

/// Cancels after some number of checks for cancellation.
struct Stop(AtomicU64);

impl Progress for Stop {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        let left = self.0.load(Relaxed);
        self.0.store(left.saturating_sub(1), Relaxed);
        left == 0
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
    entries
        .map(|entry| (name(&entry), fs::read(entry.path()).unwrap_or_default()))
        .collect()
}

#[test]
fn a_table_and_its_list_are_written_both_or_neither() {
    let (game, solution) = nim(40);
    let (other, other_solution) = nim(7);
    for is_there in [false, true] {
        let options = WriteOptions {
            force: is_there,
            ..WriteOptions::default()
        };
        let mut stops = 0;
        loop {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("nim.bin");
            if is_there {
                write_listed(&other, &other_solution, &path, options, &NoProgress).unwrap();
            }
            let before = files(folder.path());
            let stop = Stop(AtomicU64::new(stops));
            let Err(error) = write_listed(&game, &solution, &path, options, &stop) else {
                assert_eq!(files(folder.path()).len(), 2);
                let table = open(&path).unwrap();
                assert_eq!(table.file().entries(), 40);
                break;
            };
            assert!(error.to_string().contains("interrupted"), "{error}");
            assert_eq!(files(folder.path()), before, "after {stops}");
            stops += 1;
        }
        assert!(stops > 1);
    }
}

#[test]
fn places_of_a_table_and_its_list_are_looked_at_first() {
    let (game, solution) = nim(7);
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.bin")).unwrap();
    fs::create_dir(folder.path().join("other.bin.game")).unwrap();
    fs::write(folder.path().join("theirs.bin.game"), "theirs").unwrap();
    let before = files(folder.path());
    for (name, force, problem) in [
        ("nim.game", true, "found a name for the list of the game"),
        ("folder.bin", true, "found a directory"),
        (
            "other.bin",
            true,
            "other.bin.game: can't write there: expected the name of a file",
        ),
        ("theirs.bin", false, "theirs.bin.game already exists"),
        ("nowhere/nim.bin", false, "there is no such folder"),
    ] {
        let path = folder.path().join(name);
        let looked = check_listed_place(&path, force).unwrap_err().to_string();
        assert!(looked.contains(problem), "{looked}");
        let options = WriteOptions {
            force,
            ..WriteOptions::default()
        };
        let error = write_listed(&game, &solution, &path, options, &NoProgress).unwrap_err();
        assert_eq!(error.to_string(), looked);
        assert_eq!(files(folder.path()), before);
    }
    assert!(check_listed_place(&folder.path().join("theirs.bin"), true).is_ok());
}

#[test]
fn a_list_is_given_up_when_that_is_wanted() {
    let mut stops = 0;
    loop {
        let mut builder = Builder::default();
        for place in 0..3 {
            builder
                .position(&place.to_string(), None, (place == 2).then_some(0))
                .unwrap();
            let name = builder.name("on");
            builder.moves((place < 2).then_some((name, place + 1)));
        }
        let Err(error) = builder.finish("steps", &Stop(AtomicU64::new(stops))) else {
            break;
        };
        assert_eq!(error, BuildError::Interrupted, "after {stops}");
        stops += 1;
    }
    // Cancelled in each phase: checking, solving and writing.
    assert!(stops > 2, "{stops}");
}
