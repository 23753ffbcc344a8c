//! Which mistake is shown with its punishment: one that can happen, if there is one.

use super::contenders::Player;
use super::error::CheckError;
use super::judge::refutation::play_out;
use super::judge::{Case, Judge, Line, Tally, WhyNot};
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
    let mut questions = own.questions;
    let finish = |line: &mut Line<G>, worst, why, questions| {
        (line.worst, line.why_not_from_start, line.questions) = (worst, why, questions);
    };
    for (rank, case, way) in &own.candidates {
        let known = |position: &G::Position| own.answer(plan, game, position);
        let way = Some(way.clone());
        let line = play_out(oracle, player, case, way, &known, &mut questions, progress)?;
        if let Some(mut line) = line {
            let worst = match rank {
                Rank::Worst(number) => Some(*number),
                Rank::OfOutcome | Rank::OfScore => None,
            };
            finish(&mut line, worst, None, questions);
            return Ok(Some(line));
        }
    }
    for (number, case) in tally.worst.iter().enumerate() {
        let known = |position: &G::Position| own.answer(plan, game, position);
        let line = play_out(oracle, player, case, None, &known, &mut questions, progress)?;
        if let Some(mut line) = line {
            finish(&mut line, Some(number), Some(own.why_not), questions);
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
        if options.scope == Scope::Play {
            // Whatever was asked has come up in its own play.
            for (number, case) in tally.worst.iter().enumerate() {
                let way = plan.own_way_to(case.index);
                let candidate = way.map(|way| (Rank::Worst(number), case.clone(), way));
                own.candidates.extend(candidate);
            }
            return Ok(own);
        }
        let judge = Judge::new(oracle);
        let known = |position: &G::Position| plan.answer(position);
        let all = (tally.asked / SHARE).clamp(FEWEST, MOST);
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
