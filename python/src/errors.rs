//! Conversion of the library's errors to Python exceptions.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::io;
use zermelo::any::{BatchError, GraphError, OpenError, SolveJobCause, SolveJobError};
use zermelo::check::CheckError;
use zermelo::export::ExportError;
use zermelo::game::{SearchError, SolveError};
use zermelo::games::listed::BuildError;
use zermelo::oracle::{AskError, OracleError};
use zermelo::table::{ReadError, VerifyError, WriteError};
use zermelo::work::DiskError;

/// Creates an exception of a class in `zermelo._errors`.
fn own(name: &'static str, known: &'static PyOnceLock<Py<PyType>>, message: String) -> PyErr {
    Python::attach(|py| match known.import(py, "zermelo._errors", name) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    })
}

/// Creates a `zermelo.NotInTable`, a `KeyError`.
fn not_in_table(message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    own("NotInTable", &CLASS, message)
}

/// Creates a `zermelo.TableError`.
fn table_error(message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    own("TableError", &CLASS, message)
}

/// Creates a `zermelo.SolveError`.
pub fn solve_error(message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    own("SolveError", &CLASS, message)
}

pub fn value(message: impl ToString) -> PyErr {
    PyValueError::new_err(message.to_string())
}

pub fn interrupted() -> PyErr {
    PyKeyboardInterrupt::new_err(())
}

fn of_io(cause: &io::Error, message: String) -> PyErr {
    match cause.kind() {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        io::ErrorKind::AlreadyExists => PyFileExistsError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

pub fn of_read(error: &ReadError) -> PyErr {
    match error {
        ReadError::Disk(disk) => of_io(&disk.cause, error.to_string()),
        _ => table_error(error.to_string()),
    }
}

pub fn of_open(error: &OpenError) -> PyErr {
    match error {
        OpenError::Table(read) => of_read(read),
        _ => table_error(error.to_string()),
    }
}

fn of_oracle(error: &OracleError, message: String) -> PyErr {
    match error {
        OracleError::Table(read) => match **read {
            ReadError::NotInTable { .. } => not_in_table(message),
            _ => of_read(read),
        },
        OracleError::Interrupted(_) => interrupted(),
        OracleError::Search(search) => of_search(search, message),
        _ => value(message),
    }
}

pub fn of_search(error: &SearchError, message: String) -> PyErr {
    match error {
        SearchError::Interrupted => interrupted(),
        SearchError::Memory { .. } => PyMemoryError::new_err(message),
        _ => value(message),
    }
}

/// Adds advice, if there is any, to a message.
pub fn with_tip(message: impl ToString, tip: Option<String>) -> String {
    let message = message.to_string();
    tip.map_or_else(|| message.clone(), |tip| format!("{message}\ntip: {tip}"))
}

pub fn of_asking(error: &AskError) -> PyErr {
    said_of_asking(error, error)
}

/// Converts an error with a message of its own.
fn said_of_asking(error: &AskError, message: impl ToString) -> PyErr {
    let message = with_tip(message, error.tip());
    match error {
        AskError::Oracle(oracle) => of_oracle(oracle, message),
        AskError::Notation(notation) if notation.is_unlisted => not_in_table(message),
        _ => value(message),
    }
}

pub fn of_batch(error: &BatchError) -> PyErr {
    match error {
        BatchError::Position { cause, .. } => said_of_asking(cause, error),
        BatchError::Form(problem) => value(problem.clone()),
        _ => interrupted(),
    }
}

pub fn of_verifying(error: &VerifyError) -> PyErr {
    match error {
        VerifyError::Read(read) => of_read(read),
        VerifyError::Interrupted { .. } => interrupted(),
        VerifyError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => value(error),
    }
}

pub fn of_checking(error: &CheckError) -> PyErr {
    match error {
        CheckError::Oracle(oracle) => of_oracle(oracle, error.to_string()),
        CheckError::Interrupted => interrupted(),
        CheckError::TooMany { .. } => PyMemoryError::new_err(error.to_string()),
        CheckError::Listed { tip, .. } => value(with_tip(error, tip.clone())),
        _ => value(error),
    }
}

pub fn of_building(error: &BuildError) -> PyErr {
    match error {
        BuildError::Interrupted => interrupted(),
        BuildError::Repetition(_) => {
            Python::attach(|py| refused(py, "repeated", (error.to_string(),)))
        }
        _ => solve_error(error.to_string()),
    }
}

pub fn of_graph(error: &GraphError) -> PyErr {
    match error {
        GraphError::Build(build) => of_building(build),
        GraphError::Solve(solve) => of_solve_error(solve),
        GraphError::Write(write) => of_writing(write),
        GraphError::Read(read) => of_read(read),
        _ => solve_error(error.to_string()),
    }
}

/// Creates a `FileExistsError` with advice on an existing file.
fn exists(message: &str) -> PyErr {
    PyFileExistsError::new_err(format!(
        "{message}; choose another name, or replace it with force=True"
    ))
}

pub fn of_writing(error: &WriteError) -> PyErr {
    match error {
        WriteError::Exists { .. } => exists(&error.to_string()),
        WriteError::Disk(DiskError { cause, .. })
            if cause.kind() == io::ErrorKind::InvalidInput =>
        {
            value(error)
        }
        WriteError::Disk(DiskError { cause, .. }) => of_io(cause, error.to_string()),
        WriteError::Interrupted { .. } => interrupted(),
        _ => solve_error(error.to_string()),
    }
}

pub fn of_exporting(error: &ExportError) -> PyErr {
    match error {
        ExportError::Read(read) => of_read(read),
        ExportError::Ask(ask) => of_asking(ask),
        ExportError::Disk(disk) => of_io(&disk.cause, error.to_string()),
        ExportError::Exists { .. } | ExportError::Mixed { .. } => {
            PyFileExistsError::new_err(error.to_string())
        }
        ExportError::Interrupted => interrupted(),
        _ => value(error),
    }
}

pub fn of_solving(error: &SolveJobError) -> PyErr {
    match &*error.cause {
        SolveJobCause::Solve(solve) => of_solve_error(solve),
        SolveJobCause::Write(write) => of_writing(write),
        SolveJobCause::Read(read) => of_read(read),
        _ => solve_error(error.to_string()),
    }
}

pub fn of_solve_error(error: &SolveError) -> PyErr {
    match error {
        SolveError::Interrupted => interrupted(),
        SolveError::Memory { .. } | SolveError::NoMemory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        SolveError::Disk(DiskError { cause, .. }) => of_io(cause, error.to_string()),
        _ => solve_error(error.to_string()),
    }
}

/// Returns the error that a function of `zermelo._rules` makes, for the same texts everywhere.
pub fn refused<'py>(py: Python<'py>, error: &str, values: impl PyCallArgs<'py>) -> PyErr {
    let rules = py.import("zermelo._rules");
    match rules.and_then(|rules| rules.call_method1(error, values)) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}
