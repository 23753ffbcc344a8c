//! Tests of proofs layer by layer, in little memory and with interruptions.

use crate::table_toy::Toy;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use zermelo::game::{NoProgress, Notation, Progress, SolveOptions};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::solve::{Method, solve};
use zermelo::table::{
    Refutation, Table, TableFile, Verdict, VerifyError, VerifyOptions, WriteOptions, verify,
    write_to_vec,
};

/// Options by which the table's layers take many blocks.
const TILES: WriteOptions = WriteOptions {
    force: false,
    restart: false,
    threads: 1,
    tile_side: 8,
    block_entries: 64,
};

fn kalah(empty_capture: bool) -> Kalah {
    let rules = Rules {
        pits: 3,
        seeds: 2,
        empty_capture,
    };
    Kalah::new(rules).unwrap()
}

fn bytes_of<G: Notation>(game: &G, tile_side: u32) -> Vec<u8> {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 28,
    };
    let solved = solve(game, Method::Backward, options, &NoProgress).unwrap();
    let options = WriteOptions { tile_side, ..TILES };
    write_to_vec(game, &solved.solution, options, &NoProgress).unwrap()
}

fn table_of<G: Notation>(game: &G) -> Table<G> {
    let file = TableFile::from_bytes(bytes_of(game, TILES.tile_side)).unwrap();
    Table::new(file, game.clone()).unwrap()
}

fn toy(game: &Toy, scores: &BTreeMap<u128, i32>) -> Table<Toy> {
    let bytes = write_to_vec(game, &game.solution(scores), TILES, &NoProgress).unwrap();
    Table::new(TableFile::from_bytes(bytes).unwrap(), game.clone()).unwrap()
}

/// A `Progress` that records the notes, and cancels after some work.
struct Listener {
    patience: AtomicU64,
    notes: Mutex<Vec<String>>,
}

impl Listener {
    fn new(patience: u64) -> Listener {
        Listener {
            patience: AtomicU64::new(patience),
            notes: Mutex::default(),
        }
    }

    fn heard(&self, words: &str) -> bool {
        let notes = self.notes.lock().unwrap();
        notes.iter().any(|note| note.contains(words))
    }
}

impl Progress for Listener {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}

    fn advance(&self, units: u64) {
        let less = |left: u64| Some(left.saturating_sub(units));
        let relaxed = Ordering::Relaxed;
        let _ = self.patience.fetch_update(relaxed, relaxed, less);
    }

    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }

    fn cancelled(&self) -> bool {
        self.patience.load(Ordering::Relaxed) == 0
    }
}

fn options(memory: u64, scratch: Option<&Path>) -> VerifyOptions {
    let mut options = VerifyOptions::within(2, memory);
    options.scratch = scratch.map(Path::to_owned);
    options.every = Duration::ZERO;
    options
}

/// Returns the least memory of a proof, in bytes.
fn least<G: Notation>(table: &Table<G>, scratch: Option<&Path>) -> u64 {
    match verify(table, &options(1, scratch), &NoProgress) {
        Err(VerifyError::Memory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    }
}

const GOING_ON: &str = "going on from";
const ANEW: &str = "starts anew";

/// Runs a proof that is cancelled after some work; returns whether it was.
///
/// It uses the least memory.
fn stopped<G: Notation>(table: &Table<G>, scratch: &Path, patience: u64) -> bool {
    let memory = least(table, Some(scratch));
    let listener = Listener::new(patience);
    let result = verify(table, &options(memory, Some(scratch)), &listener);
    assert!(!listener.heard(ANEW));
    match result {
        Err(VerifyError::Interrupted { .. }) => true,
        Ok(_) => false,
        Err(other) => panic!("{other}"),
    }
}

/// Resumes a proof in a directory; returns the verdict and the notes.
fn gone_on<G: Notation>(table: &Table<G>, scratch: &Path) -> (Verdict, Listener) {
    let memory = least(table, Some(scratch));
    let listener = Listener::new(u64::MAX);
    let verdict = verify(table, &options(memory, Some(scratch)), &listener).unwrap();
    assert!(!scratch.exists(), "a folder is left");
    (verdict, listener)
}

/// Returns the work of reading the file, before the actual proof.
fn reading<G: Notation>(table: &Table<G>) -> u64 {
    let file = table.file();
    file.bytes() - file.sections().header
}

#[test]
fn little_memory_changes_no_verdict() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    for empty_capture in [false, true] {
        let table = table_of(&kalah(empty_capture));
        let expected = verify(&table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
        assert!(matches!(expected, Verdict::Proved { steps: 11, .. }));
        let (all, some) = (least(&table, None), least(&table, Some(&scratch)));
        assert!(some < all, "{some} {all}");
        for memory in (some..all).step_by(1000) {
            let options = options(memory, Some(&scratch));
            let verdict = verify(&table, &options, &NoProgress).unwrap();
            assert_eq!(verdict, expected, "{memory}");
            assert!(!scratch.exists());
        }
    }
}

#[test]
fn wrong_scores_are_refuted_in_little_memory() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    for derived in [false, true] {
        // Moves lead to layers that aren't in memory, so several passes judge an entry.
        let game = Toy {
            leaps: Some(6),
            derived,
            ..Toy::new(true)
        };
        let scores = game.solve();
        for (key, wrong) in scores.keys().step_by(37).zip([-1, 1].into_iter().cycle()) {
            if game.leaves_out(*key) {
                continue;
            }
            let mut doctored = scores.clone();
            *doctored.get_mut(key).unwrap() += wrong;
            let table = toy(&game, &doctored);
            let expected = verify(&table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
            let is_refuted = matches!(expected, Verdict::Refuted(Refutation::Wrong { .. }));
            assert!(is_refuted, "{expected:?}");
            let least = least(&table, Some(&scratch));
            for memory in [least, least + 5_000] {
                let found = verify(&table, &options(memory, Some(&scratch)), &NoProgress).unwrap();
                assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn a_game_that_promises_too_much_of_its_moves_changes_no_verdict() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    let verdict = |taken, more| {
        let game = Toy {
            leaps: Some(taken),
            ..Toy::new(true)
        };
        let table = toy(&game, &game.solve());
        let options = options(least(&table, Some(&scratch)) + more, Some(&scratch));
        verify(&table, &options, &NoProgress)
    };
    let expected = verdict(6, 0).unwrap();
    assert!(matches!(expected, Verdict::Proved { .. }), "{expected:?}");
    // The wrong promise is noticed, and the remedy takes a little more memory.
    let promised = verdict(2, 0);
    let is_noticed = matches!(promised, Err(VerifyError::Memory { .. }));
    assert!(is_noticed, "{promised:?}");
    for more in (10_000..100_000).step_by(10_000) {
        assert_eq!(verdict(2, more).unwrap(), expected);
    }
}

#[test]
fn a_stopped_proof_goes_on_to_the_same_verdict() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    fn goes_on<G: Notation>(table: &Table<G>, scratch: &Path) -> u32 {
        let expected = verify(table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
        let work = reading(table);
        let mut resumed = 0;
        for part in 0..20 {
            let patience = work + table.file().entries() * part / 20;
            if !stopped(table, scratch, patience.max(1)) {
                continue;
            }
            let was_left = scratch.exists();
            let (verdict, listener) = gone_on(table, scratch);
            assert_eq!(verdict, expected);
            assert_eq!(listener.heard(GOING_ON), was_left);
            assert!(!listener.heard(ANEW));
            resumed += u32::from(was_left);
        }
        resumed
    }
    assert!(goes_on(&table_of(&kalah(false)), &scratch) > 5);
    let game = Toy::derived();
    let scores = game.solve();
    assert!(goes_on(&toy(&game, &scores), &scratch) > 5);

    // Stop the proof repeatedly, each time a little later.
    let table = toy(&game, &scores);
    let mut patience = reading(&table) + table.file().entries() / 4;
    while stopped(&table, &scratch, patience) {
        patience += table.file().entries() / 16;
    }
    assert!(!scratch.exists());

    // The layers proved before the stop don't include the fault.
    let key = *scores.keys().rfind(|&&key| !game.leaves_out(key)).unwrap();
    let mut doctored = scores.clone();
    *doctored.get_mut(&key).unwrap() += 1;
    let table = toy(&game, &doctored);
    let expected = verify(&table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
    assert!(matches!(
        expected,
        Verdict::Refuted(Refutation::Wrong { .. })
    ));
    let patience = reading(&table) + table.file().entries() / 2;
    assert!(stopped(&table, &scratch, patience));
    let (verdict, listener) = gone_on(&table, &scratch);
    assert_eq!(verdict, expected);
    assert!(listener.heard(GOING_ON));
}

/// Restores the files of a stopped proof.
fn put_back(files: &[(std::path::PathBuf, Vec<u8>)], folder: &Path) {
    let _ = std::fs::create_dir(folder);
    for (path, bytes) in files {
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn checkpoints_that_are_damaged_or_of_another_table_are_not_used() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    let table = table_of(&kalah(false));
    let expected = verify(&table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
    let patience = reading(&table) + table.file().entries() / 2;
    assert!(stopped(&table, &scratch, patience));
    let files: Vec<_> = std::fs::read_dir(&scratch)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    let (verdict, listener) = gone_on(&table, &scratch);
    assert!(listener.heard(GOING_ON) && verdict == expected);
    let mut damaged = 0;
    for (path, bytes) in files.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let last = bytes.len() - 1;
        let mut versions: Vec<Vec<u8>> = vec![Vec::new(), bytes[..last].to_vec()];
        for at in [0, last / 3, last / 2, last] {
            versions.push(bytes.clone());
            versions.last_mut().unwrap()[at] ^= 1 << (at % 8);
        }
        for version in versions {
            put_back(&files, &scratch);
            std::fs::write(path, version).unwrap();
            let (verdict, listener) = gone_on(&table, &scratch);
            assert_eq!(verdict, expected);
            let is_noticed = listener.heard(ANEW) && !listener.heard(GOING_ON);
            assert!(is_noticed, "{}", path.display());
            damaged += 1;
        }
        put_back(&files, &scratch);
        std::fs::remove_file(path).unwrap();
        let (verdict, listener) = gone_on(&table, &scratch);
        assert!(!listener.heard(GOING_ON) && verdict == expected);
    }
    assert!(damaged > 20);

    // The files are of other rules.
    put_back(&files, &scratch);
    let other = table_of(&kalah(true));
    let right = verify(&other, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
    let (verdict, listener) = gone_on(&other, &scratch);
    assert_eq!(verdict, right);
    assert!(listener.heard(ANEW) && !listener.heard(GOING_ON));
    // The files are of the same rules in other blocks.
    put_back(&files, &scratch);
    let bytes = bytes_of(&kalah(false), 16);
    let other = Table::new(TableFile::from_bytes(bytes).unwrap(), kalah(false)).unwrap();
    let (verdict, listener) = gone_on(&other, &scratch);
    assert_eq!(verdict, expected);
    assert!(listener.heard(ANEW) && !listener.heard(GOING_ON));
}

#[test]
fn a_folder_that_is_no_folder_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let scratch = home.path().join("scratch");
    std::fs::write(&scratch, "precious").unwrap();
    let table = table_of(&kalah(false));
    let listener = Listener::new(u64::MAX);
    let verdict = verify(&table, &options(1 << 30, Some(&scratch)), &listener).unwrap();
    assert!(matches!(verdict, Verdict::Proved { .. }));
    assert!(listener.heard("can't use the folder"));
    assert_eq!(std::fs::read(&scratch).unwrap(), b"precious");
}
