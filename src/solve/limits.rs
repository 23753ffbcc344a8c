//! Whether there is room for what a method needs.

use crate::game::{Notation, SolveError};

/// Whether so many bytes are allowed.
pub(super) fn check_memory<G: Notation>(
    game: &G,
    bytes: u64,
    allowed: u64,
) -> Result<(), SolveError> {
    if bytes <= allowed {
        return Ok(());
    }
    Err(SolveError::Memory {
        game: game.name(),
        needed: Some(bytes),
        allowed,
    })
}

/// Whether positions can have 32-bit numbers.
pub(super) fn check_numbers<G: Notation>(game: &G, keys: &[u128]) -> Result<(), SolveError> {
    match u32::try_from(keys.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(SolveError::TooMany { game: game.name() }),
    }
}
