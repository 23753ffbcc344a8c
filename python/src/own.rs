//! Games with rules in Python: explored here, solved by the library.

use crate::errors::{of_building, of_graph, of_writing, refused, solve_error};
use crate::literals;
use crate::oracle::{Oracle, Source, options};
use crate::watch::watched;
use hashbrown::HashTable;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::path::{Path, PathBuf};
use zermelo::any::{check_listed_place, solve_graph};
use zermelo::cli::{allowed_memory, bytes, memory_taken};
use zermelo::game::{Endless, Side};
use zermelo::games::listed::{Builder, Squares};
use zermelo::table::WriteOptions;

/// The number of positions between checks of signals, limits and the rules.
const LOOK_EVERY: usize = 1 << 10;

/// The most moves of a position that are read: a generator may be endless.
pub const MOST_MOVES: usize = 1 << 16;

/// The length of most texts of positions, at most.
const USUAL_TEXT: usize = 64;

/// The most moves whose names are looked up by the move.
const MOST_NAMES: usize = 1 << 16;

/// The most squares of a row of a picture, and the most rows, that are read.
const MOST_SQUARES: usize = 100;

/// The methods of a game, and the package's helper functions for it.
struct Rules<'py> {
    moves: Bound<'py, PyAny>,
    play: Bound<'py, PyAny>,
    score: Bound<'py, PyAny>,
    side: Option<Bound<'py, PyAny>>,
    /// Formats a position.
    write: Bound<'py, PyAny>,
    /// Whether positions are written like literals.
    has_literals: bool,
    /// Formats a move.
    name: Bound<'py, PyAny>,
    /// Whether the game names moves itself.
    has_names: bool,
    /// The numbers of the names of some moves.
    names: Bound<'py, PyDict>,
    picture: Option<Bound<'py, PyAny>>,
    /// Returns new names of moves at a position's images; `None` for a game without images.
    images: Option<Bound<'py, PyAny>>,
    /// Raises an exception if the rules are faulty in a position.
    look: Bound<'py, PyAny>,
}

impl<'py> Rules<'py> {
    fn of(game: &Bound<'py, PyAny>, say: &Bound<'py, PyAny>) -> PyResult<Rules<'py>> {
        Ok(Rules {
            moves: game.getattr("moves")?,
            play: game.getattr("play")?,
            score: game.getattr("score")?,
            side: game.getattr_opt("side")?,
            write: say.get_item("write")?,
            has_literals: say.get_item("literals")?.extract()?,
            name: say.get_item("name")?,
            has_names: game.hasattr("format_move")?,
            names: PyDict::new(game.py()),
            picture: game.getattr_opt("picture")?,
            images: say.get_item("images")?.extract()?,
            look: say.get_item("look")?,
        })
    }

    fn text(&self, position: &Bound<'py, PyAny>) -> PyResult<String> {
        let mut written = String::with_capacity(USUAL_TEXT);
        if self.has_literals && literals::write(position, &mut written) {
            return Ok(written);
        }
        let text = self.write.call1((position,))?;
        text.extract().map_err(|_| no_text("a position", &text))
    }

    /// Returns the text of a move.
    fn called(&self, mv: &Bound<'py, PyAny>) -> PyResult<String> {
        let mut written = String::new();
        if !self.has_names && literals::write(mv, &mut written) {
            return Ok(written);
        }
        let name = self.name.call1((mv,))?;
        name.extract().map_err(|_| no_text("a move", &name))
    }

    /// Returns the number of a move's name.
    fn number(&self, builder: &mut Builder, mv: &Bound<'py, PyAny>) -> PyResult<u32> {
        // A game's own method may distinguish True from 1.
        let has_one_name = is_plain(mv, !self.has_names);
        if has_one_name && let Some(number) = self.names.get_item(mv)? {
            return number.extract();
        }
        let name = self.called(mv)?;
        Builder::check_name(&name).map_err(|error| of_building(&error))?;
        let number = builder.name(&name);
        if has_one_name && self.names.len() < MOST_NAMES {
            self.names.set_item(mv, number)?;
        }
        Ok(number)
    }

    fn side(&self, position: &Bound<'py, PyAny>) -> PyResult<Option<Side>> {
        let Some(side) = &self.side else {
            return Ok(None);
        };
        let told = side.call1((position,))?;
        let side = match told.cast::<PyString>() {
            Ok(text) => text.to_str()?.parse().ok(),
            Err(_) => {
                let number = told.extract::<i64>();
                match number.or_else(|_| plainly(&told)?.extract()) {
                    Ok(0) => Some(Side::First),
                    Ok(1) => Some(Side::Second),
                    _ => None,
                }
            }
        };
        side.map(Some).ok_or_else(|| {
            refused(
                position.py(),
                "wrong_side",
                (called("side", position), &told),
            )
        })
    }

    /// Returns the score as a whole number, and its number of decimals.
    fn score(&self, position: &Bound<'py, PyAny>) -> PyResult<Option<(i64, u32)>> {
        let score = self.score.call1((position,))?;
        if score.is_none() {
            return Ok(None);
        }
        if score.is_exact_instance_of::<PyInt>()
            && let Ok(whole) = score.extract::<i32>()
        {
            return Ok(Some((whole.into(), 0)));
        }
        let rules = position.py().import("zermelo._rules")?;
        let found = rules.call_method1("decimal", (called("score", position), &score))?;
        found.extract().map(Some)
    }

    fn moves(&self, position: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let moves = self.moves.call1((position,))?;
        if let Ok(list) = moves.cast_exact::<PyList>()
            && list.len() <= MOST_MOVES
        {
            // An iterator is asked for its length first, which takes longer.
            return Ok(list.iter().collect());
        }
        let iterator = moves.try_iter().or_else(|_| {
            // The function raises the error that says what is wrong.
            let rules = position.py().import("zermelo._rules")?;
            rules
                .call_method1("moves_in", (called("moves", position), &moves))?
                .try_iter()
        });
        let moves: Vec<_> = iterator?.take(MOST_MOVES + 1).collect::<PyResult<_>>()?;
        if moves.len() > MOST_MOVES {
            let call = (called("moves", position),);
            return Err(refused(position.py(), "too_many_moves", call));
        }
        Ok(moves)
    }

    fn play(
        &self,
        position: &Bound<'py, PyAny>,
        mv: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let child = self.play.call1((position, mv))?;
        if child.is_none() {
            let call = format!("play({}, {})", shown(position), shown(mv));
            return Err(refused(position.py(), "no_position", (call,)));
        }
        Ok(child)
    }

    /// Returns short digests of a position's text, side, score and moves.
    ///
    /// The digest of the moves includes the texts of the child positions.
    fn digests(&self, position: &Bound<'py, PyAny>) -> PyResult<[u16; DIGESTED.len()]> {
        fn digest(of: impl Hash) -> u16 {
            FxBuildHasher.hash_one(of) as u16
        }
        let before = hashed(position)?;
        let text = self.text(position)?;
        let score = self.score(position)?;
        let mut names = Vec::new();
        if score.is_none() {
            for mv in self.moves(position)? {
                let child = self.play(position, &mv)?;
                names.push((self.called(&mv)?, self.text(&child)?));
            }
        }
        // A set may return the moves in another order.
        names.sort();
        let side = self.side(position)?.map(Side::index);
        if hashed(position)? != before {
            return Err(refused(position.py(), "changed", (text,)));
        }
        Ok([digest(text), digest(side), digest(score), digest(names)])
    }
}

/// The names of the parts of [`Rules::digests`], for messages.
const DIGESTED: [&str; 4] = ["the text", "side()", "score()", "moves() or play()"];

/// Returns the Python number that equals a value, if there is one, or the value.
fn plainly<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let rules = value.py().import("zermelo._rules")?;
    rules.call_method1("plain", (value,))
}

/// Returns the hash of a position.
fn hashed(position: &Bound<'_, PyAny>) -> PyResult<isize> {
    position.hash().map_err(|error| {
        let py = position.py();
        match error.is_instance_of::<PyTypeError>(py) {
            true => refused(py, "unhashable", (shown(position), error.value(py))),
            false => error,
        }
    })
}

/// Whether equality determines a value of this type completely.
///
/// This holds for numbers, strings and tuples of them. Without `alike`, it doesn't for True and
/// 1.0, which equal 1.
fn is_plain(value: &Bound<'_, PyAny>, alike: bool) -> bool {
    if let Ok(parts) = value.cast_exact::<PyTuple>() {
        return parts.iter_borrowed().all(|part| is_plain(&part, alike));
    }
    value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_none()
        || (alike
            && (value.is_exact_instance_of::<PyBool>() || value.is_exact_instance_of::<PyFloat>()))
}

fn no_text(of: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let value = shown(value);
    solve_error(format!(
        "{of} is written as one line of text, not as {value}"
    ))
}

/// Returns the text of a call of a method, for messages.
fn called(method: &str, position: &Bound<'_, PyAny>) -> String {
    format!("{method}({})", shown(position))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value
        .repr()
        .map_or_else(|_| "something".into(), |text| text.to_string())
}

/// Adds a note to an exception about where it was raised.
fn noted(error: PyErr, note: &str) -> PyErr {
    Python::attach(|py| {
        // If adding the note fails, the exception is still the right one.
        let _ = error.value(py).call_method1("add_note", (note,));
    });
    error
}

/// The limits of positions and memory for exploring a game.
pub struct Limits {
    positions: Option<u64>,
    pub memory: u64,
    /// The memory of the process before the exploration, in bytes.
    before: u64,
}

impl Limits {
    /// Creates the limits of an exploration that starts now.
    ///
    /// `memory` is in bytes, in addition to the current memory of the process; the default is nine
    /// tenths of the available memory.
    pub fn new(positions: Option<u64>, memory: Option<u64>) -> Limits {
        Limits {
            positions,
            memory: allowed_memory(memory),
            before: memory_taken().unwrap_or(0),
        }
    }

    /// Raises an exception if the positions or the memory, plus `more`, exceed a limit.
    pub fn check(&self, positions: usize, more: u64) -> PyResult<()> {
        if self.positions.is_some_and(|most| positions as u64 > most) {
            return Err(solve_error(format!(
                "more than {} positions can come up, which is the most that max_positions allows: if \
                 that is not more than you expect, allow more, or check that every game ends",
                self.positions.unwrap_or_default()
            )));
        }
        let taken = memory_taken().unwrap_or(0).saturating_sub(self.before);
        if taken.saturating_add(more) > self.memory {
            return Err(PyMemoryError::new_err(format!(
                "{} positions have been found so far; with them, solving takes more than the {} of \
                 memory that may be used: allow more with memory=, take a smaller game, or check \
                 that every game ends",
                positions,
                bytes(self.memory)
            )));
        }
        Ok(())
    }
}

/// Returns the builder of a game that may be endless or count plies.
pub fn builder_of(endless: bool, distance: bool) -> Builder {
    let endless = match endless {
        true => Endless::Draw,
        false => Endless::Impossible,
    };
    Builder::of(endless, distance)
}

/// Returns a number with decimals in units of the last decimal of a graph's scores.
///
/// The graph gets more decimals if the number has more.
pub fn units(builder: &mut Builder, (number, decimals): (i64, u32)) -> PyResult<i32> {
    if let more @ 1.. = decimals.saturating_sub(builder.decimals()) {
        let added = builder.add_decimals(more);
        added.map_err(|error| of_building(&error))?;
    }
    let units = number.saturating_mul(10_i64.pow(builder.decimals() - decimals));
    // A score out of range must stay out of range.
    let (least, most) = (i64::from(-i32::MAX), i64::from(i32::MAX));
    Ok(units.clamp(least, most) as i32)
}

/// Adds a picture to the position that was added last.
pub fn add_picture(builder: &mut Builder, picture: &Bound<'_, PyAny>) -> PyResult<()> {
    let rows = squares_of("a picture", picture)?;
    builder.picture(&rows).map_err(|error| of_building(&error))
}

/// Returns rows of squares in Python: texts, whole numbers, or None.
fn squares_of(what: &str, rows: &Bound<'_, PyAny>) -> PyResult<Squares> {
    if rows.is_instance_of::<PyString>() {
        return Err(no_rows(what, rows));
    }
    let square = |square: Bound<'_, PyAny>| match square.is_none() {
        true => Ok(None),
        false if square.is_exact_instance_of::<PyInt>() => Ok(Some(square.str()?.extract()?)),
        false => square.extract().map(Some).map_err(|_| {
            let square = shown(&square);
            solve_error(format!(
                "{what} has the square {square}: a square is a text, a whole number or None"
            ))
        }),
    };
    let row = |row| items_of(what, &row)?.into_iter().map(square).collect();
    items_of(what, rows)?.into_iter().map(row).collect()
}

/// Returns the rows of a picture or the squares of a row.
fn items_of<'py>(what: &str, rows: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    match rows.try_iter() {
        // More than are allowed, but not all of a generator that may be endless.
        Ok(items) => items.take(MOST_SQUARES).collect(),
        Err(_) => Err(no_rows(what, rows)),
    }
}

fn no_rows(what: &str, rows: &Bound<'_, PyAny>) -> PyErr {
    let rows = shown(rows);
    solve_error(format!(
        "{what} has {rows}: give a list of rows, each a text or a list of squares"
    ))
}

/// Sets the rules in words and the names of squares of a game in Python.
///
/// # Errors
/// If a name is not allowed.
pub fn add_look(builder: &mut Builder, about: &str, names: &Bound<'_, PyAny>) -> PyResult<()> {
    let names = match names.is_none() {
        true => Squares::new(),
        false => squares_of("`squares`", names)?,
    };
    let looks = builder.look(about, names);
    looks.map_err(|error| of_building(&error))
}

/// Explores a game breadth-first, and visits each position once.
fn explored<'py>(
    game: &Bound<'py, PyAny>,
    say: &Bound<'py, PyAny>,
    mut builder: Builder,
    limits: &Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Builder> {
    let py = game.py();
    let rules = Rules::of(game, say)?;
    let mut found = Found {
        positions: Vec::new(),
        numbers: HashTable::new(),
        digests: FxHashMap::default(),
    };
    found.number(&rules, game.call_method0("start")?)?;
    let mut next = 0;
    while next < found.positions.len() {
        let position = found.positions[next].clone();
        let explore = |builder: &mut Builder, found: &mut Found<'py>| -> PyResult<()> {
            if next.is_multiple_of(LOOK_EVERY) {
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1(("exploring", next, py.None(), "positions"))?;
                }
                limits.check(found.positions.len(), builder.solving_memory())?;
                rules.look.call1((&position,))?;
            }
            let score = rules.score(&position)?;
            let text = rules.text(&position)?;
            let units = score.map(|score| units(builder, score)).transpose()?;
            let added = builder.position(&text, rules.side(&position)?, units);
            added.map_err(|error| of_building(&error))?;
            if let Some(picture) = &rules.picture {
                add_picture(builder, &picture.call1((&position,))?)?;
            }
            let mut moves = Vec::new();
            if score.is_none() {
                let own = rules.moves(&position)?;
                moves.reserve_exact(own.len());
                for mv in own {
                    let child = rules.play(&position, &mv);
                    let number = child.and_then(|child| found.number(&rules, child));
                    let number = number
                        .map_err(|error| noted(error, &format!("with the move {}", shown(&mv))))?;
                    moves.push((rules.number(builder, &mv)?, number));
                }
                if moves.is_empty() {
                    return Err(refused(py, "stuck", (shown(&position),)));
                }
                if let Some(images) = &rules.images {
                    for name in images.call1((&position,))?.extract::<Vec<String>>()? {
                        Builder::check_name(&name).map_err(|error| of_building(&error))?;
                        builder.name(&name);
                    }
                }
            }
            builder.moves(moves);
            if !found.has(&position, next as u32)? {
                return Err(refused(py, "changed", (text,)));
            }
            Ok(())
        };
        explore(&mut builder, &mut found)
            .map_err(|error| noted(error, &format!("in the position {}", shown(&position))))?;
        next += 1;
    }
    limits.check(next, builder.solving_memory())?;
    if let Some(progress) = progress {
        progress.call1(("exploring", next, next, "positions"))?;
    }
    Ok(builder)
}

/// Returns a hash whose bits all differ for different numbers, as Python's are not.
fn spread(hash: isize) -> u64 {
    FxBuildHasher.hash_one(hash)
}

/// The positions found so far.
struct Found<'py> {
    /// All of them, by number.
    positions: Vec<Bound<'py, PyAny>>,
    /// Their hashes and numbers. A dictionary of Python would need twice the memory.
    numbers: HashTable<(isize, u32)>,
    /// The digests of positions whose equality may ignore some of their state.
    digests: FxHashMap<u32, [u16; DIGESTED.len()]>,
}

impl<'py> Found<'py> {
    /// Whether a position is found as it was when it got its number.
    ///
    /// Numbers, strings and tuples of them can't be changed, and are not looked up.
    fn has(&self, position: &Bound<'py, PyAny>, number: u32) -> PyResult<bool> {
        if !self.digests.contains_key(&number) {
            return Ok(true);
        }
        Ok(self.known(position, position.hash()?)? == Some(number))
    }

    /// Returns the number of a position that equals one with a number.
    fn known(&self, position: &Bound<'py, PyAny>, hash: isize) -> PyResult<Option<u32>> {
        let mut failed = None;
        let is_it = |&(other, number): &(isize, u32)| {
            if hash != other {
                return false;
            }
            let known = &self.positions[number as usize];
            known.is(position)
                || known.eq(position).unwrap_or_else(|error| {
                    failed = Some(error);
                    // No other position is compared.
                    true
                })
        };
        let found = self.numbers.find(spread(hash), is_it);
        let number = found.map(|&(_, number)| number);
        failed.map_or(Ok(number), Err)
    }

    /// Returns the number of a position, and assigns one to a new position.
    ///
    /// # Errors
    /// If the position equals an earlier one for which the rules give other results.
    fn number(&mut self, rules: &Rules<'py>, position: Bound<'py, PyAny>) -> PyResult<u32> {
        let digests = match is_plain(&position, true) {
            true => None,
            false => Some(rules.digests(&position)?),
        };
        let hash = position.hash()?;
        if let Some(number) = self.known(&position, hash)? {
            if let (Some(digests), Some(before)) = (digests, self.digests.get(&number))
                && let Some(other) = (0..DIGESTED.len()).find(|&at| digests[at] != before[at])
            {
                return Err(solve_error(format!(
                    "{} compares equal to a position that came up in another way, and {} of it is \
                     different: all that the rules depend on must be a part of what is compared",
                    shown(&position),
                    DIGESTED[other]
                )));
            }
            return Ok(number);
        }
        let number = u32::try_from(self.positions.len())
            .map_err(|_| solve_error("there are more than four billion positions".into()))?;
        let entry = (hash, number);
        self.numbers
            .insert_unique(spread(hash), entry, |&(hash, _)| spread(hash));
        if let Some(digests) = digests {
            self.digests.insert(number, digests);
        }
        self.positions.push(position);
        Ok(number)
    }
}

/// Solves an explicit game graph and makes its table.
pub fn solved(
    py: Python<'_>,
    builder: Builder,
    name: &str,
    out: Option<&Path>,
    force: bool,
    memory: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    let write = WriteOptions {
        force,
        ..WriteOptions::default()
    };
    let solving = options(None, Some(memory));
    let solved = watched(py, progress, None, |progress| {
        solve_graph(builder, name, out, solving, write, progress)
    })?;
    let (game, table) = solved.map_err(|error| of_graph(&error))?;
    Ok(Oracle {
        source: Source::Table(table),
        game,
    })
}

/// Checks that a game's table and graph can be written, before any other work.
///
/// # Errors
/// If they can't.
#[pyfunction]
pub fn check_place(out: PathBuf, force: bool) -> PyResult<()> {
    check_listed_place(&out, force).map_err(|error| of_writing(&error))
}

/// Explores and solves a game in Python.
///
/// `say` has functions that format positions and moves, and check the rules in a position.
#[pyfunction]
#[pyo3(signature = (game, say, name, endless, distance, out, force, max_positions, memory, progress))]
#[allow(clippy::too_many_arguments)] // Python passes them by name.
pub fn solve_own(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    say: &Bound<'_, PyAny>,
    name: &str,
    endless: bool,
    distance: bool,
    out: Option<PathBuf>,
    force: bool,
    max_positions: Option<u64>,
    memory: Option<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Oracle> {
    let limits = Limits::new(max_positions, memory);
    let mut builder = builder_of(endless, distance);
    let (about, names) = (say.get_item("about")?, say.get_item("squares")?);
    add_look(&mut builder, &about.extract::<String>()?, &names)?;
    let builder = explored(game, say, builder, &limits, progress.as_ref())?;
    let (out, memory) = (out.as_deref(), limits.memory);
    solved(py, builder, name, out, force, memory, progress.as_ref())
}
