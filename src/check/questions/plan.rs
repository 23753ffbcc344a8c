//! Plan of a check: the positions to ask, by its options.

use super::lines::ask_lines;
use super::playouts::{PlayoutSample, SampleRequest};
use super::source::{Listed, Source, Walk, walk_all};
use super::team::Interview;
use crate::check::contenders::Fault;
use crate::check::error::{CheckError, inventory_of};
use crate::check::judge::Judge;
use crate::check::options::{CheckOptions, Coverage, ListedPosition, Scope};
use crate::game::{Notation, Progress, Roots, read_position};
use crate::oracle::{Oracle, OracleError};

/// Plan of the positions to ask.
pub(in crate::check) struct Plan<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    selection: Selection<'a, G>,
}

/// Positions to ask, by where they come from.
enum Selection<'a, G: Notation> {
    All(Walk<G>),
    Listed(Vec<G::Position>),
    OfTable(Source<'a, G>),
    /// Positions from games; none until they are sampled.
    Playouts(SampleRequest, PlayoutSample<G>),
    /// The positions met, a walk for each side that the AI played.
    Lines(Vec<Walk<G>>),
}

impl<'a, G: Notation> Plan<'a, G> {
    /// Makes the plan, with its positions unless they come from games or lines of play.
    ///
    /// # Errors
    /// If the oracle or the game doesn't support the request, or there are too many positions.
    pub fn new(
        oracle: &'a dyn Oracle<G>,
        options: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<Plan<'a, G>, CheckError> {
        let game = oracle.game();
        let has_start = game.capabilities().solving.roots() == Roots::Start;
        // Choose the source of the positions.
        let selection = match (options.scope, &options.coverage) {
            (Scope::Play, _) => Selection::Lines(Vec::new()),
            (Scope::All, &Coverage::Playouts { count, seed, kind }) => {
                Selection::Playouts(SampleRequest { count, seed, kind }, PlayoutSample::empty())
            }
            (Scope::All, Coverage::Every) if has_start => {
                Selection::All(walk_all(game, options.memory, progress)?)
            }
            (Scope::All, Coverage::Every | Coverage::Canonical) => {
                let table = inventory_of(oracle, "the canonical positions")?;
                Selection::OfTable(Source::Canonical(table))
            }
            (Scope::All, &Coverage::Sample { count, seed }) => {
                let table = inventory_of(oracle, "the positions to draw a sample from")?;
                Selection::OfTable(Source::Sample {
                    game,
                    table,
                    count,
                    seed,
                })
            }
            (Scope::All, Coverage::Listed(listed) | Coverage::Suite(listed)) => {
                Selection::Listed(read(oracle, listed)?)
            }
        };
        if !has_start && matches!(selection, Selection::Lines(_) | Selection::Playouts(..)) {
            return Err(CheckError::NoStart(game.name()));
        }
        // Do the oracle's preparations now, so that no answer's time includes them.
        if has_start && !matches!(selection, Selection::Listed(_)) {
            oracle.prepare(&[game.start()], true)?;
        }
        Ok(Plan { oracle, selection })
    }

    /// Returns the AI's faults during sampling, and whether they ended the sampling.
    pub fn sampling_faults(&self) -> (&[(G::Position, Fault)], bool) {
        match &self.selection {
            Selection::Playouts(_, sample) => (&sample.faults, sample.is_cut),
            _ => (&[], false),
        }
    }

    /// Asks about all positions of the plan, after sampling them if they come from games.
    ///
    /// Sampling may cause at most half of the allowed faults.
    pub fn ask(
        &mut self,
        interview: &mut Interview<'_, '_, '_, G>,
        options: &CheckOptions,
    ) -> Result<(), CheckError> {
        let clock = interview.clock;
        if let Selection::Playouts(wanted, sample) = &mut self.selection {
            let (game, faults) = (self.oracle.game(), interview.faults.div_ceil(2));
            *sample = match PlayoutSample::new(game, interview.team, *wanted, faults, clock) {
                Err(CheckError::Interrupted) => {
                    interview.team.stop(clock);
                    return Ok(());
                }
                sampled => sampled?,
            };
            interview.faults = interview.faults.saturating_sub(sample.faults.len());
            if interview.faults == 0 {
                return Ok(());
            }
        }
        let mut judge = Judge::new(self.oracle);
        judge.lists_best = interview.lists_best();
        judge.budget = options.budget;
        let total = match &self.selection {
            Selection::OfTable(source) => Some(source.units() * source.positions_a_unit()),
            _ => self.total(),
        };
        clock.phase("asking", "positions", total.unwrap_or(0));
        match &mut self.selection {
            Selection::All(walk) => {
                walk.answers = interview.ask_all(&Source::of(&walk.positions), &judge, true)?;
            }
            Selection::Playouts(_, sample) => {
                let asked = Listed {
                    positions: &sample.positions,
                    way: &|at| Some(sample.way_to(at)),
                    origin: &|at| sample.origin(at),
                };
                let answers = interview.ask_all(&Source::Listed(asked), &judge, true)?;
                sample.save_answers(answers);
            }
            Selection::Listed(positions) => {
                interview.ask_all(&Source::of(positions), &judge, false)?;
            }
            Selection::OfTable(source) => {
                interview.ask_all(source, &judge, false)?;
            }
            Selection::Lines(walks) => *walks = ask_lines(self.oracle, interview, options)?,
        }
        Ok(())
    }

    /// Returns the number of positions in the plan, if it is known.
    pub fn total(&self) -> Option<u64> {
        match &self.selection {
            Selection::All(walk) => Some(walk.positions.len() as u64),
            Selection::Listed(positions) => Some(positions.len() as u64),
            Selection::OfTable(Source::Canonical(table)) => Some(table.entries()),
            Selection::Playouts(wanted, sample) => Some(match sample.positions.len() as u64 {
                0 => wanted.count,
                sample => sample,
            }),
            Selection::OfTable(_) | Selection::Lines(_) => None,
        }
    }

    /// Returns whether the AI has been asked in every position.
    pub fn has_all_answers(&self) -> bool {
        matches!(self.selection, Selection::All(_))
    }

    /// Returns the AI's saved answer in a position, if there is one.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        match &self.selection {
            Selection::All(walk) => walk.answer(position),
            Selection::Playouts(_, sample) => sample.answers.get(position).copied(),
            // Only the walk of the side to move can have an answer.
            Selection::Lines(walks) => walks.iter().find_map(|walk| walk.answer(position)),
            Selection::Listed(_) | Selection::OfTable(_) => None,
        }
    }
}

/// Parses the positions of the caller's list.
///
/// # Errors
/// [`CheckError::Listed`] with the line of a position that can't be asked about.
fn read<G: Notation>(
    oracle: &dyn Oracle<G>,
    listed: &[ListedPosition],
) -> Result<Vec<G::Position>, CheckError> {
    let game = oracle.game();
    let mut positions = Vec::with_capacity(listed.len());
    for ListedPosition { line, text } in listed {
        let wrong = |problem, tip| CheckError::Listed {
            line: *line,
            problem,
            tip,
        };
        let position = read_position(game, text)
            .map_err(|error| wrong(error.to_string(), Some(error.tip())))?;
        if game.final_score(&position).is_some() {
            let problem = format!("the game is over in \"{text}\", so there is no move to ask for");
            return Err(wrong(problem, None));
        }
        // A table finds out at once if it has the position.
        if oracle.effort().is_none() {
            oracle.score(&position).map_err(|error| match error {
                OracleError::Table(problem) => wrong(problem.to_string(), None),
                error => error.into(),
            })?;
        }
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(CheckError::NothingListed);
    }
    oracle.prepare(&positions, true).map_err(|error| {
        // Try the positions one by one to find the line that fails.
        let fails = |position: &G::Position| {
            let alone = std::slice::from_ref(position);
            !error.is_interruption() && oracle.prepare(alone, true).is_err()
        };
        match positions.iter().position(fails) {
            Some(at) => CheckError::Listed {
                line: listed[at].line,
                problem: error.to_string(),
                tip: None,
            },
            None => error.into(),
        }
    })?;
    Ok(positions)
}
