//! The AIs that single games bring for `--ai builtin:NAME`.

use crate::check::builtin::{MakeAi, OwnBuiltin};
use crate::game::Notation;
use crate::games::eight::Eight;
use crate::games::kalah::{Kalah, Position};
use crate::games::reversi::Reversi;
use crate::games::tictactoe::TicTacToe;
use crate::published::kalah66;

/// A game with builtin AIs of its own.
pub(super) trait Builtins: Notation {
    fn builtins() -> Vec<OwnBuiltin<Self>> {
        Vec::new()
    }
}

impl Builtins for Eight {}
impl Builtins for Reversi {}
impl Builtins for TicTacToe {}

impl Builtins for Kalah {
    fn builtins() -> Vec<OwnBuiltin<Kalah>> {
        vec![OwnBuiltin {
            name: SIMPLIFIED,
            read: simplified,
        }]
    }
}

/// For each AI that a single game brings: its name, how it is written, and the game.
pub(super) const OWN: [(&str, &str, &str); 1] = [(SIMPLIFIED, "minimax-simplified:DEPTH", "Kalah")];

const SIMPLIFIED: &str = "minimax-simplified";

/// A published player, repeated with all its oddities.
fn simplified(depth: Option<&str>) -> Result<MakeAi<Kalah>, String> {
    match depth.and_then(|depth| depth.parse().ok()) {
        Some(depth @ 1..=99) => Ok(Box::new(move || {
            Box::new(move |game: &Kalah, position: &Position| {
                kalah66::simplified_turn(game, position, depth)[0]
            })
        })),
        _ => Err(format!(
            "{SIMPLIFIED} needs a depth from 1 to 99: write builtin:{SIMPLIFIED}:4"
        )),
    }
}
