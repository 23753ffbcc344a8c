//! Tests in which each call to the disk fails once, or the power fails after it.
//!
//! The result is the right table, or none and a directory from which the next run writes it.

use super::checkpoint::{Identity, Workspace};
use super::output::GroupState;
use crate::game::{NoProgress, Notation, SolveOptions, Team};
use crate::games::eight::Eight;
use crate::games::kalah::{Kalah, Rules};
use crate::random::Random;
use crate::solve::{Pace, SolveJob, solve_to_file_in_team};
use crate::table::format::GroupRecord;
use crate::work::disk::faults::{Change, Fault, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A run that writes a file or resumes writing it.
type Run = fn(&Path) -> Result<(), Box<dyn Error>>;

fn solve_to_file<G: Notation>(game: &G, path: &Path) -> Result<(), Box<dyn Error>> {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 30,
    };
    let pace = Pace {
        save_share: f64::MAX,
        ..Pace::default()
    };
    let job = SolveJob {
        pace,
        ..SolveJob::new(path, options)
    };
    let team = Team::alone(&NoProgress);
    let solved = solve_to_file_in_team(game, &job, &team);
    solved.map(|_| ()).map_err(|error| error.cause.into())
}

/// Writes a table with ranks and the data that the retrograde solver saves.
fn kalah(path: &Path) -> Result<(), Box<dyn Error>> {
    let rules = Rules {
        pits: 3,
        seeds: 2,
        empty_capture: false,
    };
    solve_to_file(&Kalah::new(rules)?, path)
}

/// Writes a table with keys.
fn eight(path: &Path) -> Result<(), Box<dyn Error>> {
    solve_to_file(&Eight, path)
}

/// Writes no table, but more checkpoints than small games have.
fn checkpoints(path: &Path) -> Result<(), Box<dyn Error>> {
    const STATES: [u32; 4] = [2, 3, 5, 4];
    let fits = |_: usize, _: &GroupState| true;
    let identity = Identity::new("rules".to_owned(), String::new());
    let (mut workspace, mut output, found) =
        Workspace::open(path, (false, false), &identity, &fits)?;
    let title = &workspace.title;
    (workspace.folder).put("found", title, &mut |out| out.write_all(&[7; 5000]))?;
    for &state in &STATES[found.states.len()..] {
        let some: Vec<u8> = (0..10_000 * state).map(|i| (i * state) as u8).collect();
        output.block(&some, state, &[])?;
        let distributions = Vec::new();
        let state = GroupState {
            group: GroupRecord {
                end: state,
                distributions,
            },
            counts: Vec::new(),
        };
        workspace.checkpoint(&mut output, state)?;
    }
    output.finish(&[9], 0)?;
    workspace.finish()?;
    Ok(())
}

const SHORT_RUNS: [(&str, Run); 2] = [("eight", eight), ("checkpoints", checkpoints)];
const LONG_RUNS: [(&str, Run); 1] = [("kalah", kalah)];

/// Does all work in this thread, whose calls are recorded.
fn in_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build().unwrap().install(work)
}

/// Returns the file of an undisturbed run, its path and its calls.
fn undisturbed(run: Run) -> (Vec<u8>, PathBuf, Watch) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (result, watch) = Watch::during(None, || run(&path));
    result.unwrap();
    (fs::read(&path).unwrap(), path, watch)
}

#[test]
fn failures_leave_no_wrong_table_and_the_next_run_writes_the_right_one() {
    let each = |at| vec![FAULTS[at % FAULTS.len()]];
    failures_leave_no_wrong_table(&SHORT_RUNS, each);
}

#[test]
#[ignore = "exhaustive: 10 s"]
fn failures_at_every_call_leave_no_wrong_table() {
    failures_leave_no_wrong_table(&SHORT_RUNS, |_| FAULTS.to_vec());
    failures_leave_no_wrong_table(&LONG_RUNS, |_| FAULTS.to_vec());
}

const FAULTS: [Fault; 6] = [
    Fault::Fails(ErrorKind::Other),
    Fault::Fails(ErrorKind::StorageFull),
    Fault::FailsForGood(ErrorKind::Other),
    Fault::FailsForGood(ErrorKind::StorageFull),
    Fault::Short,
    Fault::ShortThenFull,
];

/// Checks that no fault leads to a wrong table; `faults` returns those of a call.
fn failures_leave_no_wrong_table(
    runs: &[(&str, Run)],
    faults: impl Fn(usize) -> Vec<Fault> + Sync,
) {
    in_one_thread(|| {
        for &(name, run) in runs {
            let (wanted, _, watch) = undisturbed(run);
            let calls = watch.record().calls.clone();
            for call in ["create", "write", "set length", "sync", "rename", "remove"] {
                assert!(calls.contains(&call), "{name}: {calls:?}");
            }
            let (mut failed, mut tried) = (0, 0);
            for (at, call) in calls.iter().enumerate() {
                for fault in faults(at) {
                    tried += 1;
                    let what = format!("{name}: {fault:?} at {at}, {call}");
                    let home = tempfile::tempdir().unwrap();
                    let path = home.path().join("t.bin");
                    let (result, _) = Watch::during(Some((at, fault)), || run(&path));
                    if result.is_err() {
                        failed += 1;
                        assert!(!path.exists(), "{what}");
                        run(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
                    }
                    assert!(fs::read(&path).unwrap() == wanted, "{what}");
                }
            }
            assert!(6 * failed > tried, "{name}: {failed} of {tried}");
        }
    });
}

/// Returns possible files after a crash.
///
/// Of the changes since the last sync of a file or directory, any may be on disk, in any order.
fn after_crash(changes: &[Change], random: &mut Random) -> BTreeMap<PathBuf, Vec<u8>> {
    // The share of unsynced changes that survive.
    let share = random.below(5);
    let mut survives = || random.below(4) < share;
    let safe = |sync: Change| changes.iter().rposition(|change| *change == sync);
    let mut contents: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    // The names after all changes, and those on disk.
    let mut given: BTreeMap<&Path, usize> = BTreeMap::new();
    let mut names: BTreeMap<&Path, usize> = BTreeMap::new();
    for (number, change) in changes.iter().enumerate() {
        let is_safe = |sync| safe(sync).is_some_and(|at| at > number);
        let is_named = |path: &Path| is_safe(Change::SyncNames(path.parent().unwrap().into()));
        match change {
            Change::Create(path, file) => {
                given.insert(path, *file);
                contents.insert(*file, Vec::new());
                if is_named(path) || survives() {
                    names.insert(path, *file);
                }
            }
            Change::Write(file, at, bytes) => {
                let sync = is_safe(Change::Sync(*file));
                if sync || survives() {
                    // A part of a write may be on disk, too.
                    let length = match sync || survives() {
                        true => bytes.len(),
                        false => bytes.len() / 2,
                    };
                    let content = contents.get_mut(file).unwrap();
                    let (at, end) = (*at as usize, *at as usize + length);
                    content.resize(content.len().max(end), 0);
                    content[at..end].copy_from_slice(&bytes[..length]);
                }
            }
            Change::SetLength(file, length) => {
                if is_safe(Change::Sync(*file)) || survives() {
                    contents.get_mut(file).unwrap().resize(*length as usize, 0);
                }
            }
            Change::Rename(from, to) => {
                let file = given.remove(&**from);
                let Some(file) = file else {
                    continue;
                };
                given.insert(to, file);
                if is_named(to) || survives() {
                    names.retain(|_, other| *other != file);
                    names.insert(to, file);
                }
            }
            Change::Remove(path) => {
                given.remove(&**path);
                if is_named(path) || survives() {
                    names.remove(&**path);
                }
            }
            Change::Sync(_) | Change::SyncNames(_) => {}
        }
    }
    names
        .into_iter()
        .map(|(path, file)| (path.to_owned(), contents[&file].clone()))
        .collect()
}

#[test]
fn after_a_crash_there_is_the_right_table_or_none_and_the_next_run_writes_it() {
    after_a_crash_there_is_the_right_table_or_none(&SHORT_RUNS, 6);
}

#[test]
#[ignore = "exhaustive: 4 s"]
fn after_many_crashes_there_is_the_right_table_or_none() {
    after_a_crash_there_is_the_right_table_or_none(&SHORT_RUNS, 12);
    after_a_crash_there_is_the_right_table_or_none(&LONG_RUNS, 12);
}

/// Checks as many possible states of the disk after each change as there are seeds.
fn after_a_crash_there_is_the_right_table_or_none(runs: &[(&str, Run)], seeds: u64) {
    in_one_thread(|| {
        for &(name, run) in runs {
            let (wanted, path, watch) = undisturbed(run);
            let changes = watch.record().changes.clone();
            let mut states = BTreeSet::new();
            let mut tables = 0;
            for end in 0..=changes.len() {
                for seed in 0..seeds {
                    let mut random = Random::new(1000 * end as u64 + seed);
                    let left = after_crash(&changes[..end], &mut random);
                    if !states.insert(left.clone()) {
                        continue;
                    }
                    let what = format!("{name}: after {end} changes, seed {seed}");
                    let home = tempfile::tempdir().unwrap();
                    for (file, bytes) in &left {
                        let place = file.strip_prefix(path.parent().unwrap()).unwrap();
                        let place = home.path().join(place);
                        fs::create_dir_all(place.parent().unwrap()).unwrap();
                        fs::write(place, bytes).unwrap();
                    }
                    let path = home.path().join("t.bin");
                    if path.exists() {
                        tables += 1;
                    } else {
                        run(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
                    }
                    assert!(fs::read(&path).unwrap() == wanted, "{what}");
                }
            }
            assert!(
                states.len() > 20 && tables > 0,
                "{name}: {}, {tables}",
                states.len()
            );
        }
    });
}
