//! What helps to check AIs: the rules that a move has to do with, the positions before one,
//! and what players misread.

pub(super) mod misreadings;
pub(super) mod predecessors;
pub(super) mod topics;
