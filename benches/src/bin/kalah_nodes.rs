//! The number of positions that Kalah's search visits to score a start.
//!
//! The time that Kalah(6,6) would take is extrapolated from these numbers.
//!
//! `cargo run --release -p zermelo-benches --bin kalah_nodes -- 5 29 32` searches Kalah(6,5) above
//! a packed endgame of 29 seeds, with a transposition table of 32 MB. By default it uses one
//! thread, so that the number is reproducible; a fourth argument sets the threads.

use std::time::Instant;
use zermelo::game::{Game, NoProgress, Searcher};
use zermelo::games::kalah::endgame::Form;
use zermelo::games::kalah::search::{KalahSearch, MemoryPlan};
use zermelo::games::kalah::{Kalah, Rules};

fn main() {
    let numbers: Option<Vec<u32>> = std::env::args()
        .skip(1)
        .map(|text| text.parse().ok())
        .collect();
    let (seeds, endgame_seeds, megabytes, threads) = match numbers.as_deref() {
        Some(&[seeds, endgame, megabytes]) => (seeds, endgame, megabytes, 1),
        Some(&[seeds, endgame, megabytes, threads]) => (seeds, endgame, megabytes, threads),
        _ => {
            eprintln!("error: want seeds a pit, seeds in the endgame, MB of table [, threads]");
            std::process::exit(2);
        }
    };
    let rules = Rules {
        pits: 6,
        seeds: seeds as usize,
        empty_capture: false,
    };
    let game = Kalah::new(rules).expect("a game");
    let plan = MemoryPlan {
        endgame_seeds: endgame_seeds as usize,
        form: Form::Packed,
        table_bytes: u64::from(megabytes) << 20,
    };
    let begun = Instant::now();
    let total = 12 * seeds as usize;
    let search =
        KalahSearch::new(&game, total, plan, threads as usize, &NoProgress).expect("a search");
    let made = begun.elapsed();
    let found = search.score(&game.start(), 0, &NoProgress, &mut |_| ());
    let found = found.expect("it can be searched");
    println!(
        "kalah-6-{seeds} above {endgame_seeds} seeds, {megabytes} MB: score {:?}, {} positions \
         visited in {:.1} s after {:.1} s for the endgame, {threads} threads",
        found.score(),
        search.nodes(),
        (begun.elapsed() - made).as_secs_f64(),
        made.as_secs_f64(),
    );
}
