//! The number of single probes of a table per second, by one thread.
//!
//! It measures uniform random probes and probes in the table's order.
//!
//! ```text
//! cargo run --release -p zermelo-benches --bin probes -- data/kalah-6-2.bin
//! ```
//!
//! Probes in order are runs of 250,000 neighbours. Each run starts at a random block, chosen in
//! proportion to the block's entries. The file should be in the page cache; the table's own cache
//! is empty at first. The tool prints one line of JSON.

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use zermelo::game::Notation;
use zermelo::table::{Access, LayerEntries, Table, TableFile};
use zermelo_benches::with_game_of;

const RANDOM: usize = 200_000;
const RUNS: usize = 40;
const RUN: usize = 250_000;

fn open<G: Notation>(path: &Path, game: &G) -> Result<Table<G>, Box<dyn Error>> {
    let file = TableFile::open(path, Access::Mmap)?;
    Ok(Table::new(file, game.clone())?)
}

/// Returns the probes per second.
fn rate<G: Notation>(table: &Table<G>, positions: &[G::Position]) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    for position in positions {
        table.probe(position)?.ok_or("a position without a score")?;
    }
    Ok(positions.len() as f64 / began.elapsed().as_secs_f64())
}

fn measure<G: Notation>(path: &Path, game: &G) -> Result<(), Box<dyn Error>> {
    let table = open(path, game)?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut at_random = Vec::with_capacity(RANDOM);
    let entries = LayerEntries::all(&table);
    while at_random.len() < RANDOM {
        at_random.extend(entries.choose(|below| random.u64(0..below))?);
    }
    let blocks = table.file().blocks();
    let most = (0..64)
        .map(|_| Ok(table.block_entries(random.u64(0..blocks))?.len()))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?
        .into_iter()
        .max()
        .unwrap_or(1);
    let mut runs = Vec::new();
    while runs.len() < RUNS {
        let mut block = random.u64(0..blocks);
        let mut entries = table.block_entries(block)?;
        if entries.len() <= random.usize(0..most.max(1)) {
            continue;
        }
        let mut run = Vec::new();
        while run.len() < RUN && block < blocks {
            run.extend(entries.into_iter().map(|(position, _)| position));
            block += 1;
            entries = table.block_entries(block)?;
        }
        runs.push(run);
    }
    // Open the table again for each measurement, so that its cache is empty.
    let random_rate = rate(&open(path, game)?, &at_random)?;
    let in_order = runs.concat();
    let order_rate = rate(&open(path, game)?, &in_order)?;
    println!(
        "{{\"random\":{random_rate:.0},\"in_order\":{order_rate:.0},\"random_probes\":{},\"in_order_probes\":{}}}",
        at_random.len(),
        in_order.len()
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path] = &arguments[..] else {
        return Err("usage: probes TABLE".into());
    };
    let path = Path::new(path);
    let rules = TableFile::open(path, Access::Mmap)?.rules().to_owned();
    with_game_of!(&*rules, game => measure(path, &game))
}
