//! Retrograde analysis over keys, by one process or several.
//!
//! Every class belongs to one process, by a hash of its key, so that the memory per process is
//! divided by the number of processes.
//!
//! ```text
//! rules ──► find ──► score, propagate ──► merge, in the order of keys
//!           keys, set, layers; checkpoint; parents
//! ```
//!
//! All processes run the same steps in the same order and meet in exchanges ([`Team`]), in which
//! each sends every other a message of any length. Layers are found one after the other: each
//! process generates moves and sends the children's keys to their owners. Scores are found in the
//! opposite order: each process asks the owners of the children.

mod checkpoint;
mod find;
mod keys;
mod layers;
mod merge;
mod parents;
mod propagate;
mod rules;
mod score;
mod set;
mod solver;

pub(crate) use checkpoint::KeyCheckpoints;
pub use find::reachable;
pub(crate) use rules::{RulesOf, canonical_of_key, rules_of};
pub(crate) use solver::{BLOCK, KeySolver};
