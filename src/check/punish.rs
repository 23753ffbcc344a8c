//! Choice of the mistake to play out, one in a complete game if possible.

use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally};
use super::options::CheckOptions;
use super::questions::{Plan, Team, own_mistakes};
use crate::game::{Notation, Roots, Until};
use crate::oracle::Oracle;

/// The oracle's time per move of a played-out line, in multiples of its budget.
///
/// Such moves are few, and a line needs all of them.
const PATIENCE: u32 = 10;

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
    let (own, why_not) = own(oracle, plan, tally, options, clock)?;
    let answer = |position: &G::Position| plan.answer(position);
    let mut play_out = PlayOut {
        oracle,
        player: team.captain(),
        budget: options.budget.map(|budget| PATIENCE * budget),
        progress: clock,
        questions: 0,
    };
    // Try the mistakes in order of preference.
    let from_start = own.iter().map(|case| (case, case.way.clone()));
    let from_mistake = worst.cases.iter().map(|case| (case, None));
    for (case, way) in from_start.chain(from_mistake) {
        let why_not_from_start = way.is_none().then_some(why_not);
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

/// Returns mistakes that the AI reaches when it makes its own moves from the start.
///
/// The best ones to show come first. The text is the reason if there are none, or none that can be
/// played out.
fn own<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    options: &CheckOptions,
    clock: &Until<'_>,
) -> Result<(Vec<Case<G>>, &'static str), CheckError> {
    if oracle.game().capabilities().solving.roots() == Roots::Everywhere {
        let why_not = "an endgame has no start that all positions follow from";
        return Ok((Vec::new(), why_not));
    }
    let (mut mistakes, is_complete) = match plan.has_all_answers() {
        true => {
            let (judge, known) = (Judge::new(oracle), |position: &_| plan.answer(position));
            let found = own_mistakes(&judge, tally, &known, options.memory / 2, clock)?;
            (found.0.cases, found.1)
        }
        false => (tally.own.cases.clone(), false),
    };
    let why_not = match (mistakes.is_empty(), is_complete) {
        (true, true) => NO_SUCH,
        (true, false) => NOT_SEEN,
        _ => "the AI had faults in the lines that begin at the start of the game",
    };
    // The worst mistakes come first, in the order in which the report lists them.
    let rank = |case: &Case<G>| tally.worst.rank_of(&case.position, &case.judged);
    mistakes.sort_by_key(|case| rank(case).unwrap_or(usize::MAX));
    Ok((mistakes, why_not))
}
