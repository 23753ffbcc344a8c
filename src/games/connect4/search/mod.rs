//! The score of one position of Connect Four, without a table.
//!
//! A row of null-window searches closes in on the score: first whether one side wins soon, then
//! bisection. What makes them fast:
//!
//! * a position is two words, and all cells where a player would have a line are found at once, by
//!   a few shifts. A node gets those of both players from the one above it;
//! * moves that let the opponent win at once are left out, and a single answer to a threat is played
//!   without asking the table;
//! * columns are tried in this order: what the table knows to be good enough (*enhanced
//!   transposition cutoffs*), the table's column, then by the threats that the stone makes, those on
//!   top of each other counting more, and from the middle outwards;
//! * no score is better than a win, or worse than a loss, with the next stones that can make one;
//! * a transposition table of fixed size keeps two bounds for each position, in one atomic word an
//!   entry, and can't mistake one position for another. Near the start it knows a position and its
//!   mirror image as one.
//!
//! Every bound in the table is true by itself, so the score depends neither on the number of threads
//! nor on what the table has forgotten. On several threads all search the same position and share
//! the table.

mod prover;
mod searcher;
mod shape;

pub use searcher::Connect4Searcher;
