//! The command `search`, which shows students what searches of a position do.
//!
//! [`search`] runs the searches, `print` prints their results and draws the visited nodes, and
//! [`tree`] writes the tree of a search. The explorer's `/search` shows such a tree, too.

mod print;
pub mod search;
pub mod tree;
