//! Games for the tests of several modules.

pub(crate) mod linear_game;
pub(crate) mod random_graph;
