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
    Search(Box<dyn AnyGame>, Arc<dyn AnyOracle>),
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
        let mut catalogue = Catalogue(Vec::new());
        let found = match named {
            [] => folder::tables_in(&folder::folder()).unwrap_or_default(),
            _ => Vec::new(),
        };
        for path in found {
            catalogue.add_found(&path, program)?;
        }
        for path in named {
            if !path.is_dir() {
                let path = folder::find(path);
                let table = ServedTable::open(&path, program.families)?;
                catalogue.add(&path, id_of(&path)?, table)?;
                continue;
            }
            let inside = folder::tables_in(path)
                .with_context(|| format!("can't read the folder {}", path.display()))?;
            if inside.is_empty() {
                say_note(&format!("there is no table in {}", path.display()));
            }
            for path in inside {
                catalogue.add_found(&path, program)?;
            }
        }
        catalogue.add_searched(memory, program)?;
        Ok(catalogue)
    }

    /// Adds a table that was found in a folder; that one is none is only said.
    fn add_found(&mut self, path: &Path, program: &Program<'_>) -> anyhow::Result<()> {
        let opened = ServedTable::open(path, program.families);
        match opened.and_then(|opened| Ok((id_of(path)?, opened))) {
            Ok((id, opened)) => self.add(path, id, opened),
            Err(error) => {
                say_note(&format!("left out: {error:#}"));
                Ok(())
            }
        }
    }

    fn add(&mut self, path: &Path, id: String, table: ServedTable) -> anyhow::Result<()> {
        if let Some(other) = self.0.iter().find(|entry| entry.id == id) {
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
        let start = table.current().map(|table| table.start()).ok();
        self.0.push(Arc::new(Entry {
            id,
            example: start.filter(|_| !table.game.has_start()),
            source: Source::Table(table),
        }));
        Ok(())
    }

    fn add_searched(&mut self, memory: u64, program: &Program<'_>) -> anyhow::Result<()> {
        let mut searched = searched_games(program)?;
        searched.retain(|(id, game)| {
            let mut entries = self.0.iter();
            !entries.any(|entry| entry.id == *id || entry.game().rules() == game.rules())
        });
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
            let source = Source::Search(game, oracle);
            self.0.push(Arc::new(Entry {
                id,
                example: None,
                source,
            }));
        }
        Ok(())
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
            Source::Search(_, oracle) => Asked {
                oracle: Arc::clone(oracle),
                table: None,
            },
        })
    }

    pub fn game(&self) -> &dyn AnyGame {
        match &self.source {
            Source::Table(table) => &*table.game,
            Source::Search(game, _) => &**game,
        }
    }

    pub fn is_searched(&self) -> bool {
        matches!(self.source, Source::Search(..))
    }

    fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Table(table) => Some(&table.path),
            Source::Search(..) => None,
        }
    }
}

/// What a game's table is called in addresses unless its file has another name.
pub fn usual_id(game: &dyn AnyGame) -> &str {
    let name = game.table_name();
    name.strip_suffix(".bin").unwrap_or(name)
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
type Stamp = (u64, Option<SystemTime>, [i64; 4]);

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let place = {
        use std::os::unix::fs::MetadataExt;
        let (device, number) = (found.dev().cast_signed(), found.ino().cast_signed());
        [device, number, found.ctime(), found.ctime_nsec()]
    };
    #[cfg(not(unix))]
    let place = [0; 4];
    Some((found.len(), found.modified().ok(), place))
}

impl ServedTable {
    fn open(path: &Path, families: Families<'_>) -> anyhow::Result<ServedTable> {
        let stamp = stamp_of(path);
        let file = table::open(path, false)?;
        let game = game_of_file(&file, families)?;
        let state = State {
            stamp,
            opened: Ok(Arc::from(game.open(file)?)),
            looked: Instant::now(),
        };
        Ok(ServedTable {
            path: path.to_owned(),
            game,
            state: Mutex::new(state),
        })
    }

    /// The table as it is now: opened again if the file has changed.
    fn current(&self) -> Result<Arc<dyn AnyTable>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_EVERY {
            let stamp = stamp_of(&self.path);
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
