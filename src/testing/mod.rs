//! Games that tests of several modules play.

pub mod linear_game;
