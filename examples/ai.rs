//! An AI for `check-ai` in Rust: a position a line in, a move a line out. It plays Kalah, and makes
//! the first move that earns another turn, else the first one.
//!
//! ```text
//! cargo build --release --example ai
//! zermelo check-ai --table data/kalah-6-2.bin --ai target/release/examples/ai --sample 100000
//! ```

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    for line in input.lines() {
        let line = line?;
        let Some(pit) = choose(&line) else {
            eprintln!("not a position: {line}");
            std::process::exit(1);
        };
        // Each answer must leave at once; standard output does that at the end of a line.
        writeln!(output, "{pit}")?;
    }
    Ok(())
}

/// The move in a position such as `2,2,2,2,2,2:0/2,2,2,2,2,2:0 first`.
fn choose(position: &str) -> Option<usize> {
    let (board, side) = position.split_once(' ')?;
    let (first, second) = board.split_once('/')?;
    let own = if side == "first" { first } else { second };
    // The stores may be left out.
    let pits = own.split(':').next()?.split(',');
    let seeds: Vec<usize> = pits
        .map(|seeds| seeds.parse().ok())
        .collect::<Option<_>>()?;
    let round = 2 * seeds.len() + 1;
    let earns_turn = |&pit: &usize| (pit + seeds[pit]) % round == seeds.len();
    let legal = || (0..seeds.len()).filter(|&pit| seeds[pit] > 0);
    legal()
        .find(earns_turn)
        .or_else(|| legal().next())
        .map(|pit| pit + 1)
}
