//! The walk from the start, which finds out what is wrong with a table.

use super::judge::{missing, start_is_missing};
use super::verdict::{Refutation, VerifyError};
use crate::game::{Notation, Progress, Roots};
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Most entries of a table for a walk, which takes long and much memory.
const MOST_ENTRIES: u64 = 1 << 20;

/// Returns a reachable class without an entry, or else the first unreachable entry.
///
/// Of several missing classes, it is one with the fewest moves from the start. The result is `None`
/// if there is neither, or the table is too large.
pub fn walk<G: Notation>(
    table: &Table<G>,
    progress: &dyn Progress,
) -> Result<Option<Refutation>, VerifyError> {
    let (game, file) = (table.game(), table.file());
    let roots = game.capabilities().solving.roots();
    let is_walked = roots != Roots::Everywhere || table.ranking().is_none();
    if !is_walked || file.entries() > MOST_ENTRIES {
        return Ok(None);
    }
    progress.phase("walking from the start", "classes", file.entries());
    let start = game.canonical(&game.start());
    if !table.contains(&start)? {
        return Ok(Some(start_is_missing(game)));
    }
    // Visit all reachable classes in breadth-first order.
    let mut reached = FxHashSet::from_iter([game.key(&start)]);
    let mut open = VecDeque::from([start]);
    while let Some(position) = open.pop_front() {
        file.check_stop(progress)?;
        progress.advance(1);
        let mut class = position.clone();
        for mv in game.legal_moves(&position) {
            if game.follow(&position, mv, &mut class).is_finished {
                continue;
            }
            if !table.contains(&class)? {
                return Ok(Some(missing(game, &position, mv)));
            }
            if reached.insert(game.key(&class)) {
                open.push_back(class.clone());
            }
        }
    }
    // All reachable classes have entries. Look for further entries.
    for block in 0..file.blocks() {
        let mut positions = table.block_positions(block)?.into_iter();
        if let Some(extra) = positions.find(|it| !reached.contains(&game.key(it))) {
            return extra_entry(table, file.plan().segment_of(block), &extra).map(Some);
        }
    }
    Ok(None)
}

/// Returns the refutation for an entry of a segment that is not reachable.
pub fn extra_entry<G: Notation>(
    table: &Table<G>,
    segment: u32,
    position: &G::Position,
) -> Result<Refutation, VerifyError> {
    let stored = match table.file().plan().is_derived(segment) {
        true => None,
        false => table.probe(position)?,
    };
    let position = table.game().format_position(position);
    Ok(Refutation::Extra { position, stored })
}
