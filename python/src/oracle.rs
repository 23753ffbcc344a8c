//! Oracles: tables and searches with the same interface.

use crate::errors::{
    interrupted, of_asking, of_batch, of_exporting, of_solve_error, of_verifying, value, with_tip,
};
use crate::labels::{self, MISSING, Numbers};
use crate::watch::{threads, watched};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::time::Duration;
use zermelo::any::{
    AnyGame, AnyOracle, AnyTable, Client, LabelsWanted, Positions, ScoreNumbers, ScoresOf,
    Verified, VerifyBy, View,
};
use zermelo::check::builtin::Builtin;
use zermelo::cli::{allowed_memory, bytes};
use zermelo::export::{ExportOptions, Format, Sample, export};
use zermelo::game::{Endless, NoProgress, Points, SolveError, SolveOptions};
use zermelo::oracle::{Answer, Only, Wanted};
use zermelo::oracle::{CompareError, Comparison, SearchMethod};
use zermelo::table::{Verdict, VerifyOptions};

/// Position, method, depth, value, best move, nodes and seconds.
type SearchRow = (
    String,
    String,
    Option<u32>,
    Option<i32>,
    Option<String>,
    u64,
    f64,
);

pub enum Source {
    Table(Box<dyn AnyTable>),
    Search(AnyOracle<'static>),
}

/// An oracle: exact scores from a table or a search.
#[pyclass(frozen, module = "zermelo._zermelo")]
pub struct Oracle {
    pub source: Source,
    pub game: Box<dyn AnyGame>,
}

impl Oracle {
    pub fn oracle(&self) -> &AnyOracle<'_> {
        match &self.source {
            Source::Table(table) => table,
            Source::Search(search) => search,
        }
    }

    /// Returns the table.
    ///
    /// # Errors
    /// If the oracle is a search.
    pub fn table(&self) -> PyResult<&dyn AnyTable> {
        match &self.source {
            Source::Table(table) => Ok(&**table),
            Source::Search(_) => Err(value(format!(
                "{} is searched: only a table has a list of its positions",
                self.game.name()
            ))),
        }
    }

    /// Returns the position after these moves.
    fn view(&self, position: &str, moves: &[&str]) -> PyResult<View> {
        let view = self.oracle().view(Some(position), moves);
        view.map_err(|error| of_asking(&error))
    }

    fn number(&self, units: i32) -> Number {
        match self.oracle().score_numbers() {
            ScoreNumbers::Decimal(decimals) => Number::of(Points { units, decimals }),
            _ => Number::Whole(units),
        }
    }

    /// Asks a question; a search can be interrupted.
    fn ask(&self, py: Python<'_>, position: &str, wanted: Wanted) -> PyResult<Answer> {
        let (oracle, position) = (self.oracle(), Some(position));
        let answer = match self.source {
            Source::Table(_) => py.detach(|| oracle.ask(position, wanted, None)),
            Source::Search(_) => watched(py, None, None, |progress| {
                let report = &mut |_: &Answer| ();
                oracle.ask(position, wanted, Some(Client { progress, report }))
            })?,
        };
        answer.map_err(|error| of_asking(&error))
    }
}

/// A score in Python: an integer, or a float in a game whose scores have decimals.
#[derive(IntoPyObject)]
enum Number {
    Whole(i32),
    Decimal(f64),
}

impl Number {
    fn of(points: Points) -> Number {
        match points.decimals {
            0 => Number::Whole(points.units),
            _ => Number::Decimal(points.value()),
        }
    }
}

/// Wants only the score or outcome of a position, which may be finished.
fn only(part: Only) -> Wanted {
    Wanted {
        only: Some(part),
        ..Wanted::default()
    }
}

/// Positions as texts, or as rows of an array.
#[derive(FromPyObject)]
enum Given<'py> {
    Rows(PyReadonlyArray2<'py, u8>),
    Texts(Vec<String>),
}

/// The most numbers that are computed without checks for Ctrl-C.
const FEW: usize = 256;

/// Returns the rows of an array, one after the other.
fn rows_of(rows: &PyReadonlyArray2<'_, u8>) -> PyResult<Vec<u8>> {
    match rows.as_slice() {
        // An array in column order has a slice, too.
        Ok(slice) if rows.is_c_contiguous() => Ok(slice.to_vec()),
        _ => Ok(rows.as_array().iter().copied().collect()),
    }
}

#[pymethods]
impl Oracle {
    #[getter]
    fn rules(&self) -> String {
        self.game.rules()
    }

    #[getter]
    fn name(&self) -> String {
        self.game.name()
    }

    #[getter]
    fn title(&self) -> String {
        self.oracle().title()
    }

    #[getter]
    fn family(&self) -> String {
        self.game.family()
    }

    /// Returns the rules and the meaning of scores, in words.
    #[getter]
    fn rules_in_words(&self) -> String {
        self.game.rules_in_words().to_owned()
    }

    #[getter]
    fn is_table(&self) -> bool {
        matches!(self.source, Source::Table(_))
    }

    #[getter]
    fn counts_plies(&self) -> bool {
        self.oracle().counts_plies()
    }

    /// Returns the number of decimals of the points that scores tell; None if they only tell outcomes.
    #[getter]
    fn decimals(&self) -> Option<u32> {
        self.oracle().decimals()
    }

    /// Returns the type of arrays of scores.
    #[getter]
    fn score_type(&self) -> &'static str {
        match self.oracle().score_numbers() {
            ScoreNumbers::Short => "int16",
            ScoreNumbers::Long => "int32",
            ScoreNumbers::Decimal(_) => "float64",
        }
    }

    #[getter]
    fn is_endless(&self) -> bool {
        self.game.endless() == Endless::Draw
    }

    #[getter]
    fn has_start(&self) -> bool {
        self.game.has_start()
    }

    /// Returns the path of the table's file; None for a search or a table in memory.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        let path = self.table().ok()?.file().path();
        path.is_file().then(|| path.to_owned())
    }

    #[getter]
    fn start(&self) -> String {
        self.oracle().start()
    }

    /// Returns the names of an array's columns, and the names of the moves.
    fn shape(&self) -> Option<(Vec<String>, Vec<String>)> {
        let shape = self.oracle().array_shape()?;
        Some((shape.columns, shape.moves))
    }

    fn entries(&self) -> PyResult<u64> {
        Ok(self.table()?.file().entries())
    }

    /// Returns each layer with its number of entries.
    fn layers(&self) -> PyResult<Vec<(u32, u64)>> {
        let layers = self.table()?.file().layers().into_iter();
        Ok(layers
            .map(|(layer, outcomes)| (layer, outcomes.total()))
            .collect())
    }

    fn board(&self, position: &str) -> PyResult<String> {
        Ok(self.view(position, &[])?.board)
    }

    /// Returns the legal moves, without scores.
    fn legal_moves(&self, position: &str) -> PyResult<Vec<String>> {
        let moves = self.view(position, &[])?.moves.into_iter();
        Ok(moves.map(|mv| mv.name).collect())
    }

    /// Returns the board as an SVG file, or None if the game has no pictures.
    fn svg(&self, position: &str) -> PyResult<Option<String>> {
        let view = self.view(position, &[])?;
        Ok(view.picture.is_some().then(|| view.svg()))
    }

    /// Returns the side to move: 0 or 1.
    fn side(&self, position: &str) -> PyResult<usize> {
        let view = self.oracle().view(Some(position), &[]);
        let view = view.map_err(|error| value(with_tip(&error, error.tip())))?;
        Ok(view.to_move.index())
    }

    fn score(&self, py: Python<'_>, position: &str) -> PyResult<Number> {
        let bounds = self.ask(py, position, only(Only::Score))?.bounds;
        Ok(self.number(bounds.score().ok_or_else(interrupted)?))
    }

    /// Returns the points by which the side to move wins, or minus those by which it loses.
    ///
    /// None if scores only tell outcomes and distances.
    fn margin(&self, py: Python<'_>, position: &str) -> PyResult<Option<Number>> {
        let answer = self.ask(py, position, only(Only::Score))?;
        let score = answer.bounds.score().ok_or_else(interrupted)?;
        Ok(answer.in_words(score).points().map(Number::of))
    }

    fn outcome(&self, py: Python<'_>, position: &str) -> PyResult<String> {
        let bounds = self.ask(py, position, only(Only::Outcome))?.bounds;
        let outcome = bounds.outcome().ok_or_else(interrupted)?;
        Ok(outcome.to_string())
    }

    fn distance(&self, py: Python<'_>, position: &str) -> PyResult<Option<u32>> {
        let answer = self.ask(py, position, only(Only::Score))?;
        let score = answer.bounds.score().ok_or_else(interrupted)?;
        Ok(answer.in_words(score).distance())
    }

    fn moves(&self, py: Python<'_>, position: &str) -> PyResult<Vec<(String, Number)>> {
        let wanted = Wanted {
            moves: true,
            ..only(Only::Score)
        };
        let moves = self.ask(py, position, wanted)?.moves.unwrap_or_default();
        let moves = moves.into_iter();
        Ok(moves
            .map(|(name, score)| (name, self.number(score)))
            .collect())
    }

    fn line(&self, py: Python<'_>, position: &str) -> PyResult<Vec<String>> {
        let wanted = Wanted {
            line: usize::MAX,
            ..only(Only::Score)
        };
        Ok(self.ask(py, position, wanted)?.line.unwrap_or_default())
    }

    fn choose(&self, py: Python<'_>, position: &str, ai: &str) -> PyResult<String> {
        let ai: Builtin = ai.parse().map_err(value)?;
        let oracle = self.oracle();
        let chosen = match self.is_table() {
            true => py.detach(|| oracle.choose(ai, position)),
            false => watched(py, None, None, |_| oracle.choose(ai, position))?,
        };
        chosen.map_err(|error| of_asking(&error))
    }

    fn play(&self, position: &str, mv: &str) -> PyResult<String> {
        Ok(self.view(position, &[mv])?.position)
    }

    /// Returns the score of each position, or a row with those of its moves.
    #[pyo3(signature = (positions, of_moves, missing=None))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        positions: Given<'py>,
        of_moves: bool,
        missing: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (texts, rows): (Vec<&str>, Vec<u8>);
        let (positions, count) = match &positions {
            Given::Texts(all) => {
                texts = all.iter().map(|text| &**text).collect();
                (Positions::Texts(&texts), all.len())
            }
            Given::Rows(all) => {
                rows = rows_of(all)?;
                (Positions::Rows(&rows), all.shape()[0])
            }
        };
        let oracle = self.oracle();
        let (of, width) = match of_moves {
            true => (
                ScoresOf::Moves,
                oracle.array_shape().map_or(0, |shape| shape.moves.len()),
            ),
            false => (ScoresOf::Positions, 1),
        };
        let mut out = vec![0; count * width];
        let default = missing.unwrap_or_default();
        let missing = missing.map(|_| MISSING);
        let done = if self.is_table() && out.len() <= FEW {
            // Starting a thread would take longer than the work.
            py.detach(|| oracle.scores(positions, of, missing, &mut out, &NoProgress))
        } else {
            watched(py, None, None, |progress| {
                oracle.scores(positions, of, missing, &mut out, progress)
            })?
        };
        done.map_err(|error| of_batch(&error))?;
        let mut scores = Numbers::new(oracle.score_numbers());
        scores.extend(&out, default);
        match of {
            ScoresOf::Positions => scores.reshape(py, &[count]),
            ScoresOf::Moves => scores.reshape(py, &[count, width]),
        }
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<String>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let texts: Vec<&str> = positions.iter().map(|text| &**text).collect();
        let rows = self
            .oracle()
            .rows(&texts)
            .map_err(|error| of_batch(&error))?;
        let columns = self
            .oracle()
            .array_shape()
            .map_or(0, |shape| shape.columns.len());
        rows.into_pyarray(py).reshape([texts.len(), columns])
    }

    fn texts(&self, rows: PyReadonlyArray2<'_, u8>) -> PyResult<Vec<String>> {
        let texts = self.oracle().texts(&rows_of(&rows)?);
        texts.map_err(|error| of_batch(&error))
    }

    /// Searches positions in several ways; returns a row per position, depth and method.
    #[pyo3(signature = (positions, methods, depths, limit, memory, progress))]
    #[allow(clippy::too_many_arguments)] // Python passes them by name.
    fn searches(
        &self,
        py: Python<'_>,
        positions: Vec<String>,
        methods: Option<Vec<String>>,
        depths: Vec<u32>,
        limit: f64,
        memory: u64,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<SearchRow>> {
        let named: Result<Vec<SearchMethod>, _> = match methods {
            None => Ok(SearchMethod::all()),
            Some(names) => names.iter().map(|name| name.parse()).collect(),
        };
        let mut comparison = Comparison::default();
        comparison.methods = named.map_err(value)?;
        comparison.depths = depths;
        comparison.limit = Some(Duration::try_from_secs_f64(limit).map_err(value)?);
        comparison.table_bytes = memory;
        let game = &*self.game;
        let mut rows = Vec::new();
        for position in &positions {
            let compared = watched(py, progress.as_ref(), None, |progress| {
                game.compare_searches(Some(position), &comparison, progress)
            })?;
            let compared = compared.map_err(|error| match error {
                CompareError::Ask(ask) => of_asking(&ask),
                error => value(error),
            })?;
            rows.extend(compared.runs.into_iter().map(|run| {
                let (value, best) = match run.outcome {
                    zermelo::oracle::RunResult::Found { value, best_move } => {
                        (Some(value), best_move)
                    }
                    _ => (None, None),
                };
                let (method, seconds) = (run.method.to_string(), run.time.as_secs_f64());
                (
                    position.clone(),
                    method,
                    run.depth,
                    value,
                    best,
                    run.counts.nodes,
                    seconds,
                )
            }));
        }
        Ok(rows)
    }

    fn canonical(&self, position: &str) -> PyResult<(String, u32)> {
        let canonical = self.oracle().canonical(position);
        canonical.map_err(|error| of_asking(&error))
    }

    fn symmetries(&self, position: &str) -> PyResult<Vec<String>> {
        let images = self.oracle().symmetries(position);
        images.map_err(|error| of_asking(&error))
    }

    /// Returns the reachable positions and their moves as a dictionary of arrays.
    #[pyo3(signature = (by_class, memory, progress))]
    fn graph<'py>(
        &self,
        py: Python<'py>,
        by_class: bool,
        memory: Option<u64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (oracle, memory) = (self.oracle(), allowed_memory(memory));
        let graph = watched(py, progress.as_ref(), None, |progress| {
            oracle.graph(by_class, memory, progress)
        })?;
        let graph = graph.map_err(|error| match error {
            SolveError::Memory { game, allowed, .. } => PyMemoryError::new_err(format!(
                "the graph of {game} needs more than the {} of memory that may be used; \
                 by=\"class\" has fewer positions",
                bytes(allowed)
            )),
            error => of_solve_error(&error),
        })?;
        let arrays = PyDict::new(py);
        let count = graph.sides.len();
        match graph.rows.len() / count {
            0 => arrays.set_item("texts", graph.texts)?,
            width => {
                let rows = graph.rows.into_pyarray(py).reshape([count, width])?;
                arrays.set_item("positions", rows)?;
            }
        }
        arrays.set_item("sides", graph.sides.into_pyarray(py))?;
        let first = graph.first.into_iter().map(|first| first as i64);
        arrays.set_item("first", first.collect::<Vec<_>>().into_pyarray(py))?;
        arrays.set_item("children", graph.children.into_pyarray(py))?;
        arrays.set_item("moves", graph.moves.into_pyarray(py))?;
        arrays.set_item("names", graph.names)?;
        arrays.set_item("gains", graph.gains.into_pyarray(py))?;
        arrays.set_item("turns", graph.turns.into_pyarray(py))?;
        Ok(arrays)
    }

    fn rank(&self, position: &str) -> PyResult<Option<u64>> {
        self.table()?
            .rank(position)
            .map_err(|error| of_asking(&error))
    }

    fn unrank(&self, rank: u64) -> PyResult<Option<String>> {
        Ok(self.table()?.unrank(rank))
    }

    fn slots(&self) -> PyResult<Option<u64>> {
        Ok(self.table()?.slots())
    }

    /// Returns the numbers of the blocks that may have entries of these layers.
    #[pyo3(signature = (layers=None))]
    fn blocks(&self, layers: Option<Vec<u32>>) -> PyResult<Vec<u64>> {
        let file = self.table()?.file();
        Ok(file.blocks_with_entries(layers.as_deref()))
    }

    /// Returns the entries of a block as a dictionary of arrays.
    #[pyo3(signature = (number, layers, texts, moves, best))]
    fn block<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        layers: Option<Vec<u32>>,
        texts: bool,
        moves: bool,
        best: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wanted = LabelsWanted { texts, moves, best };
        labels::block(py, self.table()?, number, layers.as_deref(), wanted)
    }

    /// Returns all entries, or a random sample, as a dictionary of arrays.
    #[pyo3(signature = (sample, seed, layers, texts, moves, best, memory, progress))]
    #[allow(clippy::too_many_arguments)] // Python passes them by name.
    fn labels<'py>(
        &self,
        py: Python<'py>,
        sample: Option<usize>,
        seed: u64,
        layers: Option<Vec<u32>>,
        texts: bool,
        moves: bool,
        best: bool,
        memory: Option<u64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wanted = LabelsWanted { texts, moves, best };
        let (table, layers) = (self.table()?, layers.as_deref());
        match sample {
            Some(count) => labels::sample(
                py,
                table,
                count,
                seed,
                layers,
                wanted,
                memory,
                progress.as_ref(),
            ),
            None => labels::all(py, table, layers, wanted, memory, progress.as_ref()),
        }
    }

    /// Verifies the table and returns the verdict as a dictionary.
    #[pyo3(signature = (sample, seed, memory, progress))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        sample: Option<u64>,
        seed: u64,
        memory: Option<u64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let table = self.table()?;
        let options = options(None, memory);
        let proof = VerifyOptions::within(0, options.memory);
        let by = match sample {
            Some(count) => VerifyBy::Sample(Sample { count, seed }),
            None => VerifyBy::Proof(&proof),
        };
        let verified = watched(py, progress.as_ref(), None, |progress| {
            table.verify(by, progress)
        })?;
        let told = PyDict::new(py);
        let Verified::Compared(verdict) = verified.map_err(|error| of_verifying(&error))? else {
            return Ok(told);
        };
        match verdict {
            Verdict::Proved { entries, .. } => {
                told.set_item("verdict", "proved")?;
                told.set_item("entries", entries)?;
            }
            Verdict::Agrees { entries } => {
                told.set_item("verdict", "sample-agrees")?;
                told.set_item("entries", entries)?;
            }
            Verdict::Refuted(refutation) => {
                told.set_item("verdict", "refuted")?;
                told.set_item("reason", refutation.to_string())?;
            }
        }
        Ok(told)
    }

    /// Writes the entries to a directory and returns the manifest as JSON.
    #[pyo3(signature = (folder, format, moves, sample, seed, layers, memory, force, progress))]
    #[allow(clippy::too_many_arguments)] // Python passes them by name.
    fn export(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        format: &str,
        moves: bool,
        sample: Option<u64>,
        seed: u64,
        layers: Option<Vec<u32>>,
        memory: Option<u64>,
        force: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let table = self.table()?;
        let mut wanted = ExportOptions::default();
        wanted.format = format.parse::<Format>().map_err(value)?;
        wanted.layers = layers;
        wanted.sample = sample.map(|count| Sample { count, seed });
        wanted.moves = moves;
        wanted.memory = options(None, memory).memory;
        wanted.force = force;
        let exported = watched(py, progress.as_ref(), None, |progress| {
            export(table, &folder, &wanted, progress)
        })?;
        let manifest = exported.map_err(|error| of_exporting(&error))?;
        serde_json::to_string(&manifest).map_err(value)
    }

    /// Checks an AI and returns the report as JSON and as an HTML page, and the exception that
    /// ended the check early, if one did.
    fn check(
        &self,
        py: Python<'_>,
        ai: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(String, String, Option<PyErr>)> {
        let (oracle, words) = (self.oracle(), self.game.rules_in_words());
        crate::check::check(py, oracle, words, ai, options, progress.as_ref())
    }
}

/// Returns limits; by default a thread per core and the command line's memory.
pub fn options(threads_wanted: Option<usize>, memory: Option<u64>) -> SolveOptions {
    SolveOptions {
        threads: threads_wanted.unwrap_or_else(threads).max(1),
        memory: allowed_memory(memory),
    }
}
