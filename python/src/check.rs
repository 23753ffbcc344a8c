//! Checking an AI that is a Python function.

use crate::errors::{of_checking, value};
use crate::oracle::Oracle;
use crate::watch::watched;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use zermelo::any::AnyAi;
use zermelo::check::{
    CheckOptions, Coverage, ListedPosition, Plays, Scope, Standard, TextAi, html,
};
use zermelo::game::{Side, Until};

/// A Python function from many positions to as many moves.
struct Function {
    function: Py<PyAny>,
    /// What it has raised, which ends the check.
    raised: Mutex<Option<PyErr>>,
    has_raised: AtomicBool,
}

impl Function {
    fn ask(&self, py: Python<'_>, positions: &[String]) -> PyResult<Vec<String>> {
        let answers = self
            .function
            .bind(py)
            .call1((PyList::new(py, positions)?,))?;
        let answers: Vec<String> = answers.extract()?;
        if answers.len() == positions.len() {
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
    fn moves(&self, positions: &[String]) -> Vec<String> {
        if self.has_raised.load(Relaxed) {
            return Vec::new();
        }
        let answers = Python::attach(|py| self.ask(py, positions));
        answers.unwrap_or_else(|error| {
            let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
            self.has_raised.store(true, Relaxed);
            Vec::new()
        })
    }
}

pub fn check(
    py: Python<'_>,
    oracle: &Oracle,
    ai: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let options = options_of(options)?;
    let mut function = None;
    let ai = if let Ok(name) = ai.cast::<PyString>() {
        AnyAi::Builtin(name.to_str()?.to_owned())
    } else if ai.is_callable() {
        let text = Arc::new(Function {
            function: ai.clone().unbind(),
            raised: Mutex::new(None),
            has_raised: AtomicBool::new(false),
        });
        function = Some(Arc::clone(&text));
        AnyAi::Text(text)
    } else {
        return Err(PyTypeError::new_err(
            "an AI is a function from a position to a move, or the name of a builtin one",
        ));
    };
    let never = AtomicBool::new(false);
    let has_raised = function
        .as_ref()
        .map_or(&never, |function| &function.has_raised);
    let asked = oracle.oracle();
    // The check also ends when the AI has raised something.
    let stop = || has_raised.load(Relaxed);
    let report = watched(py, progress, |progress| {
        asked.check(&ai, &options, None, &Until::new(progress, &stop))
    })?;
    let raised = function.and_then(|function| {
        function
            .raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    });
    if let Some(error) = raised {
        return Err(error);
    }
    let mut report = report.map_err(|error| of_checking(&error))?;
    report.game_rules = oracle.game.rules_in_words().to_owned();
    let json = serde_json::to_string(&report).map_err(value)?;
    Ok((json, html::page(&report)))
}

/// How to check, of what Python's side has put together.
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
    match text("standard")?.as_deref() {
        None | Some("score") => {}
        Some("outcome") => options.standard = Standard::Outcome,
        Some(other) => {
            return Err(value(format!(
                "standard is \"score\" or \"outcome\", not {other:?}"
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
        options.coverage = Coverage::Listed(lines.collect());
    } else if let Some(count) = get("sample")? {
        let count: u64 = count.extract()?;
        let seed: u64 = get("seed")?.map_or(Ok(1), |seed| seed.extract())?;
        options.coverage = match text("draw")?.as_deref() {
            Some("uniform") => Coverage::Sample {
                count,
                seed,
                by_layer: false,
            },
            Some("layers") => Coverage::Sample {
                count,
                seed,
                by_layer: true,
            },
            None | Some("plays") => Coverage::Plays {
                count,
                seed,
                plays: None,
            },
            Some(other) => {
                let known = Plays::ALL.into_iter().find(|plays| plays.name() == other);
                let plays = known.ok_or_else(|| {
                    value(format!(
                        "draw is \"uniform\", \"layers\", \"plays\", \"versus-perfect\", \
                         \"versus-random\", \"self\" or \"random\", not {other:?}"
                    ))
                })?;
                Coverage::Plays {
                    count,
                    seed,
                    plays: Some(plays),
                }
            }
        };
    } else if get("canonical")?.is_some_and(|given| given.is_truthy().unwrap_or(false)) {
        options.coverage = Coverage::Canonical;
    }
    if let Some(most) = get("max_positions")? {
        options.max_positions = Some(most.extract()?);
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
        // Farther in the future clocks would overflow.
        duration
            .filter(|duration| *duration <= Duration::from_secs(1 << 30))
            .map(Some)
            .ok_or_else(|| value(format!("{name}={seconds} is no time in seconds")))
    };
    options.deadline = seconds("timeout")?.map(|time| Instant::now() + time);
    options.budget = seconds("budget")?;
    Ok(options)
}
