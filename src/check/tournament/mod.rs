//! Tournaments: every AI plays every other AI, on both sides of each opening.
//!
//! ```text
//! opening ◄─ game ◄─ mod
//! rating ◄─ standing ◄┘
//! ```

mod game;
mod opening;
mod rating;
mod standing;
#[cfg(test)]
mod tests;

pub use game::{Forfeit, Played, PlayedGame};
pub use opening::Opening;
pub use standing::Standing;

use super::contenders::{Contender, Player};
use super::error::CheckError;
use crate::game::{Notation, Progress, Roots};
use crate::oracle::Oracle;
use crate::work::folder::Folder;
use game::Playing;
use serde::Serialize;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Options of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentOptions {
    /// The name of each AI, all different.
    pub names: Vec<String>,
    /// For each AI, what identifies it in saved games: its command, with limits.
    pub commands: Vec<String>,
    /// The number of openings, at least 1.
    pub openings: usize,
    /// Seed of the openings.
    pub seed: u64,
    /// The number of games played in parallel, at least 1.
    pub jobs: usize,
    /// Whether to find exact scores; without them openings are random and moves have no regret.
    pub is_scored: bool,
    /// The oracle's time limit for each position; `None` means no limit.
    pub budget: Option<Duration>,
    /// Directory of finished games, which are not played again.
    pub save: Option<PathBuf>,
}

/// Result of a tournament.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Tournament {
    /// The game's name.
    pub game: String,
    /// The game and its parameters in plain words.
    #[serde(skip)]
    pub title: String,
    /// Whether scores are outcomes with distances in plies.
    pub counts_plies: bool,
    /// The AIs' names, in the order of the command line.
    pub ais: Vec<String>,
    /// Seed of the openings.
    pub seed: u64,
    /// The number of games of the whole tournament.
    pub planned: usize,
    /// The openings.
    pub openings: Vec<Opening>,
    /// The AIs with their results, best first.
    pub standings: Vec<Standing>,
    /// The games played, in the order of the schedule. A tournament that was cancelled has fewer
    /// than planned.
    pub games: Vec<PlayedGame>,
}

/// A game to be played: the indices of its opening and of the AIs on the first and second side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pairing {
    opening: usize,
    ais: [usize; 2],
}

/// Returns all games: with each opening, each pair of AIs plays both sides.
fn schedule(openings: usize, ais: usize) -> Vec<Pairing> {
    let pairs = (0..ais).flat_map(|one| (one + 1..ais).map(move |other| [one, other]));
    let sides = pairs.flat_map(|[one, other]| [[one, other], [other, one]]);
    let sides: Vec<_> = sides.collect();
    let of = |opening| sides.iter().map(move |&ais| Pairing { opening, ais });
    (0..openings).flat_map(of).collect()
}

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
        let ended = jobs.into_iter().map(|job| job.join());
        let ended = ended.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
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
