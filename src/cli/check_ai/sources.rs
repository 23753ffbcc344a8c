//! Where the positions come from that an AI is asked about.

use crate::check::Playouts;
use std::path::PathBuf;

/// What `--positions` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    /// All classes of a table, each as likely.
    Uniform,
    /// Those that come up in plays; nothing: in plays of all kinds.
    Playouts(Option<Playouts>),
    /// Those that a file lists.
    File(PathBuf),
}

/// How half from each of the plays is called.
pub(super) const MIXTURE: &str = "mixture";

pub(super) const UNIFORM: &str = "uniform";

impl From<&str> for Positions {
    /// Whatever is not one of the names is the name of a file.
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
