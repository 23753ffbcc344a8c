//! What can be explored: tables, and games that are searched.

use crate::any::{AnyGame, AnyOracle, AnyTable, game_of_file, game_of_rules};
use crate::cli::args::game::{Families, LOOKED_AT, example_game};
use crate::cli::program::{Program, say_note};
use crate::cli::{folder, table};
use crate::game::{NoProgress, SearchSetup};
use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The games of the library that are searched where there is no table of them: what they are called
/// in addresses, and their rules strings.
const SEARCHED: [(&str, &str); 5] = [
    ("ttt", "tictactoe scoring=shortest"),
    ("kalah-6-2", "kalah pits=6 seeds=2 capture=standard"),
    ("kalah-6-3", "kalah pits=6 seeds=3 capture=standard"),
    ("kalah-6-4", "kalah pits=6 seeds=4 capture=standard"),
    ("connect4", "connect4 columns=7 rows=6 connect=4"),
];

/// What the API has other uses for.
const TAKEN: [&str; 3] = ["games", "openapi.json", "v1"];

/// How often a table's file is looked at, to see whether it is still the same.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Everything that can be explored, tables first.
pub struct Catalogue(Vec<Arc<Entry>>);

/// Something that can be explored.
pub struct Entry {
    /// What it is called in addresses.
    pub id: String,
    /// A position to begin with, of a game without a start.
    pub example: Option<String>,
    source: Source,
}

enum Source {
    Table(ServedTable),
    Search {
        game: Box<dyn AnyGame>,
        oracle: Arc<dyn AnyOracle>,
    },
}

/// Whoever answers.
#[derive(Clone)]
pub struct Asked {
    pub oracle: Arc<dyn AnyOracle>,
    /// The same, if it is a table, which answers at once.
    pub table: Option<Arc<dyn AnyTable>>,
}

impl Catalogue {
    /// The tables that are named, or those in the tables' folder if none is, and what is searched.
    ///
    /// # Errors
    /// If a file that is named is no table; of those in a folder that is only said.
    pub fn new(named: &[PathBuf], memory: u64, program: &Program<'_>) -> anyhow::Result<Catalogue> {
        let mut entries: Vec<Arc<Entry>> = Vec::new();
        let mut add = |path: &Path, is_named: bool| -> anyhow::Result<()> {
            let opened = ServedTable::open(path, program.families);
            let opened = match opened.and_then(|opened| Ok((id_of(path)?, opened))) {
                Err(error) if is_named => return Err(error),
                Err(error) => {
                    say_note(&format!("left out: {error:#}"));
                    return Ok(());
                }
                Ok(opened) => opened,
            };
            let (id, opened) = opened;
            if let Some(other) = entries.iter().find(|entry| entry.id == id) {
                let other = other.path().unwrap_or(path);
                if same_file::is_same_file(other, path).unwrap_or(false) {
                    return Ok(());
                }
                bail!(
                    "{} and {} would both be called {id}; rename one of them, or leave it out",
                    other.display(),
                    path.display()
                );
            }
            let is_whole_game = opened.game.has_start();
            let start = opened.current().map(|table| table.start());
            let example = start.ok().filter(|_| !is_whole_game);
            let source = Source::Table(opened);
            entries.push(Arc::new(Entry {
                id,
                example,
                source,
            }));
            Ok(())
        };
        if named.is_empty() {
            for path in tables_in(&folder::folder()).unwrap_or_default() {
                add(&path, false)?;
            }
        }
        for path in named {
            if path.is_dir() {
                let inside = tables_in(path)
                    .with_context(|| format!("can't read the folder {}", path.display()))?;
                if inside.is_empty() {
                    say_note(&format!("there is no table in {}", path.display()));
                }
                for path in inside {
                    add(&path, false)?;
                }
            } else {
                add(&folder::find(path), true)?;
            }
        }
        let has = |id: &str, rules: &str| {
            entries
                .iter()
                .any(|entry| entry.id == id || entry.game().rules() == rules)
        };
        let mut searched = searched_games(program)?;
        searched.retain(|(id, game)| !has(id, &game.rules()));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = memory / searched.len().max(1) as u64;
        for (id, game) in searched {
            let family = game.family();
            let usual = program.families.iter().find(|of| of.name() == family);
            let usual = usual.and_then(|of| of.search_memory()).unwrap_or(u64::MAX);
            let setup = SearchSetup {
                threads,
                memory: share.min(usual),
                endgame: None,
            };
            let oracle = Arc::from(game.search(&setup, &NoProgress)?);
            let source = Source::Search { game, oracle };
            entries.push(Arc::new(Entry {
                id,
                example: None,
                source,
            }));
        }
        Ok(Catalogue(entries))
    }

    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.0
    }

    /// The entry of this name; otherwise one whose table is usually called so.
    pub fn find(&self, id: &str) -> Option<&Arc<Entry>> {
        let mut entries = self.0.iter();
        let named = entries.find(|entry| entry.id == id);
        let usual = || self.0.iter().find(|entry| usual_id(entry.game()) == id);
        named.or_else(usual)
    }
}

impl Entry {
    /// Who answers.
    ///
    /// # Errors
    /// What is wrong with the table, if it was damaged or replaced by something else meanwhile.
    pub fn asked(&self) -> Result<Asked, String> {
        Ok(match &self.source {
            Source::Table(table) => {
                let table = table.current()?;
                Asked {
                    oracle: Arc::clone(&table) as _,
                    table: Some(table),
                }
            }
            Source::Search { oracle, .. } => Asked {
                oracle: Arc::clone(oracle),
                table: None,
            },
        })
    }

    pub fn game(&self) -> &dyn AnyGame {
        match &self.source {
            Source::Table(table) => &*table.game,
            Source::Search { game, .. } => &**game,
        }
    }

    pub fn is_searched(&self) -> bool {
        matches!(self.source, Source::Search { .. })
    }

    fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Table(table) => Some(&table.path),
            Source::Search { .. } => None,
        }
    }
}

/// What a game's table is called in addresses unless its file has another name.
pub fn usual_id(game: &dyn AnyGame) -> &str {
    let name = game.table_name();
    name.strip_suffix(".bin").unwrap_or(name)
}

/// The table files in a folder, by name.
fn tables_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("bin")) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn id_of(path: &Path) -> anyhow::Result<String> {
    let stem = path.file_stem().and_then(OsStr::to_str);
    let id = stem.with_context(|| format!("{} has no name for an address", path.display()))?;
    if TAKEN.contains(&id) {
        bail!(
            "no table can be served as {id}, which has another use: rename {}",
            path.display()
        );
    }
    Ok(id.to_owned())
}

/// The games that are searched, with what they are called.
fn searched_games(program: &Program<'_>) -> anyhow::Result<Vec<(String, Box<dyn AnyGame>)>> {
    let mut games = Vec::new();
    if program.has_library_games {
        for (id, rules) in SEARCHED {
            games.push((id.to_owned(), game_of_rules(rules, program.families)?));
        }
        return Ok(games);
    }
    for &family in program.families {
        let Some(game) = example_game(family) else {
            continue;
        };
        game.conforms(LOOKED_AT)?;
        games.push((usual_id(&*game).to_owned(), game));
    }
    Ok(games)
}

/// A table whose file may be replaced while it is served.
struct ServedTable {
    path: PathBuf,
    /// Its game; a table of another one in its place is an error.
    game: Box<dyn AnyGame>,
    state: Mutex<State>,
}

struct State {
    /// What the file looked like when it was opened.
    stamp: Option<Stamp>,
    opened: Result<Arc<dyn AnyTable>, String>,
    looked: Instant,
}

/// Tells a file from what it was before.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    #[cfg(unix)]
    place: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let found = fs::metadata(path).ok()?;
        Some(Stamp {
            length: found.len(),
            changed: found.modified().ok(),
            #[cfg(unix)]
            place: {
                use std::os::unix::fs::MetadataExt;
                (found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
            },
        })
    }
}

impl ServedTable {
    fn open(path: &Path, families: Families<'_>) -> anyhow::Result<ServedTable> {
        let stamp = Stamp::of(path);
        let file = table::open(path, false)?;
        let game = game_of_file(&file, families)?;
        let opened = Arc::from(game.open(file)?);
        Ok(ServedTable {
            path: path.to_owned(),
            game,
            state: Mutex::new(State {
                stamp,
                opened: Ok(opened),
                looked: Instant::now(),
            }),
        })
    }

    /// The table as it is now: opened again if the file has changed.
    fn current(&self) -> Result<Arc<dyn AnyTable>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_EVERY {
            let stamp = Stamp::of(&self.path);
            if stamp != state.stamp {
                state.opened = self.reopen().map_err(|error| format!("{error:#}"));
                state.stamp = stamp;
            }
            state.looked = Instant::now();
        }
        state.opened.clone()
    }

    fn reopen(&self) -> anyhow::Result<Arc<dyn AnyTable>> {
        let file = table::open(&self.path, false)?;
        Ok(Arc::from(self.game.open(file)?))
    }
}
