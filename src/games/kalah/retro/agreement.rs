//! What all processes have to agree on.

use super::layers::Layers;
use super::store::Store;
use crate::game::team::{Team, broken};
use crate::game::{SolveError, SolveOptions};
use crate::work::Scratch;

/// How many processes have their files on the disk of this one's, and how many bytes they can write
/// there together, with those that they replace; nothing where the system doesn't say.
pub(super) fn on_the_disk(
    scratch: Option<&Scratch>,
    peers: &Team<'_>,
) -> Result<(u64, Option<u64>), SolveError> {
    let (disk, used) = scratch.map_or((Vec::new(), 0), |scratch| (scratch.disk(), scratch.used()));
    let (mut processes, mut all) = (0, scratch.and_then(Scratch::free));
    for told in peers.tell_bytes(Ok([&used.to_le_bytes()[..], &disk].concat()))? {
        let (used, its_disk) = told.split_first_chunk().ok_or_else(broken)?;
        if *its_disk == disk {
            processes += 1;
            all = all.map(|all| all.saturating_add(u64::from_le_bytes(*used)));
        }
    }
    Ok((processes, all))
}

/// So much memory is taken before some is given up: it takes a while until that is seen.
pub(super) fn nearly_all(options: SolveOptions) -> u64 {
    options.memory - options.memory / 16
}

/// Makes sure, when a layer is complete, that all files are still what was written, in all
/// processes: nothing that was computed from others comes to the table, or to a later run.
pub(super) fn check_all(
    layers: &Layers,
    seeds: usize,
    store: &Store,
    peers: &Team<'_>,
) -> Result<(), SolveError> {
    if !store.is_of_files() {
        return Ok(());
    }
    match peers.tell(layers.check().map(|()| [])) {
        Ok(_) => store.is_sound(seeds),
        Err(stop @ (SolveError::Interrupted | SolveError::Lost)) => Err(stop),
        Err(error) => {
            // If they can't be removed, a later run does it.
            let _ = store.forget();
            Err(error)
        }
    }
}

/// The least memory and the most threads of all processes, so that all plan alike.
pub(super) fn agreed(options: SolveOptions, peers: &Team<'_>) -> Result<SolveOptions, SolveError> {
    let told = peers.tell(Ok([options.memory, options.threads as u64]))?;
    Ok(SolveOptions {
        memory: told
            .iter()
            .fold(options.memory, |least, told| least.min(told[0])),
        threads: told
            .iter()
            .fold(options.threads, |most, told| most.max(told[1] as usize)),
    })
}
