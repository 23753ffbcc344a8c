//! Kalah(m, n): `m` pits per side, `n` seeds in each pit at the start.
//!
//! # Rules
//!
//! The mover takes all seeds of one of their pits and sows them one by one, anticlockwise: on along
//! their own pits, into their store, along the opponent's pits, past the opponent's store, and on.
//! The pit that the seeds came from gets one, too, when the lap reaches it.
//!
//! * Last seed in the own store: the mover moves again.
//! * Last seed in an own pit that was empty before that seed, and the opposite pit is not empty:
//!   both go to the mover's store. With [`Rules::empty_capture`] the seed is captured even when the
//!   opposite pit is empty.
//! * When after any move either side's pits are all empty, the game is over and the seeds left
//!   belong to the side they lie on.
//!
//! The score is the seeds in the own store minus those in the other's. The published values are
//! those of Irving, Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000, for the
//! empty-capture rules.
//!
//! # Classes
//!
//! The score *to come* depends neither on the stores nor on the player's names: a class is (mover's
//! pits, opponent's pits). Its canonical position has the first player to move and empty stores.
//!
//! # Rooms
//!
//! Each uses those above it: `sowing`, [`Rules`] and positions; `notation`; [`index`], their numbers;
//! [`retro`], all scores by retrograde analysis; [`search`], one score; `checking` and `drawing`, for
//! AIs and people. `capabilities` offers them to everybody else.

mod arrays;
mod capabilities;
mod checking;
#[cfg(feature = "cli")]
mod drawing;
mod family;
pub mod index;
mod notation;
pub mod retro;
mod rules;
pub mod search;
mod sowing;

pub use family::KalahFamily;
pub use index::{arrangement, layout};
pub use retro::sweep;
use rules::LAYER_NAME;
pub use rules::{Kalah, MAX_TOTAL_SEEDS, Move, Position, Rules, RulesError, sum};
pub use search::endgame;
pub use sowing::{MAX_PITS, Pits};

#[cfg(test)]
mod tests;
