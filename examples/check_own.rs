//! Checks an AI that is a closure in this program.
//!
//! The AI plays the centre of tic-tac-toe, then corners, then edges.
//!
//! ```text
//! cargo run --release --example check_own -- data/ttt.bin
//! ```

use std::error::Error;
use std::path::Path;
use zermelo::check::{CheckOptions, InProcess, Scope, check};
use zermelo::game::{Game, NoProgress, Notation};
use zermelo::games::tictactoe::{Position, TicTacToe};
use zermelo::table::{Access, Table, TableFile};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: check_own TABLE")?;
    let file = TableFile::open(Path::new(&path), Access::Mmap)?;
    let table = Table::new(file, TicTacToe::default())?;

    let cells = ["b2", "a1", "c1", "a3", "c3", "b1", "a2", "c2", "b3"];
    let ai = move |game: &TicTacToe, position: &Position| {
        let preferred = cells.iter().filter_map(|cell| game.parse_move(cell).ok());
        let mut legal = preferred.filter(|&mv| game.is_legal(position, mv));
        legal
            .next()
            .expect("an unfinished position has a free cell")
    };

    for scope in [Scope::All, Scope::Play] {
        let options = CheckOptions {
            scope,
            ..CheckOptions::default()
        };
        let report = check(&table, &InProcess(|| ai), &options, &NoProgress)?;
        println!(
            "scope {}: {}, {} of {} moves best; refuted by {:?}",
            report.scope, report.verdict, report.best_moves, report.asked, report.refutation
        );
    }
    Ok(())
}
