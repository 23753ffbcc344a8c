//! Sources of the positions that an AI is asked about.

use crate::check::Playouts;
use std::path::PathBuf;

/// The value of `--positions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    /// The classes of a table, with equal probability.
    Uniform,
    /// Positions from playouts of one kind, or of all kinds if `None`.
    Playouts(Option<Playouts>),
    /// The positions in a file.
    File(PathBuf),
}

/// Name of a sample with half of its positions from each kind of playouts.
pub(super) const MIXTURE: &str = "mixture";

pub(super) const UNIFORM: &str = "uniform";

impl From<&str> for Positions {
    /// Any other word is the name of a file.
    fn from(text: &str) -> Positions {
        match text {
            UNIFORM => Positions::Uniform,
            MIXTURE => Positions::Playouts(None),
            _ => match Playouts::ALL.iter().find(|plays| plays.to_string() == text) {
                Some(&plays) => Positions::Playouts(Some(plays)),
                None => Positions::File(text.into()),
            },
        }
    }
}
