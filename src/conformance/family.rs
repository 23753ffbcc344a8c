//! Checks that a family reads the rules strings of its games.

use crate::game::{Broken, Family, Game, Notation};

/// Checks that a family reads a game's rules string as that game.
///
/// Otherwise the table of one game could be used for another.
///
/// # Errors
/// If it doesn't.
pub fn check_rules<F: Family>(family: &F, game: &F::Game) -> Result<(), Broken> {
    let rules = game.rules();
    let parameters = rules.strip_prefix(family.name());
    let parameters = parameters.filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let broken = |found| {
        Broken::new(
            game.rules(),
            "read_rules reads the game that rules names",
            found,
        )
    };
    let Some(parameters) = parameters else {
        let name = family.name();
        return Err(broken(format!(
            "rules doesn't begin with the name \"{name}\""
        )));
    };
    let read = family.read_rules(parameters.trim_start());
    let read = read.map_err(|problem| broken(format!("it says: {problem}")))?;
    let shown = |game: &F::Game| {
        let start = game.start();
        let moves = game.legal_moves(&start).into_iter();
        let moves: Vec<String> = moves.map(|mv| game.format_move(mv)).collect();
        let start = game.format_position(&start);
        (game.rules(), game.name(), game.score_range(), start, moves)
    };
    let (expected, found) = (shown(game), shown(&read));
    if expected != found {
        return Err(broken(format!("it reads {found:?}, not {expected:?}")));
    }
    Ok(())
}
