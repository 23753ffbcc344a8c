//! Kalah's search as a [`Searcher`]: of any position, made when the first question comes.

use super::kept::KeptEndgame;
use super::memory;
use super::{KalahSearch, MemoryPlan, Tally, make_endgame};
use crate::game::{Bounds, Game, NoProgress, Progress, SearchError, SearchSetup, Searcher, Until};
use crate::games::kalah::{Kalah, Move, Position};
use crate::pool::{STACK, in_pool};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Positions with so many seeds fewer than those with the most still count among the expensive ones.
const SEEDS_LIKE_THE_MOST: usize = 6;

/// Searches of one game, planned for as many seeds as the positions asked about have on the board:
/// a question about few seeds is answered quickly and in little memory. When one about more seeds
/// comes, the search is planned anew, and only its endgame can be kept. Before a large endgame is
/// made, a small search has a look.
pub struct KalahSearcher {
    game: Kalah,
    threads: usize,
    memory: u64,
    kept: Option<KeptEndgame>,
    searches: Mutex<Searches>,
    tally: Arc<Tally>,
}

/// The searches that there are.
#[derive(Default)]
struct Searches {
    /// The one that was made last: at first a small one that has a look.
    current: Option<Arc<KalahSearch>>,
    /// The most seeds on the board of positions that will come.
    expected: usize,
    /// How many have about as many.
    questions: usize,
}

impl KalahSearcher {
    /// A searcher that may use so much.
    ///
    /// # Errors
    /// [`SearchError::Endgame`] if the setup's endgame is not one of this game.
    pub fn new(game: &Kalah, setup: &SearchSetup) -> Result<KalahSearcher, SearchError> {
        Ok(KalahSearcher {
            game: game.clone(),
            threads: setup.threads.max(1),
            memory: setup.memory,
            kept: KeptEndgame::of(setup, game)?,
            searches: Mutex::default(),
            tally: Arc::default(),
        })
    }

    /// Keeps in mind that these positions will come; the most seeds that one of them has.
    fn expect(&self, positions: &[Position]) -> Option<usize> {
        let seeds = positions.iter().map(Position::seeds_on_board).max()?;
        let mut searches = self.lock();
        searches.expected = searches.expected.max(seeds);
        // Those with fewer seeds cost so little that they don't count.
        let least = searches.expected.saturating_sub(SEEDS_LIKE_THE_MOST);
        let like_it = |position: &&Position| position.seeds_on_board() >= least;
        let questions = positions.iter().filter(like_it).count();
        searches.questions = searches.questions.max(questions);
        Some(seeds)
    }

    /// The search that there is, if it serves for so many seeds.
    fn existing(&self, seeds: usize) -> Option<Arc<KalahSearch>> {
        let current = &self.lock().current;
        current.clone().filter(|has| has.seeds >= seeds)
    }

    /// A small search to have a look with; nothing if there is a planned search already, or if that is
    /// made as quickly.
    fn look(
        &self,
        seeds: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<KalahSearch>>, SearchError> {
        let mut searches = self.lock();
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
        // What it does first is not worth telling.
        let is_stopped = || progress.cancelled();
        let quiet = Until::new(&NoProgress, &is_stopped);
        let mut small = in_pool(self.threads, STACK, || {
            KalahSearch::new(&self.game, seeds, plan, self.threads, &quiet)
        })?;
        small.tally = Arc::clone(&self.tally);
        small.most_nodes = nodes;
        searches.current = Some(Arc::new(small));
        Ok(searches.current.clone())
    }

    /// A search for so many seeds. Whoever asks meanwhile waits until it is made.
    fn search_for(
        &self,
        seeds: usize,
        progress: &dyn Progress,
    ) -> Result<Arc<KalahSearch>, SearchError> {
        let mut searches = self.lock();
        let serves = |search: &&Arc<KalahSearch>| !search.is_small() && search.seeds >= seeds;
        if let Some(search) = searches.current.as_ref().filter(serves) {
            return Ok(Arc::clone(search));
        }
        let seeds = seeds.max(searches.expected);
        let plan = self.plan(seeds, searches.questions)?;
        // The old transposition table goes before there is a new one.
        let endgame = searches
            .current
            .take()
            .map(|old| Arc::clone(&old.ground.endgame));
        let endgame = endgame.filter(|endgame| {
            endgame.seeds as usize >= plan.endgame_seeds
                && plan.has_room_for(endgame.bytes(), self.memory)
        });
        let endgame = match endgame {
            Some(endgame) => endgame,
            None => Arc::new(in_pool(self.threads, STACK, || {
                make_endgame(&self.game, plan, self.kept.as_ref(), progress)
            })?),
        };
        let (table, threads) = (plan.table_bytes, self.threads);
        let mut new = KalahSearch::with_endgame(&self.game, seeds, endgame, table, threads)?;
        new.tally = Arc::clone(&self.tally);
        let new = Arc::new(new);
        searches.current = Some(Arc::clone(&new));
        Ok(new)
    }

    fn plan(&self, seeds: usize, questions: usize) -> Result<MemoryPlan, SearchError> {
        let available = self.kept.as_ref().map(|kept| kept.up_to);
        let (pits, memory, threads) = (self.game.pits(), self.memory, self.threads);
        MemoryPlan::new(pits, seeds, memory, threads, questions, available)
    }

    /// A search is whole or not there, so a panic of another thread leaves nothing to fear.
    fn lock(&self) -> MutexGuard<'_, Searches> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Searcher<Kalah> for KalahSearcher {
    fn prepare(
        &self,
        positions: &[Position],
        at_once: bool,
        progress: &dyn Progress,
    ) -> Result<(), SearchError> {
        // Perhaps a look is enough.
        if let Some(seeds) = self.expect(positions)
            && (at_once || self.look(seeds, progress)?.is_none())
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
        if let Some(small) = self.look(seeds, progress)? {
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
