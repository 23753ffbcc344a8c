//! Kalah's sweep with the codes of finished layers in files: the same tables.

use crate::common::Random;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use zermelo::game::scratch::Scratch;
use zermelo::game::{Journal, NoProgress, Progress, Scores, SolveError, SolveOptions, Sweep};
use zermelo::games::kalah::sweep::{Forms, KalahSweep};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::table::{TableWriter, WriteOptions};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

fn solve(
    game: &Kalah,
    forms: Forms,
    path: &Path,
    scratch: Option<&Path>,
    progress: &dyn Progress,
    done: impl FnOnce(),
) -> Result<(), SolveError> {
    let mut writer = TableWriter::begin(game, path, WriteOptions::default(), &NoProgress).unwrap();
    if let Some(folder) = scratch {
        writer.set_scratch(folder).unwrap();
    }
    let mut sweep = KalahSweep::new(game);
    sweep.forms = Some(forms);
    sweep.solve(OPTIONS, progress, &mut writer)?;
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

fn table(game: &Kalah, forms: Forms) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.bin");
    let partial = folder.path().join(".table.bin.partial");
    solve(game, forms, &path, None, &NoProgress, || {
        let codes = scratch_files(&partial).len();
        assert_eq!(codes > 100, forms.in_files, "{codes} files with {forms:?}");
    })
    .unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::read(path).unwrap()
}

#[test]
fn layers_in_files_make_the_same_table() {
    for empty_capture in [false, true] {
        let game = Kalah::new(Rules {
            pits: 4,
            seeds: 4,
            empty_capture,
        })
        .unwrap();
        let total = game.total_seeds();
        let forms = |kept_up_to, dense_up_to, in_files| Forms {
            packed: true,
            kept_up_to,
            dense_up_to,
            in_files,
        };
        let here = table(&game, forms(total, total, false));
        for (kept, dense) in [(total, total), (total - 6, total - 2), (0, total)] {
            assert!(
                table(&game, forms(kept, dense, true)) == here,
                "{kept} {dense}"
            );
        }
    }
}

/// Does something to the files when it is asked for the so manieth time whether to stop, and stops
/// if that says so.
struct At<F> {
    asked: AtomicUsize,
    at: usize,
    act: F,
    stopped: AtomicBool,
}

impl<F: Fn() -> bool + Sync> At<F> {
    fn new(at: usize, act: F) -> At<F> {
        At {
            asked: AtomicUsize::new(0),
            at,
            act,
            stopped: AtomicBool::new(false),
        }
    }
}

impl<F: Fn() -> bool + Sync> Progress for At<F> {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        if self.asked.fetch_add(1, Relaxed) == self.at && (self.act)() {
            self.stopped.store(true, Relaxed);
        }
        self.stopped.load(Relaxed)
    }
}

/// A small game, and forms with files of both kinds.
fn small() -> (Kalah, Forms) {
    let game = Kalah::new(Rules {
        pits: 4,
        seeds: 3,
        empty_capture: false,
    });
    let game = game.unwrap();
    let forms = Forms {
        packed: true,
        kept_up_to: game.total_seeds() - 4,
        dense_up_to: game.total_seeds() - 1,
        in_files: true,
    };
    (game, forms)
}

/// How often it is asked whether to stop, and the table.
fn undisturbed(game: &Kalah, forms: Forms) -> (usize, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.bin");
    let counted = At::new(usize::MAX, || false);
    solve(game, forms, &path, None, &counted, || ()).unwrap();
    (counted.asked.into_inner(), fs::read(path).unwrap())
}

#[test]
fn a_run_goes_on_from_the_files_of_one_that_was_stopped() {
    let (game, forms) = small();
    let (asked, wanted) = undisturbed(&game, forms);
    let mut random = Random(1);
    let mut kept = 0;
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("other disk");
        fs::create_dir(&elsewhere).unwrap();
        let scratch = (round % 2 == 1).then_some(elsewhere.as_path());
        let path = folder.path().join("table.bin");
        let stop = At::new(random.below(asked), || true);
        let stopped = solve(&game, forms, &path, scratch, &stop, || ());
        assert!(matches!(stopped, Err(SolveError::Interrupted)));
        let files = || -> Vec<PathBuf> {
            let holds = |folder: &Path| fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            let folders = holds(folder.path()).chain(holds(&elsewhere));
            folders.flat_map(|folder| scratch_files(&folder)).collect()
        };
        let left = files();
        kept += left.len();
        // One of them is damaged.
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
        let same = At::new(usize::MAX, || false);
        solve(&game, forms, &path, scratch, &same, || ()).unwrap();
        assert!(fs::read(&path).unwrap() == wanted, "{round}");
        let names = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["other disk", "table.bin"]);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
    assert!(kept > 50, "{kept}");
}

#[test]
fn damage_is_noticed_while_it_is_solved() {
    let (game, forms) = small();
    let (asked, wanted) = undisturbed(&game, forms);
    let mut random = Random(2);
    let mut noticed = 0;
    while noticed < 12 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.bin");
        let partial = folder.path().join(".table.bin.partial");
        let (which, at, bit) = (random.below(1000), random.below(1 << 30), random.below(8));
        let damaged = AtomicBool::new(false);
        let flip = || {
            let mut files = scratch_files(&partial);
            files.sort();
            let Some(file) = files.get(which % files.len().max(1)) else {
                return false;
            };
            let file = fs::File::options()
                .read(true)
                .write(true)
                .open(file)
                .unwrap();
            // Not in the sums at its end.
            let at = at as u64 % (file.metadata().unwrap().len() - 8);
            let mut byte = [0];
            (&file).seek(SeekFrom::Start(at)).unwrap();
            (&file).read_exact(&mut byte).unwrap();
            byte[0] ^= 1 << bit;
            (&file).seek(SeekFrom::Start(at)).unwrap();
            (&file).write_all(&byte).unwrap();
            damaged.store(true, Relaxed);
            false
        };
        let progress = At::new(random.below(asked), flip);
        let solved = solve(&game, forms, &path, None, &progress, || ());
        if damaged.into_inner() {
            let Err(SolveError::Scratch { path: file, .. }) = solved else {
                panic!("{solved:?}");
            };
            assert!(file.starts_with(&partial) && !path.exists());
            noticed += 1;
            solve(&game, forms, &path, None, &NoProgress, || ()).unwrap();
        }
        assert!(fs::read(&path).unwrap() == wanted);
    }
}

/// A disk with hardly any room.
struct Full(Arc<Scratch>);

impl Journal for Full {
    fn kept(&mut self, _: &str) -> Option<Box<dyn Read + Send + '_>> {
        None
    }
    fn keep(
        &mut self,
        _: &str,
        _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        Ok(())
    }
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(Arc::clone(&self.0))
    }
    fn found(&mut self, _: &[u64]) -> Result<(), SolveError> {
        Ok(())
    }
    fn solved(&mut self, _: u32, _: &dyn Scores) -> Result<(), SolveError> {
        Ok(())
    }
}

#[test]
fn what_does_not_fit_the_disk_is_refused_before_it_is_begun() {
    let rules = Rules {
        pits: 3,
        seeds: 4,
        empty_capture: false,
    };
    let game = Kalah::new(rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = Arc::new(Scratch::new(folder.path()).with_room_for(1000));
    let mut full = Full(scratch);
    let mut sweep = KalahSweep::new(&game);
    let total = game.total_seeds();
    sweep.forms = Some(Forms {
        packed: true,
        kept_up_to: total - 4,
        dense_up_to: total,
        in_files: true,
    });
    let solved = sweep.solve(OPTIONS, &NoProgress, &mut full);
    let Err(SolveError::Room { needed, free, .. }) = solved.map(|_| ()) else {
        panic!("it is solved");
    };
    assert!(free == 1000 && needed > 200_000, "{needed}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // With enough memory no files are needed.
    sweep.forms = None;
    sweep.solve(OPTIONS, &NoProgress, &mut full).unwrap();
}
