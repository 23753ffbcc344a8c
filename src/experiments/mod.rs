//! Published search experiments, reproduced, and comparisons of searches.
//!
//! The commands `compare` and `search` print their results; nothing else depends on this module.

#[cfg(feature = "cli")]
pub(crate) mod compare;
#[cfg(feature = "cli")]
mod plot;
pub mod published;
#[cfg(feature = "cli")]
pub(crate) mod search;
