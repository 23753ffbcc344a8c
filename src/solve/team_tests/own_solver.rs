//! A game's own solver in several processes.

use super::*;
use crate::games::kalah::solver::{Forms, KalahSolver};
use crate::pool::{STACK, in_pool};
use crate::solve::Solver;
use crate::solve::to_file::solve_rest;
use crate::table::TableWriter;

/// Returns Kalah's own solver, with most layers in files.
fn in_files(game: &Kalah) -> KalahSolver {
    let mut solver = KalahSolver::new(game);
    let total = game.total_seeds();
    solver.forms = Some(Forms {
        packed: true,
        saved_up_to: total - 6,
        dense_up_to: total - 3,
        in_files: true,
    });
    solver.large_file = 1 << 8;
    solver
}

/// Runs Kalah's own solver in several processes, with files.
fn solve_by_threads<P: Progress>(
    game: &Kalah,
    path: &Path,
    processes: usize,
    scratch: Option<&Path>,
    progress: impl Fn(usize) -> P + Sync,
) -> Vec<Result<(), SolveError>> {
    let solver = Solver::OfGame(Box::new(in_files(game)));
    let options = SolveOptions {
        memory: 1 << 30,
        ..SOLVE
    };
    by_threads(processes, 5000, |transport| {
        let rank = transport.rank();
        let progress = progress(rank);
        let team = Team::new(&transport, &progress);
        let job = SolveJob {
            options,
            scratch,
            ..job(path)
        };
        let mut writer =
            (rank == 0).then(|| TableWriter::begin(game, path, job.write, &progress).unwrap());
        let solved = in_pool(1, STACK, || {
            solve_rest(game, &solver, &job, &team, writer.as_mut())
        });
        team.agree(solved).map(|_| ())
    })
}

#[test]
fn own_solvers_have_the_same_bytes_from_any_number_of_processes() {
    let endgame = Kalah::endgame(3, 8, true).unwrap();
    its_own_solver_has_the_same_bytes([small_kalah(), endgame]);
}

#[test]
#[ignore = "exhaustive: 8 s"]
fn own_solvers_have_the_same_bytes_for_a_larger_game() {
    its_own_solver_has_the_same_bytes([larger_kalah()]);
}

fn its_own_solver_has_the_same_bytes(games: impl IntoIterator<Item = Kalah>) {
    for game in games {
        let expected = expected(&game);
        for processes in 1..=4 {
            let home = TempDir::new().unwrap();
            let path = home.path().join("table");
            let job = |_| SolveJob {
                method: Method::Backward,
                ..job(&path)
            };
            let outcomes = solve_together(&game, processes, job, |_| NoProgress);
            for (rank, outcome) in outcomes.into_iter().enumerate() {
                assert_eq!(outcome.unwrap().is_some(), rank == 0);
            }
            assert!(
                fs::read(&path).unwrap() == expected,
                "{processes} in memory"
            );
            fs::remove_file(&path).unwrap();
            let elsewhere = TempDir::new().unwrap();
            for scratch in [None, Some(elsewhere.path())] {
                for outcome in solve_by_threads(&game, &path, processes, scratch, |_| NoProgress) {
                    outcome.unwrap();
                }
                assert!(fs::read(&path).unwrap() == expected, "{processes} in files");
                fs::remove_file(&path).unwrap();
                assert!(files_below(home.path()).is_empty());
                assert!(files_below(elsewhere.path()).is_empty());
            }
        }
    }
}

/// Cancels one process, and so all, at its n-th check for cancellation.
struct StopAt {
    asked: AtomicU64,
    at: Option<u64>,
}

impl Progress for StopAt {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Relaxed);
        self.at.is_some_and(|at| asked >= at)
    }
}

/// Returns the number of checks for cancellation in a process that solves with files.
fn questions_of_its_own_solver(game: &Kalah, processes: usize) -> u64 {
    let home = TempDir::new().unwrap();
    let asked = AtomicU64::new(0);
    let count = || asked.fetch_add(1, Relaxed) == u64::MAX;
    let never = || false;
    let progress = |rank: usize| match rank {
        0 => CancelScope::new(&NoProgress, &count),
        _ => CancelScope::new(&NoProgress, &never),
    };
    for outcome in solve_by_threads(game, &home.path().join("table"), processes, None, progress) {
        outcome.unwrap();
    }
    asked.into_inner()
}

/// The number of a check in the second half of a run by 1, 2, 3 or 4 processes.
struct Moments([u64; 4]);

impl Moments {
    fn new(game: &Kalah) -> Moments {
        Moments([1, 2, 3, 4].map(|processes| questions_of_its_own_solver(game, processes)))
    }

    fn late(&self, processes: usize, random: &mut Random) -> u64 {
        let half = self.0[processes - 1] / 2;
        half + random.index(half as usize) as u64
    }
}

#[test]
fn own_solvers_resume_with_any_number_of_processes() {
    its_own_solver_goes_on(&small_kalah(), 8);
}

#[test]
#[ignore = "exhaustive: 20 s"]
fn own_solvers_resume_with_a_larger_game() {
    its_own_solver_goes_on(&larger_kalah(), 20);
}

fn its_own_solver_goes_on(game: &Kalah, rounds: usize) {
    let expected = expected(game);
    let moments = Moments::new(game);
    let mut random = Random::new(5);
    let (mut stopped, mut was_kept) = (0, 0);
    for round in 0..rounds {
        let home = TempDir::new().unwrap();
        let path = home.path().join("table");
        let [before, after] = [(); 2].map(|()| 1 + random.index(4));
        let (who, at) = (random.index(before), moments.late(before, &mut random));
        let progress = |rank| StopAt {
            asked: AtomicU64::new(0),
            at: (rank == who).then_some(at),
        };
        let outcomes = solve_by_threads(game, &path, before, None, progress);
        if outcomes.iter().any(Result::is_err) {
            assert!(outcomes.iter().all(Result::is_err), "all stop together");
            assert!(!path.exists());
            stopped += 1;
            let scratch = files_below(home.path()).into_iter();
            let scratch = scratch.filter(|path| path.extension() == Some("scratch".as_ref()));
            let mut scratch: Vec<PathBuf> = scratch.collect();
            was_kept += usize::from(!scratch.is_empty());
            if round % 2 == 1 && !scratch.is_empty() {
                // Damage a file of some process.
                let path = scratch.swap_remove(random.index(scratch.len()));
                let mut bytes = fs::read(&path).unwrap();
                let at = random.index(bytes.len());
                bytes[at] ^= 1 << random.index(8);
                fs::write(&path, bytes).unwrap();
            }
        } else {
            fs::remove_file(&path).unwrap();
        }
        for outcome in solve_by_threads(game, &path, after, None, |_| NoProgress) {
            outcome.unwrap();
        }
        assert!(
            fs::read(&path).unwrap() == expected,
            "{before}, then {after}"
        );
        fs::remove_file(&path).unwrap();
        assert!(files_below(home.path()).is_empty());
    }
    assert!(
        2 * stopped >= rounds && 2 * was_kept >= stopped,
        "{stopped}, {was_kept}"
    );
}

/// Runs `act` at the first check where possible, and cancels some checks later.
struct DoOnce<F> {
    act: Option<F>,
    asked: AtomicU64,
    stop: u64,
}

impl<F: Fn() -> bool + Sync> Progress for DoOnce<F> {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        let is_done = self.asked.load(Relaxed) > 0;
        self.act
            .as_ref()
            .is_some_and(|act| (is_done || act()) && self.asked.fetch_add(1, Relaxed) >= self.stop)
    }
}

/// Returns the files of codes, last written first.
fn codes_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|path| {
        path.extension() == Some("scratch".as_ref()) && path.file_stem() != Some("sound".as_ref())
    });
    files.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    files.reverse();
    files
}

#[test]
fn damaged_files_reach_no_table_through_any_process() {
    check_that_damaged_files_reach_no_table(&small_kalah(), 8);
}

#[test]
#[ignore = "exhaustive: 30 s"]
fn damaged_files_reach_no_table_of_a_larger_game() {
    check_that_damaged_files_reach_no_table(&larger_kalah(), 24);
}

fn check_that_damaged_files_reach_no_table(game: &Kalah, rounds: usize) {
    let expected = expected(game);
    let moments = Moments::new(game);
    let mut random = Random::new(6);
    let (mut noticed, mut stopped) = (0, 0);
    for round in 0..rounds {
        let home = TempDir::new().unwrap();
        let path = home.path().join("table");
        let hurt: Mutex<Option<PathBuf>> = Mutex::default();
        let mut processes = || 1 + random.index(4);
        let before = 1 + processes();
        let runs = [processes(), processes(), processes()];
        let who = random.index(before);
        let (least, which) = (1 + random.index(20 * before), random.index(10));
        let act = || {
            let mut files = codes_below(home.path());
            if files.len() < least {
                return false;
            }
            let file = files.swap_remove(which % files.len());
            let mut bytes = fs::read(&file).unwrap();
            let half = bytes.len() / 2;
            bytes[..half].iter_mut().for_each(|byte| *byte ^= 0x11);
            // Overwrite in place, because the file is mapped.
            let mut there = fs::File::options().write(true).open(&file).unwrap();
            std::io::Write::write_all(&mut there, &bytes).unwrap();
            *hurt.lock().unwrap() = Some(file);
            true
        };
        let stop = match round % 2 {
            0 => u64::MAX,
            _ => random.index(2) as u64,
        };
        let progress = |rank| DoOnce {
            act: (rank == who).then_some(act),
            asked: AtomicU64::new(0),
            stop,
        };
        let outcomes = solve_by_threads(game, &path, before, None, progress);
        let is_of_file =
            |outcome: &Result<(), SolveError>| matches!(outcome, Err(SolveError::Disk(_)));
        noticed += usize::from(outcomes.iter().any(is_of_file));
        stopped += usize::from(matches!(outcomes[0], Err(SolveError::Interrupted)));
        let hurt = hurt.into_inner().unwrap();
        match hurt.as_deref().filter(|_| random.index(3) > 0) {
            Some(file) if random.index(2) == 0 => {
                let _ = fs::remove_file(file);
            }
            // Remove the directory with all files of that process; if it is the first, all of them.
            Some(file) => {
                let _ = fs::remove_dir_all(file.parent().unwrap());
            }
            None => {}
        }
        for processes in runs {
            if !path.exists() {
                let stop = moments.late(processes, &mut random);
                let progress = |rank| StopAt {
                    asked: AtomicU64::new(0),
                    at: (rank == 0).then_some(stop),
                };
                solve_by_threads(game, &path, processes, None, progress);
            }
        }
        if !path.exists() {
            for outcome in solve_by_threads(game, &path, 2, None, |_| NoProgress) {
                outcome.unwrap();
            }
        }
        assert!(fs::read(&path).unwrap() == expected, "{round}");
    }
    assert!(
        4 * noticed >= rounds && 4 * stopped >= rounds,
        "{noticed}, {stopped}"
    );
}
