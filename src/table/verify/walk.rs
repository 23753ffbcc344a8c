//! The walk from the start, for a table in which something is wrong: which entries can be reached?

use super::error::VerifyError;
use super::judge::Judge;
use super::verdict::Refutation;
use crate::game::{Notation, Progress, Roots};
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Tables with more entries are not walked through: that would take long, and much memory.
const MOST_ENTRIES: u64 = 1 << 20;

/// A class that can be reached and has no entry, the one that the fewest moves lead to, or else the
/// first entry that can't be reached; nothing if there is neither, or the table is too large.
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
        return Ok(Some(Judge(game).start_is_missing()));
    }
    let mut reached = FxHashSet::from_iter([game.key(&start)]);
    let mut open = VecDeque::from([start]);
    while let Some(position) = open.pop_front() {
        if progress.cancelled() {
            return Err(file.interrupted());
        }
        progress.advance(1);
        let mut class = position.clone();
        for mv in game.legal_moves(&position) {
            if game.follow(&position, mv, &mut class).is_finished {
                continue;
            }
            if !table.contains(&class)? {
                return Ok(Some(Judge(game).missing(&position, mv)));
            }
            if reached.insert(game.key(&class)) {
                open.push_back(class.clone());
            }
        }
    }
    for block in 0..file.blocks() {
        let mut positions = table.block_positions(block)?.into_iter();
        if let Some(extra) = positions.find(|it| !reached.contains(&game.key(it))) {
            return extra_entry(table, file.plan().segment_of(block), &extra).map(Some);
        }
    }
    Ok(None)
}

/// What there is to say of an entry of a segment that can't be reached.
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
