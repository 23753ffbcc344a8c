//! Finds the reachable classes.
//!
//! Each process generates the moves of its own classes and sends the keys of their children to the
//! processes that own them.

use super::checkpoint::KeyCheckpoints;
use super::keys::{Key, Reader, owner};
use super::layers::{FoundClasses, LayerOrder, classes};
use super::set::KeySet;
use super::solver::{BLOCK, KeySolver};
use crate::game::team::{MORE, broken, more};
use crate::game::{Broken, Notation, Progress, SolveError, SolveOptions, Team};
use crate::pool::{sort, try_map_of};
use std::collections::BTreeMap;

/// Number of classes per task.
pub const TASK: usize = 1 << 10;

/// About the number of children that are sorted together.
///
/// The more there are, the nearer to each other they are in a set, and the faster they are added.
const CHILDREN: usize = 1 << 21;

/// Flag of an exchange: a move leads to an earlier stage.
const BACK: u8 = 2;
/// Flag of an exchange: a checkpoint is due.
const DUE: u8 = 4;

/// Returns the keys of all reachable unfinished classes, in ascending order.
///
/// Walks move by move from the start and visits each class once. Runs in the current thread pool;
/// `memory` is in bytes.
///
/// # Errors
/// If it needs more memory than allowed, is cancelled, or the game breaks a promise.
pub fn reachable<G: Notation>(
    game: &G,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Vec<u128>, SolveError> {
    let team = Team::alone(progress);
    let options = SolveOptions { threads: 0, memory };
    let solver: KeySolver<'_, u128> = KeySolver::new(game, &team, options, BLOCK, None)?;
    let (found, _) = solver.find_all(&mut KeyCheckpoints::new(None, 0.0))?;
    let mut keys: Vec<u128> = Vec::new();
    for layer in found.layers.into_values() {
        solver.check_memory(((keys.len() + layer.keys.len()) * size_of::<u128>()) as u64)?;
        keys.extend(layer.keys);
    }
    sort(&mut keys);
    Ok(keys)
}

/// Keys, by owner and stage.
type ByOwner<K> = BTreeMap<(u32, u32), Vec<K>>;

/// Lists of keys, by stage.
type ByStage<K> = BTreeMap<u32, Vec<Vec<K>>>;

/// Keys of this process, and messages to the owners of others.
type Split<K> = (ByStage<K>, Vec<Vec<u8>>);

impl<K: Key> KeySolver<'_, K> {
    /// Returns all layers without scores, and the order in which they were found.
    ///
    /// # Errors
    /// In all processes, if they can't be found.
    pub(crate) fn find_all(
        &self,
        checkpoints: &mut KeyCheckpoints,
    ) -> Result<(FoundClasses<K>, LayerOrder), SolveError> {
        let (mut found, mut order) = checkpoints.load(self)?;
        while !found.is_all {
            if !self.find(&mut found, order, checkpoints)? {
                found = FoundClasses::default();
                order = order.next();
            }
        }
        Ok((found, order))
    }

    /// Finds all classes not found yet; the work resumes from `found`.
    ///
    /// Returns false if a move leads to an earlier stage, so that the layers need another order.
    pub fn find(
        &self,
        found: &mut FoundClasses<K>,
        order: LayerOrder,
        checkpoints: &mut KeyCheckpoints,
    ) -> Result<bool, SolveError> {
        let progress = self.team.progress();
        progress.phase("finding reachable positions", "classes", 0);
        if !found.is_planted {
            self.plant(found, order)?;
            found.is_planted = true;
        }
        self.team.advance(classes(&found.layers) as u64);
        loop {
            // Agree on the first open stage, and on whether a checkpoint is due.
            let mine = found.open.first_key_value().map(|(&stage, _)| stage);
            let gathered = self.team.all_gather(Ok([
                mine.map_or(u64::MAX, u64::from),
                u64::from(checkpoints.is_due(self.team)),
            ]))?;
            if gathered[0][1] == 1 {
                checkpoints.save(self, found, order)?;
            }
            let next = gathered.iter().min().map_or(u64::MAX, |numbers| numbers[0]);
            let Ok(stage) = u32::try_from(next) else {
                break;
            };
            let Some(keys) = self.complete(found, stage, order, checkpoints)? else {
                return Ok(false);
            };
            found.layers.entry(stage).or_default().keys = keys;
        }
        found.is_all = true;
        Ok(true)
    }

    /// Returns all keys of the first open stage, including those reached by moves within it.
    ///
    /// `None` if a move leads to an earlier stage.
    fn complete(
        &self,
        found: &mut FoundClasses<K>,
        stage: u32,
        order: LayerOrder,
        checkpoints: &mut KeyCheckpoints,
    ) -> Result<Option<Vec<K>>, SolveError> {
        let mut known = found.open.remove(&stage).unwrap_or_default();
        let mut fresh = known.keys();
        let mut is_first = true;
        loop {
            // Each pass expands the keys that the last pass found new at this stage.
            let mut next = Vec::new();
            let (mut size, mut rest) = (self.block, &fresh[..]);
            loop {
                let block = rest.split_off(..size.min(rest.len())).unwrap_or_default();
                let children = self.children(block, stage, order);
                let is_out_of_order = matches!(children, Ok(None));
                let (own, outgoing) = match children {
                    Ok(children) => {
                        let nothing = || (ByStage::new(), self.team.empty_messages());
                        let (own, outgoing) = children.unwrap_or_else(nothing);
                        // Sorting the children takes a copy of them.
                        let sent: usize = outgoing.iter().map(Vec::len).sum();
                        let kept: usize = own.values().flatten().map(Vec::len).sum();
                        let children = kept + sent / self.width.0;
                        let keys = fresh.len() + next.len() + 2 * children;
                        let each = children / block.len().max(1);
                        size = (CHILDREN / each.max(1)).clamp(self.block, self.large_block());
                        let fits = self.check_growth(found, &known, keys);
                        (own, fits.map(|()| outgoing))
                    }
                    Err(broken) => (ByStage::new(), Err(SolveError::Rules(broken))),
                };
                let flags = more(!rest.is_empty()) | if is_out_of_order { BACK } else { 0 };
                let incoming = self.team.exchange(outgoing, flags)?;
                if incoming.flags & BACK != 0 {
                    return Ok(None);
                }
                let received = self.take(&incoming.messages).ok_or_else(broken)?;
                for (to, lists) in own.into_iter().chain(received) {
                    if to == stage {
                        let new = known.add(&lists).into_iter();
                        new.for_each(|keys| next.extend(keys));
                    } else {
                        found.open.entry(to).or_default().add(&lists);
                    }
                }
                self.team.advance(block.len() as u64);
                if incoming.flags & MORE == 0 {
                    break;
                }
            }
            let expanded = std::mem::replace(&mut fresh, next);
            let due = u8::from(checkpoints.is_due(self.team)) * DUE;
            let flags = more(!fresh.is_empty()) | due;
            let incoming = self.team.exchange(Ok(self.team.empty_messages()), flags)?;
            if incoming.flags & MORE == 0 {
                // In most games, no move stays within the stage.
                let is_all = is_first && expanded.len() == known.len();
                return Ok(Some(if is_all { expanded } else { known.finish() }));
            }
            is_first = false;
            if incoming.flags & DUE != 0 {
                // A later run expands the keys of this stage again, but finds no new ones on the
                // way here.
                found.open.insert(stage, known);
                checkpoints.save(self, found, order)?;
                known = found.open.remove(&stage).unwrap_or_default();
            }
        }
    }

    /// Returns the children of some classes of a stage: those of this process, and messages to the
    /// owners of the others.
    ///
    /// `None` if a child is at an earlier stage.
    fn children(
        &self,
        keys: &[K],
        stage: u32,
        order: LayerOrder,
    ) -> Result<Option<Split<K>>, Broken> {
        let processes = self.team.size();
        let tasks: Vec<&[K]> = keys.chunks(TASK).collect();
        let by_task = try_map_of(&tasks, |keys| {
            let mut is_out_of_order = false;
            let mut children = ByOwner::new();
            let mut keys = keys.iter().map(|key| key.wide());
            self.rules.expand(&mut keys, &mut |moves| {
                for step in &moves.steps {
                    let child_stage = order.stage_of(step.layer);
                    is_out_of_order |= child_stage < stage;
                    let to = (owner(step.key, processes) as u32, child_stage);
                    children.entry(to).or_default().push(K::of(step.key));
                }
            })?;
            Ok((!is_out_of_order).then_some(children))
        })?;
        let by_task: Option<Vec<ByOwner<K>>> = by_task.into_iter().collect();
        Ok(by_task.map(|by_task| self.split(by_task.into_iter().flatten())))
    }

    /// Splits keys into those of this process and messages to the owners of the others.
    ///
    /// For each list in a message: its stage, the number of keys, and the keys.
    fn split(&self, keys: impl Iterator<Item = ((u32, u32), Vec<K>)>) -> Split<K> {
        let mut own = ByStage::new();
        let mut messages = self.team.empty_messages();
        for ((owner, stage), keys) in keys {
            let message = &mut messages[owner as usize];
            if owner as usize == self.team.rank() {
                own.entry(stage).or_default().push(keys);
                continue;
            }
            message.reserve(8 + keys.len() * self.width.0);
            message.extend(stage.to_le_bytes());
            message.extend((keys.len() as u32).to_le_bytes());
            for key in keys {
                self.width.put(key, message);
            }
        }
        (own, messages)
    }

    /// Reads messages of [`KeySolver::split`]; `None` if one is malformed.
    fn take(&self, messages: &[Vec<u8>]) -> Option<ByStage<K>> {
        let mut by_stage = ByStage::new();
        for message in messages {
            let mut reader = Reader(message);
            while !reader.is_empty() {
                let (stage, count) = (reader.u32()?, reader.u32()?);
                let keys = reader.keys(count as usize, self.width)?;
                by_stage.entry(stage).or_default().push(keys);
            }
        }
        Some(by_stage)
    }

    /// Checks that the keys found so far fit in memory, and `others` beside them.
    fn check_growth(
        &self,
        found: &FoundClasses<K>,
        known: &KeySet<K>,
        others: usize,
    ) -> Result<(), SolveError> {
        let keys = classes(&found.layers) + others;
        let sets = found.open.values().chain([known]);
        let sets: u64 = sets.map(KeySet::bytes).sum();
        self.check_memory((keys * size_of::<K>()) as u64 + sets)
    }

    /// Sends the classes from which the walk starts to their owners.
    ///
    /// The processes share this work.
    fn plant(&self, found: &mut FoundClasses<K>, order: LayerOrder) -> Result<(), SolveError> {
        let mut numbers = (self.team.rank() as u64..self.rules.roots()).step_by(self.team.size());
        loop {
            let block = numbers.by_ref().take(self.block);
            let mut planted = ByOwner::new();
            for number in block {
                let (key, layer) = self.rules.root(number);
                let owner = owner(key, self.team.size()) as u32;
                let group = planted.entry((owner, order.stage_of(layer))).or_default();
                group.push(K::of(key));
            }
            let flags = more(!planted.is_empty());
            let (own, outgoing) = self.split(planted.into_iter());
            let fits = self.check_growth(found, &KeySet::default(), 0);
            let outgoing = fits.map(|()| outgoing);
            let incoming = self.team.exchange(outgoing, flags)?;
            let received = self.take(&incoming.messages).ok_or_else(broken)?;
            for (to, lists) in own.into_iter().chain(received) {
                found.open.entry(to).or_default().add(&lists);
            }
            if incoming.flags & MORE == 0 {
                return Ok(());
            }
        }
    }
}
