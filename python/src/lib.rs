//! The extension module `zermelo._zermelo` of the Python package.
//!
//! The library does all work. This crate converts its results, errors and progress to Python's. The
//! public package `zermelo` is written in Python on top of it.

mod check;
mod errors;
mod graph;
mod labels;
mod literals;
mod moves;
mod oracle;
mod own;
mod policies;
mod rows;
mod solve;
mod suite;
mod watch;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The extension module.
#[pymodule]
mod _zermelo {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command;
    #[pymodule_export]
    use super::graph::{occupancy, order, values};
    #[pymodule_export]
    use super::literals::literals;
    #[pymodule_export]
    use super::oracle::Oracle;
    #[pymodule_export]
    use super::own::{check_place, solve_own};
    #[pymodule_export]
    use super::rows::Explorer;
    #[pymodule_export]
    use super::solve::{open, search, solve};
    #[pymodule_export]
    use super::suite::{scorecard, suite, suite_oracle};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_MOVES", super::own::MOST_MOVES)?;
        module.add("WON", zermelo::game::WON)?;
        module.add("NO_SCORE", i16::MIN)
    }
}

/// Runs the command that the first argument names, and returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| zermelo::cli::Program::of_library().run(&arguments))
}
