//! Solving by several processes, on one machine or many: every class belongs to one of them, by a
//! hash of its key, so that the memory that each needs is divided by their number.
//!
//! ```text
//! transport (mpi; threads in tests) ─► team ─► find ──► score ──► merge ─► the table
//!                                      keys, places └─► saved ◄─┘
//! ```
//!
//! All processes do the same in the same order, and meet in exchanges ([`Team`]), in which each
//! sends every other a message of any length. Layers are found one after the other, by asking where
//! moves lead and sending the keys to their owners; their scores are found in the opposite order, by
//! asking the owners of children. In the end the first process merges what all have, sorted, into
//! the table, which has the same bytes as one that is solved by a single process.
//!
//! A game with a solver of its own ([`Sweep`]) is solved by that, which shares the work of each layer
//! itself ([`crate::game::peers`]).

mod find;
mod job;
mod keys;
mod merge;
#[cfg(feature = "mpi")]
pub mod mpi;
mod places;
mod saved;
mod saved_list;
mod score;
mod team;
#[cfg(test)]
mod tests;
mod transport;

pub use job::SharedOptions;
pub use team::Team;
pub use transport::{Lost, Transport};

use crate::game::peers::broken;
use crate::game::{Notation, Solution, SolveError, SolveOptions, SolveTimes, Sweep};
use crate::pool::{STACK, in_pool};
use crate::table::{Parts, TableWriter, WriteOptions, Written, in_solve};
use find::NotFound;
use job::{Found, Job, Layer, Layers};
use keys::{Key, Width};
use saved::Saved;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// About the least memory, in bytes, that each of so many processes needs to solve a game on so many
/// threads each, as far as that can be told beforehand.
#[must_use]
pub fn memory_estimate<G: Notation>(game: &G, processes: usize, threads: usize) -> Option<u64> {
    if let Some(sweep) = game.capabilities().solving.sweep() {
        return Some(sweep.memory_needed(threads));
    }
    let classes = game.capabilities().solving.expected_classes()?;
    // Key and code; the largest layer is about a sixth, and being merged.
    let key = if game.key_bits() <= u64::BITS { 8 } else { 16 };
    Some(classes.saturating_mul(key + 1 + key / 2) / processes as u64)
}

/// Why several processes could not solve a game.
#[derive(Debug)]
pub struct SharedError {
    /// What went wrong. Errors of [`crate::table::WriteError`] come within [`SolveError::Journal`].
    pub cause: SolveError,
    /// Where what is done so far is kept; only the first process knows.
    pub kept_in: Option<PathBuf>,
}

/// Solves a game together with the other processes of the team. The first one writes the table, and
/// only there something is returned.
///
/// What there is no memory for goes to files in the table's folder, or in `scratch`, if the game's
/// own solver can do with less.
///
/// The table grows in its folder as any other ([`TableWriter`]), in which every process keeps what
/// it has found; from that the same call goes on later, with any number of processes.
///
/// # Errors
/// In all processes if it can't be solved or written, the folder is not the same for all, or any
/// process is told to stop or ends.
pub fn solve_to_table<G: Notation>(
    game: &G,
    path: &Path,
    options: SharedOptions,
    scratch: Option<&Path>,
    write: WriteOptions,
    team: &Team<'_>,
) -> Result<Option<(SolveTimes, Written)>, SharedError> {
    in_pool(options.solve.threads, STACK, || {
        let begin = || TableWriter::begin(game, path, write, team.progress());
        let mut writer = match team.is_first().then(begin).transpose() {
            Ok(writer) => writer,
            Err(error) => {
                let settled = team.settle(Err(in_solve(error)));
                return settled.map_err(|cause| SharedError {
                    cause,
                    kept_in: None,
                });
            }
        };
        let sweep = game.capabilities().solving.sweep();
        let sweep = sweep.filter(|_| !options.by_rules);
        let solved = to_table(path, team, writer.as_mut(), |parts, writer| {
            match (sweep, game.key_bits()) {
                (Some(sweep), _) => {
                    let restart = write.restart;
                    solve_by_sweep(
                        &*sweep,
                        options.solve,
                        parts,
                        scratch,
                        restart,
                        team,
                        writer,
                    )
                }
                (None, ..=64) => solve_keys::<G, u64>(game, path, options, parts, team, writer),
                (None, _) => solve_keys::<G, u128>(game, path, options, parts, team, writer),
            }
        });
        team.settle(solved).map_err(|cause| SharedError {
            cause,
            kept_in: writer.and_then(|writer| Some(writer.kept_in()?.to_owned())),
        })
    })
}

/// Solves what is not complete yet, and completes the table where it is written.
fn to_table<'w, G: Notation>(
    path: &Path,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'w, G>>,
    solve: impl FnOnce(Parts, Option<&mut TableWriter<'w, G>>) -> Result<SolveTimes, SolveError>,
) -> Result<Option<(SolveTimes, Written)>, SolveError> {
    let parts = Parts::beside(path).map_err(in_solve)?;
    saved::check_shared(&parts, team)?;
    let is_complete = writer.as_ref().is_some_and(|writer| writer.is_complete());
    let times = match team.tell(Ok([u64::from(is_complete)]))?[0] {
        [0] => solve(parts, writer.as_deref_mut())?,
        _ => SolveTimes::default(),
    };
    let written = writer.map(TableWriter::finish).transpose();
    Ok(written.map_err(in_solve)?.map(|written| (times, written)))
}

/// By the game's own solver, which shares the work of each layer. What there is no memory for goes to
/// `scratch`, if that is given; `restart` discards what is there.
fn solve_by_sweep<G: Notation>(
    sweep: &dyn Sweep,
    options: SolveOptions,
    parts: Parts,
    scratch: Option<&Path>,
    restart: bool,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let progress = team.progress();
    if let Some(writer) = writer {
        if let Some(folder) = scratch {
            writer.set_scratch(folder).map_err(in_solve)?;
        }
        let (scores, times) = sweep.solve_together(options, progress, writer, team)?;
        writer.write(&Solution::Ranked(scores)).map_err(in_solve)?;
        return Ok(times);
    }
    let own = parts.scratch(team.rank(), scratch, restart);
    let mut own = own.map_err(in_solve)?;
    let (_, times) = sweep.solve_together(options, progress, &mut own, team)?;
    own.is_over();
    Ok(times)
}

fn solve_keys<G: Notation, K: Key>(
    game: &G,
    path: &Path,
    options: SharedOptions,
    parts: Parts,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let job: Job<'_, G, K> = Job {
        game,
        team,
        options,
        path,
        width: Width::of_bits(game.key_bits()),
        key: PhantomData,
    };
    let started = Instant::now();
    let (layers, reach) = {
        let journal = writer.as_deref_mut().map(|writer| writer as _);
        let mut saved = Saved::new(parts, journal, options.save_every);
        let (mut found, mut places) = saved.load(&job)?;
        while !found.is_all {
            match job.find(&mut found, places, &mut saved) {
                Ok(()) => {}
                Err(NotFound::OutOfOrder) => {
                    saved.forget();
                    found = Found::default();
                    places = places.next();
                }
                Err(NotFound::Error(error)) => return Err(error),
            }
        }
        let reach = started.elapsed().as_secs_f64();
        let mut layers = found.layers;
        job.score(&mut layers, places, &mut saved)?;
        (layers, reach)
    };
    let times = SolveTimes {
        reach,
        solve: started.elapsed().as_secs_f64() - reach,
    };
    job.write(&layers, writer)?;
    Ok(times)
}

impl<G: Notation, K: Key> Job<'_, G, K> {
    /// An error if so many bytes are more than may be used; `all` if nothing else is still to come.
    fn check_memory(&self, bytes: u64, all: bool) -> Result<(), SolveError> {
        let allowed = self.options.solve.memory;
        if bytes <= allowed {
            return Ok(());
        }
        Err(SolveError::Memory {
            game: self.game.name(),
            needed: all.then_some(bytes),
            allowed,
        })
    }
}
