//! Plays GAME: reads a position per line and answers each with a move.
//!
//! It plays a random legal move. Put your own idea into `choose`.
//!
//! Compile and check it:
//!   COMPILE
//!   CHECK

#![allow(dead_code)] // Some parts of a position aren't used yet.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};

// RULES

/// Returns the move to play. Your idea goes here.
fn choose(position: &Position) -> String {
    let mut moves = legal_moves(position);
    let index = random_below(moves.len());
    moves.swap_remove(index)
}

/// Returns a random number. The standard library has none, but hashes with a random seed.
fn random_below(end: usize) -> usize {
    (RandomState::new().build_hasher().finish() % end as u64) as usize
}

fn main() {
    for line in io::stdin().lines() {
        let position = parse(&line.expect("text"));
        println!("{}", choose(&position));
        // Zermelo waits for each answer, so send it at once.
        io::stdout().flush().expect("a reader");
    }
}
