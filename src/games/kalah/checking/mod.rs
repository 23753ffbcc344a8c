//! What helps to check AIs: the rules that a move has to do with, and the positions before one.

pub(super) mod predecessors;
pub(super) mod topics;
