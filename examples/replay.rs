//! Replays games by Zermelo's rules, for comparison with another implementation.
//!
//! Reads games, one per line, as moves separated by spaces from the start. Writes a line for each
//! ply of each game: the position, a tab, and its legal moves separated by spaces. If the game is
//! over, the first player's score replaces the moves. An empty line follows each game.
//!
//! ```console
//! $ echo "b2 a1 b1 b3 a2 c2 c1 c3 a3" | cargo run --release --example replay -- tictactoe
//! ```
//!
//! Games: `kalah` (6 pits, 4 seeds), `connect4`, `oware` (3 pits, 2 seeds) and `tictactoe`.

use std::io::{BufRead, Write, stdin, stdout};
use zermelo::game::{Family, Notation, Side};
use zermelo::games::connect4::{Connect4, Parameters};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::games::oware::OwareFamily;
use zermelo::games::tictactoe::TicTacToe;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    match std::env::args().nth(1).as_deref() {
        Some("kalah") => replay(&Kalah::new(Rules {
            pits: 6,
            seeds: 4,
            empty_capture: false,
        })?),
        Some("connect4") => replay(&Connect4::new(Parameters::default())?),
        Some("oware") => replay(&OwareFamily.read_rules("pits=3 seeds=2")?),
        Some("tictactoe") => replay(&TicTacToe::default()),
        _ => Err("say which game: kalah, connect4, oware or tictactoe".into()),
    }
}

fn replay<G: Notation>(game: &G) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let mut position = game.start();
        show(game, &position, &mut out)?;
        for word in line?.split_whitespace() {
            let mv = game.parse_move(word)?;
            if !game.legal_moves(&position).contains(&mv) {
                return Err(
                    format!("{word} is not legal in {}", game.format_position(&position)).into(),
                );
            }
            position = game.play(&position, mv);
            show(game, &position, &mut out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn show<G: Notation>(
    game: &G,
    position: &G::Position,
    out: &mut impl Write,
) -> Result<(), Failure> {
    write!(out, "{}\t", game.format_position(position))?;
    if game.final_score(position).is_some() {
        writeln!(
            out,
            "{}",
            game.seen_from(Side::First, position, game.final_score(position).unwrap())
        )?;
    } else {
        let moves = game
            .legal_moves(position)
            .into_iter()
            .map(|mv| game.format_move(mv));
        writeln!(out, "{}", moves.collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}
