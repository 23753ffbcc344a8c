//! Which mistake is shown with its punishment: one that can happen, if there is one.

use super::contenders::Player;
use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally, WhyNot};
use super::options::{CheckOptions, Scope};
use super::questions::{Candidate, Lines, OwnPlay, Plan, Rank};
use crate::game::{Notation, Progress, Roots, Side};
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

/// Plays out one of the worst mistakes: the first of them that comes up when the AI makes its own
/// moves from the start on; else another mistake that does; else the first of them from its
/// position on.
pub(super) fn punish<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    player: &mut dyn Player<G>,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Option<Line<G>>, CheckError> {
    if tally.worst.is_empty() {
        return Ok(None);
    }
    let own = own_mistakes(oracle, plan, tally, player, options, progress)?;
    let answer = |position: &G::Position| {
        let mut searched = own.searched.iter();
        let own = || searched.find_map(|lines| lines.answer(position));
        plan.answer(position).or_else(own)
    };
    let mut play_out = PlayOut {
        oracle,
        player,
        budget: options.budget.map(|budget| PATIENCE * budget),
        progress,
        questions: own.questions,
    };
    for (rank, case, way) in own.candidates {
        if let Some(mut line) = play_out.line(&case, Some(way), &answer)? {
            line.worst = match rank {
                Rank::Worst(number) => Some(number),
                Rank::OfOutcome | Rank::OfScore => None,
            };
            line.questions = play_out.questions;
            return Ok(Some(line));
        }
    }
    for (number, case) in tally.worst.iter().enumerate() {
        if let Some(mut line) = play_out.line(case, None, &answer)? {
            line.worst = Some(number);
            line.why_not_from_start = Some(own.why_not);
            line.questions = play_out.questions;
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// What comes up in the AI's own play.
struct Own<'a, G: Notation> {
    /// Those that are best to be shown first.
    candidates: Vec<Candidate<G>>,
    /// Why there are none, or none that can be played out.
    why_not: WhyNot,
    /// What was gone through to find them, by the AI's side.
    searched: Vec<Lines<'a, G>>,
    questions: u64,
}

fn own_mistakes<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &'a Tally<G>,
    player: &mut dyn Player<G>,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Own<'a, G>, CheckError> {
    let mut own = Own {
        candidates: Vec::new(),
        why_not: WhyNot::Faults,
        searched: Vec::new(),
        questions: 0,
    };
    if oracle.game().capabilities().solving.roots() == Roots::Everywhere {
        own.why_not = WhyNot::NoStart;
    } else if options.scope == Scope::Play || plan.leaves_own_play {
        // What was asked has come up in its own play, or nothing that does is looked for.
        let worst = (0..).map(Rank::Worst).zip(&tally.worst);
        let other = tally.worst_own.as_ref().map(|case| (Rank::OfScore, case));
        let met = |(rank, case): (Rank, &Case<G>)| {
            Some((rank, case.clone(), plan.own_way_to(case.index)?))
        };
        own.candidates.extend(worst.chain(other).filter_map(met));
        if plan.leaves_own_play && own.candidates.is_empty() {
            own.why_not = WhyNot::NotLookedFor;
        }
    } else {
        let all = (tally.all.asked / SHARE).clamp(FEWEST, MOST);
        let mut search = OwnPlay {
            judge: Judge::new(oracle),
            tally,
            known: &|position| plan.answer(position),
            player,
            progress,
            questions: all / 2,
            faults: FAULTS,
            positions: POSITIONS / 2,
            memory: options.memory / 4,
            searched: Vec::new(),
            found: Vec::new(),
            is_complete: true,
        };
        search.search(Side::First)?;
        search.questions += all - all / 2;
        search.positions += POSITIONS / 2;
        search.search(Side::Second)?;
        own.questions = all - search.questions;
        (own.candidates, own.searched) = (search.found, search.searched);
        // Of equals the first player's.
        own.candidates.sort_by_key(|&(rank, ..)| rank);
        if own.candidates.is_empty() {
            own.why_not = match search.is_complete {
                true => WhyNot::NeverComesUp,
                false => WhyNot::NotFound,
            };
        }
    }
    Ok(own)
}
