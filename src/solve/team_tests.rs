//! Tests with threads as processes.

mod own_solver;

use super::keyed::{KeyCheckpoints, KeySolver};
use super::{Pace, SolveJob, SolveJobCause, SolveJobError, SolvedTable, solve_to_file_in_team};
use crate::game::team::Threads;
use crate::game::{
    CancelScope, Family, Game, NoProgress, Notation, Progress, Solution, SolveError, SolveOptions,
    Team, Transport,
};
use crate::games::eight::Eight;
use crate::games::kalah::Kalah;
use crate::games::merels::Kind;
use crate::games::reversi::{Board, Reversi, Start};
use crate::games::tictactoe::{Scoring, TicTacToe};
use crate::random::Random;
use crate::solve::{Method, solve};
use crate::table::{Access, Table, WriteOptions, write_to_vec};
use crate::testing::linear_game::{LinearGame, endless};
use crate::testing::random_graph::RandomGraph;
use crate::testing::tables::{bytes_of, kalah};
use crate::testing::walk::{Walk, zigzag};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tempfile::TempDir;

const SOLVE: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

/// Many short messages, and a checkpoint after every layer.
const PACE: Pace = Pace {
    block: 50,
    save_share: f64::MAX,
};

/// Returns a job by the rules alone, without the game's own solver.
fn job(path: &Path) -> SolveJob<'_> {
    SolveJob {
        method: Method::Rules,
        pace: PACE,
        ..SolveJob::new(path, SOLVE)
    }
}

/// Longest message in bytes, so short that most messages are sent in pieces.
const LONGEST: usize = 100;

const TICTACTOE: TicTacToe = TicTacToe {
    scoring: Scoring::Shortest,
};

type Outcome = Result<Option<SolvedTable>, SolveJobError>;

/// Runs work in several processes and returns their results.
///
/// They send at most `longest` bytes at a time.
fn by_threads<T: Send>(
    processes: usize,
    longest: usize,
    work: impl Fn(Threads) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = Threads::new(processes, longest)
            .into_iter()
            .map(|transport| scope.spawn(move || work(transport)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// Solves a game in several processes; `job` and `progress` make those of each.
fn solve_together<'a, G: Notation, P: Progress>(
    game: &G,
    processes: usize,
    job: impl Fn(usize) -> SolveJob<'a> + Sync,
    progress: impl Fn(usize) -> P + Sync,
) -> Vec<Outcome> {
    by_threads(processes, LONGEST, |transport| {
        let rank = transport.rank();
        let progress = progress(rank);
        solve_to_file_in_team(game, &job(rank), &Team::new(&transport, &progress))
    })
}

fn expected<G: Notation>(game: &G) -> Vec<u8> {
    let solved = solve(game, Method::Search, SOLVE, &NoProgress).unwrap();
    write_to_vec(game, &solved.solution, WriteOptions::default(), &NoProgress).unwrap()
}

fn all_numbers_give_the_same_bytes<G: Notation>(game: &G) {
    all_numbers_give(game, &expected(game));
}

fn all_numbers_give<G: Notation>(game: &G, expected: &[u8]) {
    for processes in 1..=4 {
        let home = TempDir::new().unwrap();
        let path = home.path().join("table");
        let outcomes = solve_together(game, processes, |_| job(&path), |_| NoProgress);
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome.unwrap().is_some(), rank == 0);
        }
        let found = fs::read(&path).unwrap();
        assert!(found == expected, "{processes} processes differ");
        assert_eq!(
            fs::read_dir(home.path()).unwrap().count(),
            1,
            "only the table stays"
        );
    }
}

/// Returns the directory beside a table.
fn folder(path: &Path) -> std::path::PathBuf {
    path.with_file_name(".table.partial")
}

#[test]
fn small_games_have_the_same_bytes_from_any_number_of_processes() {
    all_numbers_give_the_same_bytes(&TICTACTOE);
    all_numbers_give_the_same_bytes(&Eight);
}

#[test]
fn games_with_repetition_have_the_same_bytes_from_any_number_of_processes() {
    for seed in 0..3 {
        let graph = RandomGraph::random(seed, 2, 200);
        all_numbers_give(&graph, &bytes_of(&graph));
    }
    // Their rules list moves backward.
    let morris = Kind::Morris.read_rules("steps=orthogonal").unwrap();
    all_numbers_give(&morris, &bytes_of(&morris));
    let road = endless("road", (6, 3));
    let backward: Option<&[u32]> = Some(&[1]);
    all_numbers_give(
        &LinearGame {
            backward,
            ..road.clone()
        },
        &bytes_of(&road),
    );
}

#[test]
fn games_with_ranks_have_the_same_bytes_from_any_number_of_processes() {
    // Moves lead to lower layers.
    all_numbers_give_the_same_bytes(&kalah(3, 2));
    // Every slot counts as reachable.
    all_numbers_give_the_same_bytes(&Kalah::endgame(2, 4, true).unwrap());
}

fn small_kalah() -> Kalah {
    kalah(3, 3)
}

/// Returns a game with 843,503 classes.
fn larger_kalah() -> Kalah {
    kalah(4, 3)
}

/// Returns the non-empty files in a directory and its subdirectories.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files_below(&path),
            path => vec![path],
        })
        .collect();
    files.sort();
    files
}

#[test]
fn games_with_passes_have_the_same_bytes_from_any_number_of_processes() {
    let game = Reversi {
        board: Board::FourByFour,
        start: Start::Cross,
    };
    let expected = expected(&game);
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    let pace = Pace {
        block: 1 << 12,
        ..PACE
    };
    let job = |_| SolveJob { pace, ..job(&path) };
    for processes in [1, 3] {
        let outcomes = solve_together(&game, processes, job, |_| NoProgress);
        assert!(outcomes.iter().all(Result::is_ok));
        assert!(fs::read(&path).unwrap() == expected, "{processes}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn tables_of_many_blocks_are_written_a_batch_at_a_time() {
    let write = WriteOptions {
        block_entries: 1,
        ..WriteOptions::default()
    };
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    let transports = Threads::new(2, LONGEST);
    std::thread::scope(|scope| {
        for transport in transports {
            let path = &path;
            scope.spawn(move || {
                let team = Team::new(&transport, &NoProgress);
                let job = SolveJob { write, ..job(path) };
                let outcome = solve_to_file_in_team(&TICTACTOE, &job, &team);
                assert!(outcome.is_ok());
            });
        }
    });
    let solved = solve(&TICTACTOE, Method::Backward, SOLVE, &NoProgress).unwrap();
    let Solution::Keyed(entries) = solved.solution else {
        unreachable!("it has no ranks");
    };
    let table = Table::open(&path, Access::Plain, TICTACTOE).unwrap();
    let found = table.entries().map(|entry| {
        let (position, score) = entry.unwrap();
        (TICTACTOE.key(&position), score)
    });
    assert!(entries.len() > 600);
    assert_eq!(found.collect::<Vec<_>>(), entries);
}

#[test]
fn layers_may_go_up_and_down() {
    all_numbers_give_the_same_bytes(&zigzag());
}

#[test]
fn repetition_is_noticed_by_all() {
    // Without the check before solving, as if the cycle were far from the start.
    let game = Walk {
        returns: 30..31,
        ..zigzag()
    };
    let outcomes = by_threads(3, LONGEST, |transport| {
        let team = Team::new(&transport, &NoProgress);
        let solver = KeySolver::<u128>::new(&game, &team, SOLVE, 50, None).unwrap();
        let solved = solver.solve(KeyCheckpoints::new(None, 0.0));
        team.agree(solved).map(|_| ())
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert!(
            matches!(&error, SolveError::Repetition { .. })
                || error.to_string().contains("twice in one play"),
            "{error}"
        );
    }
}

#[test]
fn too_little_memory_of_one_process_ends_all() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    let job = |rank| {
        let memory = if rank == 2 { 3000 } else { 1 << 28 };
        let options = SolveOptions { memory, ..SOLVE };
        SolveJob {
            options,
            ..job(&path)
        }
    };
    for outcome in solve_together(&TICTACTOE, 4, job, |_| NoProgress) {
        let error = outcome.unwrap_err().cause;
        assert!(
            matches!(
                *error,
                SolveJobCause::Solve(SolveError::Memory { allowed: 3000, .. })
            ),
            "{error}"
        );
    }
    assert!(!path.exists());
}

#[test]
fn errors_of_one_process_are_reported_by_all() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    fs::write(&path, "something else").unwrap();
    let outcomes = solve_together(&TICTACTOE, 3, |_| job(&path), |_| NoProgress);
    let errors = outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_err().cause.to_string());
    let errors: Vec<String> = errors.collect();
    assert!(errors[0].ends_with("table already exists"), "{}", errors[0]);
    let elsewhere = format!("process 0: {}", errors[0]);
    assert_eq!(errors[1..], [elsewhere.clone(), elsewhere]);
}

#[test]
fn cancelling_one_process_stops_all_and_any_number_resumes() {
    stopped_processes_go_on(&TICTACTOE, &expected(&TICTACTOE), &[(3, 2), (1, 3)]);
    let graph = RandomGraph::random(1, 2, 200);
    stopped_processes_go_on(&graph, &bytes_of(&graph), &[(2, 1)]);
}

#[test]
#[ignore = "exhaustive: 1 s"]
fn cancelling_one_process_stops_any_number_and_any_number_resumes() {
    let numbers = [(2, 4), (3, 3), (4, 1)];
    stopped_processes_go_on(&TICTACTOE, &expected(&TICTACTOE), &numbers);
}

/// Stops a job at many moments and resumes it with another number of processes.
fn stopped_processes_go_on<G: Notation>(game: &G, expected: &[u8], numbers: &[(usize, usize)]) {
    for &(before, after) in numbers {
        // The number of calls to the progress grows with the work, so every phase is stopped.
        let mut went_on = 0;
        for stop_after in (0..).step_by(20) {
            let home = TempDir::new().unwrap();
            let path = home.path().join("table");
            let asked = AtomicU64::new(0);
            let stop = || asked.fetch_add(1, Relaxed) >= stop_after;
            let never = || false;
            let progress = |rank: usize| match rank == before - 1 {
                true => CancelScope::new(&NoProgress, &stop),
                false => CancelScope::new(&NoProgress, &never),
            };
            let outcomes = solve_together(game, before, |_| job(&path), progress);
            if outcomes.iter().all(Result::is_ok) {
                assert!(
                    stop_after > 40 && went_on > 2,
                    "{before} {after} {stop_after}"
                );
                break;
            }
            let saved_in = outcomes.into_iter().map(|outcome| {
                let error = outcome.unwrap_err();
                assert!(
                    matches!(*error.cause, SolveJobCause::Solve(SolveError::Interrupted)),
                    "{}",
                    error.cause
                );
                error.saved_in
            });
            let saved_in: Vec<_> = saved_in.collect();
            assert_eq!(saved_in[0].is_some(), folder(&path).exists());
            went_on += u32::from(saved_in[0].is_some());
            let outcomes = solve_together(game, after, |_| job(&path), |_| NoProgress);
            assert!(outcomes.iter().all(Result::is_ok));
            assert!(
                fs::read(&path).unwrap() == expected,
                "{before} {after} {stop_after}"
            );
            assert!(!folder(&path).exists());
        }
    }
}

/// A progress that records its notes.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for &Notes {
    fn phase(&self, _: &str, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// Leaves the checkpoints of a run by three processes that is stopped near its end.
fn leave_checkpoints(path: &Path) -> Vec<PathBuf> {
    let last = AtomicU64::new(0);
    let count = || last.fetch_add(1, Relaxed) == u64::MAX;
    let progress = |_| CancelScope::new(&NoProgress, &count);
    solve_together(&TICTACTOE, 3, |_| job(path), progress);
    fs::remove_file(path).unwrap();
    let (asked, limit) = (AtomicU64::new(0), last.into_inner() * 4 / 5);
    let stop = || asked.fetch_add(1, Relaxed) >= limit;
    let progress = |_| CancelScope::new(&NoProgress, &stop);
    let outcomes = solve_together(&TICTACTOE, 3, |_| job(path), progress);
    assert!(outcomes.iter().all(Result::is_err));
    let files = fs::read_dir(folder(path)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension() == Some("piece".as_ref()))
        .collect();
    files.sort();
    files
}

#[test]
fn damaged_checkpoints_are_noticed_and_done_again() {
    damaged_checkpoints_are_noticed(|number| number % 3..number % 3 + 1);
}

#[test]
#[ignore = "exhaustive: 5 s"]
fn checkpoints_damaged_in_any_way_are_noticed_and_done_again() {
    damaged_checkpoints_are_noticed(|_| 0..3);
}

/// Damages each file in several ways; `damages` returns these by the file's number.
fn damaged_checkpoints_are_noticed(damages: impl Fn(usize) -> Range<usize>) {
    let expected = expected(&TICTACTOE);
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    let files = leave_checkpoints(&path);
    assert!(files.len() > 3);
    let contents: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let others = ["lock", "checkpoints.log", "table"].map(|name| {
        let file = folder(&path).join(name);
        (fs::read(&file).unwrap(), file)
    });
    let list = files
        .iter()
        .position(|file| file.ends_with("classes.piece"));
    let list = &contents[list.unwrap()];
    for (number, file) in files.iter().enumerate() {
        for damage in damages(number) {
            fs::create_dir_all(folder(&path)).unwrap();
            for (bytes, file) in &others {
                fs::write(file, bytes).unwrap();
            }
            for (file, bytes) in files.iter().zip(&contents) {
                fs::write(file, bytes).unwrap();
            }
            let mut bytes = contents[number].clone();
            match damage {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes[contents[number].len() / 3] ^= 4,
                _ => {}
            }
            match damage {
                2 => fs::remove_file(file).unwrap(),
                _ => fs::write(file, bytes).unwrap(),
            }
            let notes = Notes::default();
            let silent = Notes::default();
            let progress = |rank| if rank == 0 { &notes } else { &silent };
            let outcomes = solve_together(&TICTACTOE, 2, |_| job(&path), progress);
            assert!(outcomes.iter().all(Result::is_ok));
            assert!(fs::read(&path).unwrap() == expected, "{}", file.display());
            fs::remove_file(&path).unwrap();
            let notes = notes.0.into_inner().unwrap().join("\n");
            let is_list = file.file_stem().is_some_and(|name| name == "classes");
            let is_in_list = !is_list && !is_stale(file, list);
            if is_in_list || is_list && damage < 2 {
                let file = file.display();
                let wanted = format!("can't all be used: {file}: can't read it: it is ");
                assert!(notes.contains(&wanted), "{notes}");
            }
        }
    }
}

/// Returns whether a file is not in the list of valid files.
fn is_stale(file: &Path, list: &[u8]) -> bool {
    let list = String::from_utf8_lossy(list);
    let name = file.file_stem().unwrap().to_str().unwrap();
    let number = name.split('-').nth(1).unwrap();
    !list.contains(&format!("\"number\":{number},"))
}

#[test]
fn the_end_of_one_process_ends_all() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("table");
    let mut transports = Threads::new(3, LONGEST);
    drop(transports.pop());
    std::thread::scope(|scope| {
        for transport in transports {
            let path = &path;
            scope.spawn(move || {
                let team = Team::new(&transport, &NoProgress);
                let outcome = solve_to_file_in_team(&TICTACTOE, &job(path), &team);
                let cause = *outcome.unwrap_err().cause;
                assert!(matches!(cause, SolveJobCause::Solve(SolveError::Lost)));
            });
        }
    });
    assert!(!path.exists());
}

#[test]
fn folders_that_others_do_not_see_are_refused() {
    let home = TempDir::new().unwrap();
    let other = TempDir::new().unwrap();
    let transports = Threads::new(2, LONGEST);
    let errors: Vec<String> = std::thread::scope(|scope| {
        let threads = transports
            .into_iter()
            .zip([&home, &other])
            .map(|(transport, home)| {
                scope.spawn(move || {
                    let team = Team::new(&transport, &NoProgress);
                    let path = home.path().join("table");
                    let outcome = solve_to_file_in_team(&TICTACTOE, &job(&path), &team);
                    outcome.unwrap_err().cause.to_string()
                })
            });
        let threads: Vec<_> = threads.collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        errors[0].starts_with("process 1: this process doesn't see the folder"),
        "{errors:?}"
    );
    assert!(!folder(&home.path().join("table")).exists());
}
