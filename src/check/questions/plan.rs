//! What is asked, by the options.

use super::asking::Asking;
use super::play::play;
use super::plays::{Drawn, Wanted};
use super::source::{Canonical, Listed, Sample, Source};
use super::team::Team;
use super::walk::{Walk, walk_all};
use crate::check::clock::Clock;
use crate::check::contenders::Fault;
use crate::check::error::{CheckError, inventory_of, is_interruption};
use crate::check::judge::Judge;
use crate::check::options::{CheckOptions, Coverage, ListedPosition, Scope};
use crate::game::{Notation, Progress, Roots};
use crate::oracle::{Oracle, OracleError};

/// What is asked.
pub(in crate::check) struct Plan<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    /// Nothing where lines of play are followed, or as long as it is still to be drawn.
    source: Option<Box<dyn Source<G> + 'a>>,
    /// The positions that were met where lines of play are followed.
    played: Vec<Walk<G>>,
    /// What is to be drawn from plays.
    wanted: Option<Wanted>,
    /// The faults that the AI had while positions were drawn.
    pub faults: Vec<(G::Position, Fault)>,
    /// Whether these were so many that drawing was given up.
    pub is_cut: bool,
    /// Whether nobody goes through the AI's own play to find mistakes that come up in it: positions
    /// from plays have come up already, and those that are listed are all that is to be looked at.
    pub leaves_own_play: bool,
}

impl<'a, G: Notation> Plan<'a, G> {
    /// Finds out what there is to ask; what can't be asked is refused.
    pub fn new(
        oracle: &'a dyn Oracle<G>,
        options: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<Plan<'a, G>, CheckError> {
        let game = oracle.game();
        let has_start = game.capabilities().solving.roots() == Roots::Start;
        let from_plays = matches!(options.coverage, Coverage::Plays { .. });
        if !has_start && (options.scope == Scope::Play || from_plays) {
            return Err(CheckError::NoStart(game.name()));
        }
        let mut wanted = None;
        let source: Option<Box<dyn Source<G> + 'a>> = match (options.scope, &options.coverage) {
            (Scope::Play, _) => None,
            (Scope::All, Coverage::Every) if has_start => {
                let all = walk_all(game, oracle.inventory(), options.memory, progress)?;
                Some(Box::new(all))
            }
            (Scope::All, Coverage::Every | Coverage::Canonical) => {
                let inventory = inventory_of(oracle, "the canonical positions")?;
                Some(Box::new(Canonical(inventory)))
            }
            (Scope::All, &Coverage::Sample { count, seed }) => {
                let table = inventory_of(oracle, "the positions to draw a sample from")?;
                Some(Box::new(Sample { table, count, seed }))
            }
            (Scope::All, &Coverage::Plays { count, seed, plays }) => {
                wanted = Some(Wanted { count, seed, plays });
                None
            }
            (Scope::All, Coverage::Listed(listed)) => Some(Box::new(read(oracle, listed)?)),
        };
        let is_listed =
            options.scope == Scope::All && matches!(options.coverage, Coverage::Listed(_));
        if has_start && !is_listed {
            oracle.make_ready(&[game.start()])?;
        }
        Ok(Plan {
            oracle,
            source,
            played: Vec::new(),
            leaves_own_play: is_listed || wanted.is_some(),
            wanted,
            faults: Vec::new(),
            is_cut: false,
        })
    }

    /// Draws what is asked, if it is drawn beforehand; after `faults` faults of the AI no more.
    pub fn draw(
        &mut self,
        team: &mut Team<'_, G>,
        faults: usize,
        clock: &Clock<'_>,
    ) -> Result<(), CheckError>
    where
        G: 'a,
    {
        if let Some(wanted) = self.wanted {
            let mut drawn = Drawn::draw(self.oracle.game(), team, wanted, faults, clock)?;
            self.faults = std::mem::take(&mut drawn.faults);
            self.is_cut = drawn.is_cut;
            self.source = Some(Box::new(drawn));
        }
        Ok(())
    }

    /// Asks about all of it.
    pub fn ask(
        &mut self,
        asking: &mut Asking<'_, '_, '_, G>,
        options: &CheckOptions,
    ) -> Result<(), CheckError> {
        let mut judge = Judge::new(self.oracle);
        judge.lists_best = asking.lists_best();
        judge.budget = options.budget;
        let source = self.source.as_ref();
        let total = source.map_or(0, |source| source.units() * source.positions_a_unit());
        asking.clock.phase("asking", "positions", total);
        if let Some(source) = &mut self.source {
            let answers = asking.all(&**source, &judge)?;
            source.keep_answers(answers);
        } else {
            self.played = play(self.oracle, asking, options)?;
        }
        Ok(())
    }

    /// The number of positions of the kind that is asked, if that is known.
    pub fn total(&self) -> Option<u64> {
        match self.wanted {
            Some(wanted) => Some(wanted.count),
            None => self.source.as_ref()?.total(),
        }
    }

    /// What the AI, playing one side, answered in a position, if it was asked there and that was
    /// kept.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        match &self.source {
            Some(source) => source.answer(position),
            // Only the walk of the side to move knows one.
            None => self.played.iter().find_map(|walk| walk.answer(position)),
        }
    }
}

/// The positions that somebody lists. One that can't be asked about is an error with its line.
fn read<G: Notation>(
    oracle: &dyn Oracle<G>,
    listed: &[ListedPosition],
) -> Result<Listed<G>, CheckError> {
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
                OracleError::Table(problem) => wrong(problem.to_string()),
                error => error.into(),
            })?;
        }
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(CheckError::NothingListed);
    }
    oracle.make_ready(&positions).map_err(|error| {
        // Which one is it?
        let fails = |position: &G::Position| {
            let alone = std::slice::from_ref(position);
            !is_interruption(&error) && oracle.make_ready(alone).is_err()
        };
        match positions.iter().position(fails) {
            Some(at) => CheckError::Listed {
                line: listed[at].line,
                problem: error.to_string(),
            },
            None => error.into(),
        }
    })?;
    Ok(Listed {
        positions,
        ways: Vec::new(),
    })
}
