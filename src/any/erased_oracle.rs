//! An oracle of a game of any type, for code that is compiled once instead of once per game.

use super::erased::{Erased, ErasedMove, ErasedPosition, same};
use crate::game::{Bounds, Notation, Progress};
use crate::oracle::{Effort, Inventory, Oracle, OracleError};
use crate::table::ReadError;
use std::any::Any;
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;
type Answer<T> = Result<T, OracleError>;

/// An oracle whose game's type is removed.
pub struct ErasedOracle<'p, G: Notation> {
    game: Erased,
    oracle: Arc<dyn Oracle<G> + 'p>,
}

impl<'p, G: Notation> ErasedOracle<'p, G> {
    pub fn new(oracle: Arc<dyn Oracle<G> + 'p>) -> Self {
        ErasedOracle {
            game: Erased::new(oracle.game().clone()),
            oracle,
        }
    }
}

/// Returns a position in the game's type, which may be the erased one.
pub(super) fn typed<G: Notation>(position: &P) -> &G::Position {
    let same: &dyn Any = position;
    same.downcast_ref().unwrap_or_else(|| position.get())
}

fn read_move<G: Notation>(mv: M) -> G::Move {
    same(mv).unwrap_or_else(|mv: M| mv.get())
}

pub(super) fn erased<G: Notation>(position: G::Position) -> P {
    same(position).unwrap_or_else(P::new)
}

impl<G: Notation> Oracle<Erased> for ErasedOracle<'_, G> {
    fn game(&self) -> &Erased {
        &self.game
    }

    fn score(&self, position: &P) -> Answer<i32> {
        self.oracle.score(typed::<G>(position))
    }

    fn score_telling(
        &self,
        position: &P,
        from: Option<(i32, &str)>,
        report: &mut dyn FnMut(Bounds),
    ) -> Answer<i32> {
        self.oracle
            .score_telling(typed::<G>(position), from, report)
    }

    fn bounds(&self, position: &P) -> Bounds {
        self.oracle.bounds(typed::<G>(position))
    }

    fn bound(&self, position: &P, wanted: i32) -> Answer<Bounds> {
        self.oracle.bound(typed::<G>(position), wanted)
    }

    fn score_after(&self, position: &P, mv: M) -> Answer<i32> {
        let mv = read_move::<G>(mv);
        self.oracle.score_after(typed::<G>(position), mv)
    }

    fn keeps(&self, position: &P, mv: M, score: i32) -> Answer<bool> {
        let mv = read_move::<G>(mv);
        self.oracle.keeps(typed::<G>(position), mv, score)
    }

    fn score_after_knowing(&self, position: &P, mv: M, score: i32) -> Answer<i32> {
        let mv = read_move::<G>(mv);
        self.oracle
            .score_after_knowing(typed::<G>(position), mv, score)
    }

    fn likely_best(&self, position: &P) -> Option<M> {
        let likely = self.oracle.likely_best(typed::<G>(position))?;
        Some(same(likely).unwrap_or_else(M::new))
    }

    fn inventory(&self) -> Option<Box<dyn Inventory<Erased> + '_>> {
        Some(Box::new(ErasedInventory(self.oracle.inventory()?)))
    }

    fn prepare(&self, positions: &[P], at_once: bool) -> Answer<()> {
        let positions = positions
            .iter()
            .map(|position| typed::<G>(position).clone());
        let positions: Vec<G::Position> = positions.collect();
        self.oracle.prepare(&positions, at_once)
    }

    fn with_progress<'q>(
        &'q self,
        progress: &'q dyn Progress,
    ) -> Option<Box<dyn Oracle<Erased> + 'q>> {
        let own = self.oracle.with_progress(progress)?;
        Some(Box::new(ErasedOracle::new(own.into())))
    }

    fn effort(&self) -> Option<Effort> {
        self.oracle.effort()
    }
}

/// A list of positions without their type.
struct ErasedInventory<'o, G>(Box<dyn Inventory<G> + 'o>);

impl<G: Notation> Inventory<Erased> for ErasedInventory<'_, G> {
    fn entries(&self) -> u64 {
        self.0.entries()
    }

    fn blocks(&self) -> u64 {
        self.0.blocks()
    }

    fn block_positions(&self, block: u64) -> Result<Vec<P>, ReadError> {
        let positions = self.0.block_positions(block)?.into_iter();
        Ok(positions.map(erased::<G>).collect())
    }

    fn choose(&self, random: &mut dyn FnMut(u64) -> u64) -> Result<Option<P>, ReadError> {
        Ok(self.0.choose(random)?.map(erased::<G>))
    }
}
