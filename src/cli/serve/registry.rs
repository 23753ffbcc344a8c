//! The registry of games that can be explored: tables, and games that are searched.
//!
//! Small games are solved in memory, one after the other. Until then they are searched.

#[cfg(target_family = "wasm")]
mod in_browser;

use super::host::background;
use crate::any::{
    AnyFamily, AnyGame, AnyOracle, AnyTable, FAMILIES, game_of_rules, game_of_table_file,
};
use crate::cli::args::game::{LOOKED_AT, example_game, game_of_table};
use crate::cli::args::resources::cores;
use crate::cli::program::{Program, say_note};
use crate::cli::ui::progress::Bar;
use crate::cli::{advice, table, table_files};
use crate::game::{Endless, NoProgress, Progress, SearchError, SearchSetup, SolveOptions};
use crate::pool::lock;
use crate::solve::Method;
use crate::table::TableFile;
use anyhow::{Context, bail};
use same_file::Handle;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// Ids and rules of the library's games that are searched unless they have a table.
pub const SEARCHED: [(&str, &str); 6] = [
    ("ttt", "tictactoe scoring=shortest"),
    ("connect4-5-4", "connect4 columns=5 rows=4 connect=4"),
    ("kalah-6-2", "kalah pits=6 seeds=2 capture=standard"),
    ("kalah-6-3", "kalah pits=6 seeds=3 capture=standard"),
    ("kalah-6-4", "kalah pits=6 seeds=4 capture=standard"),
    ("connect4", "connect4 columns=7 rows=6 connect=4"),
];

/// Maximum memory to solve a game, in bytes. Kalah(6,2) takes most of it, and six seconds.
const SOLVED_IN: u64 = 1_000_000_000;
/// The part of an estimate that doesn't depend on the game, in bytes.
const FIXED: u64 = 40_000_000;
/// Memory for the moves of a class in games with cycles, as a multiple of the estimate, which counts
/// keys and scores. Teeko takes this much.
const MOVES: u64 = 16;
/// Maximum number of other boards. The oldest one makes room for the next.
const MOST_BOARDS: usize = 8;

/// Ids that the API reserves for other purposes.
const RESERVED: [&str; 3] = ["games", "openapi.json", "v1"];

/// All games that can be explored, tables first.
#[derive(Default)]
pub struct Registry {
    pub entries: Vec<Arc<Entry>>,
    /// Other boards that clients have opened, oldest first.
    boards: Mutex<VecDeque<Arc<Entry>>>,
    offered: OnceLock<Vec<&'static dyn AnyFamily>>,
    /// Memory of each search, in bytes.
    share: u64,
    /// Memory of each game that is solved, in bytes.
    solved_in: u64,
    later: Arc<Mutex<Later>>,
    /// Games to be solved beside the pages.
    #[cfg(target_family = "wasm")]
    wanted: Mutex<Vec<Arc<Entry>>>,
    /// Ids of the last two games.
    #[cfg(target_family = "wasm")]
    recent: Mutex<[String; 2]>,
}

type Task = Box<dyn FnOnce() + Send>;

/// Tasks for the background, one after the other.
#[derive(Default)]
struct Later {
    tasks: VecDeque<Task>,
    is_running: bool,
}

/// A game that can be explored.
pub struct Entry {
    /// Its id in addresses.
    pub id: String,
    /// Its game, which stays the same even if the table is replaced.
    pub game: Box<dyn AnyGame>,
    /// Path of the game's table, which may be replaced at any time; `None` if searched.
    path: Option<PathBuf>,
    state: Mutex<State>,
    /// Progress of solving the game.
    bar: Bar,
    /// Memory of a search that is not set up yet, in bytes.
    share: u64,
    /// Memory in which the game is solved beside the pages when somebody asks for it; 0 if it isn't.
    #[cfg(target_family = "wasm")]
    solved_in: std::sync::atomic::AtomicU64,
}

struct State {
    /// The file's stamp when it was opened.
    stamp: Option<Stamp>,
    /// `None` before the first question about a game whose search is set up only then.
    source: Option<Result<Source, String>>,
}

/// Identifies a version of a file: length, last change and file identity.
type Stamp = (u64, SystemTime, Handle);

/// The oracle that answers.
#[derive(Clone)]
pub struct Source {
    pub oracle: AnyOracle<'static>,
    /// The same oracle if it is a table, which answers at once.
    pub table: Option<Arc<dyn AnyTable>>,
}

impl Source {
    fn of(table: Arc<dyn AnyTable>) -> Source {
        Source {
            oracle: AnyOracle::clone(&table),
            table: Some(table),
        }
    }
}

impl Registry {
    /// Registers the named tables and the games that are searched.
    ///
    /// If `named` is empty, it registers the tables in the default directory.
    ///
    /// # Errors
    /// If a named file is not a table. An invalid file in a named directory only causes a note.
    pub fn new(named: &[PathBuf], memory: u64, program: &Program<'_>) -> anyhow::Result<Registry> {
        let mut registry = Registry::empty(memory);
        let usual = [table_files::directory()];
        let places = match named {
            [] if usual[0].is_dir() => &usual,
            named => named,
        };
        for path in places {
            if !path.is_dir() {
                registry.add(open(table_files::find(path), program)?)?;
                continue;
            }
            let inside = table_files::tables_in(path)
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
        // A user who names tables gets these, and no work for other games.
        let small = registry.entries.iter().filter(|_| named.is_empty());
        let small = small.filter(|entry| program.has_library_games && entry.is_searched());
        small.for_each(|entry| registry.solve(entry));
        Ok(registry)
    }

    fn empty(memory: u64) -> Registry {
        Registry {
            share: memory,
            solved_in: memory.min(SOLVED_IN),
            ..Registry::default()
        }
    }

    fn add(&mut self, new: Entry) -> anyhow::Result<()> {
        let mut entries = self.entries.iter();
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
        self.entries.push(Arc::new(new));
        Ok(())
    }

    fn add_searched(&mut self, memory: u64, program: &Program<'_>) -> anyhow::Result<()> {
        let mut searched = searched_games(program)?;
        searched.retain(|(id, game)| {
            let mut entries = self.entries.iter();
            !entries.any(|entry| entry.id == *id || entry.game.rules() == game.rules())
        });
        self.share = memory / searched.len().max(1) as u64;
        for (id, game) in searched {
            // A browser sets up those that somebody asks for.
            let source = match cfg!(target_family = "wasm") {
                true => None,
                false => Some(set_up(&*game, self.share, program.families)?),
            };
            let entry = Entry::of(id, game, None, self.share, source);
            self.entries.push(Arc::new(entry));
        }
        Ok(())
    }

    /// Returns the entry with this id, or else one whose table has this default name, or whose game
    /// has this short id.
    pub fn find(&self, id: &str) -> Option<Arc<Entry>> {
        let boards = lock(&self.boards);
        let all = || self.entries.iter().chain(&*boards);
        let named = all().find(|entry| entry.id == id);
        let usual = || all().find(|entry| usual_id(&*entry.game) == id);
        let short = || {
            let (_, rules) = SEARCHED.iter().find(|(short, _)| *short == id)?;
            all().find(|entry| entry.game.rules() == *rules)
        };
        named.or_else(usual).or_else(short).cloned()
    }

    /// Returns the entry with this id, or else a board of the library whose table has this default
    /// name.
    pub fn find_or_open(&self, id: &str) -> Option<Arc<Entry>> {
        let board = || self.open(game_of_table(id, FAMILIES)?.1).ok();
        let found = self.find(id).or_else(board);
        #[cfg(target_family = "wasm")]
        found.iter().for_each(|entry| self.visit(entry));
        found
    }

    /// Returns the library's families of which the usual board can be opened.
    pub fn offered(&self) -> &[&'static dyn AnyFamily] {
        self.offered.get_or_init(|| {
            let usual = |family| example_game(family).is_some_and(|game| self.can_answer(&*game));
            let families = FAMILIES.iter().copied();
            families.filter(|&family| usual(family)).collect()
        })
    }

    /// Returns whether a game can be searched, or else solved in the memory for that.
    fn can_answer(&self, game: &dyn AnyGame) -> bool {
        let needed = || game.memory_estimate(Method::Backward, 1, cores());
        game.endless() == Endless::Impossible
            || needed().is_none_or(|needed| with_fixed(needed, MOVES) <= self.solved_in)
    }

    /// Opens a board of one of the library's games, unless it is open.
    ///
    /// # Errors
    /// If its search can't be set up.
    pub fn open(&self, game: Box<dyn AnyGame>) -> Result<Arc<Entry>, String> {
        let id = usual_id(&*game).to_owned();
        if let Some(entry) = self.find(&id) {
            return Ok(entry);
        }
        if !self.can_answer(&*game) {
            return Err(format!(
                "positions of {} can repeat, so that it has to be solved, and it is too large to be solved \
                 here\ntip: choose a smaller board, or make its table with `zermelo solve`",
                game.name()
            ));
        }
        let source = set_up(&*game, self.share, FAMILIES);
        let source = source.map_err(|error| error.to_string())?;
        let entry = Entry::of(id, game, None, self.share, Some(source));
        let entry = Arc::new(entry);
        #[cfg(target_family = "wasm")]
        entry.may_be_solved_in(self.solved_in);
        #[cfg(not(target_family = "wasm"))]
        self.solve(&entry);
        let mut boards = lock(&self.boards);
        boards.push_back(Arc::clone(&entry));
        if boards.len() > MOST_BOARDS {
            boards.pop_front();
        }
        Ok(entry)
    }

    /// Queues a game to be solved.
    fn solve(&self, entry: &Arc<Entry>) {
        let (entry, memory) = (Arc::clone(entry), self.solved_in);
        self.later(move || entry.solve(memory));
    }

    /// Does a task in the background, after those that were given before.
    pub fn later(&self, task: impl FnOnce() + Send + 'static) {
        let own = Arc::clone(&self.later);
        let next = move || {
            let task = {
                let mut later = lock(&own);
                let task = later.tasks.pop_front();
                later.is_running = task.is_some();
                task
            };
            task.map(|task| task()).is_some()
        };
        let mut later = lock(&self.later);
        later.tasks.push_back(Box::new(task));
        // If the system refuses a thread, the next task tries again.
        later.is_running = later.is_running || background(next).is_ok();
    }
}

impl Entry {
    fn of(
        id: String,
        game: Box<dyn AnyGame>,
        path: Option<PathBuf>,
        share: u64,
        source: Option<Result<Source, String>>,
    ) -> Entry {
        Entry {
            id,
            game,
            path,
            share,
            state: Mutex::new(State {
                stamp: None,
                source,
            }),
            bar: Bar::hidden(),
            #[cfg(target_family = "wasm")]
            solved_in: 0.into(),
        }
    }

    /// Solves the game in memory, if it is small.
    fn solve(&self, memory: u64) {
        let options = SolveOptions {
            threads: cores(),
            memory,
        };
        let needed = self.game.memory_estimate(Method::Backward, 1, cores());
        if needed.is_some_and(|needed| needed > memory) {
            return;
        }
        if let Ok(table) = self.game.solve_in_memory(options, &self.bar) {
            lock(&self.state).source = Some(Ok(Source::of(Arc::from(table))));
        }
        self.bar.phase("", "", 0);
    }

    /// Returns why there is no table: "being solved (…)" or "searched, because…".
    pub fn why_searched(&self) -> String {
        let solving = self.bar.in_words();
        let solving = solving.map(|phase| format!("being solved ({phase})"));
        solving.unwrap_or_else(|| "searched, because it has no table".to_owned())
    }

    /// Returns the oracle. A table is reopened if its file has changed.
    ///
    /// # Errors
    /// If the table has been damaged or replaced by another file.
    pub fn source(&self) -> Result<Source, String> {
        let mut state = lock(&self.state);
        if let Some(path) = &self.path {
            let stamp = stamp_of(path);
            if stamp != state.stamp {
                let opened = table::open(path, false).and_then(|file| source(&*self.game, file));
                state.source = Some(opened.map_err(|error| format!("{error:#}")));
                state.stamp = stamp;
            }
        }
        let late = || {
            let source = set_up(&*self.game, self.share, FAMILIES);
            source.unwrap_or_else(|error| Err(error.to_string()))
        };
        state.source.get_or_insert_with(late).clone()
    }

    /// Returns an oracle for everything but scores, without setting up a search.
    ///
    /// # Errors
    /// If the table has been damaged or replaced by another file.
    pub fn without_search(&self) -> Result<Source, String> {
        if lock(&self.state).source.is_some() {
            return self.source();
        }
        Ok(Source {
            oracle: self.game.without_scores(),
            table: None,
        })
    }

    pub fn is_searched(&self) -> bool {
        let state = lock(&self.state);
        self.path.is_none() && !matches!(&state.source, Some(Ok(Source { table: Some(_), .. })))
    }
}

/// Returns an estimate of memory whose part that depends on the game is multiplied.
fn with_fixed(estimate: u64, factor: u64) -> u64 {
    let of_game = estimate.saturating_sub(FIXED).saturating_mul(factor);
    of_game.saturating_add(FIXED)
}

/// Sets up the search of a game, or returns why it is impossible.
fn set_up(
    game: &dyn AnyGame,
    memory: u64,
    families: &[&dyn AnyFamily],
) -> Result<Result<Source, String>, SearchError> {
    let family = game.family();
    let usual = families.iter().find(|of| of.name() == family);
    let usual = usual.and_then(|of| of.search_memory()).unwrap_or(u64::MAX);
    let setup = SearchSetup::new(cores(), memory.min(usual));
    match game.search(&setup, &NoProgress) {
        Err(error @ SearchError::Solve(_)) => {
            let tip = advice::for_searching(&error);
            Ok(Err(advice::with_tip(error.to_string(), tip)))
        }
        oracle => Ok(Ok(Source {
            oracle: oracle?,
            table: None,
        })),
    }
}

/// Opens a table.
fn open(path: PathBuf, program: &Program<'_>) -> anyhow::Result<Entry> {
    let stamp = stamp_of(&path);
    let file = table::open(&path, false)?;
    let game = game_of_table_file(&file, program.families)?;
    let source = source(&*game, file)?;
    let id = id_of(&path)?;
    let entry = Entry::of(id, game, Some(path), 0, Some(Ok(source)));
    lock(&entry.state).stamp = stamp;
    Ok(entry)
}

fn source(game: &dyn AnyGame, file: TableFile) -> anyhow::Result<Source> {
    Ok(Source::of(Arc::from(game.open(file)?)))
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let changed = found.modified().ok()?;
    Some((found.len(), changed, Handle::from_path(path).ok()?))
}

/// Returns the default id of a game's table.
pub fn usual_id(game: &dyn AnyGame) -> &str {
    let name = game.table_name();
    name.strip_suffix(".bin").unwrap_or(name)
}

/// Returns the id of a table's game.
pub fn id_of(path: &Path) -> anyhow::Result<String> {
    let stem = path.file_stem().and_then(OsStr::to_str);
    let id = stem.with_context(|| format!("{} has no name for an address", path.display()))?;
    if RESERVED.contains(&id) {
        bail!("the name {id} is reserved: rename {}", path.display());
    }
    Ok(id.to_owned())
}

/// Returns the games that are searched, with their ids.
fn searched_games(program: &Program<'_>) -> anyhow::Result<Vec<(String, Box<dyn AnyGame>)>> {
    if program.has_library_games {
        let game = |rules| Ok::<_, anyhow::Error>(game_of_rules(rules, program.families)?);
        let games = SEARCHED.map(|(id, rules)| Ok((id.to_owned(), game(rules)?)));
        return games.into_iter().collect();
    }
    let families = program.families.iter();
    let games = families.filter_map(|&family| example_game(family));
    let games = games.map(|game| {
        #[cfg(not(target_family = "wasm"))]
        game.check_untested(LOOKED_AT)?;
        Ok((usual_id(&*game).to_owned(), game))
    });
    games.collect()
}
