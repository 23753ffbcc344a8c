//! Kalah(m, n): `m` pits per side, `n` seeds in each pit at the start.
//!
//! # Rules
//!
//! A player takes all seeds of one of their own pits and sows them one by one, anticlockwise. Each
//! of the player's next pits gets a seed, then the player's store and the opponent's pits. Sowing
//! skips the opponent's store and continues with the player's first pit. The pit that the seeds
//! came from gets one, too, when the lap reaches it.
//!
//! - If the last seed falls into the player's store, the player moves again.
//! - If the last seed falls into one of the player's pits that was empty before, and the opposite
//!   pit is not empty, both go to the player's store. With [`Rules::empty_capture`], the seed is
//!   captured even if the opposite pit is empty.
//! - If either side's pits are all empty after a move, the game is over. The remaining seeds belong
//!   to the side they lie on.
//!
//! A player's score is the seeds in their store minus those in the opponent's. The published values
//! are those of Irving, Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000, for the
//! empty-capture rules.
//!
//! # Classes
//!
//! The score *to come* depends neither on the stores nor on which player is to move. A class is
//! therefore a pair: the pits of the side to move, and the opponent's pits. Its canonical position
//! has the first player to move and empty stores.
//!
//! # Modules
//!
//! Each module uses those above it:
//!
//! - `sowing`: tabulated sowing;
//! - `rules`: [`Rules`] and positions;
//! - `notation`: parameters; reading, writing and drawing positions and moves;
//! - `index`: numbers of positions;
//! - `retro`: all scores by retrograde analysis;
//! - [`search`]: the score of one position;
//! - `misreadings`: rules as players misunderstand them;
//! - `capabilities`: the optional methods, for the rest of the program.

mod capabilities;
mod index;
mod misreadings;
pub(super) mod notation;
mod retro;
mod rules;
pub mod search;
mod sowing;

use index::arrangement;
pub use notation::KalahFamily;
pub use retro::solver;
pub(crate) use rules::MAX_TOTAL_SEEDS;
pub(crate) use rules::sum;
pub use rules::{Kalah, Move, Position, Rules};
pub use search::endgame;
pub(crate) use sowing::MAX_PITS;
pub(crate) use sowing::Pits;

#[cfg(test)]
mod tests;
