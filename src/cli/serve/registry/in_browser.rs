//! Games of a site in a browser: their tables arrive later, or are solved beside the pages.

use super::{Entry, Registry, SEARCHED, Source, source, with_fixed};
use crate::any::game_of_rules;
use crate::cli::program::Program;
use crate::game::Progress;
use crate::pool::lock;
use crate::solve::Method;
use crate::table::TableFile;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Memory in which games are solved although nobody has chosen their board, in bytes.
const UNCHOSEN: u64 = 128 << 20;
/// Memory to write a table in memory, too, as a multiple of the estimate for solving. Connect Four
/// takes this much.
const WITH_TABLE: u64 = 4;

impl Registry {
    /// Registers the games of tables that have yet to arrive, by ids and rules, and those that are
    /// searched.
    ///
    /// # Errors
    /// If the rules are those of no game.
    pub fn awaiting(
        tables: &[(String, String)],
        memory: u64,
        program: &Program<'_>,
    ) -> anyhow::Result<Registry> {
        let mut registry = Registry::empty(memory);
        // For searches before the tables are there.
        let share = memory / SEARCHED.len() as u64;
        for (id, rules) in tables {
            let game = game_of_rules(rules, program.families)?;
            registry.add(Entry::of(id.clone(), game, None, share, None))?;
        }
        let awaited = registry.entries.len();
        registry.add_searched(memory, program)?;
        for entry in &registry.entries[awaited..] {
            entry.may_be_solved_in(UNCHOSEN);
        }
        Ok(registry)
    }

    /// Receives a game that somebody asks for.
    ///
    /// Searches of other games than this one and the last are forgotten, because each takes memory.
    pub(super) fn visit(&self, entry: &Arc<Entry>) {
        let recent = {
            let mut recent = lock(&self.recent);
            if recent[1] != entry.id {
                recent.swap(0, 1);
                recent[1] = entry.id.clone();
            }
            recent.clone()
        };
        for other in self.entries.iter().chain(&*lock(&self.boards)) {
            if !recent.contains(&other.id) {
                other.forget_search();
            }
        }
        self.want_solved(entry);
    }

    /// Notes that a game is to be solved, if it is small, unless that has been noted before.
    fn want_solved(&self, entry: &Arc<Entry>) {
        let memory = entry.solved_in.swap(0, Relaxed);
        let needed = || {
            let needed = entry.game.memory_estimate(Method::Backward, 1, 1)?;
            Some(with_fixed(needed, WITH_TABLE))
        };
        if memory > 0 && entry.is_searched() && needed().is_none_or(|needed| needed <= memory) {
            lock(&self.wanted).push(Arc::clone(entry));
        }
    }

    /// Returns the ids and rules of the games to be solved that were noted since the last call.
    pub fn take_wanted(&self) -> Vec<(String, String)> {
        let mut wanted = std::mem::take(&mut *lock(&self.wanted));
        wanted.retain(|entry| entry.is_searched());
        let names = wanted.iter();
        names.map(|it| (it.id.clone(), it.game.rules())).collect()
    }
}

impl Entry {
    pub(super) fn may_be_solved_in(&self, memory: u64) {
        self.solved_in.store(memory, Relaxed);
    }

    /// Forgets the search, which the next question sets up anew.
    pub fn forget_search(&self) {
        let mut state = lock(&self.state);
        if matches!(&state.source, Some(Ok(Source { table: None, .. }))) {
            state.source = None;
        }
    }

    /// Replaces the search by a table.
    ///
    /// # Errors
    /// If these are not the bytes of a table of this game.
    pub fn add(&self, table: Vec<u8>) -> anyhow::Result<()> {
        let opened: Source = source(&*self.game, TableFile::from_bytes(table)?)?;
        self.bar.phase("", "", 0);
        lock(&self.state).source = Some(Ok(opened));
        Ok(())
    }

    /// Notes how much of the table has arrived or has been computed.
    pub fn note_progress(&self, (phase, unit): (&str, &str), done: u64, of: u64) {
        self.bar.phase(phase, unit, of);
        self.bar.advance(done);
    }
}
