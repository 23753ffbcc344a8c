//! Kalah's search as a [`Searcher`], planned when the first question comes.

use super::endgame::GivenEndgame;
use super::{KalahSearch, MemoryPlan, Tally, make_endgame, memory};
use crate::game::{
    Bounds, CancelScope, Game, NoProgress, Progress, SearchError, SearchSetup, Searcher,
};
use crate::games::kalah::{Kalah, Move, Position};
use crate::pool::{STACK, in_pool, lock};
use crate::work::SavedSearch;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Seeds below the most at which positions still count as expensive.
const SEEDS_LIKE_THE_MOST: usize = 6;

/// A searcher of one game, planned for the seeds of the positions asked about.
///
/// Questions about few seeds are answered quickly and in little memory. If a question has more
/// seeds than planned, a new search replaces the old one and may reuse its endgame. A trial search
/// with a small endgame and few nodes comes before a large endgame is made.
pub struct KalahSearcher {
    game: Kalah,
    threads: usize,
    memory: u64,
    given: Option<GivenEndgame>,
    saved: Option<Arc<SavedSearch>>,
    searches: Mutex<Searches>,
    tally: Arc<Tally>,
}

/// The current search and the expected questions.
#[derive(Default)]
struct Searches {
    /// The search made last: at first a trial search.
    current: Option<Arc<KalahSearch>>,
    /// The most seeds on the board of the expected positions.
    expected: usize,
    /// Number of expected positions with about as many seeds.
    questions: usize,
}

impl KalahSearcher {
    /// Returns a searcher within the limits of `setup`.
    ///
    /// # Errors
    /// [`SearchError::Endgame`] if the setup's endgame is not one of this game.
    pub fn new(game: &Kalah, setup: &SearchSetup) -> Result<KalahSearcher, SearchError> {
        Ok(KalahSearcher {
            game: game.clone(),
            threads: setup.threads.max(1),
            memory: setup.memory,
            given: GivenEndgame::of(setup, game)?,
            saved: setup.saved.clone(),
            searches: Mutex::default(),
            tally: Arc::default(),
        })
    }

    /// Records positions to be asked about; returns the most seeds of one of them.
    fn expect(&self, positions: &[Position]) -> Option<usize> {
        let seeds = positions.iter().map(Position::seeds_on_board).max()?;
        let mut searches = lock(&self.searches);
        searches.expected = searches.expected.max(seeds);
        // Positions with fewer seeds take so little time that they don't count.
        let least = searches.expected.saturating_sub(SEEDS_LIKE_THE_MOST);
        let like_it = |position: &&Position| position.seeds_on_board() >= least;
        let questions = positions.iter().filter(like_it).count();
        searches.questions = searches.questions.max(questions);
        Some(seeds)
    }

    /// Returns the current search if it can search positions with this many seeds.
    fn existing(&self, seeds: usize) -> Option<Arc<KalahSearch>> {
        let current = &lock(&self.searches).current;
        current.clone().filter(|has| has.seeds >= seeds)
    }

    /// Returns a trial search.
    ///
    /// `None` if there is a full search already, or if making one takes no longer.
    fn trial_search(
        &self,
        seeds: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<KalahSearch>>, SearchError> {
        let mut searches = lock(&self.searches);
        match &searches.current {
            Some(search) if search.is_small() && search.seeds >= seeds => {
                return Ok(Some(Arc::clone(search)));
            }
            Some(search) if !search.is_small() => return Ok(None),
            _ => {}
        }
        let seeds = seeds.max(searches.expected);
        let saved = self.plan(seeds, 1)?.endgame_seeds;
        let Some((plan, nodes)) = memory::plan_before(self.game.pits(), seeds, saved) else {
            return Ok(None);
        };
        // Don't report the small endgame's progress.
        let is_stopped = || progress.cancelled();
        let quiet = CancelScope::new(&NoProgress, &is_stopped);
        let mut small = in_pool(self.threads, STACK, || {
            KalahSearch::new(&self.game, seeds, plan, self.threads, &quiet)
        })?;
        small.tally = Arc::clone(&self.tally);
        small.most_nodes = nodes;
        searches.current = Some(Arc::new(small));
        Ok(searches.current.clone())
    }

    /// Returns a full search for this many seeds.
    ///
    /// Other callers wait until it is made.
    fn search_for(
        &self,
        seeds: usize,
        progress: &dyn Progress,
    ) -> Result<Arc<KalahSearch>, SearchError> {
        let mut searches = lock(&self.searches);
        let serves = |search: &&Arc<KalahSearch>| !search.is_small() && search.seeds >= seeds;
        if let Some(search) = searches.current.as_ref().filter(serves) {
            return Ok(Arc::clone(search));
        }
        let seeds = seeds.max(searches.expected);
        let plan = self.plan(seeds, searches.questions)?;
        // Free the old transposition table before the new one is allocated.
        let endgame = searches
            .current
            .take()
            .map(|old| Arc::clone(&old.state.endgame));
        // Reuse its endgame if that is large enough and leaves room for the table.
        let endgame = endgame.filter(|endgame| {
            endgame.seeds as usize >= plan.endgame_seeds
                && plan.has_room_for(endgame.bytes(), self.memory)
        });
        let endgame = match endgame {
            Some(endgame) => endgame,
            None => Arc::new(in_pool(self.threads, STACK, || {
                make_endgame(&self.game, plan, self.given.as_ref(), progress)
            })?),
        };
        let (table, threads) = (plan.table_bytes, self.threads);
        let mut new = KalahSearch::with_endgame(&self.game, seeds, endgame, table, threads)?;
        new.tally = Arc::clone(&self.tally);
        if let Some(saved) = &self.saved {
            new.resume(Arc::clone(saved))?;
        }
        progress.phase("searching", "positions", 0);
        let new = Arc::new(new);
        searches.current = Some(Arc::clone(&new));
        Ok(new)
    }

    fn plan(&self, seeds: usize, questions: usize) -> Result<MemoryPlan, SearchError> {
        let available = self.given.as_ref().map(|given| given.up_to);
        let (pits, memory, threads) = (self.game.pits(), self.memory, self.threads);
        MemoryPlan::new(pits, seeds, memory, threads, questions, available)
    }
}

impl Searcher<Kalah> for KalahSearcher {
    fn prepare(
        &self,
        positions: &[Position],
        at_once: bool,
        progress: &dyn Progress,
    ) -> Result<(), SearchError> {
        // A trial search may be enough.
        if let Some(seeds) = self.expect(positions)
            && (at_once || self.trial_search(seeds, progress)?.is_none())
        {
            self.search_for(seeds, progress)?;
        }
        Ok(())
    }

    fn bounds(&self, position: &Position) -> Bounds {
        let seeds = position.seeds_on_board();
        if let Some(search) = self.existing(seeds) {
            return search.bounds(position);
        }
        if let Some(score) = self.game.final_score(position) {
            return Bounds::exactly(score);
        }
        let (banked, seeds) = (self.game.banked(position), seeds as i32);
        Bounds {
            lower: banked - seeds,
            upper: banked + seeds,
        }
    }

    fn bound(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        let seeds = position.seeds_on_board();
        if let Some(small) = self.trial_search(seeds, progress)? {
            let found = small.bound(position, wanted, progress)?;
            if found.is_some() || progress.cancelled() {
                return Ok(found);
            }
        }
        let search = self.search_for(seeds, progress)?;
        search.bound(position, wanted, progress)
    }

    fn likely_best(&self, position: &Position) -> Option<Move> {
        let search = self.existing(position.seeds_on_board())?;
        search.likely_best(position)
    }

    fn nodes(&self) -> u64 {
        self.tally.nodes.load(Relaxed)
    }

    fn depth(&self) -> Option<u32> {
        Some(self.tally.depth.load(Relaxed))
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

#[cfg(test)]
mod tests;
