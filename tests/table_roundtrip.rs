//! Tests of writing, reading and proving tables.

use crate::table_toy::{Position, Toy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use zermelo::game::{Game, NoProgress, Notation, Outcome, Progress, Solution};
use zermelo::oracle::Oracle;
use zermelo::table::{
    Access, ReadError, Refutation, Sample, Table, TableFile, Verdict, VerifyError, VerifyOptions,
    WriteError, WriteOptions, verify, verify_sample, write_table, write_to_vec,
};

const OPTIONS: WriteOptions = WriteOptions {
    force: false,
    restart: false,
    threads: 0,
    tile_side: 8,
    block_entries: 64,
};

fn write(game: &Toy, scores: &BTreeMap<u128, i32>, path: &Path, options: WriteOptions) {
    let written = write_table(game, &game.solution(scores), path, options, &NoProgress).unwrap();
    assert_eq!(written.entries, scores.len() as u64);
    assert_eq!(written.bytes, std::fs::metadata(path).unwrap().len());
}

/// Returns a table of these scores; its directory is removed.
fn table(game: &Toy, scores: &BTreeMap<u128, i32>) -> Table<Toy> {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("toy.bin");
    write(game, scores, &path, OPTIONS);
    let file = TableFile::from_bytes(std::fs::read(path).unwrap()).unwrap();
    Table::new(file, game.clone()).unwrap()
}

/// Returns a game with ranks, with keys, and with ranks and omitted scores.
fn games() -> [(Toy, BTreeMap<u128, i32>); 3] {
    [Toy::new(true), Toy::new(false), Toy::derived()].map(|game| {
        let scores = game.solve();
        (game, scores)
    })
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

/// Returns all positions that might have an entry, and a few that can't.
fn all_positions(game: &Toy) -> impl Iterator<Item = Position> {
    let [a, _, c] = game.piles;
    let game = game.clone();
    (0..=c + 1).flat_map(move |third| {
        let game = game.clone();
        (0..=a + 1).flat_map(move |first| {
            let game = game.clone();
            (0..=first).map(move |second| game.position([first, second, third]))
        })
    })
}

#[test]
fn every_entry_comes_back_by_any_access_and_with_any_cache() {
    for (game, scores) in games() {
        assert!(scores.len() > 1500, "{}", scores.len());
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("toy.bin");
        write(&game, &scores, &path, OPTIONS);
        let bytes = std::fs::read(&path).unwrap();
        let files = [
            TableFile::open(&path, Access::Mmap).unwrap(),
            TableFile::open(&path, Access::Plain).unwrap(),
            TableFile::from_bytes(bytes).unwrap(),
        ];
        for (file, cache) in files.into_iter().zip([64 << 20, 0, 10_000]) {
            let table = Table::new(file, game.clone()).unwrap().with_cache(cache);
            assert!(table.file().blocks() > 20);
            table.file().verify_checksums(&NoProgress).unwrap();
            for position in all_positions(&game) {
                let expected = scores.get(&game.key(&position)).copied();
                assert_eq!(table.probe(&position).unwrap(), expected, "{position:?}");
            }
            let listed: BTreeMap<u128, i32> = table
                .entries()
                .map(|entry| entry.map(|(position, score)| (game.key(&position), score)))
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(listed, scores);
        }
    }
}

#[test]
fn scores_of_positions_and_moves_follow_from_the_rules() {
    for (game, scores) in games() {
        let table = table(&game, &scores);
        let mut position = game.start();
        let mut turns = Vec::new();
        while game.final_score(&position).is_none() {
            let score = table.score(&position).unwrap();
            let moves = table.move_scores(&position).unwrap();
            assert!(moves.is_sorted_by(|a, b| a.1 >= b.1));
            assert_eq!(moves[0].1, score, "{position:?}");
            assert_eq!(moves.len(), game.legal_moves(&position).len());
            for pair in moves.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
                let place = |mv| game.all_moves().iter().position(|&other| other == mv);
                assert!(
                    place(pair[0].0) < place(pair[1].0),
                    "ties in the game's order"
                );
            }
            let after = game.play(&position, moves[turns.len() % moves.len()].0);
            turns.push(after.side == position.side);
            position = after;
        }
        assert_eq!(
            table.score(&position).unwrap(),
            game.final_score(&position).unwrap()
        );
        assert_eq!(table.probe(&game.canonical(&position)).unwrap(), None);
        assert!(turns.contains(&true) && turns.contains(&false));
        assert_ne!(position.points, [0, 0]);
        let unreachable = table.score(&game.position([30, 30, 1]));
        assert!(
            matches!(unreachable, Err(ReadError::NotInTable { .. })),
            "{unreachable:?}"
        );
    }
}

#[test]
fn a_table_says_what_it_holds() {
    let layers = games().map(|(game, scores)| {
        let file_owner = table(&game, &scores);
        let file = file_owner.file();
        assert_eq!(file.entries(), scores.len() as u64);
        assert_eq!((file.family(), file.game_name()), ("toy", "toy(30,29,8)"));
        let count = |outcome| {
            scores
                .values()
                .filter(|&&s| Outcome::of(s) == outcome)
                .count() as u64
        };
        let outcomes = file.outcomes();
        assert_eq!(outcomes.wins, count(Outcome::Win));
        assert_eq!(outcomes.draws, count(Outcome::Draw));
        assert_eq!(outcomes.losses, count(Outcome::Loss));
        let histogram = file.histogram();
        for &(score, entries) in &histogram {
            assert_eq!(
                entries,
                scores.values().filter(|&&s| s == score).count() as u64
            );
        }
        assert_eq!(
            histogram.iter().map(|(_, entries)| entries).sum::<u64>(),
            file.entries()
        );
        let sections = file.sections();
        assert_eq!(
            sections.header + sections.blocks + sections.index + sections.metadata,
            file.bytes()
        );
        file.layers()
    });
    assert_eq!(layers[0], layers[1]);
    assert!(layers[0].keys().eq(&[0, 2, 4, 6, 8]));
}

#[test]
fn the_bytes_are_the_same_on_any_number_of_threads() {
    for (game, scores) in games() {
        let home = tempfile::tempdir().unwrap();
        let mut all = Vec::new();
        for threads in [1, 2, 4] {
            let path = home.path().join(format!("{threads}.bin"));
            write(&game, &scores, &path, WriteOptions { threads, ..OPTIONS });
            all.push(std::fs::read(path).unwrap());
        }
        assert!(all.iter().all(|bytes| *bytes == all[0]));
    }
}

#[test]
fn the_bytes_are_the_same_in_a_file_and_in_memory() {
    for (game, scores) in games() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("toy.bin");
        let solution = game.solution(&scores);
        write_table(&game, &solution, &path, OPTIONS, &NoProgress).unwrap();
        let wanted = std::fs::read(&path).unwrap();
        let bytes = write_to_vec(&game, &solution, OPTIONS, &NoProgress).unwrap();
        assert!(bytes == wanted);
    }
}

#[test]
fn writing_to_memory_can_be_stopped() {
    for (game, scores) in games() {
        let progress = Impatient(AtomicU64::new(1));
        let result = write_to_vec(&game, &game.solution(&scores), OPTIONS, &progress);
        assert!(matches!(result, Err(WriteError::Interrupted { .. })));
    }
}

/// A `Progress` that cancels after a number of units.
struct Impatient(AtomicU64);

impl Progress for Impatient {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}

    fn advance(&self, units: u64) {
        let less = |left: u64| Some(left.saturating_sub(units));
        let relaxed = Ordering::Relaxed;
        let _ = self.0.fetch_update(relaxed, relaxed, less);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn stopped_or_failed_writing_leaves_nothing_behind() {
    for (game, scores) in games() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("toy.bin");
        for patience in [0, 1] {
            let progress = Impatient(AtomicU64::new(patience));
            let result = write_table(&game, &game.solution(&scores), &path, OPTIONS, &progress);
            assert!(
                matches!(result, Err(WriteError::Interrupted { .. })),
                "{result:?}"
            );
            assert!(files_in(home.path()).is_empty());
        }
        std::fs::write(&path, "precious").unwrap();
        let result = write_table(&game, &game.solution(&scores), &path, OPTIONS, &NoProgress);
        assert!(
            matches!(result, Err(WriteError::Exists { .. })),
            "{result:?}"
        );
        let force = WriteOptions {
            force: true,
            ..OPTIONS
        };
        let progress = Impatient(AtomicU64::new(1));
        let result = write_table(&game, &game.solution(&scores), &path, force, &progress);
        assert!(
            matches!(result, Err(WriteError::Interrupted { .. })),
            "{result:?}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        assert_eq!(files_in(home.path()), std::slice::from_ref(&path));
        write(&game, &scores, &path, force);
        assert!(TableFile::open(&path, Access::Mmap).is_ok());
    }
}

#[test]
fn scores_that_do_not_fit_the_game_are_no_table() {
    let (game, scores) = &games()[1];
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("toy.bin");
    let entries: Vec<(u128, i32)> = scores.iter().map(|(&key, &score)| (key, score)).collect();
    let mut unsorted = entries.clone();
    unsorted.swap(7, 8);
    let mut too_high = entries.clone();
    too_high[70].1 = 21;
    let mut no_key = entries.clone();
    no_key.push((u128::MAX, 0));
    for bad in [unsorted, too_high, no_key] {
        let result = write_table(game, &Solution::Keyed(bad), &path, OPTIONS, &NoProgress);
        assert!(matches!(result, Err(WriteError::Solution(_))), "{result:?}");
    }
    // Ranked tables have one byte per score; keyed ones as many as the scores need.
    let large = Toy {
        piles: [100, 0, 0],
        ..Toy::new(true)
    };
    let solution = large.solution(&BTreeMap::new());
    let result = write_table(&large, &solution, &path, OPTIONS, &NoProgress);
    assert!(matches!(result, Err(WriteError::Solution(_))), "{result:?}");
    // An entry in a segment that `Scores::is_vacant` claims to be empty is counted but not passed
    // to the writer.
    let (ranked, mut contradicting) = games().into_iter().next().unwrap();
    contradicting.insert(ranked.key(&ranked.position([9, 9, 1])), 0);
    let contradicting = ranked.solution(&contradicting);
    let result = write_table(&ranked, &contradicting, &path, OPTIONS, &NoProgress);
    assert!(matches!(result, Err(WriteError::Solution(_))), "{result:?}");
    let ranks = games()[0].0.solution(scores);
    let result = write_table(game, &ranks, &path, OPTIONS, &NoProgress);
    assert!(matches!(result, Err(WriteError::Solution(_))), "{result:?}");
    assert!(files_in(home.path()).is_empty());
}

#[test]
fn a_table_serves_its_own_game_only() {
    for (game, scores) in games() {
        let bytes = {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("toy.bin");
            write(&game, &scores, &path, OPTIONS);
            std::fs::read(path).unwrap()
        };
        let other = Toy {
            piles: [30, 29, 6],
            ..game.clone()
        };
        let error = Table::new(TableFile::from_bytes(bytes.clone()).unwrap(), other).unwrap_err();
        assert!(
            error.to_string().contains("[30, 29, 6]") && error.to_string().contains("[30, 29, 8]"),
            "{error}"
        );
        // Another layout of the same rules: a keyed table fits both, but a ranked table fits only a
        // game with a ranking.
        let turned = Toy {
            ranked: !game.ranked,
            derived: false,
            ..game.clone()
        };
        let result = Table::new(TableFile::from_bytes(bytes).unwrap(), turned);
        assert_eq!(result.is_err(), game.ranked);
    }
}

fn verdict(game: &Toy, scores: &BTreeMap<u128, i32>) -> Verdict {
    let table = table(game, scores);
    let verdicts = [1, 2, 4].map(|threads| {
        verify(
            &table,
            &VerifyOptions::within(threads, 1 << 30),
            &NoProgress,
        )
        .unwrap()
    });
    assert_eq!(verdicts[0], verdicts[1]);
    assert_eq!(verdicts[0], verdicts[2]);
    assert_eq!(verdicts[0], verdict_in_little_memory(&table));
    verdicts[0].clone()
}

/// Returns the verdict with the least memory, and a directory for the rest.
fn verdict_in_little_memory(table: &Table<Toy>) -> Verdict {
    let home = tempfile::tempdir().unwrap();
    let mut options = VerifyOptions::within(2, 1);
    options.scratch = Some(home.path().join("scratch"));
    options.every = Duration::ZERO;
    match verify(table, &options, &NoProgress) {
        Err(VerifyError::Memory { needed, .. }) => options.memory = needed,
        other => panic!("{other:?}"),
    }
    let verdict = verify(table, &options, &NoProgress).unwrap();
    assert!(files_in(home.path()).is_empty());
    verdict
}

#[test]
fn right_tables_are_proved() {
    let verdicts = games().map(|(game, scores)| {
        let verdict = verdict(&game, &scores);
        let Verdict::Proved { entries, .. } = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(entries, scores.len() as u64);
        verdict
    });
    let counts = verdicts.map(|verdict| match verdict {
        Verdict::Proved { moves, steps, .. } => (moves, steps),
        other => panic!("{other:?}"),
    });
    // The third pile stays even.
    assert_eq!(counts.map(|(_, steps)| steps), [5; 3]);
    assert_eq!(counts.map(|(moves, _)| moves), [counts[1].0; 3]);
}

/// Returns the breadth-first distance of each class from the start, in moves.
///
/// It is the longest of the shortest paths to positions of the class.
fn levels(game: &Toy) -> BTreeMap<u128, usize> {
    let mut levels = BTreeMap::new();
    let mut frontier = vec![game.canonical(&game.start())];
    let mut level = 0;
    while !frontier.is_empty() {
        frontier.retain(|position| {
            game.final_score(position).is_none()
                && levels.insert(game.key(position), level).is_none()
        });
        let children = frontier.iter().flat_map(|position| {
            let moves = game.legal_moves(position).into_iter();
            moves.map(|mv| game.canonical(&game.play(position, mv)))
        });
        let known = children.filter(|child| !levels.contains_key(&game.key(child)));
        frontier = known.collect();
        level += 1;
    }
    levels
}

#[test]
fn wrong_scores_are_refuted() {
    wrong_scores_are_refuted_at_every(997);
}

#[test]
#[ignore = "exhaustive: 7 s"]
fn wrong_scores_are_refuted_wherever_they_are() {
    wrong_scores_are_refuted_at_every(97);
}

/// Changes every `step`-th entry, one at a time, and checks that it is refuted.
fn wrong_scores_are_refuted_at_every(step: usize) {
    for (game, scores) in games() {
        let levels = levels(&game);
        for (i, (&key, &score)) in scores.iter().enumerate().step_by(step) {
            for wrong in [score + 1, score - 1] {
                let mut doctored = scores.clone();
                doctored.insert(key, wrong);
                if game.leaves_out(key) {
                    // The score is not written, so only the counts are wrong: of this score or of
                    // the right one.
                    match verdict(&game, &doctored) {
                        Verdict::Refuted(Refutation::Miscounted { score: counted, .. }) => {
                            assert!([score, wrong].contains(&counted));
                        }
                        other => panic!("entry {i} was {score}, is {wrong}: {other:?}"),
                    }
                    continue;
                }
                let Verdict::Refuted(Refutation::Wrong {
                    position,
                    stored,
                    found,
                    ..
                }) = verdict(&game, &doctored)
                else {
                    panic!("entry {i} was {score}, is {wrong}, and nobody notices");
                };
                assert_ne!(stored, found);
                // Either the entry itself, or an earlier one from which a move leads to it.
                let at = scores.keys().find(|&&k| {
                    game.format_position(&game.position_of_key(k).unwrap()) == position
                });
                assert!(levels[at.unwrap()] <= levels[&key], "{position}");
                if *at.unwrap() == key {
                    assert_eq!((stored, found), (wrong, score));
                }
            }
        }
    }
}

#[test]
fn the_first_of_two_wrong_scores_is_named() {
    for (game, scores) in games() {
        if game.leaves_out(game.key(&game.start())) {
            continue;
        }
        let (start, last) = (game.key(&game.start()), *scores.keys().next().unwrap());
        let mut doctored = scores.clone();
        *doctored.get_mut(&start).unwrap() += 1;
        *doctored.get_mut(&last).unwrap() += 1;
        let Verdict::Refuted(Refutation::Wrong {
            position,
            stored,
            found,
            ..
        }) = verdict(&game, &doctored)
        else {
            panic!();
        };
        // The wrong score of the lowest layer, or the first in the table.
        let expected = game.format_position(&game.position_of_key(last).unwrap());
        assert_eq!(position, expected);
        assert_eq!((stored, found), (scores[&last] + 1, scores[&last]));
    }
}

#[test]
fn missing_entries_are_refuted() {
    every_missing_entry_is_refuted(509);
}

#[test]
#[ignore = "exhaustive: 11 s"]
fn missing_entries_are_refuted_wherever_they_are() {
    every_missing_entry_is_refuted(31);
}

/// Removes the start, and entries whose key is divisible, one at a time.
fn every_missing_entry_is_refuted(divisor: u128) {
    for (game, scores) in games() {
        for &key in scores
            .keys()
            .filter(|&&key| key % divisor == 0 || key == game.key(&game.start()))
        {
            let mut doctored = scores.clone();
            doctored.remove(&key);
            let expected = game.format_position(&game.position_of_key(key).unwrap());
            match verdict(&game, &doctored) {
                Verdict::Refuted(Refutation::Missing { position, .. }) => {
                    assert_eq!(position, expected)
                }
                other => panic!("{expected}: {other:?}"),
            }
        }
    }
}

#[test]
fn extra_entries_are_refuted_even_with_the_right_score() {
    for (game, scores) in games() {
        for piles in [[30, 29, 3], [30, 30, 8], [2, 0, 7], [30, 30, 0]] {
            let extra = game.position(piles);
            // The best of its moves, where all of them have scores.
            let elsewhere = Toy {
                piles,
                ..Toy::new(false)
            }
            .solve();
            let key = game.key(&extra);
            assert!(!scores.contains_key(&key));
            let mut doctored = scores.clone();
            doctored.insert(key, elsewhere[&key]);
            match verdict(&game, &doctored) {
                Verdict::Refuted(Refutation::Extra { position, stored }) => {
                    let expected = (!game.leaves_out(key)).then_some(elsewhere[&key]);
                    assert_eq!((position, stored), (format!("{piles:?}"), expected));
                }
                other => panic!("{piles:?}: {other:?}"),
            }
        }
    }
}

/// Returns the verdict on a sample of as many entries as there are.
fn verdict_on_sample(table: &Table<Toy>) -> Verdict {
    let sample = Sample {
        count: 20_000,
        seed: 7,
    };
    verify_sample(table, sample, &NoProgress).unwrap()
}

#[test]
fn samples_of_right_tables_agree_and_wrong_scores_in_them_are_found() {
    wrong_scores_in_samples_are_found(421);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn many_wrong_scores_in_samples_of_tables_are_found() {
    wrong_scores_in_samples_are_found(211);
}

/// Changes every `step`-th entry, one at a time, and checks that a sample finds it.
fn wrong_scores_in_samples_are_found(step: usize) {
    for (game, scores) in games() {
        let entries = scores.len() as u64;
        let agrees = verdict_on_sample(&table(&game, &scores));
        assert_eq!(agrees, Verdict::Agrees { entries });

        let kept = |key: &&u128| !game.leaves_out(**key);
        for &key in scores.keys().filter(kept).step_by(step) {
            let mut doctored = scores.clone();
            *doctored.get_mut(&key).unwrap() += 1;
            let verdict = verdict_on_sample(&table(&game, &doctored));
            let wrong = matches!(verdict, Verdict::Refuted(Refutation::Wrong { .. }));
            assert!(wrong, "{key}: {verdict:?}");
            doctored.remove(&key);
            // A table can't be read if an entry is missing from which a score is recomputed.
            if key != game.key(&game.start()) && !game.derived {
                let verdict = verdict_on_sample(&table(&game, &doctored));
                let missing = matches!(verdict, Verdict::Refuted(Refutation::Missing { .. }));
                assert!(missing, "{key}: {verdict:?}");
            }
        }
    }
}

#[test]
fn verifying_keeps_to_its_memory_and_stops_when_told() {
    for (game, scores) in games() {
        let table = table(&game, &scores);
        match verify(&table, &VerifyOptions::within(0, 1000), &NoProgress) {
            Err(VerifyError::Memory {
                needed,
                allowed: 1000,
                ..
            }) => {
                assert!(needed > scores.len() as u64);
                verify(&table, &VerifyOptions::within(0, needed), &NoProgress).unwrap();
                assert!(
                    verify(&table, &VerifyOptions::within(0, needed - 1), &NoProgress).is_err()
                );
            }
            other => panic!("{other:?}"),
        }
        let file = table.file();
        // The blocks of a layer are read when the proof reaches the layer.
        let work = file.bytes() - file.sections().header + file.entries();
        for patience in [0, 1, work / 2, work - 1] {
            let progress = Impatient(AtomicU64::new(patience));
            let result = verify(&table, &VerifyOptions::within(0, 1 << 30), &progress);
            assert!(
                matches!(result, Err(VerifyError::Interrupted { .. })),
                "{patience}: {result:?}"
            );
        }
    }
}

#[test]
fn probes_from_several_threads_agree() {
    for (game, scores) in games() {
        let table = table(&game, &scores).with_cache(20_000);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (table, scores, game) = (&table, &scores, &game);
                scope.spawn(move || {
                    for (&key, &score) in scores.iter().cycle().skip(thread * 500).take(3000) {
                        let position = game.position_of_key(key).unwrap();
                        assert_eq!(table.probe(&position).unwrap(), Some(score));
                    }
                });
            }
        });
    }
}

#[test]
fn an_empty_keyed_table_can_be_written_and_read() {
    let game = Toy::new(false);
    let table = table(&game, &BTreeMap::new());
    assert_eq!(table.probe(&game.start()).unwrap(), None);
    assert_eq!(table.file().verify_checksums(&NoProgress).unwrap(), 0);
    let verdict = verify(&table, &VerifyOptions::within(0, 1 << 20), &NoProgress).unwrap();
    assert!(matches!(
        verdict,
        Verdict::Refuted(Refutation::Missing { .. })
    ));
}
