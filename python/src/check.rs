//! Checks of an AI that is a Python function.

use crate::errors::{of_checking, value};
use crate::watch::{Watched, watched};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use std::ffi::c_long;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use zermelo::any::{AnyAi, AnyOracle};
use zermelo::check::{
    CheckOptions, Coverage, Criterion, Fault, FaultKind, InText, ListedPosition, Playouts, Scope,
    SolvedMisreading, TextAi, html,
};
use zermelo::game::{CancelScope, Progress, Side};

/// An answer of the function.
#[derive(FromPyObject)]
enum Answer {
    Move(String),
    Fault(AnswerFault),
}

/// A timeout or an exception, as the end of a sentence that begins with "the AI".
#[derive(FromPyObject)]
struct AnswerFault {
    is_timeout: bool,
    detail: String,
}

impl Answer {
    fn read(self) -> Result<String, Fault> {
        match self {
            Answer::Move(text) => Ok(text),
            Answer::Fault(AnswerFault { is_timeout, detail }) => {
                let kinds = [FaultKind::Crash, FaultKind::Timeout];
                Err(Fault::new(kinds[usize::from(is_timeout)], detail))
            }
        }
    }
}

/// A Python function that maps a list of positions to a list of moves.
struct Function {
    function: Py<PyAny>,
    /// The exception that the function raised; it ends the check.
    raised: Mutex<Option<PyErr>>,
    has_raised: AtomicBool,
    /// The interpreter's identifiers of the threads that wait for an answer.
    waiting: Mutex<Vec<c_long>>,
    /// The exception class that interrupts an answer that is no longer needed.
    no_more: Py<PyType>,
    has_ended: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Function {
    fn of(function: Py<PyAny>, py: Python<'_>) -> PyResult<Function> {
        let no_more = py.import("zermelo._asker")?.getattr("NoMore")?;
        Ok(Function {
            function,
            raised: Mutex::default(),
            has_raised: AtomicBool::new(false),
            waiting: Mutex::default(),
            no_more: no_more.cast_into::<PyType>()?.unbind(),
            has_ended: AtomicBool::new(false),
        })
    }

    /// Raises an exception in the function wherever it is running.
    ///
    /// The caller holds the interpreter lock, and so does every thread that takes `waiting`.
    fn end(&self) {
        for &thread in &*lock(&self.waiting) {
            self.has_ended.store(true, Relaxed);
            // SAFETY: the interpreter lock is held, and the class lives as long as `self`.
            unsafe { ffi::PyThreadState_SetAsyncExc(thread, self.no_more.as_ptr()) };
        }
    }

    /// Returns the function's answers; none counts after a call of [`Function::end`].
    fn ask_until_ended(&self, py: Python<'_>, positions: &[String]) -> PyResult<Vec<Answer>> {
        let thread = py.import("threading")?.call_method0("get_ident")?;
        // The interpreter treats the identifier as unsigned, so only the bits matter.
        let thread = thread.extract::<u64>()? as c_long;
        lock(&self.waiting).push(thread);
        let answers = self.ask(py, positions);
        lock(&self.waiting).retain(|other| *other != thread);
        if self.has_ended.load(Relaxed) {
            // SAFETY: the interpreter lock is held. This withdraws an exception that is still
            // pending.
            unsafe { ffi::PyThreadState_SetAsyncExc(thread, std::ptr::null_mut()) };
            return Ok(answers.unwrap_or_default());
        }
        answers
    }

    /// Keeps the exception that ends the check.
    fn keep(&self, error: PyErr) {
        lock(&self.raised).get_or_insert(error);
        self.has_raised.store(true, Relaxed);
    }

    fn ask(&self, py: Python<'_>, positions: &[String]) -> PyResult<Vec<Answer>> {
        let answers = self
            .function
            .bind(py)
            .call1((PyList::new(py, positions)?,))?;
        let answers: Vec<Answer> = answers.extract()?;
        // An exception, after answers that count.
        if let Some(error) = self.function.getattr(py, "error")?.extract(py)? {
            self.keep(PyErr::from_value(error));
            return Ok(answers);
        }
        if answers.len() == positions.len() || self.has_ended.load(Relaxed) {
            return Ok(answers);
        }
        Err(value(format!(
            "the AI gave {} moves for {} positions",
            answers.len(),
            positions.len()
        )))
    }
}

impl TextAi for Function {
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>> {
        if self.has_raised.load(Relaxed) {
            return Vec::new();
        }
        let answers = Python::attach(|py| self.ask_until_ended(py, positions));
        let answers = answers.unwrap_or_else(|error| {
            self.keep(error);
            Vec::new()
        });
        answers.into_iter().map(Answer::read).collect()
    }

    fn begin_again(&self) {
        let begun = Python::attach(|py| self.function.call_method0(py, "begin_again"));
        begun.map_or_else(|error| self.keep(error), drop);
    }
}

/// Returns the report as JSON and as an HTML page, and the exception that ended the check early.
pub fn check(
    py: Python<'_>,
    oracle: &AnyOracle<'_>,
    rules_in_words: &str,
    ai: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String, Option<PyErr>)> {
    let options = options_of(options)?;
    let mut function = None;
    let ai = if let Ok(name) = ai.cast::<PyString>() {
        AnyAi::Builtin(name.to_str()?.to_owned())
    } else if ai.is_callable() {
        let text = Arc::new(Function::of(ai.clone().unbind(), py)?);
        function = Some(Arc::clone(&text));
        AnyAi::Text(InText(text))
    } else {
        return Err(PyTypeError::new_err(
            "an AI is a function from a position to a move, or the name of a builtin one",
        ));
    };
    let never = AtomicBool::new(false);
    let has_raised = function
        .as_ref()
        .map_or(&never, |function| &function.has_raised);
    // An exception of the AI ends the check, too.
    let stop = || has_raised.load(Relaxed);
    // Interrupt an answer after the deadline or on cancellation.
    let look = |progress: &Watched| {
        let is_late = options.deadline.is_some_and(|end| Instant::now() >= end);
        if let Some(function) = &function
            && (is_late || progress.cancelled())
        {
            function.end();
        }
    };
    // The report of an interrupted check is wanted, too.
    let mut report = None;
    let checked = watched(py, progress, Some(&look), |progress| {
        report = Some(oracle.check(&ai, &options, None, &CancelScope::new(progress, &stop)));
    });
    let raised = function
        .as_ref()
        .and_then(|function| lock(&function.raised).take());
    let ended_by = checked.err().or(raised);
    let mut report = match report.expect("the work is done") {
        Ok(report) => report,
        Err(error) => return Err(ended_by.unwrap_or_else(|| of_checking(&error))),
    };
    report.game_rules = rules_in_words.to_owned();
    if let Some(function) = function {
        // Its answers may come from an earlier check, and a move may take several calls.
        let function = function.function.bind(py);
        report.seconds_per_move = function.getattr("seconds_per_move")?.extract()?;
        report.coverage += &function.getattr("note")?.extract::<String>()?;
    }
    let json = serde_json::to_string(&report).map_err(value)?;
    Ok((json, html::page(&report), ended_by))
}

/// Reads the options of a check from the dictionary of the Python package.
fn options_of(given: &Bound<'_, PyDict>) -> PyResult<CheckOptions> {
    let get = |name: &str| given.get_item(name);
    let text = |name: &str| -> PyResult<Option<String>> {
        get(name)?.map(|value| value.extract()).transpose()
    };
    let mut options = CheckOptions::default();
    match text("scope")?.as_deref() {
        None | Some("all") => {}
        Some("play") => options.scope = Scope::Play,
        Some(other) => {
            return Err(value(format!(
                "scope is \"all\" or \"play\", not {other:?}"
            )));
        }
    }
    match text("criterion")?.as_deref() {
        None => {}
        Some("score") => options.criterion = Some(Criterion::Score),
        Some("outcome") => options.criterion = Some(Criterion::Outcome),
        Some(other) => {
            return Err(value(format!(
                "criterion is \"score\" or \"outcome\", not {other:?}"
            )));
        }
    }
    if let Some(side) = text("side")? {
        let side: Result<Side, _> = side.parse();
        options.side = Some(side.map_err(value)?);
    }
    if let Some(listed) = get("positions")? {
        let listed: Vec<String> = listed.extract()?;
        let lines = (1..)
            .zip(listed)
            .map(|(line, text)| ListedPosition { line, text });
        let is_suite = get("suite")?.is_some_and(|given| given.is_truthy().unwrap_or(false));
        let coverage = if is_suite {
            Coverage::Suite
        } else {
            Coverage::Listed
        };
        options.coverage = coverage(lines.collect());
    } else if let Some(count) = get("sample")? {
        let count: u64 = count.extract()?;
        let seed: u64 = get("seed")?.map_or(Ok(1), |seed| seed.extract())?;
        options.coverage = match text("by")?.as_deref() {
            Some("uniform") => Coverage::Sample { count, seed },
            None | Some("playouts") => Coverage::Playouts {
                count,
                seed,
                kind: None,
            },
            Some(other) => {
                let known = Playouts::ALL
                    .into_iter()
                    .find(|kind| kind.to_string() == other);
                let kind = known.ok_or_else(|| {
                    value(format!(
                        "by is \"uniform\", \"playouts\", \"self\" or \"random\", not {other:?}"
                    ))
                })?;
                Coverage::Playouts {
                    count,
                    seed,
                    kind: Some(kind),
                }
            }
        };
    } else if get("canonical")?.is_some_and(|given| given.is_truthy().unwrap_or(false)) {
        options.coverage = Coverage::Canonical;
    }
    if let Some(most) = get("max_faults")? {
        options.max_faults = most.extract()?;
    }
    let seconds = |name: &str| -> PyResult<Option<Duration>> {
        let Some(given) = get(name)? else {
            return Ok(None);
        };
        let seconds: f64 = given.extract()?;
        let duration = Duration::try_from_secs_f64(seconds).ok();
        // Clocks would overflow further in the future.
        duration
            .filter(|duration| *duration <= Duration::from_secs(1 << 30))
            .map(Some)
            .ok_or_else(|| value(format!("{name}={seconds} is no time in seconds")))
    };
    if let Some(given) = get("misreadings")? {
        let given: Vec<(String, _)> = given.extract()?;
        let solved = given
            .into_iter()
            .map(|(sentence, best_moves)| SolvedMisreading {
                sentence,
                best_moves,
            });
        options.misreadings = solved.collect();
    }
    if let Some(jobs) = get("jobs")? {
        options.jobs = jobs.extract()?;
    }
    options.deadline = seconds("timeout")?.map(|time| Instant::now() + time);
    options.budget = seconds("budget")?;
    Ok(options)
}
