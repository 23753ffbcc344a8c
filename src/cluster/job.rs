//! What all parts of the work know, and what they find.

use super::keys::{Pile, Width};
use super::team::{MORE, Team};
use crate::game::SolveOptions;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

/// How several processes solve a game.
#[derive(Clone, Copy, Debug)]
pub struct SharedOptions {
    /// Threads and memory of each process.
    pub solve: SolveOptions,
    /// How many classes each process looks at between two exchanges, at least 1.
    pub block: usize,
    /// How much time goes by at least from one checkpoint to the next. There are none within a
    /// layer.
    pub save_every: Duration,
    /// By the rules alone, even if the game has a solver of its own.
    pub by_rules: bool,
}

impl SharedOptions {
    /// With a checkpoint every second, if a layer is complete.
    #[must_use]
    pub fn new(solve: SolveOptions) -> SharedOptions {
        SharedOptions {
            solve,
            block: 1 << 16,
            save_every: Duration::from_secs(1),
            by_rules: false,
        }
    }
}

/// The classes of one layer that are this process's.
#[derive(Default)]
pub(super) struct Layer<K> {
    /// Ascending.
    pub(super) keys: Vec<K>,
    /// The codes of their scores in the game's range; none yet, or one for each.
    pub(super) codes: Vec<u8>,
}

impl<K> Layer<K> {
    pub(super) fn bytes(&self) -> usize {
        self.keys.len() * size_of::<K>() + self.codes.len()
    }
}

/// Layers by their places.
pub(super) type Layers<K> = BTreeMap<u32, Layer<K>>;

/// What all parts of the work know.
pub(super) struct Job<'a, G, K> {
    pub(super) game: &'a G,
    pub(super) team: &'a Team<'a>,
    pub(super) options: SharedOptions,
    /// The table's.
    pub(super) path: &'a Path,
    pub(super) width: Width,
    pub(super) key: PhantomData<K>,
}

/// The flags of a process that has more to do, or not.
pub fn more(has_more: bool) -> u8 {
    if has_more { MORE } else { 0 }
}

/// What is found so far.
pub struct Found<K> {
    /// The layers that are complete, everywhere.
    pub layers: Layers<K>,
    /// What has been found of later ones.
    pub open: BTreeMap<u32, Pile<K>>,
    /// Whether the classes that the walk starts from are with their owners.
    pub is_planted: bool,
    /// Whether all is found.
    pub is_all: bool,
}

impl<K> Default for Found<K> {
    fn default() -> Self {
        Found {
            layers: Layers::new(),
            open: BTreeMap::new(),
            is_planted: false,
            is_all: false,
        }
    }
}
