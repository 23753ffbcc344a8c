//! Three Men's Morris and Teeko: pieces are placed, then moved, until some make a goal.
//!
//! Each player has the same number of pieces. In turn, the players place one on any empty square.
//! When all are placed, they in turn move one of their own to an empty square. A player whose
//! pieces make a goal wins at once, also while placing. Otherwise the opponent can always move.
//! Endless play is a draw.
//!
//! [`Kind::Morris`] has three pieces on 3×3 squares, and a line of three is a goal.
//! [`Kind::Teeko`] has four on 5×5 squares. Its goals are four in a line and squares of four.
//!
//! A position is written as its rows from the top, with `X`, `O` or `.` for each square, and the
//! side to move: `X.O/.../... first`. A move is a square, `b2`, or a piece's way, `b2-c2`.
//!
//! Positions are in one class if a symmetry of the board or swapping the players turns them into
//! each other.

mod notation;
mod rules;

pub use rules::Kind;
use rules::{Merels, Move, Position};

#[cfg(test)]
mod tests;
