//! Tests of Kalah's retrograde solver with codes of finished layers in files.

use crate::common::Random;
use std::cell::RefCell;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use zermelo::game::{Checkpoints, NoProgress, OwnSolver, Progress, SolveError, SolveOptions};
use zermelo::games::kalah::solver::{Forms, KalahSolver};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::table::{TableWriter, WriteOptions};
use zermelo::work::{DiskError, Scratch};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

/// The least bytes of codes that go to files: for small games, and by default.
const SMALL: usize = 1 << 7;
const USUAL: usize = 1 << 12;

/// A game, the forms of its layers, and the size from which codes go to files.
type Run<'a> = (&'a Kalah, Forms, usize);

fn solve(
    (game, forms, large_file): Run,
    path: &Path,
    scratch: Option<&Path>,
    progress: &dyn Progress,
    done: impl FnOnce(),
) -> Result<(), SolveError> {
    let mut writer = TableWriter::begin(game, path, WriteOptions::default(), &NoProgress).unwrap();
    if let Some(folder) = scratch {
        writer.set_scratch(folder).unwrap();
    }
    let mut solver = KalahSolver::new(game);
    solver.forms = Some(forms);
    solver.large_file = large_file;
    solver.solve(OPTIONS, progress, &mut writer)?;
    done();
    writer.finish().unwrap();
    Ok(())
}

fn scratch_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension() == Some("scratch".as_ref()))
        .collect()
}

fn table(game: &Kalah, forms: Forms, large_file: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.bin");
    let partial = folder.path().join(".table.bin.partial");
    solve((game, forms, large_file), &path, None, &NoProgress, || {
        let codes = scratch_files(&partial).len();
        let most = if large_file == USUAL { 100 } else { 60 };
        assert_eq!(codes > most, forms.in_files, "{codes} files with {forms:?}");
    })
    .unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::read(path).unwrap()
}

#[test]
fn layers_in_files_make_the_same_table() {
    tables_with_files_are_the_same(4, 2, SMALL);
}

#[test]
#[ignore = "exhaustive: 30 s"]
fn layers_of_a_larger_game_in_files_make_the_same_table() {
    tables_with_files_are_the_same(4, 4, USUAL);
}

fn tables_with_files_are_the_same(pits: usize, seeds: usize, large_file: usize) {
    for empty_capture in [false, true] {
        let game = Kalah::new(Rules {
            pits,
            seeds,
            empty_capture,
        })
        .unwrap();
        let total = game.total_seeds();
        let forms = |saved_up_to, dense_up_to, in_files| Forms {
            packed: true,
            saved_up_to,
            dense_up_to,
            in_files,
        };
        let here = table(&game, forms(total, total, false), large_file);
        for (kept, dense) in [(total, total), (total - 6, total - 2), (0, total)] {
            assert!(
                table(&game, forms(kept, dense, true), large_file) == here,
                "{kept} {dense}"
            );
        }
    }
}

/// A `Progress` that cancels at a given check for cancellation.
struct StopAt {
    asked: AtomicUsize,
    at: usize,
}

impl StopAt {
    fn new(at: usize) -> StopAt {
        StopAt {
            asked: AtomicUsize::new(0),
            at,
        }
    }
}

impl Progress for StopAt {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) >= self.at
    }
}

/// Returns a small game, and forms that use files of both kinds.
fn small(pits: usize, seeds: usize) -> (Kalah, Forms) {
    let game = Kalah::new(Rules {
        pits,
        seeds,
        empty_capture: false,
    });
    let game = game.unwrap();
    let forms = Forms {
        packed: true,
        saved_up_to: game.total_seeds() - 4,
        dense_up_to: game.total_seeds() - 1,
        in_files: true,
    };
    (game, forms)
}

/// Returns the number of checks for cancellation, and the table.
fn undisturbed(run: Run) -> (usize, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.bin");
    let counted = StopAt::new(usize::MAX);
    solve(run, &path, None, &counted, || ()).unwrap();
    (counted.asked.into_inner(), fs::read(path).unwrap())
}

#[test]
fn a_run_goes_on_from_the_files_of_one_that_was_stopped() {
    runs_go_on_from_files(small(3, 3), SMALL, 8);
}

#[test]
#[ignore = "exhaustive: 25 s"]
fn a_run_of_a_larger_game_goes_on_from_the_files_of_one_that_was_stopped() {
    runs_go_on_from_files(small(4, 3), USUAL, 20);
}

fn runs_go_on_from_files((game, forms): (Kalah, Forms), large_file: usize, rounds: usize) {
    let run = (&game, forms, large_file);
    let (asked, wanted) = undisturbed(run);
    let mut random = Random(1);
    let mut kept = 0;
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("other disk");
        fs::create_dir(&elsewhere).unwrap();
        let scratch = (round % 2 == 1).then_some(elsewhere.as_path());
        let path = folder.path().join("table.bin");
        let stop = StopAt::new(random.below(asked));
        let stopped = solve(run, &path, scratch, &stop, || ());
        assert!(matches!(stopped, Err(SolveError::Interrupted)));
        let files = || -> Vec<PathBuf> {
            let holds = |folder: &Path| fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            let folders = holds(folder.path()).chain(holds(&elsewhere));
            folders.flat_map(|folder| scratch_files(&folder)).collect()
        };
        let left = files();
        kept += left.len();
        // Damage one of the files.
        if round % 4 > 1
            && let Some(file) = left.get(random.below(left.len().max(1)))
        {
            let mut bytes = fs::read(file).unwrap();
            let at = random.below(bytes.len());
            match round % 8 {
                2 | 3 => bytes[at] ^= 1 << random.below(8),
                _ => bytes.truncate(at),
            }
            fs::write(file, bytes).unwrap();
        }
        solve(run, &path, scratch, &NoProgress, || ()).unwrap();
        assert!(fs::read(&path).unwrap() == wanted, "{round}");
        let names = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["other disk", "table.bin"]);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
    assert!(2 * kept > 5 * rounds, "{kept}");
}

/// Damages a file that a run has mapped: a bit, half, all, or its length.
fn damage(path: &Path, random: &mut Random) {
    let file = fs::File::options().read(true).write(true).open(path);
    let mut file = file.unwrap();
    // The checksums at the end stay intact.
    let length = file.metadata().unwrap().len() as usize - 8;
    let at = random.below(length);
    let mut change = |range: Range<usize>, mask: u8| {
        let mut bytes = vec![0; range.len()];
        file.seek(SeekFrom::Start(range.start as u64)).unwrap();
        file.read_exact(&mut bytes).unwrap();
        bytes.iter_mut().for_each(|byte| *byte ^= mask);
        file.seek(SeekFrom::Start(range.start as u64)).unwrap();
        file.write_all(&bytes).unwrap();
    };
    match random.below(4) {
        0 => change(at..at + 1, 1 << random.below(8)),
        1 => change(0..length / 2, 1 + random.below(255) as u8),
        2 => change(0..length, 1 + random.below(255) as u8),
        _ => file.set_len(at as u64).unwrap(),
    }
}

/// Damage to a file never reaches a table, whenever the following runs are stopped.
#[test]
fn damage_is_noticed_and_nothing_comes_of_it() {
    damage_changes_no_score(small(3, 3), SMALL, 16);
}

#[test]
#[ignore = "exhaustive: 50 s"]
fn damage_to_a_larger_game_is_noticed_and_nothing_comes_of_it() {
    damage_changes_no_score(small(3, 5), USUAL, 60);
}

fn damage_changes_no_score((game, forms): (Kalah, Forms), large_file: usize, rounds: usize) {
    let run = (&game, forms, large_file);
    zermelo::guard::survive_cut_off_files().unwrap();
    let (asked, wanted) = undisturbed(run);
    let random = RefCell::new(Random(2));
    let below = |most| random.borrow_mut().below(most);
    let either = || {
        let forms = Forms {
            saved_up_to: forms.saved_up_to - 5 * below(2),
            ..forms
        };
        (&game, forms, large_file)
    };
    let (mut noticed, mut stopped, mut went_on) = (0, 0, 0);
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.bin");
        let partial = folder.path().join(".table.bin.partial");
        let codes = || {
            let mut files = scratch_files(&partial);
            files.retain(|file| file.file_stem() != Some("sound".as_ref()));
            files.sort_by_key(|file| fs::metadata(file).unwrap().modified().unwrap());
            files
        };
        let (least, which) = (1 + below(24), below(10));
        let seed = Mutex::new(Random(1 + below(1 << 20) as u64));
        let hurt = Mutex::new(None);
        let act = || {
            let mut files = codes();
            if files.len() < least {
                return false;
            }
            // One of the most recent files.
            let file = files.swap_remove(files.len() - 1 - which % files.len());
            damage(&file, &mut seed.lock().unwrap());
            *hurt.lock().unwrap() = Some(file);
            true
        };
        let progress = Once {
            act,
            one: Mutex::default(),
            is_done: AtomicBool::new(false),
            asked: AtomicUsize::new(0),
            stop: if round % 2 == 0 { usize::MAX } else { below(2) },
        };
        match solve(run, &path, None, &progress, || ()) {
            // On a busy machine a thread may have read the file, for the last time, just before.
            Ok(()) => assert!(fs::read(&path).unwrap() == wanted, "{round}"),
            Err(SolveError::Disk(DiskError { path: file, .. })) => {
                assert!(file.starts_with(&partial) && !path.exists());
                noticed += 1;
            }
            Err(SolveError::Interrupted) => stopped += 1,
            Err(other) => panic!("{other:?}"),
        }
        if path.exists() {
            continue;
        }
        // A user may remove a file that is reported as damaged.
        if let Some(file) = hurt.into_inner().unwrap()
            && below(2) == 0
        {
            let _ = fs::remove_file(file);
        }
        for _ in 0..below(3) {
            let stop = StopAt::new(asked - 1 - below(asked / 2));
            went_on += usize::from(!codes().is_empty());
            // With another budget, files of two forms are next to each other.
            let _ = solve(either(), &path, None, &stop, || ());
        }
        if !path.exists() {
            solve(either(), &path, None, &NoProgress, || ()).unwrap();
        }
        assert!(fs::read(&path).unwrap() == wanted, "{round}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    assert!(
        4 * noticed > rounds && 10 * stopped > rounds && 4 * went_on > rounds,
        "{noticed} {stopped} {went_on}"
    );
}

/// A `Progress` that acts once, in the middle of a layer, and cancels soon after.
struct Once<F> {
    act: F,
    one: Mutex<()>,
    is_done: AtomicBool,
    asked: AtomicUsize,
    stop: usize,
}

impl<F: Fn() -> bool + Sync> Progress for Once<F> {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {
        let one = self.one.lock().unwrap();
        if !self.is_done.load(Relaxed) && (self.act)() {
            self.is_done.store(true, Relaxed);
        }
        drop(one);
    }
    fn cancelled(&self) -> bool {
        self.is_done.load(Relaxed) && self.asked.fetch_add(1, Relaxed) >= self.stop
    }
}

/// A disk that is almost full.
struct Full(Arc<Scratch>);

impl Checkpoints for Full {
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(Arc::clone(&self.0))
    }
}

#[test]
fn games_too_large_for_the_disk_are_refused_at_once() {
    let rules = Rules {
        pits: 3,
        seeds: 4,
        empty_capture: false,
    };
    let game = Kalah::new(rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = Arc::new(Scratch::new(folder.path()).with_room_for(1000));
    let mut full = Full(scratch);
    let mut solver = KalahSolver::new(&game);
    let total = game.total_seeds();
    solver.forms = Some(Forms {
        packed: true,
        saved_up_to: total - 4,
        dense_up_to: total,
        in_files: true,
    });
    let solved = solver.solve(OPTIONS, &NoProgress, &mut full);
    let Err(SolveError::Room { needed, free, .. }) = solved.map(|_| ()) else {
        panic!("it is solved");
    };
    assert!(free == 1000 && needed > 200_000, "{needed}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // With enough memory no files are needed.
    solver.forms = None;
    solver.solve(OPTIONS, &NoProgress, &mut full).unwrap();
}
