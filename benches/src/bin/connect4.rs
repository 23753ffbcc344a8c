//! The cost of exact scores of Connect Four positions, each searched from scratch.
//!
//! ```text
//! cargo run --release -p zermelo-benches --bin connect4 -- tests/data/connect4/l2_r2.txt
//! ```
//!
//! Each line of a file has the columns played and the score. The tool prints a line per file:
//! positions, average nodes and microseconds of processor time per position. `--first N` limits the
//! number of lines; `--memory MIB` sets the size of the transposition table (default 128).

use cpu_time::ThreadTime;
use std::error::Error;
use zermelo::game::{NoProgress, Notation, SearchSetup, Searcher};
use zermelo::games::connect4::search::Connect4Searcher;
use zermelo::games::connect4::{Connect4, Parameters};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (mut first, mut memory, mut files) = (usize::MAX, 128u64, Vec::new());
    while let Some(arg) = args.next() {
        let mut number = || args.next().ok_or("a number is missing");
        match &*arg {
            "--first" => first = number()?.parse()?,
            "--memory" => memory = number()?.parse()?,
            _ => files.push(arg),
        }
    }
    let game = Connect4::new(Parameters::default())?;
    let setup = SearchSetup::new(1, memory << 20);
    let mut searcher = Connect4Searcher::new(&game, &setup)?;
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let (mut count, mut seconds) = (0, 0.0);
        let before = searcher.nodes();
        for line in text.lines().take(first) {
            let (columns, wanted) = line.split_once(' ').ok_or("a line has no score")?;
            let position = game.parse_position(columns)?;
            searcher.forget();
            let began = ThreadTime::now();
            let found = searcher.score(&position, 0, &NoProgress, &mut |_| ())?;
            seconds += began.elapsed().as_secs_f64();
            if found.score() != Some(wanted.parse()?) {
                return Err(format!("{file}: {line}, but found {found:?}").into());
            }
            count += 1;
        }
        let nodes = (searcher.nodes() - before) as f64 / f64::from(count);
        let each = seconds * 1e6 / f64::from(count);
        println!("{file}: {count} positions, {nodes:.0} nodes and {each:.1} us each");
    }
    Ok(())
}
