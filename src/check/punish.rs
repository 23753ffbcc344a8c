//! Which mistake is shown with its punishment: one that can happen, if there is one.

use super::clock::Clock;
use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally, Worst};
use super::options::{CheckOptions, Scope};
use super::questions::{Lines, OwnPlay, Plan, Team};
use crate::game::{Notation, Roots, Side};
use crate::oracle::Oracle;

/// For each question about play, so much of another may be asked to find a mistake that comes up;
/// but never fewer or more than so many questions.
const SHARE: u64 = 10;
const FEWEST: u64 = 100;
const MOST: u64 = 10_000;

/// Positions of the AI's own play that are looked at, at most.
const POSITIONS: u64 = 1_000_000;

/// In a line that is played out the oracle may take so many times as long for a move as it may take
/// to weigh one: there are few such moves, and without one of them there is no line.
const PATIENCE: u32 = 10;

/// Faults in these questions after which no more are asked.
const FAULTS: usize = 3;

/// Why no line begins at the start of the game.
const NO_SUCH: &str = "no mistake comes up when the AI makes its own moves from the start on, on \
                       either side";
const NOT_SEEN: &str = "no mistake was seen to come up when the AI makes its own moves from the \
                        start on";

/// Playouts out one of the worst mistakes: the first of them that comes up when the AI makes its own
/// moves from the start on; else another mistake that does; else the first of them from its
/// position on.
pub(super) fn punish<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    team: &mut Team<'_, G>,
    options: &CheckOptions,
    clock: &Clock<'_>,
) -> Result<Option<Line<G>>, CheckError> {
    let worst = &tally.worst;
    if worst.cases.is_empty() {
        return Ok(None);
    }
    let own = own_mistakes(oracle, plan, tally, team, options, clock)?;
    let answer = |position: &G::Position| {
        let mut searched = own.searched.iter();
        let own = || searched.find_map(|lines| lines.answer(position));
        plan.answer(position).or_else(own)
    };
    let mut play_out = PlayOut {
        oracle,
        player: team.captain(),
        budget: options.budget.map(|budget| PATIENCE * budget),
        progress: clock,
        questions: own.questions,
    };
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

/// What comes up in the AI's own play.
struct Own<'a, G: Notation> {
    /// The mistakes with the moves that lead to them, those that are best to be shown first.
    mistakes: Vec<Case<G>>,
    /// Why there are none, or none that can be played out.
    why_not: &'static str,
    /// What was gone through to find them, by the AI's side.
    searched: Vec<Lines<'a, G>>,
    questions: u64,
}

fn own_mistakes<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &'a Tally<G>,
    team: &mut Team<'_, G>,
    options: &CheckOptions,
    clock: &Clock<'_>,
) -> Result<Own<'a, G>, CheckError> {
    let mut own = Own {
        mistakes: Vec::new(),
        why_not: "the AI had faults in the lines that begin at the start of the game",
        searched: Vec::new(),
        questions: 0,
    };
    if oracle.game().capabilities().solving.roots() == Roots::Everywhere {
        own.why_not = "an endgame has no start that all positions follow from";
    } else if options.scope == Scope::Play || plan.leaves_own_play {
        // What was asked has come up in its own play, or nothing that does is looked for.
        own.mistakes.clone_from(&tally.own.cases);
        if own.mistakes.is_empty() {
            own.why_not = NOT_SEEN;
        }
    } else {
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
    let rank = |case: &Case<G>| tally.worst.rank_of(&case.position, &case.judged);
    own.mistakes
        .sort_by_key(|case| rank(case).unwrap_or(usize::MAX));
    Ok(own)
}
