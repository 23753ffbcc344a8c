//! The score of one position of Kalah, without a table.
pub mod board;
pub mod numbers;
pub mod probe;
pub mod prover;
pub mod transposition;
mod words;
