//! Games whose rules are written in Python: explored here, solved by the library.

use crate::errors::{of_list, of_read, of_writing, solve_error, value};
use crate::oracle::{Oracle, Source};
use crate::watch::watched;
use numpy::{
    IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyFileExistsError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use zermelo::any::{AnyGame, listed_game};
use zermelo::game::{Progress, Side, Solution};
use zermelo::games::listed::{Builder, Listed, beside};
use zermelo::table::{Access, TableFile, WriteOptions, write_table, write_to_vec};

/// So many positions are explored between two looks at signals and progress.
const LOOK_EVERY: usize = 1 << 10;
/// Of so many positions it is seen whether a second look shows the same.
const SEEN_TWICE: usize = 100;

/// A game's methods.
struct Rules<'py> {
    moves: Bound<'py, PyAny>,
    play: Bound<'py, PyAny>,
    score: Bound<'py, PyAny>,
    canonical: Option<Bound<'py, PyAny>>,
    side: Option<Bound<'py, PyAny>>,
    format: Bound<'py, PyAny>,
    format_move: Bound<'py, PyAny>,
}

impl<'py> Rules<'py> {
    fn of(game: &Bound<'py, PyAny>, say: &Bound<'py, PyAny>) -> PyResult<Rules<'py>> {
        let own = |name: &str| game.getattr_opt(name);
        Ok(Rules {
            moves: game.getattr("moves")?,
            play: game.getattr("play")?,
            score: game.getattr("score")?,
            canonical: own("canonical")?,
            side: own("side")?,
            format: say.get_item("format")?,
            format_move: say.get_item("format_move")?,
        })
    }

    /// What `canonical` makes of a position.
    fn canonical(&self, position: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.canonical {
            Some(canonical) => canonical.call1((position,)),
            None => Ok(position),
        }
    }

    fn side(&self, position: &Bound<'py, PyAny>) -> PyResult<Option<Side>> {
        let Some(side) = &self.side else {
            return Ok(None);
        };
        let told = side.call1((position,))?;
        let side = match told.cast::<PyString>() {
            Ok(text) => text.to_str()?.parse().ok(),
            Err(_) => match told.extract::<i64>() {
                Ok(0) => Some(Side::First),
                Ok(1) => Some(Side::Second),
                _ => None,
            },
        };
        side.map(Some).ok_or_else(|| {
            solve_error(format!(
                "side() is 0 or \"first\", 1 or \"second\", not {}",
                shown(&told)
            ))
        })
    }

    fn score(&self, position: &Bound<'py, PyAny>) -> PyResult<Option<i32>> {
        let score = self.score.call1((position,))?;
        if score.is_none() {
            return Ok(None);
        }
        // What can stand for an index is a whole number: NumPy's are, too.
        score.extract::<i32>().map(Some).map_err(|_| {
            solve_error(format!(
                "score() is a whole number for a finished position, and None for others, not {}",
                shown(&score)
            ))
        })
    }

    /// Each move's name with the position that it leads to.
    fn children(
        &self,
        position: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let mut children = Vec::new();
        for mv in self.moves.call1((position,))?.try_iter()? {
            let mv = mv?;
            let child = self.play.call1((position, &mv));
            let child = child.and_then(|child| self.canonical(child));
            let child =
                child.map_err(|error| noted(error, &format!("with the move {}", shown(&mv))))?;
            children.push((mv, child));
        }
        Ok(children)
    }
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value
        .repr()
        .map_or_else(|_| "something".into(), |text| text.to_string())
}

/// The same exception with a note where it came up.
fn noted(error: PyErr, note: &str) -> PyErr {
    Python::attach(|py| {
        // Without the note it is still the right exception.
        let _ = error.value(py).call_method1("add_note", (note,));
    });
    error
}

/// Explores a game from its start, each position once, in the order of their distance.
fn explored(
    game: &Bound<'_, PyAny>,
    say: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Builder> {
    let py = game.py();
    let rules = Rules::of(game, say)?;
    let numbers = PyDict::new(py);
    let begin = || {
        game.call_method0("start")
            .and_then(|start| rules.canonical(start))
    };
    let start = begin()?;
    if !begin()?.eq(&start)? {
        return Err(solve_error(format!(
            "start() twice gives positions that don't compare equal: {}",
            shown(&start)
        )));
    }
    numbers.set_item(&start, 0u32)?;
    let mut found = vec![start.unbind()];
    let mut builder = Builder::new();
    let mut next = 0;
    while next < found.len() {
        if next % LOOK_EVERY == 0 {
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1(("exploring", next, py.None(), "positions"))?;
            }
        }
        // It is needed no more: numbers has it, as long as it may come up again.
        let position = std::mem::replace(&mut found[next], py.None()).into_bound(py);
        let explore = |builder: &mut Builder, found: &mut Vec<Py<PyAny>>| -> PyResult<()> {
            let score = rules.score(&position)?;
            let text: String = rules.format.call1((&position,))?.extract()?;
            builder.position(&text, rules.side(&position)?, score);
            if score.is_some() {
                builder.moves([]);
                return Ok(());
            }
            let children = rules.children(&position)?;
            if next < SEEN_TWICE {
                seen_twice(&rules, &position, &children)?;
            }
            let mut moves = Vec::with_capacity(children.len());
            for (mv, child) in children {
                let name = match mv.cast::<PyString>() {
                    Ok(name) => builder.name(name.to_str()?),
                    Err(_) => builder.name(&rules.format_move.call1((&mv,))?.extract::<String>()?),
                };
                let number = match numbers.get_item(&child)? {
                    Some(number) => number.extract::<u32>()?,
                    None => {
                        let number = u32::try_from(found.len()).map_err(|_| {
                            solve_error("there are more than four billion positions".into())
                        })?;
                        numbers.set_item(&child, number)?;
                        found.push(child.unbind());
                        number
                    }
                };
                moves.push((name, number));
            }
            builder.moves(moves);
            Ok(())
        };
        explore(&mut builder, &mut found)
            .map_err(|error| noted(error, &format!("in the position {}", shown(&position))))?;
        next += 1;
    }
    if let Some(progress) = progress {
        progress.call1(("exploring", next, next, "positions"))?;
    }
    Ok(builder)
}

/// An error unless the same moves lead to the same positions again.
fn seen_twice<'py>(
    rules: &Rules<'py>,
    position: &Bound<'py, PyAny>,
    children: &[(Bound<'py, PyAny>, Bound<'py, PyAny>)],
) -> PyResult<()> {
    for ((mv, child), (_, again)) in children.iter().zip(rules.children(position)?) {
        if !child.eq(&again)? || child.hash()? != again.hash()? {
            return Err(solve_error(format!(
                "the move {} twice leads to positions that don't compare equal, or have other \
                 hashes: {} and {}",
                shown(mv),
                shown(child),
                shown(&again)
            )));
        }
    }
    Ok(())
}

/// Solves a list and makes its table.
fn solved(
    py: Python<'_>,
    builder: Builder,
    name: &str,
    out: Option<&Path>,
    force: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    watched(py, progress, |progress| -> PyResult<Oracle> {
        progress.phase("solving", "positions", builder.positions() as u64);
        let (graph, scores) = builder
            .finish(name)
            .map_err(|error| solve_error(error.to_string()))?;
        let listed = Listed::new(graph);
        let solution = Solution::Keyed(listed.entries(&scores));
        let options = WriteOptions {
            force,
            ..WriteOptions::default()
        };
        let file = match out {
            None => {
                let bytes = write_to_vec(&listed, &solution, options, progress);
                TableFile::from_bytes(bytes.map_err(|error| of_writing(&error))?)
            }
            Some(path) => {
                let list = listed.graph().write(&beside(path));
                list.map_err(|error| of_list(&error))?;
                let written = write_table(&listed, &solution, path, options, progress);
                written.map_err(|error| of_writing(&error))?;
                TableFile::open(path, Access::Mmap)
            }
        };
        let game: Box<dyn AnyGame> = listed_game(listed);
        let table = game.open(file.map_err(|error| of_read(&error))?);
        let table = table.map_err(|error| of_read(&error))?;
        Ok(Oracle {
            source: Source::Table(table),
            game,
        })
    })?
}

fn check_place(out: Option<&Path>, force: bool) -> PyResult<()> {
    match out {
        Some(path) if path.exists() && !force => Err(PyFileExistsError::new_err(format!(
            "{} is there already; choose another name, or replace it with force=True",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Explores and solves a game in Python; `say` has the functions that write positions and moves.
#[pyfunction]
#[pyo3(signature = (game, say, name, out, force, progress))]
pub fn solve_own(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    say: &Bound<'_, PyAny>,
    name: &str,
    out: Option<PathBuf>,
    force: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    check_place(out.as_deref(), force)?;
    let builder = explored(game, say, progress.as_ref())?;
    solved(py, builder, name, out.as_deref(), force, progress.as_ref())
}

/// Numbers positions that are rows of an array, for a game that plays all moves of many at once.
#[pyclass(module = "zermelo._zermelo")]
pub struct Explorer {
    width: usize,
    numbers: FxHashMap<Box<[i64]>, u32>,
    /// Positions that have a number and have not been handed out: their numbers, in a row.
    rows: Vec<i64>,
    builder: Builder,
    /// The names of moves that are numbers.
    names: FxHashMap<i64, u32>,
}

impl Explorer {
    fn number(&mut self, row: &[i64]) -> PyResult<u32> {
        if let Some(&number) = self.numbers.get(row) {
            return Ok(number);
        }
        let number = u32::try_from(self.numbers.len())
            .map_err(|_| solve_error("there are more than four billion positions".into()))?;
        self.numbers.insert(row.into(), number);
        self.rows.extend(row);
        Ok(number)
    }

    fn name(&mut self, mv: i64) -> u32 {
        let builder = &mut self.builder;
        *self
            .names
            .entry(mv)
            .or_insert_with(|| builder.name(&mv.to_string()))
    }
}

#[pymethods]
impl Explorer {
    #[new]
    fn new(start: PyReadonlyArray1<'_, i64>) -> PyResult<Explorer> {
        let start: Vec<i64> = start.as_array().to_vec();
        if start.is_empty() {
            return Err(solve_error("start() gives a row without numbers".into()));
        }
        let mut explorer = Explorer {
            width: start.len(),
            numbers: FxHashMap::default(),
            rows: Vec::new(),
            builder: Builder::new(),
            names: FxHashMap::default(),
        };
        explorer.number(&start)?;
        Ok(explorer)
    }

    /// How many positions have a number.
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    /// Positions that have not been handed out, at most so many of them; they must be added next.
    fn next<'py>(&mut self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let count = (self.rows.len() / self.width).min(most);
        let left = self.rows.split_off(count * self.width);
        let rows = std::mem::replace(&mut self.rows, left);
        rows.into_pyarray(py).reshape([count, self.width])
    }

    /// Adds the positions that were handed out last: which are finished, the scores of these, whose
    /// turn it is, and the moves of all, ordered by the positions that they are made in.
    #[allow(clippy::too_many_arguments)] // They have names in Python.
    fn add(
        &mut self,
        rows: PyReadonlyArray2<'_, i64>,
        finished: PyReadonlyArray1<'_, bool>,
        scores: PyReadonlyArray1<'_, i64>,
        sides: Option<PyReadonlyArray1<'_, i64>>,
        children: PyReadonlyArray2<'_, i64>,
        parents: PyReadonlyArray1<'_, i64>,
        moves: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<()> {
        if children.shape()[1] != self.width {
            return Err(solve_error(format!(
                "expand() gives children of {} numbers, but a position has {}",
                children.shape()[1],
                self.width
            )));
        }
        let (rows, finished, scores) = (rows.as_array(), finished.as_array(), scores.as_array());
        let (children, parents, moves) =
            (children.as_array(), parents.as_array(), moves.as_array());
        let sides = sides.as_ref().map(|sides| sides.as_array());
        let count = rows.nrows();
        let fits = finished.len() == count
            && scores.len() == count
            && sides.is_none_or(|sides| sides.len() == count)
            && parents.len() == children.nrows()
            && moves.len() == children.nrows();
        if !fits {
            return Err(solve_error(
                "the arrays of scores() and expand() have different lengths".into(),
            ));
        }
        let mut edge = 0;
        let mut row = Vec::with_capacity(self.width);
        let mut found = Vec::new();
        let mut text = String::new();
        for index in 0..count {
            text.clear();
            for (column, number) in rows.row(index).iter().enumerate() {
                let comma = if column > 0 { "," } else { "" };
                // Writing to a string can't fail.
                let _ = write!(text, "{comma}{number}");
            }
            let side = match sides.map(|sides| sides[index]) {
                None => None,
                Some(0) => Some(Side::First),
                Some(1) => Some(Side::Second),
                Some(other) => return Err(solve_error(format!("a side is 0 or 1, not {other}"))),
            };
            let score = match finished[index] {
                false => None,
                true => Some(i32::try_from(scores[index]).map_err(value)?),
            };
            self.builder.position(&text, side, score);
            found.clear();
            while edge < parents.len() && parents[edge] == index as i64 {
                if score.is_none() {
                    row.clear();
                    row.extend(children.row(edge));
                    let child = self.number(&row)?;
                    found.push((self.name(moves[edge]), child));
                }
                edge += 1;
            }
            self.builder.moves(found.iter().copied());
        }
        if edge < parents.len() {
            return Err(solve_error(format!(
                "expand() gives a child of position {}, of {count}",
                parents[edge]
            )));
        }
        Ok(())
    }

    /// Solves what was explored.
    #[pyo3(signature = (name, out, force, progress))]
    fn solve(
        &mut self,
        py: Python<'_>,
        name: &str,
        out: Option<PathBuf>,
        force: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Oracle> {
        check_place(out.as_deref(), force)?;
        self.numbers = FxHashMap::default();
        let builder = std::mem::take(&mut self.builder);
        solved(py, builder, name, out.as_deref(), force, progress.as_ref())
    }
}
