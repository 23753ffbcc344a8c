//! Fuzzes resuming a solver from a damaged checkpoint directory.

use arbitrary::{Result, Unstructured};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use zermelo::any::{AnyGame, FAMILIES, SolveJob, game_of_rules};
use zermelo::game::{NoProgress, Progress, SolveOptions, Team};

/// The files of a stopped run, by name.
type Folder = BTreeMap<String, Vec<u8>>;

struct Sample {
    game: Box<dyn AnyGame>,
    /// The bytes of the finished table.
    bytes: Vec<u8>,
    /// The checkpoints of runs that were stopped at different moments.
    left: Vec<Folder>,
}

const TABLE: &str = "t.bin";
const FOLDER: &str = ".t.bin.partial";

/// A `Progress` that cancels at a given check for cancellation.
struct Stop {
    at: u64,
    asked: AtomicU64,
}

impl Progress for Stop {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}

    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.at
    }
}

fn solve(game: &dyn AnyGame, home: &Path, progress: &dyn Progress) -> bool {
    let path = home.join(TABLE);
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 28,
    };
    let mut job = SolveJob::new(&path, options);
    job.write.threads = 1;
    match game.solve_to_file(&job, &Team::alone(progress)) {
        Ok(_) => true,
        Err(error) => {
            let _ = error.to_string();
            false
        }
    }
}

fn files_in(folder: &Path) -> Folder {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let bytes = fs::read(entry.path()).ok()?;
        Some((entry.file_name().into_string().ok()?, bytes))
    });
    files.collect()
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

fn sample(rules: &str) -> Sample {
    let game = game_of_rules(rules, FAMILIES);
    let game = game.unwrap_or_else(|error| panic!("{rules}: {error}"));
    let mut left: Vec<Folder> = Vec::new();
    for at in 0.. {
        let home = home();
        let stop = Stop {
            at,
            asked: AtomicU64::new(0),
        };
        if solve(&*game, home.path(), &stop) {
            let bytes = fs::read(home.path().join(TABLE)).expect("it was written");
            assert!(!left.is_empty(), "{rules}: a run leaves nothing");
            return Sample { game, bytes, left };
        }
        let files = files_in(&home.path().join(FOLDER));
        if !files.is_empty() && !left.contains(&files) {
            left.push(files);
        }
    }
    unreachable!("a run that isn't stopped ends")
}

fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        [
            "kalah pits=2 seeds=2 capture=standard",
            "kalah pits=3 seeds=2 capture=empty",
            "kalah pits=3 up-to=5 capture=standard",
        ]
        .map(sample)
        .into()
    })
}

/// Solves the samples.
pub fn prepare() {
    samples();
}

/// Damages a checkpoint and resumes from it.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If the result is another table, or an unfinished table has the final name.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let sample = u.choose(samples())?;
    let mut files = u.choose(&sample.left)?.clone();
    let home = home();
    let folder = home.path().join(FOLDER);
    let made = fs::create_dir(&folder);
    made.expect("an empty folder has room for another");
    for _ in 0..u.int_in_range(0..=4)? {
        damage(u, &mut files, sample, &folder)?;
    }
    for (name, bytes) in files {
        // The name may belong to a directory by now.
        let _ = fs::write(folder.join(name), bytes);
    }
    let path = home.path().join(TABLE);
    if !solve(&*sample.game, home.path(), &NoProgress) {
        assert!(!path.exists(), "after an error there is no table");
        return Ok("refused");
    }
    let bytes = fs::read(&path).expect("it was written");
    assert!(bytes == sample.bytes, "another table");
    Ok("went on")
}

fn damage(
    u: &mut Unstructured<'_>,
    files: &mut Folder,
    sample: &Sample,
    folder: &Path,
) -> Result<()> {
    const NAMES: [&str; 8] = [
        "table",
        "group-0.piece",
        "checkpoints.log",
        "lock",
        "found.piece",
        "found.new",
        "other",
        "x.piece",
    ];
    let names: Vec<String> = files.keys().cloned().collect();
    let name = match (names.is_empty(), u.int_in_range(0..=3)?) {
        (true, _) | (_, 0) => (*u.choose(&NAMES)?).to_owned(),
        _ => u.choose(&names)?.clone(),
    };
    let bytes = files.entry(name.clone()).or_default();
    let at = u.int_in_range(0..=bytes.len())?;
    match u.int_in_range(0..=8)? {
        0 => {
            files.remove(&name);
        }
        1 => bytes.truncate(at),
        2 => {
            let end = bytes.len();
            bytes.extend_from_within(at..end);
        }
        3 => {
            // Use the file of another run.
            let other = u.choose(&sample.left)?;
            *bytes = other.get(&name).cloned().unwrap_or_default();
        }
        4 => {
            files.remove(&name);
            let _ = fs::create_dir(folder.join(name));
        }
        5 => {
            files.remove(&name);
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink(
                u.choose(&["nothing", "table", "checkpoints.log", "."])?,
                folder.join(name),
            );
        }
        _ if at < bytes.len() => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
        _ => bytes.push(u.arbitrary()?),
    }
    Ok(())
}
