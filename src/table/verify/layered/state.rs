//! How far a proof has come, and what it may use.

use super::held::Held;
use crate::game::peers::Peers;
use crate::game::{Notation, Progress, Ranking};
use crate::table::table::Table;
use std::collections::BTreeMap;

pub(super) struct Layered<'a, G: Notation> {
    pub(super) table: &'a Table<G>,
    pub(super) game: &'a G,
    pub(super) ranking: &'a dyn Ranking<G::Position>,
    pub(super) held: Held<'a>,
    /// Of which layers children are looked up now.
    pub(super) wanted: Vec<bool>,
    /// The number in the game of the highest of them.
    pub(super) highest: u32,
    /// Whether there are moves to layers that are not in memory with the rest.
    pub(super) has_far: bool,
    /// Bytes of memory for layers and marks.
    pub(super) memory: u64,
    pub(super) progress: &'a dyn Progress,
    pub(super) peers: &'a dyn Peers,
    /// How many entries have which code, in the segments whose codes are left out.
    pub(super) counts: BTreeMap<u32, Vec<u64>>,
    pub(super) moves: u64,
}
