//! Games for the tests of several modules.

pub(crate) mod random_graph;
