//! Evidence for the causes of faults.

use crate::check::contenders::Fault;
use crate::game::Notation;

/// Evidence for or against a cause.
pub(in crate::check) struct Evidence<'a, G: Notation> {
    pub game: &'a G,
    /// The faults, with their positions.
    pub faults: &'a [(G::Position, Fault)],
    /// Legal answers with their positions, perhaps not all.
    pub right: Vec<&'a (G::Position, G::Move)>,
    /// The command that starts the AI, if it is a program.
    pub command: Option<&'a str>,
}

impl<G: Notation> Evidence<'_, G> {
    pub(in crate::check) fn all(&self, holds: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().all(|(_, fault)| holds(fault))
    }

    pub(in crate::check) fn is_python(&self) -> bool {
        let command = self.command.unwrap_or_default();
        command.contains("python") || command.contains(".py")
    }
}
