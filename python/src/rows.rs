//! Games whose positions are rows of an array.
//!
//! Such a game, written in Python, plays all moves of many positions in one call.

use crate::errors::{of_building, refused, solve_error};
use crate::oracle::Oracle;
use crate::own::{Limits, add_look, add_picture, builder_of, solved, units};
use hashbrown::HashTable;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::path::PathBuf;
use zermelo::game::Side;
use zermelo::games::listed::Builder;

/// Rows, numbered in the order of insertion.
struct Rows {
    width: usize,
    /// All rows, one after the other.
    all: Vec<i64>,
    numbers: HashTable<u32>,
}

fn hash(row: &[i64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &number in row {
        hasher.write_i64(number);
    }
    hasher.finish()
}

fn row(all: &[i64], width: usize, number: usize) -> &[i64] {
    &all[number * width..][..width]
}

impl Rows {
    fn count(&self) -> usize {
        self.all.len() / self.width
    }

    /// Returns the number of a row, which may be new; `None` if there are too many rows.
    fn number(&mut self, wanted: &[i64]) -> Option<u32> {
        let (all, width) = (&self.all, self.width);
        // Rows are short, so comparing them inline is faster than calling a comparison function.
        let is_it = |&number: &u32| {
            let known = row(all, width, number as usize);
            known.iter().zip(wanted).all(|(one, other)| one == other)
        };
        let hash_of = |&number: &u32| hash(row(all, width, number as usize));
        let entry = self.numbers.entry(hash(wanted), is_it, hash_of);
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => Some(*entry.get()),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let number = u32::try_from(self.all.len() / self.width).ok()?;
                entry.insert(number);
                self.all.extend(wanted);
                Some(number)
            }
        }
    }
}

/// An explorer that numbers positions given as rows of an array.
#[pyclass(module = "zermelo._zermelo")]
pub struct Explorer {
    rows: Rows,
    /// The number of rows handed out, and the number of these that were added.
    handed_out: usize,
    added: usize,
    limits: Limits,
    builder: Builder,
    /// The names of moves, by the moves' numbers.
    names: FxHashMap<i64, u32>,
    /// The Python function that names a move.
    format_move: Py<PyAny>,
}

impl Explorer {
    fn number(&mut self, row: &[i64]) -> PyResult<u32> {
        let number = self.rows.number(row);
        number.ok_or_else(|| solve_error("there are more than four billion positions".into()))
    }

    fn name(&mut self, py: Python<'_>, mv: i64) -> PyResult<u32> {
        if let Some(&name) = self.names.get(&mv) {
            return Ok(name);
        }
        let text: String = self.format_move.call1(py, (mv,))?.extract(py)?;
        Builder::check_name(&text).map_err(|error| of_building(&error))?;
        let name = self.builder.name(&text);
        self.names.insert(mv, name);
        Ok(name)
    }
}

fn side_of(py: Python<'_>, side: i64, position: &[i64]) -> PyResult<Side> {
    match side {
        0 => Ok(Side::First),
        1 => Ok(Side::Second),
        other => Err(refused(
            py,
            "wrong_side",
            (format!("sides([{position:?}])"), other),
        )),
    }
}

#[pymethods]
impl Explorer {
    #[new]
    #[pyo3(signature = (start, format_move, endless, distance, max_positions, memory, about, squares))]
    #[allow(clippy::too_many_arguments)] // Python passes them by name.
    fn new(
        start: PyReadonlyArray1<'_, i64>,
        format_move: Py<PyAny>,
        endless: bool,
        distance: bool,
        max_positions: Option<u64>,
        memory: Option<u64>,
        about: &str,
        squares: &Bound<'_, PyAny>,
    ) -> PyResult<Explorer> {
        let start: Vec<i64> = start.as_array().to_vec();
        if start.is_empty() {
            return Err(solve_error("start() gives a row without numbers".into()));
        }
        let mut explorer = Explorer {
            rows: Rows {
                width: start.len(),
                all: Vec::new(),
                numbers: HashTable::new(),
            },
            handed_out: 0,
            added: 0,
            limits: Limits::new(max_positions, memory),
            builder: builder_of(endless, distance),
            names: FxHashMap::default(),
            format_move,
        };
        add_look(&mut explorer.builder, about, squares)?;
        explorer.number(&start)?;
        Ok(explorer)
    }

    /// Returns the number of positions found.
    fn __len__(&self) -> usize {
        self.rows.count()
    }

    /// Returns up to `most` positions that were not handed out before.
    ///
    /// They must be added before the next call. The array is read-only.
    fn next<'py>(&mut self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let width = self.rows.width;
        let count = (self.rows.count() - self.handed_out).min(most);
        let next = self.rows.all[self.handed_out * width..][..count * width].to_vec();
        self.handed_out += count;
        let next = next.into_pyarray(py).reshape([count, width])?;
        next.readwrite().make_nonwriteable();
        Ok(next)
    }

    /// Adds the positions that were handed out last.
    ///
    /// `texts` is None if positions are written as their numbers, `pictures` if there are none. `scores` are units of the
    /// last of their decimals, and count where `finished` is set. `children` and `moves` are ordered by `parents`.
    #[allow(clippy::too_many_arguments)] // Python passes them by name.
    fn add(
        &mut self,
        py: Python<'_>,
        texts: Option<Vec<String>>,
        finished: PyReadonlyArray1<'_, bool>,
        scores: PyReadonlyArray1<'_, i64>,
        decimals: u32,
        sides: Option<PyReadonlyArray1<'_, i64>>,
        children: PyReadonlyArray2<'_, i64>,
        parents: PyReadonlyArray1<'_, i64>,
        moves: PyReadonlyArray1<'_, i64>,
        pictures: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let (count, width) = (self.handed_out - self.added, self.rows.width);
        let edges = children.as_array().nrows();
        if children.as_array().ncols() != width {
            return Err(solve_error(format!(
                "expand() gives children of {} numbers, but a position has {width}",
                children.as_array().ncols(),
            )));
        }
        let sides = sides.as_ref().map(|sides| sides.as_slice()).transpose()?;
        let children = children.as_slice()?;
        let (finished, scores) = (finished.as_slice()?, scores.as_slice()?);
        let (parents, moves) = (parents.as_slice()?, moves.as_slice()?);
        let fits = finished.len() == count
            && scores.len() == count
            && texts.as_ref().is_none_or(|texts| texts.len() == count)
            && pictures.as_ref().is_none_or(|all| all.len() == count)
            && sides.is_none_or(|sides| sides.len() == count)
            && parents.len() == edges
            && moves.len() == edges;
        if !fits {
            return Err(solve_error(
                "the arrays of scores() and expand() have different lengths".into(),
            ));
        }
        // A growing array exists twice for a while.
        let growing = self.rows.all.len() * 8 + self.rows.count() * 16 + edges * (8 * width + 24);
        let more = self.builder.solving_memory() + 2 * growing as u64;
        self.limits.check(self.rows.count(), more)?;
        let mut edge = 0;
        let mut found = Vec::new();
        let mut written = String::new();
        let mut digits = itoa::Buffer::new();
        for index in 0..count {
            let text = match &texts {
                Some(texts) => &texts[index],
                None => {
                    written.clear();
                    let own = row(&self.rows.all, width, self.added);
                    for (column, &number) in own.iter().enumerate() {
                        if column > 0 {
                            written.push(',');
                        }
                        written.push_str(digits.format(number));
                    }
                    &written
                }
            };
            let own = row(&self.rows.all, width, self.added);
            let side = sides
                .map(|sides| side_of(py, sides[index], own))
                .transpose()?;
            let score = match finished[index] {
                false => None,
                true => Some(units(&mut self.builder, (scores[index], decimals))?),
            };
            let added = self.builder.position(text, side, score);
            added.map_err(|error| of_building(&error))?;
            if let Some(pictures) = &pictures {
                add_picture(&mut self.builder, &pictures[index])?;
            }
            found.clear();
            while edge < edges && parents[edge] == index as i64 {
                if score.is_none() {
                    let child = self.number(row(children, width, edge))?;
                    found.push((self.name(py, moves[edge])?, child));
                }
                edge += 1;
            }
            if score.is_none() && found.is_empty() {
                let own = row(&self.rows.all, width, self.added);
                return Err(refused(py, "stuck_row", (format!("{own:?}"),)));
            }
            self.builder.moves(found.iter().copied());
            self.added += 1;
        }
        if edge < edges {
            return Err(solve_error(format!(
                "expand() gives a child of position {}, of {count}",
                parents[edge]
            )));
        }
        Ok(())
    }

    /// Solves the explored game.
    #[pyo3(signature = (name, out, force, progress))]
    fn solve(
        &mut self,
        py: Python<'_>,
        name: &str,
        out: Option<PathBuf>,
        force: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Oracle> {
        // Free the rows, which are no longer needed.
        self.rows.numbers = HashTable::new();
        self.rows.all = Vec::new();
        (self.handed_out, self.added) = (0, 0);
        let builder = std::mem::take(&mut self.builder);
        let (out, memory) = (out.as_deref(), self.limits.memory);
        solved(py, builder, name, out, force, memory, progress.as_ref())
    }
}
