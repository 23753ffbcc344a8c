//! Lines that show how an opponent punishes a mistake, in a complete game if possible.

use super::contenders::{Player, ask_one};
use super::error::CheckError;
use super::judge::{Case, Judge, Tally, Worst, best_moves, in_time};
use super::options::CheckOptions;
use super::questions::{LinesOfPlay, Plan, Team};
use crate::game::{CancelScope, Notation, Progress, Roots, Side, shortest_through};
use crate::oracle::{Oracle, OracleError};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Line from some position to the end of the game, or to the first repetition of a position.
///
/// The moves of the side that makes the mistake are the AI's own. After the mistake, the opponent
/// makes best moves.
#[derive(Clone, Debug)]
pub(super) struct Refutation<G: Notation> {
    /// The position in which the line begins.
    pub from: G::Position,
    /// Moves of both sides in order, from `from` on.
    pub moves: Vec<G::Move>,
    /// The index of the mistake among the moves, from 0.
    pub mistake: usize,
    /// The side that makes the mistake.
    pub side: Side,
    /// The best moves in the position of the mistake.
    pub best: Vec<G::Move>,
    /// The score that this side could have had.
    pub target: i32,
    /// The final score of this side, 0 if a position repeats.
    ///
    /// If scores count plies, it is the score in the mistake's position that follows from this end.
    pub score: i32,
    /// The number of moves that lead to the position that the last one leads to again, if any.
    pub repeats: Option<usize>,
    /// The index of the mistake among the worst ones, from 0, if it is one of them.
    pub worst: Option<usize>,
    /// The reason why the line begins at the mistake and not at the start, if it does.
    pub why_not_from_start: Option<&'static str>,
    /// The number of questions that the AI was asked for this line.
    pub questions: u64,
}

/// The oracle's time per move of a played-out line, in multiples of its budget.
///
/// Such moves are few, and a line needs all of them.
const BUDGETS: u32 = 10;

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
pub(super) fn refute<G: Notation>(
    oracle: &dyn Oracle<G>,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    team: &mut Team<'_, G>,
    options: &CheckOptions,
    clock: &CancelScope<'_>,
) -> Result<Option<Refutation<G>>, CheckError> {
    let worst = &tally.worst;
    if worst.cases.is_empty() {
        return Ok(None);
    }
    let (reached, why_not) = reached_mistakes(oracle, plan, tally, options, clock)?;
    let mut refuter = Refuter {
        oracle,
        player: &mut *team.players()[0],
        known: &|position| plan.answer(position),
        budget: options.budget.map(|budget| BUDGETS * budget),
        progress: clock,
        questions: 0,
    };
    // Try the mistakes in order of preference.
    let from_start = reached.iter().map(|case| (case, None));
    let from_mistake = worst.cases.iter().map(|case| (case, Some(why_not)));
    for (case, why_not) in from_start.chain(from_mistake) {
        if let Some(mut line) = refuter.play_out(case, why_not)? {
            line.worst = worst.rank_of(&case.position, &case.judged);
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// Returns mistakes that the AI reaches when it makes its own moves from the start.
///
/// The best ones to show come first. The text is the reason if there are none, or none that can be
/// played out.
fn reached_mistakes<G: Notation>(
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
            let found = walk_to_mistakes(&judge, tally, &known, options.memory / 2, clock)?;
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
fn walk_to_mistakes<G: Notation>(
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
        let mut lines = LinesOfPlay::new(game, side, memory / 2);
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

/// Player of lines from mistakes to the end of the game.
struct Refuter<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    player: &'a mut dyn Player<G>,
    /// Returns the AI's earlier answers; in other positions the AI is asked now.
    known: &'a dyn Fn(&G::Position) -> Option<G::Move>,
    /// The oracle's time limit per move.
    budget: Option<Duration>,
    progress: &'a dyn Progress,
    /// The number of questions that the AI was asked so far.
    questions: u64,
}

impl<G: Notation> Refuter<'_, G> {
    /// Plays on from a mistake: the AI as it answers, the opponent perfectly.
    ///
    /// The line begins at the start, or at the mistake if there is a reason `why_not`. Only in the
    /// latter case may the moves from the start to the mistake be unknown.
    ///
    /// Returns `None` if the AI has a fault on the way, or the oracle runs out of time.
    fn play_out(
        &mut self,
        case: &Case<G>,
        why_not: Option<&'static str>,
    ) -> Result<Option<Refutation<G>>, CheckError> {
        let game = self.oracle.game();
        let Ok(mv) = case.judged.answer else {
            return Ok(None);
        };
        let (from, mut given) = match why_not {
            None => (game.start(), case.way.clone().unwrap_or_default()),
            Some(_) => (case.position.clone(), Vec::new()),
        };
        let side = game.side_to_move(&case.position);
        let mistake = given.len();
        match case.judged.repeats {
            true => given.extend(circle(game, &case.position, side, self.known)),
            false => given.push(mv),
        }
        let best = |oracle: &dyn Oracle<G>| case.best(oracle);
        let Some(best) = in_time(self.oracle, self.budget, self.progress, best)? else {
            return Ok(None);
        };
        let mut line = Refutation {
            from,
            moves: Vec::new(),
            mistake,
            side,
            best,
            target: case.judged.target,
            score: 0,
            repeats: None,
            worst: None,
            why_not_from_start: why_not,
            questions: 0,
        };
        let is_whole = self.play_on(&mut line, &given, case.judged.after)?;
        line.questions = self.questions;
        Ok(is_whole.then_some(line))
    }

    /// Plays the given moves of a line, and then on to its end.
    ///
    /// `after` is the score of the mistake. Returns false if a move is missing.
    fn play_on(
        &mut self,
        line: &mut Refutation<G>,
        given: &[G::Move],
        after: i32,
    ) -> Result<bool, CheckError> {
        let game = self.oracle.game();
        let (mut position, mut met) = (line.from.clone(), FxHashMap::default());
        // The score of the position, if it is known.
        let mut score = None;
        loop {
            let made = line.moves.len();
            if let Some(end) = game.final_score(&position) {
                let plies = match game.score_range().counts_plies() {
                    true => (made - line.mistake) as i32,
                    false => 0,
                };
                let end = game.seen_from(line.side, &position, end);
                line.score = end - end.signum() * plies;
                return Ok(true);
            }
            line.repeats = met.insert(position.clone(), made);
            if line.repeats.is_some() {
                return Ok(true);
            }
            // After the given moves, use the AI's move on its turns, and else a best move.
            let side = game.side_to_move(&position);
            let (mv, after) = if let Some(&mv) = given.get(made) {
                (Some(mv), (made == line.mistake).then_some(after))
            } else if side != line.side {
                self.best_reply(&position, score)?.unzip()
            } else if let Some(mv) = (self.known)(&position) {
                (Some(mv), None)
            } else {
                self.questions += 1;
                let way = line.why_not_from_start.is_none().then_some(&line.moves[..]);
                let reply = ask_one(self.player, way, &position, self.progress);
                (reply.ok_or(CheckError::Interrupted)?.ok(), None)
            };
            let Some(mv) = mv else {
                return Ok(false);
            };
            position = game.play(&position, mv);
            score = after.map(|score| game.score_after_move(side, &position, score));
            line.moves.push(mv);
        }
    }

    /// Returns the opponent's first best move and its score; `None` if time runs out.
    ///
    /// `known` is the score, if it is known.
    fn best_reply(
        &self,
        position: &G::Position,
        known: Option<i32>,
    ) -> Result<Option<(G::Move, i32)>, CheckError> {
        let found = in_time(self.oracle, self.budget, self.progress, |oracle| {
            let score = known.map_or_else(|| oracle.score(position), Ok)?;
            Ok((best_moves(oracle, position, score, 1)?, score))
        })?;
        let Some((best, score)) = found else {
            return Ok(None);
        };
        let contradiction =
            || OracleError::Contradiction(self.oracle.game().format_position(position));
        Ok(Some((*best.first().ok_or_else(contradiction)?, score)))
    }
}

/// Returns the moves of a shortest way from a position back to itself.
///
/// Those of `side` are the AI's answers, the others any moves.
fn circle<G: Notation>(
    game: &G,
    position: &G::Position,
    side: Side,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
) -> Vec<G::Move> {
    let moves = |position: &G::Position| {
        let moves = match game.side_to_move(position) == side {
            true => known(position).into_iter().collect(),
            false => game.legal_moves(position),
        };
        let moves = moves.into_iter();
        moves.map(|mv| (mv, game.play(position, mv))).collect()
    };
    let circle = shortest_through(position, |_| true, moves).into_iter();
    circle.map(|(_, mv)| mv).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Criterion;
    use crate::check::contenders::{InProcess, StartPlayer};
    use crate::game::{Game, NoProgress};
    use crate::games::kalah::{Kalah, Move, Position};
    use crate::testing::tables::{kalah, table_of};

    fn last(game: &Kalah, position: &Position) -> Move {
        *game.legal_moves(position).last().unwrap()
    }

    #[test]
    fn a_line_is_played_by_the_ai_and_its_perfect_opponent() {
        let game = kalah(3, 2);
        let table = table_of(&game);
        let oracle: &dyn Oracle<Kalah> = &table;
        let best_of = |position: &Position| -> Vec<Move> {
            let scores = oracle.move_scores(position).unwrap();
            let is_best = |mv: &Move| scores.contains(&(*mv, scores[0].1));
            game.legal_moves(position)
                .into_iter()
                .filter(is_best)
                .collect()
        };
        let judge = Judge::new(oracle);
        let mut position = game.start();
        let case = loop {
            let reply = Ok(last(&game, &position));
            let judged = judge.grade_one(&position, reply, &NoProgress).unwrap();
            let judged = judged.unwrap();
            if judged.is_mistake(Criterion::Score) {
                break Case {
                    position,
                    judged,
                    way: None,
                    equivalent: 1,
                };
            }
            position = game.play(&position, last(&game, &position));
        };
        let contender = InProcess(|| last);
        let mut player = contender.player(&game).unwrap();
        for is_known in [false, true] {
            let mut refuter = Refuter {
                oracle,
                player: &mut *player,
                known: &|position| is_known.then(|| last(&game, position)),
                budget: None,
                progress: &NoProgress,
                questions: 0,
            };
            let line = refuter.play_out(&case, Some("")).unwrap().unwrap();
            assert_eq!((&line.from, line.mistake), (&case.position, 0));
            assert_eq!(line.best, best_of(&case.position));
            let mut position = line.from;
            let mut answers = 0;
            for (number, &mv) in line.moves.iter().enumerate() {
                if game.side_to_move(&position) == line.side {
                    assert_eq!(mv, last(&game, &position));
                    answers += u64::from(number > 0);
                } else {
                    assert_eq!(mv, best_of(&position)[0]);
                }
                position = game.play(&position, mv);
            }
            let score = game.final_score(&position).unwrap();
            assert_eq!(game.seen_from(line.side, &position, score), line.score);
            assert!(line.score < line.target && answers > 0);
            assert_eq!(refuter.questions, if is_known { 0 } else { answers });
        }
    }
}
