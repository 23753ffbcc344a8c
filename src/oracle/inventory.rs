//! What only an oracle with a list of all positions can do: count, list and draw them.

use super::OracleError;
use crate::game::Notation;

/// How many entries a layer has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerTotal {
    /// The layer.
    pub layer: u32,
    /// Its entries, at least one.
    pub entries: u64,
}

/// Draws entries at random, each as likely as any other; none if there are none to draw from.
///
/// It is given a source of random numbers: a function of `n` whose result is below `n`. The same
/// numbers draw the same entries.
pub type Draw<'a, P> =
    Box<dyn Fn(&mut dyn FnMut(u64) -> u64) -> Result<Option<P>, OracleError> + Send + Sync + 'a>;

/// The canonical unfinished positions that an oracle has scores of, one of each reachable class.
///
/// # Errors
/// Where a method fails, the entries can't be read.
pub trait Inventory<G: Notation>: Send + Sync {
    /// How many entries there are.
    fn entries(&self) -> u64;

    /// The layers that have entries, lowest first.
    fn layers(&self) -> Vec<LayerTotal>;

    /// How many blocks the entries are listed in.
    fn blocks(&self) -> u64;

    /// The entries of a block, always in the same order. Every entry is in one of `0..blocks()`.
    ///
    /// # Errors
    /// As the trait says.
    fn block(&self, number: u64) -> Result<Vec<G::Position>, OracleError>;

    /// Gets ready to draw from one layer, or from all entries.
    ///
    /// # Errors
    /// As the trait says.
    fn draw_from(&self, layer: Option<u32>) -> Result<Draw<'_, G::Position>, OracleError>;
}
