//! Tournaments: every AI plays every other AI, on both sides of each opening.
//!
//! ```text
//! plan ◄─ opening ◄─ game ◄─ standing ◄─ mod
//!                    rating ◄────┘
//! ```

mod game;
mod opening;
mod plan;
mod rating;
mod standing;
#[cfg(test)]
mod tests;

pub use game::{Forfeit, Played, PlayedGame};
pub use opening::Opening;
pub use plan::TournamentOptions;
pub use standing::{Standing, Tournament};

use super::contenders::{Contender, Player};
use super::error::CheckError;
use crate::game::{Notation, Progress, Roots};
use crate::oracle::Oracle;
use crate::work::folder::Folder;
use game::Playing;
use plan::schedule;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::ScopedJoinHandle;

/// Plays a tournament.
///
/// With AIs that always give the same answer in the same position, the result is the same for any
/// number of jobs, and for a tournament that was resumed.
///
/// # Errors
/// * An AI can't be started.
/// * The game has no start, or the oracle has no score for a position.
/// * A game can't be saved, or a saved one is damaged.
///
/// The AIs' faults are no errors: whoever makes one forfeits the game.
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
    let start = |_| ais.iter().map(|ai| ai.player(game)).collect();
    let players = (0..options.jobs.max(1)).map(start);
    let mut players: Vec<Vec<Box<dyn Player<G> + 'a>>> = players.collect::<Result<_, _>>()?;
    let folder = options.save.as_deref().map(Folder::lock).transpose()?;
    let openings = opening::choose(oracle, options, progress)?;
    let schedule = schedule(openings.len(), ais.len());
    progress.phase("playing", "games", schedule.len() as u64);
    let playing = Playing {
        oracle,
        options,
        openings: &openings,
        folder: folder.as_ref(),
        progress,
    };
    // Each job takes the next game of the schedule until none remain.
    let next = AtomicUsize::new(0);
    let work = |players: &mut [Box<dyn Player<G> + 'a>]| {
        let mut done = Vec::new();
        while let Some(&pairing) = schedule.get(next.fetch_add(1, Relaxed)) {
            let played = playing.game(pairing, players);
            if !matches!(played, Ok(Some(_))) {
                next.store(schedule.len(), Relaxed);
            }
            let Some(played) = played? else { break };
            done.push((pairing, played));
            progress.advance(1);
        }
        Ok::<_, CheckError>(done)
    };
    let games = std::thread::scope(|scope| {
        let jobs = players.iter_mut();
        let jobs: Vec<_> = jobs.map(|own| scope.spawn(|| work(own))).collect();
        let ended = jobs.into_iter().map(outcome);
        ended.collect::<Result<Vec<_>, _>>()
    })?;
    let mut games = games.concat();
    games.sort_by_key(|(pairing, _)| schedule.iter().position(|of| of == pairing));
    let games: Vec<PlayedGame> = games.into_iter().map(|(_, played)| played).collect();
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

/// Waits for a job. Its panic becomes that of this thread.
fn outcome<T>(job: ScopedJoinHandle<'_, T>) -> T {
    job.join().unwrap_or_else(|panic| resume_unwind(panic))
}
