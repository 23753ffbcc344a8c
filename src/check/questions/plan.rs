//! What is asked, by the options.

use super::Listed;
use super::asking::Asking;
use super::canonical::Canonical;
use super::play::{Played, play};
use super::sample::Sampler;
use super::walk::{Walk, walk_all};
use crate::check::error::{CheckError, inventory_of};
use crate::check::judge::Judge;
use crate::check::options::{CheckOptions, Coverage, Scope};
use crate::game::{Notation, Progress, Roots};
use crate::oracle::Oracle;

/// What is asked.
pub(in crate::check) struct Plan<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    kind: Kind<'a, G>,
}

enum Kind<'a, G: Notation> {
    Every(Walk<G>),
    Canonical(Canonical<'a, G>),
    Sample(Box<Sampler<'a, G>>),
    /// With what has been played so far.
    Play(Played<G>),
}

impl<'a, G: Notation> Plan<'a, G> {
    /// Finds out what there is to ask; what can't be asked is refused.
    pub fn new(
        oracle: &'a dyn Oracle<G>,
        options: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<Plan<'a, G>, CheckError> {
        let game = oracle.game();
        let walk = || walk_all(game, oracle.inventory(), options.memory, progress);
        let roots = game.capabilities().solving.roots();
        let kind = match (options.scope, options.coverage, roots) {
            (Scope::Play, _, Roots::Everywhere) => return Err(CheckError::NoStart(game.name())),
            (Scope::Play, _, Roots::Start) => Kind::Play(Played::default()),
            (Scope::All, Coverage::Every, Roots::Start) => Kind::Every(walk()?),
            (Scope::All, Coverage::Every | Coverage::Canonical, _) => {
                Kind::Canonical(Canonical(inventory_of(oracle, "the canonical positions")?))
            }
            (
                Scope::All,
                Coverage::Sample {
                    count,
                    seed,
                    by_layer,
                },
                _,
            ) => {
                let inventory = inventory_of(oracle, "the positions to draw a sample from")?;
                let sampler = Sampler::new(game, inventory, count, seed, by_layer, walk)?;
                Kind::Sample(Box::new(sampler))
            }
        };
        Ok(Plan { oracle, kind })
    }

    /// Asks about all of it.
    pub fn ask(
        &mut self,
        asking: &mut Asking<'_, '_, G>,
        options: &CheckOptions,
    ) -> Result<(), CheckError> {
        let judge = Judge::new(self.oracle);
        match &mut self.kind {
            Kind::Every(walk) => asking.all(&Listed(&walk.positions), &judge)?,
            Kind::Canonical(source) => asking.all(source, &judge)?,
            Kind::Sample(sampler) => asking.all(&**sampler, &judge)?,
            Kind::Play(played) => *played = play(self.oracle, asking, options)?,
        }
        Ok(())
    }

    /// The number of positions of the kind that is asked, if that is known.
    pub fn total(&self) -> Option<u64> {
        match &self.kind {
            Kind::Every(walk) => Some(walk.positions.len() as u64),
            Kind::Canonical(source) => Some(source.0.entries()),
            Kind::Sample(_) | Kind::Play(_) => None,
        }
    }

    /// The number of positions that were met and not asked.
    pub fn left_out(&self) -> u64 {
        match &self.kind {
            Kind::Play(played) => played.left_out,
            Kind::Every(_) | Kind::Canonical(_) | Kind::Sample(_) => 0,
        }
    }

    /// The moves that lead from the start to the position of a question, if there is a start.
    pub fn way_to(&self, question: u64) -> Result<Option<Vec<G::Move>>, CheckError> {
        let game = self.oracle.game();
        Ok(match &self.kind {
            Kind::Every(walk) => Some(walk.line_to(game, question as usize)),
            Kind::Canonical(_) => None,
            Kind::Sample(sampler) => sampler.draw(question)?.1,
            Kind::Play(played) => Some(played.line_to(game, question)),
        })
    }
}
