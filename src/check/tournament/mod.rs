//! Tournaments: every AI plays every other AI, on both sides of each opening.
//!
//! ```text
//! opening ◄─ game ◄─ standing ◄─ mod
//!            rating ◄────┘
//! ```

mod game;
mod opening;
mod rating;
mod standing;
#[cfg(test)]
mod tests;

pub use game::PlayedGame;
pub use opening::TournamentOptions;
pub use standing::{Standing, Tournament};

use super::contenders::{Contender, Fault, FaultKind, Player, Replies, Round, StartError};
use super::error::CheckError;
use crate::game::{Notation, Progress, Roots};
use crate::oracle::Oracle;
use crate::pool::share;
use crate::work::folder::Folder;
use game::GameRunner;
use opening::schedule;
use std::sync::OnceLock;

/// Player that doesn't speak its protocol, and so forfeits all games.
struct Absent(Fault);

impl<G: Notation> Player<G> for Absent {
    fn ask(&mut self, _: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError> {
        replies.push(Err(self.0.clone()));
        Ok(())
    }
}

/// Returns the player, or one that forfeits if it has started but doesn't answer as an engine
/// should.
fn player_or_absent<'a, G: Notation>(
    started: Result<Box<dyn Player<G> + 'a>, StartError>,
) -> Result<Box<dyn Player<G> + 'a>, StartError> {
    started.or_else(|error| match error {
        StartError::Handshake { problem, .. } => {
            Ok(Box::new(Absent(Fault::new(FaultKind::Crash, problem))) as _)
        }
        error => Err(error),
    })
}

/// Plays a tournament.
///
/// With AIs that always give the same answer in the same position, the result is the same for any
/// number of jobs, and for a tournament that was resumed.
///
/// # Errors
/// * An AI can't be started.
/// * The game has no start, or the oracle has no score for a position.
/// * A game can't be saved. A saved one that is damaged is played again.
///
/// The AIs' faults are not errors: an AI that makes one forfeits the game.
pub fn play<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    ais: &'a [impl Contender<'a, G>],
    options: &TournamentOptions,
    progress: &dyn Progress,
) -> Result<Tournament, CheckError> {
    let game = oracle.game();
    if game.capabilities().solving.roots() != Roots::Start {
        return Err(CheckError::NoStart(game.name()));
    }
    let start = |_| {
        ais.iter()
            .map(|ai| player_or_absent(ai.player(game)))
            .collect()
    };
    let players = (0..options.jobs.max(1)).map(start);
    let mut players: Vec<Vec<Box<dyn Player<G> + 'a>>> = players.collect::<Result<_, _>>()?;
    let folder = options.save.as_deref().map(Folder::lock).transpose()?;
    let openings = opening::choose(oracle, options, progress)?;
    let schedule = schedule(openings.len(), ais.len());
    progress.phase("playing", "games", schedule.len() as u64);
    let runner = GameRunner {
        oracle,
        options,
        openings: &openings,
        folder: folder.as_ref(),
        progress,
        first_replies: ais.iter().map(|_| OnceLock::new()).collect(),
    };
    let played = share(&mut players, schedule.len(), |players, number| {
        let played = runner.game(schedule[number], players);
        let continues = matches!(played, Ok(Some(_)));
        progress.advance(continues.into());
        (played, continues)
    });
    let played = played.into_iter().filter_map(Result::transpose);
    let games: Vec<PlayedGame> = played.collect::<Result<_, _>>()?;
    Ok(Tournament {
        game: game.name(),
        title: game.title(),
        counts_plies: game.score_range().counts_plies(),
        ais: options.names.clone(),
        seed: options.seed,
        planned: schedule.len(),
        standings: standing::standings(&options.names, &games),
        openings: openings.iter().map(|of| of.report(game)).collect(),
        games,
    })
}
