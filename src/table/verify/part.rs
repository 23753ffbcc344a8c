//! A part of the proof, for tables that take long to prove in full: some entries held against their
//! moves.
//!
//! An entry that is the best of its moves is right if the entries that its moves lead to are. So a
//! sample proves nothing by itself, but a table with a wrong score somewhere has entries that don't
//! agree with their moves, and the more there are, the sooner a sample finds one. That nothing is
//! missing or too many, only [`crate::table::verify`] shows.

use super::chosen::{Part, for_each_batch};
use super::counts::LayerCounts;
use super::error::VerifyError;
use super::judge::{Judge, Stop};
use super::verdict::Verdict;
use crate::game::{Notation, Progress};
use crate::pool::try_map_of;
use crate::table::table::Table;
use std::ops::ControlFlow;

/// Holds a part of a table's entries against their moves, on the threads of the current pool.
///
/// # Errors
/// If the table is damaged or the caller wants it to stop.
pub fn verify_part<G: Notation>(
    table: &Table<G>,
    part: &Part,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let (game, file) = (table.game(), table.file());
    let (mut entries, mut counts, mut wrong) = (0, LayerCounts::default(), None);
    let judge = |(position, stored): &(G::Position, i32)| {
        if progress.cancelled() {
            return Err(Stop::Error(file.interrupted()));
        }
        Judge(game).entry(position, *stored, |class| table.probe(class))?;
        progress.advance(1);
        Ok(())
    };
    for_each_batch(table, part, "verifying", progress, &mut |batch| {
        match try_map_of(batch, judge) {
            Ok(_) => {}
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Refuted(refutation)) => {
                wrong = Some(*refutation);
                return Ok(ControlFlow::Break(()));
            }
        }
        entries += batch.len() as u64;
        if let Part::Layers(_) = part {
            for (position, stored) in batch {
                counts.add(game.layer(position), *stored, 1);
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if let (None, Part::Layers(layers)) = (&wrong, part) {
        wrong = counts.differ(file, |layer| layers.contains(&layer));
    }
    Ok(wrong.map_or(Verdict::Agrees { entries }, Verdict::Refuted))
}
