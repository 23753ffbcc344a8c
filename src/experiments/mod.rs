//! The laboratory: search experiments of others repeated, and searches compared. The commands
//! `compare` and `search` print what comes of it; nothing else needs it.

#[cfg(feature = "cli")]
pub(crate) mod compare;
#[cfg(feature = "cli")]
mod plot;
pub mod published;
#[cfg(feature = "cli")]
pub(crate) mod search;
