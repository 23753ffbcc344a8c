//! Which mistake is shown with its punishment: one that can happen, if there is one.

use super::contenders::Player;
use super::error::CheckError;
use super::judge::{Case, Judge, Line, PlayOut, Tally, WhyNot};
use super::options::{CheckOptions, Scope};
use super::questions::{Effort, OwnPlay, Plan, Rank, own_play};
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

/// A mistake with the moves that lead to it from the start, the AI's its own.
type Candidate<G> = (Rank, Case<G>, Vec<<G as crate::game::Game>::Move>);

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
    let game = oracle.game();
    let own = Own::find(oracle, plan, tally, player, options, progress)?;
    let mut play_out = PlayOut {
        oracle,
        player,
        budget: options.budget.map(|budget| PATIENCE * budget),
        progress,
        questions: own.questions,
    };
    for (rank, case, way) in &own.candidates {
        let known = |position: &G::Position| own.answer(plan, game, position);
        if let Some(mut line) = play_out.line(case, Some(way.clone()), &known)? {
            line.worst = match rank {
                Rank::Worst(number) => Some(*number),
                Rank::OfOutcome | Rank::OfScore => None,
            };
            line.questions = play_out.questions;
            return Ok(Some(line));
        }
    }
    for (number, case) in tally.worst.iter().enumerate() {
        let known = |position: &G::Position| own.answer(plan, game, position);
        if let Some(mut line) = play_out.line(case, None, &known)? {
            line.worst = Some(number);
            line.why_not_from_start = Some(own.why_not);
            line.questions = play_out.questions;
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// What comes up in the AI's own play.
struct Own<G: Notation> {
    /// Those that are best to be shown first.
    candidates: Vec<Candidate<G>>,
    /// Why there are none, or none that can be played out.
    why_not: WhyNot,
    /// What was gone through to find them, by the AI's side.
    searched: Vec<OwnPlay<G>>,
    questions: u64,
}

impl<G: Notation> Own<G> {
    fn find(
        oracle: &dyn Oracle<G>,
        plan: &Plan<'_, G>,
        tally: &Tally<G>,
        player: &mut dyn Player<G>,
        options: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<Own<G>, CheckError> {
        let game = oracle.game();
        let mut own = Own {
            candidates: Vec::new(),
            why_not: WhyNot::Faults,
            searched: Vec::new(),
            questions: 0,
        };
        if game.capabilities().solving.roots() == Roots::Everywhere {
            own.why_not = WhyNot::NoStart;
            return Ok(own);
        }
        if options.scope == Scope::Play || plan.leaves_own_play() {
            // What was asked has come up in its own play, or nothing that does is looked for.
            let worst = tally.worst.iter().enumerate();
            let worst = worst.map(|(number, case)| (Rank::Worst(number), case));
            let other = plan.worst_own().map(|case| (Rank::OfScore, case));
            for (rank, case) in worst.chain(other) {
                let way = plan.own_way_to(case.index);
                own.candidates
                    .extend(way.map(|way| (rank, case.clone(), way)));
            }
            if plan.leaves_own_play() && own.candidates.is_empty() {
                own.why_not = WhyNot::NotLookedFor;
            }
            return Ok(own);
        }
        let judge = Judge::new(oracle);
        let known = |position: &G::Position| plan.answer(position);
        let all = (tally.all.asked / SHARE).clamp(FEWEST, MOST);
        let mut effort = Effort {
            questions: all / 2,
            faults: FAULTS,
            positions: POSITIONS / 2,
            memory: options.memory / 4,
        };
        for side in [Side::First, Side::Second] {
            let searched = own_play(&judge, tally, side, &known, player, &mut effort, progress)?;
            own.candidates.extend(searched.mistakes(game));
            own.searched.push(searched);
            if side == Side::First {
                effort.questions += all - all / 2;
                effort.positions += POSITIONS / 2;
            }
        }
        own.questions = all - effort.questions;
        // Of equals the first player's.
        own.candidates.sort_by_key(|&(rank, ..)| rank);
        if own.candidates.is_empty() {
            own.why_not = if own.searched.iter().all(|searched| searched.is_complete) {
                WhyNot::NeverComesUp
            } else {
                WhyNot::NotFound
            };
        }
        Ok(own)
    }

    /// What the AI has answered in a position.
    fn answer(&self, plan: &Plan<'_, G>, game: &G, position: &G::Position) -> Option<G::Move> {
        let searched = || {
            self.searched
                .iter()
                .find_map(|own| own.answer(game, position))
        };
        plan.answer(position).or_else(searched)
    }
}
