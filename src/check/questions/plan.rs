//! What is asked, by the options.

use super::asking::Asking;
use super::canonical::Canonical;
use super::play::{Played, play};
use super::plays::{Drawn, Wanted};
use super::sample::Sampler;
use super::team::Team;
use super::walk::{Walk, code_of, walk_all};
use super::{Listed, Source};
use crate::check::clock::Clock;
use crate::check::contenders::Fault;
use crate::check::error::{CheckError, inventory_of};
use crate::check::judge::{Case, Judge, LayerTally};
use crate::check::options::{CheckOptions, Coverage, ListedPosition, Plays, Scope};
use crate::game::{Notation, Progress, Roots};
use crate::oracle::{Oracle, OracleError};
use std::collections::BTreeMap;

/// What is asked.
pub(in crate::check) struct Plan<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    kind: Kind<'a, G>,
}

enum Kind<'a, G: Notation> {
    Every(Walk<G>),
    Canonical(Canonical<'a, G>),
    Sample(Box<Sampler<'a, G>>),
    /// What is to be drawn, and what has been drawn so far.
    Plays(Wanted, Box<FromPlays<G>>),
    Listed(Vec<G::Position>),
    /// With what has been played so far.
    Play(Played<G>),
}

/// Positions from plays, and what has come of them.
struct FromPlays<G: Notation> {
    drawn: Drawn<G>,
    tallies: BTreeMap<Plays, LayerTally>,
    /// The worst mistake that comes up when the AI makes its own moves from the start on.
    worst_own: Option<Case<G>>,
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
        let kind = match (options.scope, &options.coverage, roots) {
            (Scope::Play, _, Roots::Everywhere) => return Err(CheckError::NoStart(game.name())),
            (Scope::Play, _, Roots::Start) => Kind::Play(Played::default()),
            (Scope::All, Coverage::Every, Roots::Start) => Kind::Every(walk()?),
            (Scope::All, Coverage::Every | Coverage::Canonical, _) => {
                Kind::Canonical(Canonical(inventory_of(oracle, "the canonical positions")?))
            }
            (
                Scope::All,
                &Coverage::Sample {
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
            (Scope::All, Coverage::Plays { .. }, Roots::Everywhere) => {
                return Err(CheckError::NoStart(game.name()));
            }
            (Scope::All, &Coverage::Plays { count, seed, plays }, Roots::Start) => {
                let wanted = Wanted {
                    count,
                    seed,
                    plays,
                    budget: options.budget,
                };
                let from_plays = FromPlays {
                    drawn: Drawn::none(),
                    tallies: BTreeMap::new(),
                    worst_own: None,
                };
                Kind::Plays(wanted, Box::new(from_plays))
            }
            (Scope::All, Coverage::Listed(listed), _) => Kind::Listed(read(oracle, listed)?),
        };
        match &kind {
            Kind::Listed(_) => {}
            _ if roots == Roots::Start => oracle.make_ready(&[game.start()])?,
            _ => {}
        }
        Ok(Plan { oracle, kind })
    }

    /// Draws what is asked, if it is drawn beforehand; after `faults` faults of the AI no more.
    pub fn draw(
        &mut self,
        team: &mut Team<'_, G>,
        faults: usize,
        clock: &Clock<'_>,
    ) -> Result<(), CheckError> {
        if let Kind::Plays(wanted, from_plays) = &mut self.kind {
            from_plays.drawn = Drawn::draw(self.oracle, team, *wanted, faults, clock)?;
        }
        Ok(())
    }

    /// The faults that the AI had while positions were drawn, and whether that was given up.
    pub fn drawing_faults(&self) -> (&[(G::Position, Fault)], bool) {
        match &self.kind {
            Kind::Plays(_, from_plays) => (&from_plays.drawn.faults, from_plays.drawn.is_cut),
            _ => (&[], false),
        }
    }

    /// Asks about all of it.
    pub fn ask(
        &mut self,
        asking: &mut Asking<'_, '_, '_, G>,
        options: &CheckOptions,
    ) -> Result<(), CheckError> {
        let judge = Judge::new(self.oracle)
            .listing_best(asking.lists_best())
            .with_budget(options.budget);
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
            Kind::Plays(_, from_plays) => {
                let standard = options.standard;
                let FromPlays {
                    drawn,
                    tallies,
                    worst_own,
                } = &mut **from_plays;
                let mut answers = Vec::new();
                asking.all(&*drawn, &judge, &mut |index, position, judged| {
                    let of_plays = tallies.entry(drawn.plays_of(index)).or_default();
                    of_plays.add(judged, standard);
                    if let Ok(mv) = judged.answer {
                        answers.push((position.clone(), mv));
                    }
                    let least = worst_own.as_ref().map_or(0, |worst| worst.judged.lost());
                    if judged.answer.is_ok()
                        && judged.is_mistake(standard)
                        && judged.lost() > least
                        && drawn.is_own(index)
                    {
                        *worst_own = Some(Case {
                            index,
                            position: position.clone(),
                            judged: judged.clone(),
                            alike: 1,
                        });
                    }
                })?;
                for (position, mv) in &answers {
                    drawn.keep_answer(position, *mv);
                }
            }
            Kind::Listed(positions) => {
                asking.all(&Listed(positions), &judge, &mut |_, _, _| {})?;
            }
            Kind::Play(played) => *played = play(self.oracle, asking, options)?,
        }
        Ok(())
    }

    /// The number of positions of the kind that is asked, if that is known.
    pub fn total(&self) -> Option<u64> {
        match &self.kind {
            Kind::Every(walk) => Some(walk.positions.len() as u64),
            Kind::Canonical(source) => Some(source.0.entries()),
            Kind::Plays(wanted, _) => Some(wanted.count),
            Kind::Listed(positions) => Some(positions.len() as u64),
            Kind::Sample(_) | Kind::Play(_) => None,
        }
    }

    /// The number of positions that were met and not asked.
    pub fn left_out(&self) -> u64 {
        match &self.kind {
            Kind::Play(played) => played.left_out,
            _ => 0,
        }
    }

    /// The counts by the plays that positions come from, if they come from plays.
    pub fn by_plays(&self) -> Option<&BTreeMap<Plays, LayerTally>> {
        match &self.kind {
            Kind::Plays(_, from_plays) => Some(&from_plays.tallies),
            _ => None,
        }
    }

    /// The worst mistake in a position to which the AI's own moves lead, where that was looked for.
    pub fn worst_own(&self) -> Option<&Case<G>> {
        match &self.kind {
            Kind::Plays(_, from_plays) => from_plays.worst_own.as_ref(),
            _ => None,
        }
    }

    /// Whether nobody goes through the AI's own play to find mistakes that come up in it: positions
    /// from plays have come up already, and those that are listed are all that is to be looked at.
    pub fn leaves_own_play(&self) -> bool {
        matches!(self.kind, Kind::Plays(..) | Kind::Listed(_))
    }

    /// The moves that lead from the start to the position of a question, if they are known.
    pub fn way_to(&self, question: u64) -> Option<Vec<G::Move>> {
        match &self.kind {
            Kind::Play(played) => Some(played.line_to(self.oracle.game(), question)),
            Kind::Plays(_, from_plays) => from_plays.drawn.way_to(question),
            Kind::Every(_) | Kind::Canonical(_) | Kind::Sample(_) | Kind::Listed(_) => None,
        }
    }

    /// The same if those of the side to move are the AI's own.
    pub fn own_way_to(&self, question: u64) -> Option<Vec<G::Move>> {
        match &self.kind {
            Kind::Plays(_, from_plays) if !from_plays.drawn.is_own(question) => None,
            _ => self.way_to(question),
        }
    }

    /// What the AI, playing one side, answered in a position, if it was asked there and that was
    /// kept.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        let game = self.oracle.game();
        match &self.kind {
            Kind::Every(walk) => walk.answer(game, position),
            Kind::Play(played) => played.answer(game, position),
            Kind::Plays(_, from_plays) => from_plays.drawn.answer(position),
            Kind::Canonical(_) | Kind::Sample(_) | Kind::Listed(_) => None,
        }
    }
}

/// The positions that somebody lists. One that can't be asked about is an error with its line.
fn read<G: Notation>(
    oracle: &dyn Oracle<G>,
    listed: &[ListedPosition],
) -> Result<Vec<G::Position>, CheckError> {
    let game = oracle.game();
    let mut positions = Vec::with_capacity(listed.len());
    for ListedPosition { line, text } in listed {
        let wrong = |problem: String| CheckError::Listed {
            line: *line,
            problem,
        };
        let position = game
            .parse_position(text)
            .map_err(|error| wrong(error.to_string()))?;
        if game.final_score(&position).is_some() {
            let problem = format!("the game is over in \"{text}\", so there is no move to ask for");
            return Err(wrong(problem));
        }
        // A table says at once whether it has the position.
        if oracle.effort().is_none() {
            oracle.score(&position).map_err(|error| match error {
                OracleError::Probe(problem) => wrong(problem.to_string()),
                error => error.into(),
            })?;
        }
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(CheckError::NothingListed);
    }
    match oracle.make_ready(&positions) {
        Err(error @ OracleError::Search(_)) => {
            // Which one is it?
            let fails = |position: &&G::Position| {
                oracle.make_ready(std::slice::from_ref(position)).is_err()
            };
            let at = positions.iter().position(|position| fails(&position));
            match at {
                Some(at) if !crate::check::error::is_interruption(&error) => {
                    Err(CheckError::Listed {
                        line: listed[at].line,
                        problem: error.to_string(),
                    })
                }
                _ => Err(error.into()),
            }
        }
        ready => Ok(ready.map(|()| positions)?),
    }
}
