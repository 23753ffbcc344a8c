//! Tests that read exports back.

use super::*;
use crate::any::{FAMILIES, game_named};
use crate::game::{NoProgress, SolveOptions};
use crate::oracle::Wanted;
use crate::text::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn table(game: &str, given: &[(&str, &str)]) -> Box<dyn AnyTable> {
    let given: Vec<_> = given
        .iter()
        .map(|&(name, value)| (name, value.to_owned()))
        .collect();
    let game = game_named(game, &given, FAMILIES).unwrap();
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 30,
    };
    game.solve_in_memory(options, &NoProgress).unwrap()
}

fn options(format: Format) -> ExportOptions {
    ExportOptions {
        format,
        layers: None,
        sample: None,
        moves: true,
        memory: 1 << 30,
        force: false,
    }
}

fn lines(directory: &Path, manifest: &Manifest) -> Vec<Value> {
    let files = manifest.shards.iter().flat_map(|shard| &shard.files);
    let texts = files.map(|file| fs::read_to_string(directory.join(&file.name)).unwrap());
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

use serde_json::Value;

#[test]
fn every_entry_is_there_with_what_the_oracle_says() {
    for (game, given) in [
        ("kalah", &[("pits", "3"), ("seeds", "2")][..]),
        ("tictactoe", &[]),
        ("eight", &[]),
        (
            "connect4",
            &[("columns", "3"), ("rows", "3"), ("connect", "3")],
        ),
        ("reversi4", &[]),
    ] {
        let table = table(game, given);
        let directory = tempfile::tempdir().unwrap();
        let wanted = ExportOptions {
            moves: table.array_shape().is_some(),
            ..options(Format::JsonLines)
        };
        let exported = export(&*table, directory.path(), &wanted, &NoProgress);
        let manifest = exported.unwrap();
        assert_eq!(manifest.entries(), table.file().entries());
        let found = lines(directory.path(), &manifest);
        assert_eq!(found.len() as u64, table.file().entries());
        for line in found.iter().step_by(1 + found.len() / 500) {
            let position = line["position"].as_str().unwrap();
            let answer = table.ask(Some(position), Wanted::default(), None).unwrap();
            let score = answer.bounds.lower;
            assert_eq!(line["score"], score, "{position}");
            if manifest.moves.is_none() {
                continue;
            }
            let moves = answer.moves.unwrap();
            let named: BTreeMap<String, i32> = moves.iter().cloned().collect();
            let told: BTreeMap<String, i32> =
                serde_json::from_value(line["moves"].clone()).unwrap();
            assert_eq!(told, named, "{position}");
            let best = moves.iter().filter(|mv| mv.1 == score).count();
            assert_eq!(line["best"].as_array().unwrap().len(), best, "{position}");
        }
    }
}

#[test]
fn a_table_that_is_not_loaded_gives_the_same_bytes() {
    let table = table("kalah", &[("pits", "3"), ("seeds", "3")]);
    for format in [Format::Npy, Format::Csv, Format::JsonLines] {
        let [one, other] = [0, 1 << 30].map(|memory| {
            let directory = tempfile::tempdir().unwrap();
            let options = ExportOptions {
                memory,
                ..options(format)
            };
            let manifest = export(&*table, directory.path(), &options, &NoProgress).unwrap();
            for file in manifest.shards.iter().flat_map(|shard| &shard.files) {
                let bytes = fs::read(directory.path().join(&file.name)).unwrap();
                let digest = hex(Sha256::digest(&bytes));
                assert_eq!(
                    (bytes.len() as u64, digest),
                    (file.bytes, file.sha256.clone())
                );
            }
            manifest
        });
        assert_eq!(one, other);
    }
}

/// Progress that cancels after a number of entries.
struct StopAfter(AtomicU64, u64);

impl Progress for StopAfter {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, units: u64) {
        self.0.fetch_add(units, Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.0.load(Relaxed) >= self.1
    }
}

#[test]
fn a_run_that_was_stopped_leaves_nothing_that_looks_complete() {
    let table = table("kalah", &[("pits", "3"), ("seeds", "2")]);
    let directory = tempfile::tempdir().unwrap();
    // Loading counts as progress, too: cancelling it would only make the export slower.
    let options = ExportOptions {
        memory: 0,
        force: true,
        ..options(Format::Csv)
    };
    for _ in 0..2 {
        let stop = StopAfter(AtomicU64::new(0), table.file().entries() / 2);
        let error = export(&*table, directory.path(), &options, &stop).unwrap_err();
        assert!(matches!(error, ExportError::Interrupted), "{error}");
        // A complete export from before must not look complete either.
        assert!(!directory.path().join(MANIFEST).exists());
        let manifest = export(&*table, directory.path(), &options, &NoProgress).unwrap();
        for file in manifest.shards.iter().flat_map(|shard| &shard.files) {
            let bytes = fs::read(directory.path().join(&file.name)).unwrap();
            assert_eq!(hex(Sha256::digest(&bytes)), file.sha256);
        }
    }
}

#[test]
fn another_export_is_not_mixed_with_this_one() {
    let table = table("tictactoe", &[]);
    let directory = tempfile::tempdir().unwrap();
    export(
        &*table,
        directory.path(),
        &options(Format::Csv),
        &NoProgress,
    )
    .unwrap();
    let other = ExportOptions {
        moves: false,
        ..options(Format::Csv)
    };
    let error = export(&*table, directory.path(), &other, &NoProgress).unwrap_err();
    let expected = "manifest.json is there already, of another export";
    assert!(error.to_string().ends_with(expected), "{error}");
    let forced = ExportOptions {
        force: true,
        ..other
    };
    let manifest = export(&*table, directory.path(), &forced, &NoProgress).unwrap();
    assert!(!manifest.move_scores);
}

#[test]
fn layers_and_samples() {
    let table = table("kalah", &[("pits", "3"), ("seeds", "2")]);
    let directory = tempfile::tempdir().unwrap();
    let mut some = ExportOptions {
        layers: Some(vec![5, 7]),
        ..options(Format::JsonLines)
    };
    let exported = export(&*table, directory.path(), &some, &NoProgress).unwrap();
    let layers: Vec<_> = exported.shards.iter().map(|shard| shard.layer).collect();
    assert_eq!(layers, [Some(5), Some(7)]);
    some.sample = Some(Sample { count: 50, seed: 3 });
    let directory = tempfile::tempdir().unwrap();
    let exported = export(&*table, directory.path(), &some, &NoProgress).unwrap();
    let drawn = lines(directory.path(), &exported);
    assert_eq!(drawn.len(), 50);
    assert!(
        drawn
            .iter()
            .all(|line| line["layer"] == 5 || line["layer"] == 7)
    );
    some.layers = Some(vec![13]);
    let error = export(&*table, directory.path(), &some, &NoProgress).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table has no layer 13; it has 2 to 12"
    );
}

#[test]
fn games_without_arrays_have_no_npy() {
    let directory = tempfile::tempdir().unwrap();
    let error = export(
        &*table("eight", &[]),
        directory.path(),
        &options(Format::Npy),
        &NoProgress,
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("there are no arrays of it"), "{error}");
    let moves = ExportOptions {
        moves: true,
        ..options(Format::Csv)
    };
    let error = export(&*table("lgame", &[]), directory.path(), &moves, &NoProgress);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no list of all its moves"), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_export_replaces_all_files_of_an_earlier_one_and_nothing_else() {
    let table = table("tictactoe", &[]);
    let directory = tempfile::tempdir().unwrap();
    let export =
        |options: ExportOptions| export(&*table, directory.path(), &options, &NoProgress).unwrap();
    export(options(Format::Csv));
    let own = ["layer-mine.txt", "sample", "notes.csv"].map(|name| directory.path().join(name));
    own.iter().for_each(|path| fs::write(path, "mine").unwrap());
    let sample = Sample { count: 5, seed: 1 };
    let exported = export(ExportOptions {
        sample: Some(sample),
        force: true,
        ..options(Format::Npy)
    });
    let mut names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let files = exported.shards.iter().flat_map(|shard| &shard.files);
    let mut expected: Vec<String> = files.map(|file| file.name.clone()).collect();
    let others = ["layer-mine.txt", "sample", "notes.csv", MANIFEST];
    expected.extend(others.map(str::to_owned));
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    // A manifest from elsewhere can't name files outside of its directory, or others inside.
    let hostile = r#"{"shards":[{"files":[{"name":"../layer-1"},{"name":"notes.csv"}]}]}"#;
    fs::write(directory.path().join(MANIFEST), hostile).unwrap();
    assert!(files::exported(&directory.path().join(MANIFEST)).is_empty());
}
