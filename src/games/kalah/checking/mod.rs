//! What helps to check AIs: the rules that a move has to do with, and what players misread.

pub(super) mod misreadings;
pub(super) mod topics;
