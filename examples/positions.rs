//! Prints positions of a table, one a line: the first ones in the table's order, or a random choice.
//!
//! ```text
//! cargo run --release --example positions -- data/kalah-6-2.bin 100000 | zermelo query --table data/kalah-6-2.bin --batch
//! cargo run --release --example positions -- data/kalah-6-2.bin 10000 --random 1
//! ```

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use zermelo::game::Game;
use zermelo::games::AnyGame;
use zermelo::table::{Access, Table, TableFile};
use zermelo::with_game;

fn print<G: Game>(table: &Table<G>, count: usize, seed: Option<u64>) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let blocks = table.file().blocks();
    let mut written = 0;
    let mut random = fastrand::Rng::with_seed(seed.unwrap_or(0));
    let mut next = 0;
    while written < count {
        if seed.is_none() && next == blocks {
            break;
        }
        let block = if seed.is_some() {
            random.u64(0..blocks)
        } else {
            next
        };
        next += 1;
        let entries = table.block_entries(block)?;
        if seed.is_some() {
            // One of each block that comes up: no two neighbours are asked for in a row.
            if let Some((position, _)) = random.choice(&entries) {
                writeln!(out, "{}", table.game().format_position(position))?;
                written += 1;
            }
        } else {
            for (position, _) in entries.iter().take(count - written) {
                writeln!(out, "{}", table.game().format_position(position))?;
                written += 1;
            }
        }
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
    let game = AnyGame::from_rules(file.rules())?;
    with_game!(game, game => print(&Table::new(file, game)?, count, seed))
}
