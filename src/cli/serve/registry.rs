//! The registry of games that can be explored: tables, and games that are searched.

use crate::any::{AnyGame, AnyOracle, AnyTable, game_of_file, game_of_rules};
use crate::cli::args::game::{LOOKED_AT, example_game};
use crate::cli::program::{Program, say_note};
use crate::cli::{advice, folder, table};
use crate::game::{NoProgress, SearchError, SearchSetup};
use crate::table::TableFile;
use anyhow::{Context, bail};
use same_file::Handle;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Ids and rules of the library's games that are searched unless they have a table.
const SEARCHED: [(&str, &str); 5] = [
    ("ttt", "tictactoe scoring=shortest"),
    ("kalah-6-2", "kalah pits=6 seeds=2 capture=standard"),
    ("kalah-6-3", "kalah pits=6 seeds=3 capture=standard"),
    ("kalah-6-4", "kalah pits=6 seeds=4 capture=standard"),
    ("connect4", "connect4 columns=7 rows=6 connect=4"),
];

/// Ids that the API reserves for other purposes.
const TAKEN: [&str; 3] = ["games", "openapi.json", "v1"];

/// All games that can be explored, tables first.
pub struct Registry(Vec<Arc<Entry>>);

/// A game that can be explored.
pub struct Entry {
    /// Its id in addresses.
    pub id: String,
    game: Box<dyn AnyGame>,
    /// Path of the game's table, which may be replaced at any time; `None` if searched.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

struct State {
    /// The file's stamp when it was opened.
    stamp: Option<Stamp>,
    asked: Result<Asked, String>,
}

/// Identifies a version of a file: length, last change and file identity.
type Stamp = (u64, SystemTime, Handle);

/// The oracle that answers.
#[derive(Clone)]
pub struct Asked {
    pub oracle: Arc<dyn AnyOracle>,
    /// The same oracle if it is a table, which answers at once.
    pub table: Option<Arc<dyn AnyTable>>,
}

impl Registry {
    /// Registers the named tables and the games that are searched.
    ///
    /// If `named` is empty, it registers the tables in the default directory.
    ///
    /// # Errors
    /// If a named file is not a table. An invalid file in a named directory only causes a note.
    pub fn new(named: &[PathBuf], memory: u64, program: &Program<'_>) -> anyhow::Result<Registry> {
        let mut registry = Registry(Vec::new());
        let usual = [folder::folder()];
        let places = match named {
            [] if usual[0].is_dir() => &usual,
            named => named,
        };
        for path in places {
            if !path.is_dir() {
                registry.add(open(folder::find(path), program)?)?;
                continue;
            }
            let inside = folder::tables_in(path)
                .with_context(|| format!("can't read the directory {}", path.display()))?;
            if inside.is_empty() {
                say_note(&format!("there is no table in {}", path.display()));
            }
            for path in inside {
                match open(path, program) {
                    Ok(entry) => registry.add(entry)?,
                    Err(error) => say_note(&format!("skipped: {error:#}")),
                }
            }
        }
        registry.add_searched(memory, program)?;
        Ok(registry)
    }

    fn add(&mut self, new: Entry) -> anyhow::Result<()> {
        let mut entries = self.0.iter();
        let other = entries.find(|entry| entry.id == new.id);
        let other = other.and_then(|other| other.path.as_ref());
        if let (Some(other), Some(path)) = (other, &new.path) {
            if same_file::is_same_file(other, path).unwrap_or(false) {
                return Ok(());
            }
            bail!(
                "{} and {} would both be called {}\ntip: rename one of them, or leave it out",
                other.display(),
                path.display(),
                new.id
            );
        }
        self.0.push(Arc::new(new));
        Ok(())
    }

    fn add_searched(&mut self, memory: u64, program: &Program<'_>) -> anyhow::Result<()> {
        let mut searched = searched_games(program)?;
        searched.retain(|(id, game)| {
            let mut entries = self.0.iter();
            !entries.any(|entry| entry.id == *id || entry.game.rules() == game.rules())
        });
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = memory / searched.len().max(1) as u64;
        for (id, game) in searched {
            let family = game.family();
            let usual = program.families.iter().find(|of| of.name() == family);
            let usual = usual.and_then(|of| of.search_memory()).unwrap_or(u64::MAX);
            let setup = SearchSetup::new(threads, share.min(usual));
            let asked = match game.search(&setup, &NoProgress) {
                Err(error @ SearchError::Solve(_)) => {
                    let tip = advice::for_searching(&error).unwrap_or_default();
                    Err(format!("{error}{tip}"))
                }
                oracle => Ok(Asked {
                    oracle: Arc::from(oracle?),
                    table: None,
                }),
            };
            self.0.push(Arc::new(Entry {
                id,
                game,
                path: None,
                state: Mutex::new(State { stamp: None, asked }),
            }));
        }
        Ok(())
    }

    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.0
    }

    /// The entry with this id, or else one whose table has this default name.
    pub fn find(&self, id: &str) -> Option<&Arc<Entry>> {
        let mut entries = self.0.iter();
        let named = entries.find(|entry| entry.id == id);
        let usual = || self.0.iter().find(|entry| usual_id(entry.game()) == id);
        named.or_else(usual)
    }
}

impl Entry {
    /// The oracle. A table is reopened if its file has changed.
    ///
    /// # Errors
    /// If the table has been damaged or replaced by another file.
    pub fn asked(&self) -> Result<Asked, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.path {
            let stamp = stamp_of(path);
            if stamp != state.stamp {
                let opened = table::open(path, false).and_then(|file| asked(&*self.game, file));
                state.asked = opened.map_err(|error| format!("{error:#}"));
                state.stamp = stamp;
            }
        }
        state.asked.clone()
    }

    /// The entry's game, which stays the same even if its table is replaced.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.game
    }

    pub fn is_searched(&self) -> bool {
        self.path.is_none()
    }
}

/// Opens a table.
fn open(path: PathBuf, program: &Program<'_>) -> anyhow::Result<Entry> {
    let stamp = stamp_of(&path);
    let file = table::open(&path, false)?;
    let game = game_of_file(&file, program.families)?;
    let asked = asked(&*game, file)?;
    Ok(Entry {
        id: id_of(&path)?,
        game,
        path: Some(path),
        state: Mutex::new(State {
            stamp,
            asked: Ok(asked),
        }),
    })
}

fn asked(game: &dyn AnyGame, file: TableFile) -> anyhow::Result<Asked> {
    let table: Arc<dyn AnyTable> = Arc::from(game.open(file)?);
    Ok(Asked {
        oracle: Arc::clone(&table) as _,
        table: Some(table),
    })
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let changed = found.modified().ok()?;
    Some((found.len(), changed, Handle::from_path(path).ok()?))
}

/// The default id of a game's table.
fn usual_id(game: &dyn AnyGame) -> &str {
    let name = game.table_name();
    name.strip_suffix(".bin").unwrap_or(name)
}

fn id_of(path: &Path) -> anyhow::Result<String> {
    let stem = path.file_stem().and_then(OsStr::to_str);
    let id = stem.with_context(|| format!("{} has no name for an address", path.display()))?;
    if TAKEN.contains(&id) {
        bail!("the name {id} is reserved: rename {}", path.display());
    }
    Ok(id.to_owned())
}

/// The games that are searched, with their ids.
fn searched_games(program: &Program<'_>) -> anyhow::Result<Vec<(String, Box<dyn AnyGame>)>> {
    if program.has_library_games {
        let game = |rules| game_of_rules(rules, program.families).map_err(anyhow::Error::msg);
        let games = SEARCHED.map(|(id, rules)| Ok((id.to_owned(), game(rules)?)));
        return games.into_iter().collect();
    }
    let families = program.families.iter();
    let games = families.filter_map(|&family| example_game(family));
    let games = games.map(|game| {
        game.conforms(LOOKED_AT)?;
        Ok((usual_id(&*game).to_owned(), game))
    });
    games.collect()
}
