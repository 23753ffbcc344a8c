//! Opening and solving tables, and searching games.

use crate::errors::{of_open, of_read, of_search, of_solving, value};
use crate::oracle::{Oracle, Source, options};
use crate::watch::watched;
use pyo3::exceptions::{PyFileExistsError, PyMemoryError};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use zermelo::any::{AnyGame, FAMILIES, SolveJob, game_named, game_of_file};
use zermelo::cli::available_memory;
use zermelo::game::{NoProgress, Progress, SearchSetup, SolveError, SolveOptions, Team};
use zermelo::solve::Method;
use zermelo::table::{Access, TableFile};

fn named(family: &str, values: &HashMap<String, String>) -> PyResult<Box<dyn AnyGame>> {
    let values: Vec<(&str, String)> = values
        .iter()
        .map(|(name, value)| (&**name, value.clone()))
        .collect();
    game_named(family, &values, FAMILIES).map_err(value)
}

fn opened(path: &Path, access: Access) -> PyResult<Oracle> {
    let file = TableFile::open(path, access).map_err(|error| of_read(&error))?;
    let game = game_of_file(&file, FAMILIES).map_err(|error| of_open(&error))?;
    let table = game.open(file).map_err(|error| of_read(&error))?;
    Ok(Oracle {
        source: Source::Table(table),
        game,
    })
}

/// Opens a table.
#[pyfunction]
pub fn open(py: Python<'_>, path: PathBuf, mmap: bool) -> PyResult<Oracle> {
    let access = if mmap { Access::Mmap } else { Access::Plain };
    py.detach(|| opened(&path, access))
}

/// Returns an oracle that searches positions of a game.
#[pyfunction]
#[pyo3(signature = (family, values, threads, memory, endgame))]
pub fn search(
    py: Python<'_>,
    family: &str,
    values: HashMap<String, String>,
    threads: Option<usize>,
    memory: Option<u64>,
    endgame: Option<PathBuf>,
) -> PyResult<Oracle> {
    let game = named(family, &values)?;
    let known = FAMILIES.iter().find(|known| known.name() == game.family());
    let usual = || known.and_then(|family| family.search_memory());
    let memory = memory.or_else(|| Some(usual()?.min(available_memory())));
    let options = options(threads, memory);
    let endgame = match endgame {
        None => None,
        Some(path) => match opened(&path, Access::Mmap)?.source {
            Source::Table(table) => Some(table.into_known_scores()),
            Source::Search(_) => None,
        },
    };
    let mut setup = SearchSetup::new(options.threads, options.memory);
    setup.known = endgame;
    let search = py.detach(|| game.search(&setup, &NoProgress));
    let search = search.map_err(|error| of_search(&error, error.to_string()))?;
    Ok(Oracle {
        source: Source::Search(search),
        game,
    })
}

/// Fails before any work if a game needs more memory than allowed.
fn fits(game: &dyn AnyGame, options: SolveOptions) -> PyResult<()> {
    let needed = game.memory_estimate(Method::Backward, 1, options.threads);
    match needed {
        Some(needed) if needed > options.memory => {
            let error = SolveError::Memory {
                game: game.name(),
                needed: Some(needed),
                allowed: options.memory,
            };
            let instead = if game.has_start() {
                "solve a smaller game, or let zermelo.search() find the scores of single positions"
            } else {
                "solve a smaller game"
            };
            Err(PyMemoryError::new_err(format!(
                "{error}; allow more with memory= if the machine has it, {instead}"
            )))
        }
        _ => Ok(()),
    }
}

/// Solves a game into a file, or in memory without one.
#[pyfunction]
#[pyo3(signature = (family, values, out, force, threads, memory, progress))]
#[allow(clippy::too_many_arguments)] // Python passes them by name.
pub fn solve(
    py: Python<'_>,
    family: &str,
    values: HashMap<String, String>,
    out: Option<PathBuf>,
    force: bool,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    let game = named(family, &values)?;
    let options = options(threads, memory);
    let Some(path) = out else {
        fits(&*game, options)?;
        let table = watched(py, progress.as_ref(), None, |progress| {
            progress.phase("solving", "", 0);
            game.solve_in_memory(options, progress)
        })?;
        let table = table.map_err(|error| of_solving(&error))?;
        return Ok(Oracle {
            source: Source::Table(table),
            game,
        });
    };
    if path.exists() && !force {
        let found = opened(&path, Access::Mmap)?;
        if found.game.rules() == game.rules() {
            return Ok(found);
        }
        return Err(PyFileExistsError::new_err(format!(
            "{} is there already, and is a table of {}; choose another name, or replace it with \
             force=True",
            path.display(),
            found.game.name()
        )));
    }
    fits(&*game, options)?;
    let mut job = SolveJob::new(&path, options);
    job.write.force = force;
    let solved = watched(py, progress.as_ref(), None, |progress| {
        game.solve_to_file(&job, &Team::alone(progress))
    })?;
    solved.map_err(|error| of_solving(&error))?;
    py.detach(|| opened(&path, Access::Mmap))
}
