//! The optional methods of Kalah: symmetry, solving and searching.

use super::index::{Arrangements, Layout};
use super::retro::KalahSolver;
use super::search::{KalahSearcher, cross_checker, endgame_that_pays};
use super::{Kalah, Position};
use crate::game::{
    OwnSearcher, OwnSolver, Ranking, Roots, SearchSetup, Searching, Solving, Symmetry,
};
use std::sync::Arc;

impl Symmetry<Kalah> for Kalah {
    fn order(&self) -> usize {
        2
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        [*position, position.swapped()][symmetry]
    }
}

impl Solving<Kalah> for Kalah {
    fn roots(&self) -> Roots {
        match self.up_to() {
            Some(_) => Roots::Everywhere,
            None => Roots::Start,
        }
    }

    fn ranking(&self) -> Option<Arc<dyn Ranking<Position>>> {
        let arrangements = Arrangements::new(self.pits(), self.total_seeds());
        let layout = Layout::new(Arc::new(arrangements))?;
        Some(Arc::new(layout))
    }

    fn own_solver(&self) -> Option<Box<dyn OwnSolver>> {
        Some(Box::new(KalahSolver::new(self)))
    }
}

impl Searching<Kalah> for Kalah {
    fn searcher(&self, setup: &SearchSetup) -> OwnSearcher<Kalah> {
        let searcher = KalahSearcher::new(self, setup);
        Some(searcher.map(|searcher| Box::new(searcher) as _))
    }

    fn witness(&self, setup: &SearchSetup) -> OwnSearcher<Kalah> {
        Some(cross_checker(self, setup).map(|search| Box::new(search) as _))
    }

    fn witness_endgame(&self, questions: u64, memory: u64) -> Option<Kalah> {
        endgame_that_pays(self, questions, memory)
    }
}
