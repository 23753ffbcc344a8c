//! One position: alpha-beta with a transposition table.
