//! Prints positions of a table: the first ones in its order, or a random sample.
//!
//! ```text
//! cargo run --release -p zermelo-benches --bin positions -- data/kalah-6-2.bin 100000 | zermelo query --table data/kalah-6-2.bin --batch
//! cargo run --release -p zermelo-benches --bin positions -- data/kalah-6-2.bin 10000 --random 1
//! ```

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use zermelo::game::Notation;
use zermelo::table::{Access, LayerEntries, Table, TableFile};
use zermelo_benches::with_game_of;

fn in_order<G: Notation>(
    table: &Table<G>,
    count: usize,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    for entry in table.entries().take(count) {
        let (position, _) = entry?;
        writeln!(out, "{}", table.game().format_position(&position))?;
    }
    Ok(())
}

/// Writes a uniform sample of positions.
fn at_random<G: Notation>(
    table: &Table<G>,
    count: usize,
    seed: u64,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let entries = LayerEntries::all(table);
    let mut written = 0;
    while written < count {
        if let Some(position) = entries.choose(|below| random.u64(0..below))? {
            writeln!(out, "{}", table.game().format_position(&position))?;
            written += 1;
        }
    }
    Ok(())
}

fn print<G: Notation>(
    table: &Table<G>,
    count: usize,
    seed: Option<u64>,
) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match seed {
        None => in_order(table, count, &mut out)?,
        Some(seed) => at_random(table, count, seed, &mut out)?,
    }
    out.flush()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, count, seed) = match &arguments[..] {
        [path, count] => (path, count, None),
        [path, count, option, seed] if option == "--random" => (path, count, Some(seed.parse()?)),
        _ => return Err("usage: positions TABLE COUNT [--random SEED]".into()),
    };
    let count = count.parse()?;
    let file = TableFile::open(Path::new(path), Access::Mmap)?;
    let rules = file.rules().to_owned();
    with_game_of!(&*rules, game => print(&Table::new(file, game)?, count, seed))
}
