//! An AI for `check-ai` in Rust: a position per line in, a move per line out.
//!
//! It plays Kalah: the first move that earns an extra turn, otherwise the first legal one.
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
        // The answer must be sent at once; standard output is flushed at the end of each line.
        writeln!(output, "{pit}")?;
    }
    Ok(())
}

/// Chooses a move in a position such as `2,2,2,2,2,2:0/2,2,2,2,2,2:0 first`.
fn choose(position: &str) -> Option<usize> {
    let (board, side) = position.split_once(' ')?;
    let (first, second) = board.split_once('/')?;
    let own = if side == "first" { first } else { second };
    // The stores are optional.
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
