//! Checks of an AI's moves against exact scores.
//!
//! [`check`] asks an AI for its move in reachable positions, grades each answer with the exact
//! scores of an [`Oracle`] (a table or a search), and returns a [`Report`]. It answers one of two
//! questions:
//!
//! * [`Scope::All`]: is the AI's move best in every reachable position (*strongly* perfect play)?
//! * [`Scope::Play`]: does the AI preserve the game's value in every line in which it plays one
//!   side and the opponent makes any reply (*weakly* perfect play)?
//!
//! The checker applies the game's rules itself and doesn't trust the AI. Illegal moves, panics,
//! crashes and missing answers are [`Fault`]s, recorded with the position that caused them.
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
//! let solved = solve(&Eight, Method::Backward, SolveOptions::default(), &NoProgress)?;
//! write_table(&Eight, &solved.solution, &path, WriteOptions::default(), &NoProgress)?;
//! let table = Table::new(TableFile::open(&path, Default::default())?, Eight)?;
//!
//! // An AI that names the highest number that it may.
//! let highest = |game: &Eight, position: &Position| *game.legal_moves(position).last().unwrap();
//! let report = check(&table, &InProcess(|| highest), &CheckOptions::default(), &NoProgress)?;
//! assert_eq!(report.verdict, Verdict::Imperfect);
//! assert_eq!(report.worst[0].mistake.position, "3,3 second");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! Each module uses those to its left:
//!
//! ```text
//! contenders ◄─ readings ◄─ hypotheses ◄─ judge ◄─┬─ questions ◄─ refute ◄─ recheck ◄─┬─ report ◄─ check
//!                                                 └─ tournament ◄─────────────────────┘
//! ```

mod contenders;
mod error;
mod hypotheses;
mod judge;
mod listing;
mod options;
mod questions;
mod readings;
mod recheck;
mod refute;
mod report;
#[cfg(not(target_family = "wasm"))]
pub mod suite;
#[cfg(test)]
mod tests;
pub(crate) mod tournament;

pub use contenders::{
    Ai, Contender, External, Fault, FaultKind, InProcess, InText, Protocol, StartError, TextAi,
    Trace, builtin,
};
pub(crate) use contenders::{Player, StartPlayer, ask_one, in_process};
pub use error::CheckError;
pub use hypotheses::{Diagnosis, Explanation};
pub use judge::{FaultCounts, Mistakes, statistics};
pub(crate) use listing::List;
pub use listing::ListedMistake;
pub use options::{
    CheckOptions, Coverage, Criterion, ListedPosition, Playouts, Scope, SolvedMisreading, StoppedBy,
};
pub use recheck::AskedAgain;
pub(crate) use report::PartReport;
#[cfg(feature = "cli")]
pub use report::html;
pub use report::{
    Comparison, Estimates, FaultReport, LineReport, MistakeReport, Report, Step, Verdict,
};

use crate::game::{CancelScope, Notation, Progress};
use crate::oracle::Oracle;
use hypotheses::diagnose;
use judge::Tally;
use judge::forced::ask_forced;
use questions::{Interview, Plan, Team};
use recheck::recheck;
use refute::refute;
use report::Findings;

/// Asks an AI for its moves and reports how good they are.
///
/// Apart from its times, the report is the same for any number of jobs, provided that the AI always
/// gives the same answer in the same position.
///
/// Canonical positions and samples need an oracle that can list its positions
/// ([`Oracle::inventory`]), such as a table. All positions reachable from the start, and all lines
/// of play, can be checked with any oracle.
///
/// # Errors
/// * The AI can't be started.
/// * The oracle has no score for a reachable position, or can't list the requested positions.
/// * There are too many positions for the memory.
/// * The caller cancels, or the deadline passes, before the first question.
///
/// The AI's faults are not errors: they are in the report. If the check is stopped later, the
/// report covers the answers up to then.
pub fn check<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    contender: &'a dyn Contender<'a, G>,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    check_and_list(oracle, contender, options, None, progress)
}

/// Returns the default if the search for it was interrupted: the other findings remain.
fn unless_interrupted<T: Default>(found: Result<T, CheckError>) -> Result<T, CheckError> {
    match found {
        Err(CheckError::Interrupted) => Ok(T::default()),
        found => found,
    }
}

/// Does the same as [`check()`] and also passes every mistake to `list`.
///
/// The report itself has only the worst mistakes.
///
/// # Errors
/// The errors of [`check()`].
pub(crate) fn check_and_list<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    contender: &'a dyn Contender<'a, G>,
    options: &CheckOptions,
    list: Option<&mut List<'_>>,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    let (game, clock) = (
        oracle.game(),
        &CancelScope::with_deadline(progress, options.deadline),
    );
    let mut plan = clock.in_time(Plan::new(oracle, options, clock))?;
    let mut team = Team::new(contender, game, options.jobs)?;
    // The forced moves come first; they may cause at most half of the allowed faults.
    let faults = options.max_faults.max(1);
    let (players, command) = (team.players(), contender.command());
    let is_suite = matches!(options.coverage, Coverage::Suite(_));
    let forced_faults = if is_suite { 0 } else { faults.div_ceil(2) };
    let forced = ask_forced(oracle, players, command, forced_faults, clock)?;
    let left = faults.saturating_sub(forced.faults.len());
    let mut tally = Tally::new(game, options.criterion_at(game));
    let mut has_ended = forced.is_mute || left == 0;
    if !has_ended {
        let mut interview = Interview {
            team: &mut team,
            tally: &mut tally,
            list,
            slow: None,
            faults: left,
            clock,
        };
        plan.ask(&mut interview, options)?;
        has_ended = interview.has_ended() || plan.sampling_faults().1;
    }
    let stopped_by = team.stopped_by.or(has_ended.then_some(StoppedBy::Faults));
    let (mut line, mut again, mut diagnosis) = Default::default();
    if !is_suite {
        line = unless_interrupted(refute(oracle, &plan, &tally, &mut team, options, clock))?;
        let asked_again = recheck(contender, game, &tally, line.as_ref(), options.jobs, clock);
        again = unless_interrupted(asked_again)?;
        diagnosis = unless_interrupted(diagnose(oracle, &tally.answers, options, clock))?;
    }
    let sampling = plan.sampling_faults().0;
    let unasked = match has_ended {
        true => Vec::new(),
        false => team.finish(),
    };
    let faults = [&forced.faults, sampling, &tally.faults, &unasked];
    let faults: Vec<_> = faults.into_iter().flatten().cloned().collect();
    let findings = Findings {
        tally: &tally,
        forced: &forced,
        diagnosis,
        faults: &faults,
        seconds_per_move: team.seconds_per_move(),
        line: line.as_ref(),
        again,
        total: plan.total(),
        stopped_by,
        command,
    };
    Ok(report::build(oracle, options, &findings)?)
}
