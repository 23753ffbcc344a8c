//! What each part of Kalah's search brings: positions visited and processor time with all of them,
//! and with each switched off.
//!
//! ```console
//! $ cargo run --release -p zermelo-benches --bin pruning -- PITS SEEDS ENDGAME [SECONDS]
//! ```
//!
//! Searches the start of Kalah(PITS, SEEDS), standard rules, above an endgame of ENDGAME seeds, on
//! one thread, and prints a Markdown table. What takes longer than SECONDS (60) is given up.

use std::time::{Duration, Instant};
use zermelo::game::{Game, NoProgress, Progress, Searcher};
use zermelo::games::kalah::endgame::Endgame;
use zermelo::games::kalah::search::{KalahSearch, MemoryPlan, Pruning};
use zermelo::games::kalah::{Kalah, Rules};

/// Processor time so far, in seconds; where the system doesn't say, time.
fn seconds(began: Instant) -> f64 {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            let time = usage.user_time();
            return time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        }
    }
    began.elapsed().as_secs_f64()
}

struct Deadline(Instant);

impl Progress for Deadline {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn cancelled(&self) -> bool {
        Instant::now() > self.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let (&[pits, seeds, endgame], limit) = match numbers.split_first_chunk::<3>() {
        Some((sizes, rest)) => (sizes, rest.first().copied().unwrap_or(60)),
        None => return Err("three numbers are needed: pits, seeds and the endgame's seeds".into()),
    };
    let game = Kalah::new(Rules {
        pits,
        seeds,
        empty_capture: false,
    })?;
    let all = Pruning::default();
    let variants = [
        ("all", all),
        (
            "without enhanced transposition cutoffs",
            Pruning {
                transposition_cutoffs: false,
                ..all
            },
        ),
        (
            "without the table's move first",
            Pruning {
                table_move: false,
                ..all
            },
        ),
        (
            "without extra turns early",
            Pruning {
                extra_turns_first: false,
                ..all
            },
        ),
        (
            "without gains early",
            Pruning {
                captures_first: false,
                ..all
            },
        ),
        (
            "without few replies early",
            Pruning {
                few_replies_first: false,
                ..all
            },
        ),
        (
            "without sure gains",
            Pruning {
                sure_gains: false,
                ..all
            },
        ),
        (
            "without futility",
            Pruning {
                futility: false,
                ..all
            },
        ),
        (
            "without transposition table",
            Pruning {
                transpositions: false,
                ..all
            },
        ),
    ];
    println!("| Kalah({pits},{seeds}) above {endgame} seeds | positions | ratio | seconds |");
    println!("|---|---:|---:|---:|");
    let total = game.total_seeds();
    let table_bytes = MemoryPlan::new(pits, total, 4 << 30)?.table_bytes;
    let mut nodes_of_all = 0;
    for (name, pruning) in variants {
        let endgame = Endgame::new(pits, endgame, false, &NoProgress)?;
        let search =
            KalahSearch::with_endgame(&game, total, endgame, table_bytes, 1)?.with_pruning(pruning);
        let began = Instant::now();
        let before = seconds(began);
        let deadline = Deadline(began + Duration::from_secs(limit as u64));
        let found = search.score(&game.start(), 0, &deadline, &mut |_| ())?;
        let seconds = seconds(began) - before;
        let nodes = search.nodes();
        if nodes_of_all == 0 {
            nodes_of_all = nodes;
        }
        let more = if found.score().is_none() { "> " } else { "" };
        let ratio = nodes as f64 / nodes_of_all as f64;
        println!("| {name} | {more}{nodes} | {more}{ratio:.2} | {more}{seconds:.2} |");
    }
    Ok(())
}
