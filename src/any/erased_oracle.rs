//! An oracle of a game of any type, for code that is compiled once instead of once per game.

use super::erased::{Erased, ErasedMove, ErasedPosition, same};
use crate::game::{Bounds, Notation, Progress};
use crate::oracle::{Effort, Inventory, Oracle, OracleError};
use crate::table::ReadError;
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Deref;

type P = ErasedPosition;
type M = ErasedMove;
type Answer<T> = Result<T, OracleError>;

/// An oracle whose game's type is removed.
pub struct ErasedOracle<G, O> {
    game: Erased,
    oracle: O,
    typed: PhantomData<fn() -> G>,
}

impl<G: Notation, O: Deref<Target: Oracle<G>>> ErasedOracle<G, O> {
    pub fn new(oracle: O) -> Self {
        ErasedOracle {
            game: Erased::new(oracle.game().clone()),
            oracle,
            typed: PhantomData,
        }
    }

    /// Returns a position in the game's type, which may be the erased one.
    fn read<'p>(&self, position: &'p P) -> &'p G::Position {
        let same: &dyn Any = position;
        same.downcast_ref().unwrap_or_else(|| position.get())
    }

    fn read_move(&self, mv: M) -> G::Move {
        same(mv).unwrap_or_else(|mv: M| mv.get())
    }

    fn position(&self, position: G::Position) -> P {
        same(position).unwrap_or_else(P::new)
    }

    fn mv(&self, mv: G::Move) -> M {
        same(mv).unwrap_or_else(M::new)
    }
}

impl<G: Notation, O> Oracle<Erased> for ErasedOracle<G, O>
where
    O: Deref<Target: Oracle<G>> + Send + Sync,
{
    fn game(&self) -> &Erased {
        &self.game
    }

    fn score(&self, position: &P) -> Answer<i32> {
        self.oracle.score(self.read(position))
    }

    fn score_telling(
        &self,
        position: &P,
        from: Option<(i32, &str)>,
        report: &mut dyn FnMut(Bounds),
    ) -> Answer<i32> {
        self.oracle.score_telling(self.read(position), from, report)
    }

    fn bounds(&self, position: &P) -> Bounds {
        self.oracle.bounds(self.read(position))
    }

    fn bound(&self, position: &P, wanted: i32) -> Answer<Bounds> {
        self.oracle.bound(self.read(position), wanted)
    }

    fn score_after(&self, position: &P, mv: M) -> Answer<i32> {
        let mv = self.read_move(mv);
        self.oracle.score_after(self.read(position), mv)
    }

    fn keeps(&self, position: &P, mv: M, score: i32) -> Answer<bool> {
        let mv = self.read_move(mv);
        self.oracle.keeps(self.read(position), mv, score)
    }

    fn score_after_knowing(&self, position: &P, mv: M, score: i32) -> Answer<i32> {
        let mv = self.read_move(mv);
        self.oracle
            .score_after_knowing(self.read(position), mv, score)
    }

    fn likely_best(&self, position: &P) -> Option<M> {
        let likely = self.oracle.likely_best(self.read(position))?;
        Some(self.mv(likely))
    }

    fn inventory(&self) -> Option<&dyn Inventory<Erased>> {
        self.oracle.inventory()?;
        Some(self)
    }

    fn prepare(&self, positions: &[P], at_once: bool) -> Answer<()> {
        let positions = positions.iter().map(|position| self.read(position).clone());
        let positions: Vec<G::Position> = positions.collect();
        self.oracle.prepare(&positions, at_once)
    }

    fn with_progress<'q>(
        &'q self,
        progress: &'q dyn Progress,
    ) -> Option<Box<dyn Oracle<Erased> + 'q>> {
        let own = self.oracle.with_progress(progress)?;
        Some(Box::new(ErasedOracle::<G, _>::new(own)))
    }

    fn effort(&self) -> Option<Effort> {
        self.oracle.effort()
    }
}

impl<G: Notation, O> Inventory<Erased> for ErasedOracle<G, O>
where
    O: Deref<Target: Oracle<G>> + Send + Sync,
{
    fn entries(&self) -> u64 {
        self.oracle.inventory().map_or(0, Inventory::entries)
    }

    fn blocks(&self) -> u64 {
        self.oracle.inventory().map_or(0, Inventory::blocks)
    }

    fn block_positions(&self, block: u64) -> Result<Vec<P>, ReadError> {
        let Some(inventory) = self.oracle.inventory() else {
            return Ok(Vec::new());
        };
        let positions = inventory.block_positions(block)?.into_iter();
        Ok(positions.map(|position| self.position(position)).collect())
    }

    fn choose(&self, random: &mut dyn FnMut(u64) -> u64) -> Result<Option<P>, ReadError> {
        let inventory = self.oracle.inventory();
        let chosen = inventory.map_or(Ok(None), |inventory| inventory.choose(random))?;
        Ok(chosen.map(|position| self.position(position)))
    }
}
