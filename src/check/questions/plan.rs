//! What is asked, by the options.

use super::Listed;
use super::asking::Asking;
use super::canonical::Canonical;
use super::play::{Played, play};
use super::sample::Sampler;
use super::walk::{Walk, code_of, walk_all};
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
        asking: &mut Asking<'_, '_, '_, G>,
        options: &CheckOptions,
    ) -> Result<(), CheckError> {
        let judge = Judge::new(self.oracle).listing_best(asking.lists_best());
        match &mut self.kind {
            Kind::Every(walk) => {
                let game = self.oracle.game();
                let mut codes = Vec::new();
                asking.all(
                    &Listed(&walk.positions),
                    &judge,
                    &mut |_, position, judged| {
                        let answer = judged.answer.as_ref().ok().copied();
                        codes.push(code_of(game, position, answer));
                    },
                )?;
                walk.keep_answers(codes);
            }
            Kind::Canonical(source) => asking.all(source, &judge, &mut |_, _, _| {})?,
            Kind::Sample(sampler) => asking.all(&**sampler, &judge, &mut |_, _, _| {})?,
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

    /// Where lines of play were followed: the moves that lead from the start to the position of a
    /// question, the AI's moves its own.
    pub fn own_way_to(&self, question: u64) -> Option<Vec<G::Move>> {
        match &self.kind {
            Kind::Play(played) => Some(played.line_to(self.oracle.game(), question)),
            Kind::Every(_) | Kind::Canonical(_) | Kind::Sample(_) => None,
        }
    }

    /// What the AI, playing one side, answered in a position, if it was asked there and that was
    /// kept.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        let game = self.oracle.game();
        match &self.kind {
            Kind::Every(walk) => walk.answer(game, position),
            Kind::Play(played) => played.answer(game, position),
            Kind::Canonical(_) | Kind::Sample(_) => None,
        }
    }
}
