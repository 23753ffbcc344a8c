//! Choice of the mistake to play out, one in a complete game if possible.

use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally, Worst};
use super::options::CheckOptions;
use super::questions::{Lines, Plan, Team};
use crate::game::{CancelScope, Notation, Roots, Side};
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
    clock: &CancelScope<'_>,
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
    clock: &CancelScope<'_>,
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

/// The number of positions to examine for each side, at most.
const EXAMINED: usize = 500_000;

/// Returns the worst mistakes that the AI reaches by its known answers from the start.
///
/// The search ends with the worst mistake of the whole check, or when positions take `memory` bytes.
/// The second value says whether no position was left out.
///
/// # Errors
/// If the oracle fails, or the caller cancels.
fn own_mistakes<G: Notation>(
    judge: &Judge<'_, G>,
    tally: &Tally<G>,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
    memory: u64,
    clock: &CancelScope<'_>,
) -> Result<(Worst<G>, bool), CheckError> {
    let game = tally.game();
    let mut found = Worst::new(game.clone(), tally.worst.criterion);
    let mut is_complete = true;
    for side in [Side::First, Side::Second] {
        let mut lines = Lines::new(game, side, memory / 2);
        let followed = lines.follow(|lines, turns| {
            let mut answers = Vec::new();
            for number in turns {
                let position = &lines.walk.positions[number];
                let Some(mv) = known(position) else {
                    is_complete = false;
                    continue;
                };
                let graded = judge.grade_one(position, Ok(mv), clock)?;
                let judged = graded.ok_or(CheckError::Interrupted)?;
                if judged.is_mistake(tally.worst.criterion) {
                    let way = || Some(lines.walk.line_to(game, number));
                    found.add(position, &judged, &way);
                    if tally.worst.rank_of(position, &judged) == Some(0) {
                        return Ok((answers, false));
                    }
                }
                answers.push((number, mv));
            }
            Ok((answers, lines.walk.positions.len() < EXAMINED))
        });
        is_complete &= match followed {
            Err(CheckError::TooMany { .. }) => false,
            followed => followed?,
        };
    }
    Ok((found, is_complete))
}
