//! The score of one position of Connect Four, without a table.
//!
//! A series of null-window searches closes in on the score: first whether one side wins soon, then
//! bisection. The search is fast for these reasons:
//!
//! - A position is two words, and a few shifts find all squares where a player would make a line. A
//!   node inherits those of both players from its parent.
//! - Moves that let the opponent win at once are skipped, and the only answer to a threat is played
//!   without looking it up in the table. A move that makes two threats wins, and isn't searched.
//! - Columns that the table proves sufficient are tried first (*enhanced transposition cutoffs*),
//!   and then the table's column. The others are ordered by the number of threats that the stone
//!   makes, where threats on top of each other count more, and from the middle outwards.
//! - All moves' table lines are fetched into the cache before anything else is computed, and the
//!   next move is chosen without branches, which no processor could predict.
//! - Scores are bounded by a win, or a loss, with the earliest stones that can make one.
//! - Scores are also bounded by what a player gets who answers every stone with one on top of it
//!   (*follow-up*; V. Allis, A Knowledge-based Approach of Connect-Four, 1988). If the other side
//!   then can't make a line, the search ends there.
//! - A transposition table of fixed size stores two bounds for each position, in one atomic word
//!   per entry, and can't mistake one position for another. Near the start, it treats a position
//!   and its mirror image as one.
//!
//! An opening book, a table of positions with few stones, answers for these without a search.
//!
//! Every bound in the transposition table is true by itself, so the score depends neither on the
//! number of threads nor on entries that the table has replaced. Several threads all search the same
//! position and share the table.

mod prover;
mod searcher;

pub use searcher::Connect4Searcher;
