//! Games whose rules are written in Python: explored here, solved by the library.

use crate::errors::{of_building, of_read, of_writing, of_writing_listed, solve_error};
use crate::oracle::{Oracle, Source};
use crate::watch::watched;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::{Path, PathBuf};
use zermelo::any::{AnyGame, check_listed_place, listed_game, write_listed};
use zermelo::game::{Side, Solution};
use zermelo::games::listed::{Builder, Listed};
use zermelo::table::{Access, TableFile, WriteOptions, write_to_vec};

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
    /// If the game has one; otherwise moves are called as `str` does.
    format_move: Option<Bound<'py, PyAny>>,
    /// What must read back how positions are written, unless the game says itself how.
    read: Option<Bound<'py, PyAny>>,
}

impl<'py> Rules<'py> {
    fn of(game: &Bound<'py, PyAny>, say: &Bound<'py, PyAny>) -> PyResult<Rules<'py>> {
        let own = |name: &str| game.getattr_opt(name);
        let said = |name: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
            let said = say.get_item(name)?;
            Ok((!said.is_none()).then_some(said))
        };
        Ok(Rules {
            moves: game.getattr("moves")?,
            play: game.getattr("play")?,
            score: game.getattr("score")?,
            canonical: own("canonical")?,
            side: own("side")?,
            format: say.get_item("format")?,
            format_move: said("format_move")?,
            read: said("read")?,
        })
    }

    /// What `canonical` makes of a position.
    fn canonical(&self, position: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(canonical) = &self.canonical else {
            return Ok(position);
        };
        let stands = canonical.call1((&position,))?;
        if !stands.is(&position) {
            let (side, of_stands) = (self.side(&position)?, self.side(&stands)?);
            if let (Some(side), Some(of_stands)) = (side, of_stands)
                && side != of_stands
            {
                return Err(solve_error(format!(
                    "canonical() changes the side to move: side() is {} of {}, and {} of {}, which \
                     stands for it",
                    side.index(),
                    shown(&position),
                    of_stands.index(),
                    shown(&stands)
                )));
            }
        }
        Ok(stands)
    }

    /// How a move is called.
    fn called(&self, mv: &Bound<'py, PyAny>) -> PyResult<String> {
        if let Ok(name) = mv.cast::<PyString>() {
            return Ok(name.to_str()?.to_owned());
        }
        match &self.format_move {
            Some(format_move) => format_move.call1((mv,))?.extract(),
            None => Ok(mv.str()?.to_str()?.to_owned()),
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
            if next < SEEN_TWICE {
                read_back(&rules, &position, &text)?;
            }
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
                let name = builder.name(&rules.called(&mv)?);
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
    let all_again = rules.children(position)?;
    if children.len() != all_again.len() {
        return Err(solve_error(format!(
            "moves() twice gives {} moves and then {}",
            children.len(),
            all_again.len()
        )));
    }
    for ((mv, child), (mv_again, again)) in children.iter().zip(all_again) {
        if rules.format_move.is_none() && is_nameless(mv)? {
            return Err(solve_error(format!(
                "moves are called {}, which says nothing: give the game format_move()",
                shown(mv)
            )));
        }
        let (name, name_again) = (rules.called(mv)?, rules.called(&mv_again)?);
        if name != name_again {
            return Err(solve_error(format!(
                "moves() twice gives the move {name} and then {name_again} in its place"
            )));
        }
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

/// Whether an object is written as `<Move object at 0x7f...>`.
fn is_nameless(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let object = value.py().import("builtins")?.getattr("object")?;
    let class = value.get_type();
    let is_plain =
        |name: &str| -> PyResult<bool> { Ok(class.getattr(name)?.is(object.getattr(name)?)) };
    Ok(is_plain("__str__")? && is_plain("__repr__")?)
}

/// An error if the game doesn't say itself how positions are written, and what is written in its
/// place can't be read.
fn read_back(rules: &Rules<'_>, position: &Bound<'_, PyAny>, text: &str) -> PyResult<()> {
    let Some(read) = &rules.read else {
        return Ok(());
    };
    let py = position.py();
    let is_read = match read.call1((text,)) {
        Ok(back) => back.eq(position)?,
        Err(error) if error.is_instance_of::<PyException>(py) => false,
        Err(error) => return Err(error),
    };
    if is_read {
        return Ok(());
    }
    Err(solve_error(format!(
        "a position is written {text}, which can't be read back: give the game format() and \
         parse(), or make its positions of numbers, strings and tuples"
    )))
}

/// Solves a list and makes its table.
pub fn solved(
    py: Python<'_>,
    builder: Builder,
    name: &str,
    out: Option<&Path>,
    force: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    watched(py, progress, |progress| -> PyResult<Oracle> {
        let (graph, scores) = builder
            .finish(name, progress)
            .map_err(|error| of_building(&error))?;
        let listed = Listed::new(graph);
        let options = WriteOptions {
            force,
            ..WriteOptions::default()
        };
        let file = match out {
            None => {
                let solution = Solution::Keyed(listed.entries(&scores));
                let bytes = write_to_vec(&listed, &solution, options, progress);
                TableFile::from_bytes(bytes.map_err(|error| of_writing(&error))?)
            }
            Some(path) => {
                let written = write_listed(&listed, &scores, path, options, progress);
                written.map_err(|error| of_writing_listed(&error))?;
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

/// Makes sure that a game's table and list may be written, before anything else is done.
///
/// # Errors
/// If they can't.
#[pyfunction]
pub fn check_place(out: PathBuf, force: bool) -> PyResult<()> {
    check_listed_place(&out, force).map_err(|error| of_writing_listed(&error))
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
    let builder = explored(game, say, progress.as_ref())?;
    solved(py, builder, name, out.as_deref(), force, progress.as_ref())
}
