//! Choice of the mistake to play out, one in a complete game if possible.

use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally, Worst};
use super::options::{CheckOptions, Scope};
use super::questions::{OwnPlay, Plan, Team, Walk};
use crate::game::{Notation, Roots, Side, Until};
use crate::oracle::Oracle;

/// Limits for the questions that search the AI's own play for mistakes.
///
/// They are one per `SHARE` positions asked before, but at least `FEWEST` and at most `MOST`.
const SHARE: u64 = 10;
const FEWEST: u64 = 100;
const MOST: u64 = 10_000;

/// The number of positions of the AI's own play to examine, at most.
const POSITIONS: u64 = 1_000_000;

/// The oracle's time per move of a played-out line, in multiples of its budget.
///
/// Such moves are few, and a line needs all of them.
const PATIENCE: u32 = 10;

/// The number of faults in these questions after which no more are asked.
const FAULTS: usize = 3;

/// Reasons why no line begins at the start of the game.
const NO_SUCH: &str = "no mistake comes up when the AI makes its own moves from the start on, on \
                       either side";
const NOT_SEEN: &str = "no mistake was seen to come up when the AI makes its own moves from the \
                        start on";

/// Plays out one of the worst mistakes; returns `None` if it can't play out any.
///
/// The order of preference is:
///
/// * the worst of the listed mistakes that the AI reaches with its own moves from the start;
/// * any other mistake that it reaches so;
/// * the worst of the listed mistakes, played on from its own position.
pub(super) fn punish<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    team: &mut Team<'_, G>,
    options: &CheckOptions,
    clock: &Until<'_>,
) -> Result<Option<Line<G>>, CheckError> {
    let worst = &tally.worst;
    if worst.cases.is_empty() {
        return Ok(None);
    }
    let own = own_mistakes(oracle, plan, tally, team, options, clock)?;
    let answer = |position: &G::Position| {
        let mut searched = own.searched.iter();
        let own = || searched.find_map(|walk| walk.answer(position));
        plan.answer(position).or_else(own)
    };
    let mut play_out = PlayOut {
        oracle,
        player: team.captain(),
        budget: options.budget.map(|budget| PATIENCE * budget),
        progress: clock,
        questions: own.questions,
    };
    // Try the mistakes in order of preference.
    let from_start = own.mistakes.iter().map(|case| (case, case.way.clone()));
    let from_mistake = worst.cases.iter().map(|case| (case, None));
    for (case, way) in from_start.chain(from_mistake) {
        let why_not_from_start = way.is_none().then_some(own.why_not);
        if let Some(line) = play_out.line(case, way, &answer)? {
            return Ok(Some(Line {
                worst: worst.rank_of(&case.position, &case.judged),
                why_not_from_start,
                ..line
            }));
        }
    }
    Ok(None)
}

/// Mistakes that the AI reaches when it makes its own moves from the start.
struct Own<G: Notation> {
    /// The mistakes with the moves that lead to them, the best ones to show first.
    mistakes: Vec<Case<G>>,
    /// The reason if there are none, or none that can be played out.
    why_not: &'static str,
    /// The positions met in the search, a walk for each side that the AI played.
    searched: Vec<Walk<G>>,
    questions: u64,
}

fn own_mistakes<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    team: &mut Team<'_, G>,
    options: &CheckOptions,
    clock: &Until<'_>,
) -> Result<Own<G>, CheckError> {
    let mut own = Own {
        mistakes: Vec::new(),
        why_not: "the AI had faults in the lines that begin at the start of the game",
        searched: Vec::new(),
        questions: 0,
    };
    if oracle.game().capabilities().solving.roots() == Roots::Everywhere {
        own.why_not = "an endgame has no start that all positions follow from";
    } else if options.scope == Scope::Play || plan.leaves_own_play {
        // Either the check itself covered the AI's own play, or this plan doesn't search it.
        own.mistakes.clone_from(&tally.own.cases);
        if own.mistakes.is_empty() {
            own.why_not = NOT_SEEN;
        }
    } else {
        // Search the lines of one side with half of the effort, then the other with the rest.
        let all = (tally.all.asked / SHARE).clamp(FEWEST, MOST);
        let mut search = OwnPlay {
            judge: Judge::new(oracle),
            tally,
            known: &|position| plan.answer(position),
            team,
            clock,
            questions: all / 2,
            faults: FAULTS,
            positions: POSITIONS / 2,
            memory: options.memory / 4,
            searched: Vec::new(),
            found: Worst::new(tally.game().clone(), tally.criterion),
            is_complete: true,
        };
        search.search(Side::First)?;
        search.questions += all - all / 2;
        search.positions += POSITIONS / 2;
        search.search(Side::Second)?;
        own.questions = all - search.questions;
        (own.mistakes, own.searched) = (search.found.cases, search.searched);
        if own.mistakes.is_empty() {
            own.why_not = if search.is_complete {
                NO_SUCH
            } else {
                NOT_SEEN
            };
        }
    }
    // The worst mistakes come first, in the order in which the report lists them.
    let rank = |case: &Case<G>| tally.worst.rank_of(&case.position, &case.judged);
    own.mistakes
        .sort_by_key(|case| rank(case).unwrap_or(usize::MAX));
    Ok(own)
}
