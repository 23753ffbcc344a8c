//! Games and tables for the tests of several modules.

pub(crate) mod linear_game;
pub(crate) mod random_graph;
pub(crate) mod tables;
pub(crate) mod walk;
