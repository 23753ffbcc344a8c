//! Checkpoints of a long solve.

use super::{Scores, SolveError};
use crate::work::Scratch;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Saves a solver's results so that a later run can resume.
///
/// An [`super::OwnSolver`] saves checkpoints and scores. A checkpoint is a sequence of bytes under a name, which
/// only the solver understands. The scores of each layer are saved as soon as they are complete,
/// lowest layer first.
///
/// A checkpoint from an earlier run may be missing or damaged. The solver then repeats that part of the
/// work, with the same scores. The default methods save nothing.
pub trait Checkpoints: Send {
    /// Opens the checkpoint saved under this name, or `None` unless there is an intact one.
    fn saved(&mut self, _name: &str) -> Option<Box<dyn Read + Send + '_>> {
        None
    }

    /// Saves the output of `write` under a name, replacing any earlier checkpoint.
    ///
    /// Atomic: if writing fails or is cut short, the earlier checkpoint remains.
    ///
    /// # Errors
    /// [`SolveError::Checkpoints`] if it can't be saved.
    fn save(
        &mut self,
        _name: &str,
        _write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        Ok(())
    }

    /// Directory for scratch files, if there is one.
    ///
    /// It is for data that doesn't fit in memory. A later run may find the files there.
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        None
    }

    /// Notes that all classes of a layer have their scores.
    ///
    /// The solver calls it in ascending order of layers. `scores` has the scores of all segments up
    /// to this layer.
    ///
    /// # Errors
    /// [`SolveError::Checkpoints`] if the scores can't be saved, [`SolveError::Interrupted`] if the
    /// work is cancelled.
    fn solved(&mut self, _layer: u32, _scores: &dyn Scores) -> Result<(), SolveError> {
        Ok(())
    }

    /// The layer below which scores are not read again.
    ///
    /// A solver may free their data.
    ///
    /// `None` if any score may be read when all is solved.
    fn written(&self) -> Option<u32> {
        None
    }
}

/// A checkpoints that saves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {}
