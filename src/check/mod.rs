//! Checking: an AI's moves held against a table.
//!
//! [`check`] asks an AI for its move in positions that can come up, weighs each answer with the
//! table's exact scores, and gives a [`Report`]. Two questions can be put, as the field puts them:
//!
//! * [`Scope::All`]: is its move best in every reachable position (*strongly* perfect play)?
//! * [`Scope::Play`]: does it keep the game's value in every line that can arise with the AI
//!   playing one side against every reply (*weakly* perfect play)?
//!
//! The referee owns the rules and trusts the AI for nothing: answers that are no legal move,
//! panics, crashes and silence are [`Fault`]s, recorded with the position that caused them.
//!
//! # An AI of your own
//!
//! ```
//! use zermelo::check::{CheckOptions, InProcess, Verdict, check};
//! use zermelo::game::{Game, NoProgress, SolveOptions};
//! use zermelo::games::eight::{Eight, Position};
//! use zermelo::solve::{Method, solve};
//! use zermelo::table::{Table, TableFile, WriteOptions, write_table};
//!
//! // A table, as `zermelo solve eight` writes it.
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("eight.bin");
//! let solved = solve(&Eight, Method::Backward, SolveOptions { threads: 1, memory: 1 << 24 }, &NoProgress)?;
//! write_table(&Eight, &solved.solution, &path, WriteOptions::default(), &NoProgress)?;
//! let table = Table::new(TableFile::open(&path, Default::default())?, Eight)?;
//!
//! // An AI that names the highest number that it may.
//! let highest = |game: &Eight, position: &Position| *game.legal_moves(position).last().unwrap();
//! let report = check(&table, &InProcess(|| highest), &CheckOptions::default(), &NoProgress)?;
//! assert_eq!(report.verdict, Verdict::Imperfect);
//! assert_eq!(report.worst[0].position, "3,3 second");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ai;
pub mod builtin;
mod external;
pub mod html;
mod judge;
mod line;
mod play;
mod process;
mod refutation;
mod report;
mod rules;
mod sample;
pub mod statistics;
mod tally;
mod team;
mod ugi;
mod walk;

pub use ai::{Ai, Contender, Fault, FaultKind, InProcess, Player, Reply, Round, StartError};
pub use external::{External, Protocol};
pub use judge::{Judge, Judged, Standard};
pub use refutation::Line;
pub use report::{
    Estimates, FaultReport, LayerReport, LineReport, MistakeReport, Report, RulesSummary, Step,
    TimeReport, TopicReport, Verdict,
};
pub use rules::{RulesReport, RulesVerdict, Topic};
pub use tally::{Case, FaultCounts, LayerTally, Mistakes, Tally, Times};

use crate::game::{Notation, Progress, Roots, Side};
use crate::table::{ProbeError, ReadError, Table};
use sample::{Canonical, Sampler};
use statistics::Stratum;
use std::path::PathBuf;
use team::{Listed, Source, Team};

/// Which question is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// Is its move best in the positions that are asked?
    #[default]
    All,
    /// Does it keep the game's value in every line that can arise?
    Play,
}

impl Scope {
    /// Its name in JSON and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::All => "all",
            Scope::Play => "play",
        }
    }
}

/// For [`Scope::All`]: which positions are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Coverage {
    /// Every reachable position; in endgame tables, which have no start, every class.
    #[default]
    Every,
    /// The canonical position of every class.
    Canonical,
    /// Reachable positions at random.
    Sample {
        /// How many.
        count: u64,
        /// Where the random numbers start; the same seed draws the same positions.
        seed: u64,
        /// Evenly over the layers of the game rather than over the classes.
        by_layer: bool,
    },
}

/// How to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// The question.
    pub scope: Scope,
    /// For [`Scope::All`]: which positions are asked.
    pub coverage: Coverage,
    /// For [`Scope::Play`]: which side the AI plays; nothing: both, one after the other.
    pub side: Option<Side>,
    /// For [`Scope::Play`]: ask about so many positions at most.
    pub max_positions: Option<u64>,
    /// What counts as a mistake.
    pub standard: Standard,
    /// How many AIs are asked side by side, at least 1.
    pub jobs: usize,
    /// After so many faults no more is asked; at least 1.
    pub max_faults: usize,
    /// How many bytes lists of positions may take.
    pub memory: u64,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            scope: Scope::default(),
            coverage: Coverage::default(),
            side: None,
            max_positions: None,
            standard: Standard::default(),
            jobs: 1,
            max_faults: 10,
            memory: 1 << 30,
        }
    }
}

/// A check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The AI can't be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A position that can come up is not in the table, or the table can't be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] ReadError),
    /// More positions than memory allows.
    #[error("up to {positions} positions are too many for {allowed} bytes of memory")]
    TooMany {
        /// How many there may be.
        positions: u64,
        /// The bytes that may be used.
        allowed: u64,
    },
    /// A class of the table that no way leads to from the start: the table is wrong.
    #[error("{}: no way from the start leads to the entry {position}; `zermelo verify` will say more", path.display())]
    Unreachable {
        /// The table.
        path: PathBuf,
        /// The class.
        position: String,
    },
    /// The table's positions have no common start.
    #[error("{0} has no start, so there are no lines of play to check")]
    NoStart(String),
    /// The caller wanted it to stop.
    #[error("stopped before the check was complete")]
    Interrupted,
}

/// Asks an AI and weighs its answers.
///
/// The report is the same for any number of jobs, times apart, if the AI always answers the same in
/// the same position.
///
/// # Errors
/// If the AI can't be started, the table can't be read or is not complete, there are too many
/// positions, or the caller wants it to stop. What the AI does wrong is no error.
pub fn check<'a, G: Notation>(
    table: &'a Table<G>,
    contender: &'a dyn Contender<'a, G>,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    let game = table.game();
    if options.scope == Scope::Play && game.capabilities().solving.roots() == Roots::Everywhere {
        return Err(CheckError::NoStart(game.name()));
    }
    let mut tally = Tally::new(options.standard);
    // What can't be asked is refused before the AI is started.
    let plan = Plan::new(table, options, progress)?;
    let mut team = Team::new(contender, game, options.jobs)?;
    let max_faults = options.max_faults.max(1);
    let faults = max_faults.div_ceil(2);
    let rules = rules::ask_rules(table, team.captain(), faults, progress)?;
    // Wrong rules must not use up all the faults before play is looked at.
    let faults = (max_faults - rules.faults.len().min(max_faults)).max(1);
    let mut asking = Asking {
        team: &mut team,
        tally: &mut tally,
        faults,
        progress,
    };
    let mut played = None;
    match &plan {
        Plan::Every(walk) => asking.all(table, &Listed(&walk.positions))?,
        Plan::Canonical(source) => asking.all(table, source)?,
        Plan::Sample(sampler) => asking.all(table, &**sampler)?,
        Plan::Play => played = Some(play::play(table, &mut asking, options)?),
    }
    let stopped_early = asking.has_ended();
    let way = |case: &Case<G>| -> Result<Option<Vec<G::Move>>, CheckError> {
        Ok(match (&plan, &played) {
            (_, Some(played)) => Some(played.line_to(game, case.index)),
            (Plan::Every(walk), _) => Some(walk.line_to(game, case.index as usize)),
            (Plan::Sample(sampler), _) => sampler.draw(case.index)?.1,
            (Plan::Canonical(_) | Plan::Play, _) => None,
        })
    };
    let line = shortest_line(table, &tally, &mut team, way, progress)?;
    let left_out = played.map_or(0, |played| played.left_out);
    let coverage = report::Covered::new(
        table,
        options,
        plan.total(),
        left_out,
        &tally,
        stopped_early,
    );
    Ok(report::build(
        table, options, &tally, &rules, line, coverage,
    )?)
}

/// What will be asked.
enum Plan<'a, G: Notation> {
    Every(walk::Walk<G>),
    Canonical(Canonical<'a, G>),
    Sample(Box<Sampler<'a, G>>),
    Play,
}

impl<'a, G: Notation> Plan<'a, G> {
    fn new(
        table: &'a Table<G>,
        options: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<Plan<'a, G>, CheckError> {
        let walk = || walk::walk_all(table, options.memory, progress);
        Ok(match (options.scope, options.coverage) {
            (Scope::Play, _) => Plan::Play,
            (Scope::All, Coverage::Every)
                if table.game().capabilities().solving.roots() == Roots::Start =>
            {
                Plan::Every(walk()?)
            }
            (Scope::All, Coverage::Every | Coverage::Canonical) => {
                Plan::Canonical(Canonical(table))
            }
            (
                Scope::All,
                Coverage::Sample {
                    count,
                    seed,
                    by_layer,
                },
            ) => Plan::Sample(Box::new(Sampler::new(table, count, seed, by_layer, walk)?)),
        })
    }

    /// How many positions there are of the kind that is asked, if that is known.
    fn total(&self) -> Option<u64> {
        match self {
            Plan::Every(walk) => Some(walk.positions.len() as u64),
            Plan::Canonical(source) => Some(source.0.file().entries()),
            Plan::Sample(_) | Plan::Play => None,
        }
    }
}

/// What asking needs.
struct Asking<'a, 't, G: Notation> {
    team: &'a mut Team<'t, G>,
    tally: &'a mut Tally<G>,
    /// After so many faults no more is asked.
    faults: usize,
    progress: &'a dyn Progress,
}

impl<G: Notation> Asking<'_, '_, G> {
    /// Whether too much has gone wrong to ask any more.
    fn has_ended(&self) -> bool {
        self.team.is_lost || self.tally.faults.len() >= self.faults
    }

    /// Asks about all positions of a source.
    fn all(&mut self, table: &Table<G>, source: &dyn Source<G>) -> Result<(), CheckError> {
        let total = source.units() * source.positions_a_unit();
        self.progress.phase("asking", "positions", total);
        let tally = &mut *self.tally;
        let mut each = |index, position: &G::Position, judged| {
            tally.add(index, position, judged);
        };
        let judge = Judge::new(table);
        self.team
            .ask(source, &judge, self.faults, self.progress, &mut each)
    }
}

/// Plays out some of the mistakes; the shortest line of all, of equals the first.
fn shortest_line<G: Notation>(
    table: &Table<G>,
    tally: &Tally<G>,
    team: &mut Team<'_, G>,
    way: impl Fn(&Case<G>) -> Result<Option<Vec<G::Move>>, CheckError>,
    progress: &dyn Progress,
) -> Result<Option<Line<G>>, CheckError> {
    let cases = if tally.first_outcome.is_empty() {
        &tally.first_score
    } else {
        &tally.first_outcome
    };
    let mut best: Option<Line<G>> = None;
    for case in cases {
        let line = refutation::play_out(table, team.captain(), case, way(case)?, progress)?;
        if let Some(line) = line
            && best
                .as_ref()
                .is_none_or(|best| line.moves.len() < best.moves.len())
        {
            best = Some(line);
        }
    }
    Ok(best)
}

/// The layers of a table as strata of a sample.
fn strata<G: Notation>(
    table: &Table<G>,
    tally: &Tally<G>,
    hits: impl Fn(&LayerTally) -> u64,
) -> Vec<Stratum> {
    let counts = table.file().layers().into_iter();
    counts
        .map(|count| {
            let seen = tally.layers.get(&count.layer);
            Stratum {
                size: count.outcomes.total(),
                asked: seen.map_or(0, |layer| layer.asked),
                hits: seen.map_or(0, &hits),
            }
        })
        .collect()
}
