//! All entries of a table as arrays.

use crate::errors::{of_asking, of_labels, of_read};
use crate::watch::watched;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use zermelo::any::{AnyTable, ArrayShape, Labels, LabelsWanted, each_in_order};
use zermelo::game::{NoProgress, Progress};

#[derive(Clone, Copy)]
pub struct Wanted {
    pub texts: bool,
    pub moves: bool,
    pub best: bool,
}

impl From<Wanted> for LabelsWanted {
    fn from(wanted: Wanted) -> LabelsWanted {
        let Wanted { texts, moves, best } = wanted;
        LabelsWanted { texts, moves, best }
    }
}

pub fn blocks(table: &dyn AnyTable, layers: Option<&[u32]>) -> PyResult<Vec<u64>> {
    let labeller = table.labeller(LabelsWanted::default(), 0, &NoProgress);
    let labeller = labeller.map_err(|error| of_read(&error))?;
    labeller.blocks(layers).map_err(|error| of_asking(&error))
}

pub fn block<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    number: u64,
    layers: Option<&[u32]>,
    wanted: Wanted,
) -> PyResult<Bound<'py, PyDict>> {
    let made = watched(py, None, |progress| {
        let labeller = table.labeller(wanted.into(), 0, progress)?;
        Ok((labeller.shape().cloned(), labeller.block(number, layers)))
    })?;
    let (shape, labels) = made.map_err(|error| of_read(&error))?;
    let labels = labels.map_err(|error| of_asking(&error))?;
    arrays(py, labels, shape.as_ref(), wanted)
}

pub fn sample<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    count: usize,
    seed: u64,
    layers: Option<&[u32]>,
    wanted: Wanted,
) -> PyResult<Bound<'py, PyDict>> {
    let made = watched(py, None, |progress| {
        let labeller = table.labeller(wanted.into(), 0, progress)?;
        Ok((
            labeller.shape().cloned(),
            labeller.sample(count, seed, layers),
        ))
    })?;
    let (shape, labels) = made.map_err(|error| of_read(&error))?;
    let labels = labels.map_err(|error| of_asking(&error))?;
    arrays(py, labels, shape.as_ref(), wanted)
}

pub fn all<'py>(
    py: Python<'py>,
    table: &dyn AnyTable,
    layers: Option<&[u32]>,
    wanted: Wanted,
    memory: Option<u64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let entries = table.file().layers().into_iter();
    let entries = entries.filter(|layer| layers.is_none_or(|wanted| wanted.contains(&layer.layer)));
    let entries: u64 = entries.map(|layer| layer.outcomes.total()).sum();
    let memory = memory.unwrap_or_else(zermelo::cli::available_memory);
    let made = watched(py, progress, |progress| {
        let labeller = table
            .labeller(wanted.into(), memory, progress)
            .map_err(|error| of_read(&error))?;
        let shape = labeller.shape().cloned();
        let blocks = labeller.blocks(layers).map_err(|error| of_asking(&error))?;
        progress.phase("reading the table", "entries", entries);
        let mut all = Labels::default();
        reserve(&mut all, entries as usize, shape.as_ref(), wanted);
        let take = &mut |_: u64, labels: Labels| -> PyResult<()> {
            all.rows.extend(labels.rows);
            all.texts.extend(labels.texts);
            all.layers.extend(labels.layers);
            all.scores.extend(labels.scores);
            all.moves.extend(labels.moves);
            all.best.extend(labels.best);
            Ok(())
        };
        each_in_order(&*labeller, &blocks, layers, progress, take).map_err(of_labels)?;
        Ok::<_, PyErr>((shape, all))
    })?;
    let (shape, labels) = made?;
    arrays(py, labels, shape.as_ref(), wanted)
}

/// Makes room for so many entries, as far as there is any.
fn reserve(labels: &mut Labels, entries: usize, shape: Option<&ArrayShape>, wanted: Wanted) {
    let (columns, moves) = shape.map_or((0, 0), |shape| (shape.columns.len(), shape.moves.len()));
    // Where a file claims more than there can be, growing will end it.
    let _ = labels
        .rows
        .try_reserve_exact(entries.saturating_mul(columns));
    let _ = labels.scores.try_reserve_exact(entries);
    let _ = labels.layers.try_reserve_exact(entries);
    if wanted.moves {
        let _ = labels
            .moves
            .try_reserve_exact(entries.saturating_mul(moves));
    }
    if wanted.best {
        let _ = labels.best.try_reserve_exact(entries.saturating_mul(moves));
    }
}

/// A dictionary of arrays.
fn arrays<'py>(
    py: Python<'py>,
    labels: Labels,
    shape: Option<&ArrayShape>,
    wanted: Wanted,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let count = labels.scores.len();
    match shape {
        Some(shape) => {
            let (columns, moves) = (shape.columns.len(), shape.moves.len());
            let rows = labels.rows.into_pyarray(py).reshape([count, columns])?;
            all.set_item("positions", rows)?;
            if wanted.moves {
                let scores = labels.moves.into_pyarray(py).reshape([count, moves])?;
                all.set_item("move_scores", scores)?;
            }
            if wanted.best {
                let best = labels.best.into_pyarray(py).reshape([count, moves])?;
                all.set_item("best", best)?;
            }
        }
        None => all.set_item("positions", py.None())?,
    }
    if wanted.texts || shape.is_none() {
        all.set_item("texts", PyList::new(py, labels.texts)?)?;
    }
    all.set_item("scores", labels.scores.into_pyarray(py))?;
    all.set_item("layers", labels.layers.into_pyarray(py))?;
    Ok(all)
}
