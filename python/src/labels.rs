//! A table's entries as arrays.

use crate::errors::{of_asking, of_read};
use crate::watch::watched;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::collections::TryReserveError;
use zermelo::any::{
    AnyTable, ArrayShape, Labels, LabelsWanted, NO_SCORE, ScoreNumbers, each_in_order,
    memory_for_sample,
};
use zermelo::cli::{allowed_memory, bytes, bytes_up};
use zermelo::game::{Points, Progress};
use zermelo::oracle::AskError;

/// The value of missing scores before they are replaced, below those of all games.
pub const MISSING: i32 = NO_SCORE + 1;

/// Scores as the numbers of an array.
pub enum Numbers {
    Short(Vec<i16>),
    Long(Vec<i32>),
    Decimal(Vec<f64>, u32),
}

impl Numbers {
    pub fn new(kind: ScoreNumbers) -> Numbers {
        match kind {
            ScoreNumbers::Short => Numbers::Short(Vec::new()),
            ScoreNumbers::Long => Numbers::Long(Vec::new()),
            ScoreNumbers::Decimal(decimals) => Numbers::Decimal(Vec::new(), decimals),
        }
    }

    fn try_reserve_exact(&mut self, more: usize) -> Result<(), TryReserveError> {
        match self {
            Numbers::Short(numbers) => numbers.try_reserve_exact(more),
            Numbers::Long(numbers) => numbers.try_reserve_exact(more),
            Numbers::Decimal(numbers, _) => numbers.try_reserve_exact(more),
        }
    }

    /// Appends scores; those that are [`MISSING`] become `default`.
    pub fn extend(&mut self, scores: &[i32], default: f64) {
        match self {
            Numbers::Short(numbers) => numbers.extend(scores.iter().map(|&score| match score {
                MISSING => default as i16,
                score => i16::try_from(score).unwrap_or(i16::MIN),
            })),
            Numbers::Long(numbers) => numbers.extend(scores.iter().map(|&score| match score {
                MISSING => default as i32,
                score => score,
            })),
            Numbers::Decimal(numbers, decimals) => {
                let decimals = *decimals;
                numbers.extend(scores.iter().map(|&units| match units {
                    MISSING => default,
                    NO_SCORE => f64::NEG_INFINITY,
                    units => Points { units, decimals }.value(),
                }));
            }
        }
    }

    /// Returns an array of this shape.
    pub fn reshape<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let array = match self {
            Numbers::Short(numbers) => numbers.into_pyarray(py).into_any(),
            Numbers::Long(numbers) => numbers.into_pyarray(py).into_any(),
            Numbers::Decimal(numbers, _) => numbers.into_pyarray(py).into_any(),
        };
        array.call_method1("reshape", (PyTuple::new(py, shape)?,))
    }
}

/// Entries of a table, with their scores and those of their moves as the numbers of arrays.
struct Entries {
    /// All but the scores.
    labels: Labels,
    scores: Numbers,
    moves: Numbers,
}

impl Entries {
    fn new(table: &dyn AnyTable) -> Entries {
        let kind = table.score_numbers();
        Entries {
            labels: Labels::default(),
            scores: Numbers::new(kind),
            moves: Numbers::new(kind),
        }
    }

    fn of(table: &dyn AnyTable, labels: Labels) -> Entries {
        let mut entries = Entries::new(table);
        entries.extend(labels);
        entries
    }

    fn extend(&mut self, mut labels: Labels) {
        self.scores.extend(&std::mem::take(&mut labels.scores), 0.0);
        self.moves.extend(&std::mem::take(&mut labels.moves), 0.0);
        self.labels.extend(labels);
    }
}

pub fn block<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    number: u64,
    layers: Option<&[u32]>,
    wanted: LabelsWanted,
) -> PyResult<Bound<'py, PyDict>> {
    let made = watched(py, None, None, |progress| {
        let labeller = table.labeller(wanted, 0, progress)?;
        Ok(labeller.block(number, layers))
    })?;
    let labels = made.map_err(|error| of_read(&error))?;
    let labels = labels.map_err(|error| of_asking(&error))?;
    arrays(
        py,
        Entries::of(table, labels),
        table.array_shape().as_ref(),
        wanted,
    )
}

#[allow(clippy::too_many_arguments)] // Python passes them by name.
pub fn sample<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    count: usize,
    seed: u64,
    layers: Option<&[u32]>,
    wanted: LabelsWanted,
    memory: Option<u64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let memory = allowed_memory(memory);
    let taken = room_for(table, count as u64, wanted, memory)?;
    let memory = memory_for_sample(count as u64, table.file().entries(), memory - taken);
    let made = watched(py, progress, None, |progress| {
        let labeller = table.labeller(wanted, memory, progress)?;
        progress.phase("sampling entries", "entries", count as u64);
        Ok(labeller.sample(count, seed, layers, progress))
    })?;
    let labels = made.map_err(|error| of_read(&error))?;
    let labels = labels.map_err(|error| of_asking(&error))?;
    arrays(
        py,
        Entries::of(table, labels),
        table.array_shape().as_ref(),
        wanted,
    )
}

pub fn all<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    layers: Option<&[u32]>,
    wanted: LabelsWanted,
    memory: Option<u64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let entries = table.file().layers().into_iter();
    let entries = entries.filter(|(layer, _)| layers.is_none_or(|wanted| wanted.contains(layer)));
    let entries: u64 = entries.map(|(_, outcomes)| outcomes.total()).sum();
    let memory = allowed_memory(memory);
    let taken = room_for(table, entries, wanted, memory)?;
    let made = watched(py, progress, None, |progress| {
        let labeller = table
            .labeller(wanted, memory - taken, progress)
            .map_err(|error| of_read(&error))?;
        let shape = table.array_shape();
        progress.phase("reading the table", "entries", entries);
        let mut all = Entries::new(table);
        reserve(&mut all, entries as usize, shape.as_ref(), wanted).map_err(|_| {
            PyMemoryError::new_err(format!(
                "can't get {} of memory from the system for the arrays; {INSTEAD}",
                bytes_up(taken)
            ))
        })?;
        let take = &mut |_: u64, labels: Labels| -> Result<(), AskError> {
            all.extend(labels);
            Ok(())
        };
        each_in_order((table.file(), &*labeller), layers, progress, take)
            .map_err(|error| of_asking(&error))?;
        Ok::<_, PyErr>((shape, all))
    })?;
    let (shape, labels) = made?;
    arrays(py, labels, shape.as_ref(), wanted)
}

const INSTEAD: &str = "take some layers or a sample, leave out move_scores or best, go through \
                       blocks(), or export() the table";

/// Returns the rough memory of the labels in bytes; fails if it exceeds `memory`.
fn room_for(
    table: &dyn AnyTable,
    entries: u64,
    wanted: LabelsWanted,
    memory: u64,
) -> PyResult<u64> {
    let shape = table.array_shape();
    let (columns, moves) = shape.map_or((0, 0), |shape| (shape.columns.len(), shape.moves.len()));
    let score = match table.score_numbers() {
        ScoreNumbers::Short => 2,
        ScoreNumbers::Long => 4,
        ScoreNumbers::Decimal(_) => 8,
    };
    // The score and the layer.
    let mut each = score + 4 + columns;
    if wanted.moves {
        each += score * moves;
    }
    if wanted.best {
        each += moves;
    }
    if wanted.texts || columns == 0 {
        // A string here, another in Python, and its slot in a list. All texts are about as long as
        // that of the start.
        each += 24 + 8 + 56 + 2 * table.start().len();
    }
    let needed = entries.saturating_mul(each as u64);
    if needed > memory {
        return Err(PyMemoryError::new_err(format!(
            "{entries} entries of {} as arrays need about {} of memory, and {} may be used; {INSTEAD}",
            table.file().game_name(),
            bytes_up(needed),
            bytes(memory),
        )));
    }
    Ok(needed)
}

/// Reserves memory for the labels of all entries.
fn reserve(
    all: &mut Entries,
    entries: usize,
    shape: Option<&ArrayShape>,
    wanted: LabelsWanted,
) -> Result<(), TryReserveError> {
    let (columns, moves) = shape.map_or((0, 0), |shape| (shape.columns.len(), shape.moves.len()));
    let times = |numbers: usize| entries.saturating_mul(numbers);
    let Entries {
        labels,
        scores,
        moves: of_moves,
    } = all;
    labels.rows.try_reserve_exact(times(columns))?;
    scores.try_reserve_exact(entries)?;
    labels.layers.try_reserve_exact(entries)?;
    if wanted.moves {
        of_moves.try_reserve_exact(times(moves))?;
    }
    if wanted.best {
        labels.best.try_reserve_exact(times(moves))?;
    }
    if wanted.texts || columns == 0 {
        labels.texts.try_reserve_exact(entries)?;
    }
    Ok(())
}

/// Converts labels to a dictionary of arrays.
fn arrays<'py>(
    py: Python<'py>,
    entries: Entries,
    shape: Option<&ArrayShape>,
    wanted: LabelsWanted,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let Entries {
        labels,
        scores,
        moves: of_moves,
    } = entries;
    let count = labels.layers.len();
    if let Some(shape) = shape {
        let moves = shape.moves.len();
        if wanted.moves {
            all.set_item("move_scores", of_moves.reshape(py, &[count, moves])?)?;
        }
        if wanted.best {
            let best = labels.best.into_pyarray(py).reshape([count, moves])?;
            all.set_item("best", best)?;
        }
    }
    let columns = shape.map_or(0, |shape| shape.columns.len());
    if columns == 0 {
        all.set_item("positions", py.None())?;
    } else {
        let rows = labels.rows.into_pyarray(py).reshape([count, columns])?;
        all.set_item("positions", rows)?;
    }
    if wanted.texts || columns == 0 {
        all.set_item("texts", PyList::new(py, labels.texts)?)?;
    }
    all.set_item("scores", scores.reshape(py, &[count])?)?;
    all.set_item("layers", labels.layers.into_pyarray(py))?;
    Ok(all)
}
