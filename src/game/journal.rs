//! How a long solve survives being stopped.

use super::{Scores, SolveError};
use crate::work::Scratch;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Keeps what a solver has found so far, so that a solver started again need not find it anew.
///
/// A [`super::Sweep`] offers its journal two things: *pieces*, bytes under a name that only the
/// sweep understands, and the scores of each layer as soon as they are there, lowest layer first.
/// What comes back from an earlier run may be missing or damaged; a sweep then does that part of
/// the work again, and its scores are the same. A journal keeps nothing of which it doesn't say how.
pub trait Journal: Send {
    /// Opens the piece that was kept under this name; nothing if there is none that is whole.
    fn kept(&mut self, name: &str) -> Option<Box<dyn Read + Send + '_>> {
        let _ = name;
        None
    }

    /// Keeps what `write` writes under a name, in place of an earlier piece of that name. It is all
    /// or nothing: a piece whose writing fails or is cut short does not replace the earlier one.
    ///
    /// # Errors
    /// [`SolveError::Journal`] if it can't be kept.
    fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        let _ = (name, write);
        Ok(())
    }

    /// A folder for what there is no memory for, as long as this run goes on; a later one may find
    /// it there. None unless there is one.
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        None
    }

    /// All classes of a layer have their scores; those of lower layers had them before. `scores`
    /// answers for all segments up to this layer.
    ///
    /// # Errors
    /// [`SolveError::Journal`] if they can't be noted, [`SolveError::Interrupted`] if that is to
    /// stop.
    fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
        let _ = (layer, scores);
        Ok(())
    }

    /// For the scores of lower layers than this nobody will ask again, so that a solver may forget
    /// what only they need. Nothing if somebody may ask for any when all is solved.
    fn written(&self) -> Option<u32> {
        None
    }
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {}
