//! Published search experiments, reproduced.
//!
//! The command `compare` prints their results; nothing else depends on this module.

#[cfg(feature = "cli")]
pub(crate) mod compare;
pub mod published;
