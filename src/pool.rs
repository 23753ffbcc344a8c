//! Parallel work on a number of threads.
//!
//! Parallel work is expressed as numbered tasks. Rayon's own iterators would be instantiated for
//! each closure, which made up a quarter of the library's code.

#[cfg(target_family = "wasm")]
mod alone;
mod tasks;
#[cfg(not(target_family = "wasm"))]
mod threads;

#[cfg(target_family = "wasm")]
pub(crate) use alone::{
    each, first_answer, in_order, in_pool, on_large_stack, share, sort, sort_runs, width,
};
pub(crate) use tasks::{Spare, map, map_of, try_map, try_map_of};
#[cfg(not(target_family = "wasm"))]
pub(crate) use threads::{
    each, first_answer, in_order, in_pool, on_large_stack, share, sort, sort_runs, width,
};

/// The stack of each thread, in bytes, for work that doesn't recurse.
pub(crate) const STACK: usize = 2 << 20;

/// The stack that recursive work may use on whatever thread runs it, in bytes.
pub(crate) const OWN_STACK: usize = 1 << 20;

/// Returns the number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
