//! Counts of the answers, and the worst mistakes.

use super::grade::{Judged, best_moves};
use super::statistics::Sums;
use crate::check::contenders::{Fault, FaultKind};
use crate::check::hypotheses::Answer;
use crate::check::options::{Criterion, Playouts};
use crate::game::{Notation, Outcome, Side};
use crate::oracle::{Oracle, OracleError};
use crate::random::Random;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Counts of mistakes by their cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mistakes {
    /// Number of mistakes of any kind.
    pub total: u64,
    /// Wins that became draws.
    pub win_to_draw: u64,
    /// Wins that became losses.
    pub win_to_loss: u64,
    /// Draws that became losses.
    pub draw_to_loss: u64,
    /// Mistakes that cost only score or distance; 0 if only the outcome counts.
    pub score_only: u64,
}

impl Mistakes {
    /// Counts a mistake by the outcomes before and after it, if they differ.
    fn add(&mut self, outcomes: Option<(Outcome, Outcome)>) {
        self.total += 1;
        *match outcomes {
            Some((Outcome::Win, Outcome::Draw)) => &mut self.win_to_draw,
            Some((Outcome::Win, _)) => &mut self.win_to_loss,
            Some(_) => &mut self.draw_to_loss,
            None => &mut self.score_only,
        } += 1;
    }
}

/// Counts of faults by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FaultCounts {
    /// Moves that the rules don't allow.
    pub illegal: u64,
    /// No answer in time.
    pub timeout: u64,
    /// Crashes, exits, closed pipes.
    pub crash: u64,
    /// Answers that are not one move.
    pub malformed: u64,
}

impl FaultCounts {
    /// Returns the total.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.illegal + self.timeout + self.crash + self.malformed
    }

    pub(in crate::check) fn add(&mut self, kind: FaultKind) {
        *match kind {
            FaultKind::Illegal => &mut self.illegal,
            FaultKind::Timeout => &mut self.timeout,
            FaultKind::Crash => &mut self.crash,
            FaultKind::Malformed => &mut self.malformed,
        } += 1;
    }
}

/// Property that groups positions for counting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    /// The layer of the game.
    Layer(u32),
    /// The side to move.
    Side(Side),
    /// The kind of games from which the positions come.
    Games(Playouts),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Layer(layer) => layer.fmt(f),
            Part::Side(side) => side.fmt(f),
            Part::Games(kind) => kind.fmt(f),
        }
    }
}

/// Counts for a part of the positions asked, such as a layer of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(in crate::check) struct LayerTally {
    /// The number of positions asked.
    pub asked: u64,
    /// The number of best moves.
    pub best_moves: u64,
    /// The number of moves that preserve the outcome.
    pub outcome_preserved: u64,
    /// The number of mistakes.
    pub mistakes: u64,
    /// The number of mistakes that change the outcome.
    pub outcome_mistakes: u64,
    /// The total regret against the target scores, in points or plies.
    pub total_regret: u64,
    /// The number of positions not graded in time; no other count has them.
    pub unresolved: u64,
    /// The regret against best play.
    #[serde(skip)]
    pub regret: Sums,
}

impl LayerTally {
    /// Counts an answer.
    pub(in crate::check) fn add<M>(&mut self, judged: &Judged<M>, criterion: Criterion) {
        if judged.answer.is_err() {
            self.asked += 1;
        } else if !judged.is_resolved {
            self.unresolved += 1;
        } else {
            self.asked += 1;
            self.best_moves += u64::from(judged.is_best());
            self.outcome_preserved += u64::from(judged.preserves_outcome());
            let [from_target, regret] = [judged.target, judged.before].map(|of| judged.regret(of));
            self.total_regret += from_target.unwrap_or(0) as u64;
            if let Some(regret) = regret {
                self.regret.add(regret as u64);
            }
            if judged.is_mistake(criterion) {
                self.mistakes += 1;
                self.outcome_mistakes += u64::from(judged.outcome_lost().is_some());
            }
        }
    }
}

/// Position with the AI's answer.
#[derive(Clone, Debug)]
pub(in crate::check) struct Case<G: Notation> {
    /// The position in which the mistake was made.
    pub position: G::Position,
    /// The graded answer.
    pub judged: Judged<G::Move>,
    /// The moves from the start to the position, if known.
    pub way: Option<Vec<G::Move>>,
    /// The number of equivalent mistakes, this one included.
    ///
    /// They are the same but for symmetry and have the same target and score after the move.
    pub equivalent: u64,
}

impl<G: Notation> Case<G> {
    /// Returns all best moves; the oracle finds them if they aren't known.
    pub(in crate::check) fn best(
        &self,
        oracle: &dyn Oracle<G>,
    ) -> Result<Vec<G::Move>, OracleError> {
        match &self.judged.best[..] {
            [] => best_moves(oracle, &self.position, self.judged.before, usize::MAX),
            best => Ok(best.to_vec()),
        }
    }
}

/// The worst mistakes, worst first, and in order of arrival among equals.
///
/// Of mistakes that are equivalent by symmetry, only the first is retained.
#[derive(Clone, Debug)]
pub(in crate::check) struct Worst<G: Notation> {
    game: G,
    /// The criterion for a mistake.
    pub criterion: Criterion,
    pub cases: Vec<Case<G>>,
}

/// The number of worst mistakes to retain.
const MOST_WORST: usize = 10;

impl<G: Notation> Worst<G> {
    pub fn new(game: G, criterion: Criterion) -> Worst<G> {
        Worst {
            game,
            criterion,
            cases: Vec::new(),
        }
    }

    /// Returns the severity of a mistake: lost outcomes, if they count, and regret.
    fn severity(&self, judged: &Judged<G::Move>) -> (i32, i32) {
        let outcome = match (self.criterion, judged.outcome_lost()) {
            (Criterion::Outcome, Some((before, after))) => before as i32 - after as i32,
            _ => 0,
        };
        (outcome, judged.shortfall())
    }

    /// Adds a mistake if it is one of the worst; `way` finds the moves that lead to it.
    pub fn add(&mut self, position: &G::Position, judged: &Judged<G::Move>, way: Way<'_, G::Move>) {
        let severity = self.severity(judged);
        let place = self
            .cases
            .partition_point(|other| self.severity(&other.judged) >= severity);
        if let Some(rank) = self.rank_of(position, judged) {
            self.cases[rank].equivalent += 1;
        } else if place < MOST_WORST {
            self.cases.truncate(MOST_WORST - 1);
            let case = Case {
                position: position.clone(),
                judged: judged.clone(),
                way: way(),
                equivalent: 1,
            };
            self.cases.insert(place, case);
        }
    }

    /// Returns the index of the equivalent case, if there is one.
    pub fn rank_of(&self, position: &G::Position, judged: &Judged<G::Move>) -> Option<usize> {
        let mut canonical = None;
        self.cases.iter().position(|case| {
            let scores = |judged: &Judged<_>| (judged.target, judged.after, judged.repeats);
            scores(&case.judged) == scores(judged)
                && self.game.canonical(&case.position)
                    == *canonical.get_or_insert_with(|| self.game.canonical(position))
        })
    }
}

/// The number of answers to retain.
const MOST_ANSWERS: usize = 1 << 14;

/// The number of mistakes whose positions are retained; if there are more, no report lists them.
pub(in crate::check) const MOST_MISTAKEN: u64 = 100_000;

/// Counts and worst cases of a check.
#[derive(Clone, Debug)]
pub(in crate::check) struct Tally<G: Notation> {
    /// The counts over all positions.
    pub all: LayerTally,
    /// The mistakes by their cost.
    pub mistakes: Mistakes,
    /// The counts by layer, by side to move, and by kind of games.
    pub parts: BTreeMap<Part, LayerTally>,
    /// The faults with their positions, in the order in which they were asked.
    pub faults: Vec<(G::Position, Fault)>,
    /// A uniform sample of the graded answers: all of them, if they are few.
    pub answers: Vec<Answer<G>>,
    /// The positions of all mistakes, as far as they are retained.
    pub mistaken: Vec<G::Position>,
    /// Chooses the sample, after this number of graded answers.
    sampling: (Random, u64),
    /// The worst of all mistakes.
    pub worst: Worst<G>,
    /// The worst mistakes in positions to which the AI's own moves lead.
    pub own: Worst<G>,
}

/// Origin of a position.
#[derive(Clone, Copy, Default)]
pub(in crate::check) struct Origin {
    /// The kind of games that it comes from, if it comes from games.
    pub games: Option<Playouts>,
    /// Whether all moves of its side on the way there are the AI's own.
    pub is_own: bool,
}

/// Finds the moves from the start to a position, if they are known.
pub(in crate::check) type Way<'a, M> = &'a dyn Fn() -> Option<Vec<M>>;

impl<G: Notation> Tally<G> {
    pub fn new(game: &G, criterion: Criterion) -> Tally<G> {
        Tally {
            all: LayerTally::default(),
            mistakes: Mistakes::default(),
            parts: BTreeMap::new(),
            faults: Vec::new(),
            answers: Vec::new(),
            mistaken: Vec::new(),
            sampling: (Random::new(0x5EED), 0),
            worst: Worst::new(game.clone(), criterion),
            own: Worst::new(game.clone(), criterion),
        }
    }

    pub fn game(&self) -> &G {
        &self.worst.game
    }

    /// Counts an answer.
    pub fn add(
        &mut self,
        position: &G::Position,
        judged: Judged<G::Move>,
        origin: Origin,
        way: Way<'_, G::Move>,
    ) {
        self.all.add(&judged, self.worst.criterion);
        let side = Part::Side(self.game().side_to_move(position));
        let games = origin.games.map(Part::Games);
        for part in [Part::Layer(judged.layer), side].into_iter().chain(games) {
            let tally = self.parts.entry(part).or_default();
            tally.add(&judged, self.worst.criterion);
        }
        match judged.answer {
            Err(fault) => self.faults.push((position.clone(), fault)),
            Ok(mv) => {
                let is_mistake = judged.is_mistake(self.worst.criterion);
                if judged.is_resolved {
                    self.sample(position, mv, is_mistake);
                }
                if is_mistake {
                    self.mistakes.add(judged.outcome_lost());
                    if self.mistakes.total <= MOST_MISTAKEN {
                        self.mistaken.push(position.clone());
                    }
                    self.worst.add(position, &judged, way);
                    if origin.is_own {
                        self.own.add(position, &judged, way);
                    }
                }
            }
        }
    }

    /// Retains an answer, or drops one at random if there are too many.
    fn sample(&mut self, position: &G::Position, mv: G::Move, is_mistake: bool) {
        let (random, seen) = &mut self.sampling;
        *seen += 1;
        let answer = Answer {
            position: position.clone(),
            mv,
            is_mistake,
        };
        if self.answers.len() < MOST_ANSWERS {
            self.answers.push(answer);
        } else if let Some(dropped) = self.answers.get_mut(random.below(*seen) as usize) {
            *dropped = answer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::Cell;
    use crate::games::tictactoe::TicTacToe;

    fn judged<M>(answer: M, target: i32, after: i32) -> Judged<M> {
        Judged {
            before: target,
            target,
            after,
            is_resolved: true,
            ..Judged::unresolved(Ok(answer))
        }
    }

    #[test]
    fn faults_are_the_sum_of_their_kinds() {
        let mut counts = FaultCounts::default();
        for (times, kind) in (1..).zip([
            FaultKind::Illegal,
            FaultKind::Timeout,
            FaultKind::Crash,
            FaultKind::Malformed,
        ]) {
            (0..times).for_each(|_| counts.add(kind));
        }
        assert_eq!(counts.total(), 1 + 2 + 3 + 4);
    }

    #[test]
    fn answers_are_counted_by_the_outcome_they_preserve() {
        let mut tally = LayerTally::default();
        let unresolved = Judged {
            is_resolved: false,
            ..judged((), 0, 0)
        };
        let fault = Judged {
            answer: Err(Fault::new(FaultKind::Crash, "")),
            ..judged((), 3, 3)
        };
        // Two answers of each kind: best, worse with the same outcome, a win thrown away,
        // unresolved, a fault.
        for answer in [
            judged((), 3, 3),
            judged((), 3, 1),
            judged((), 3, -1),
            unresolved,
            fault,
        ] {
            tally.add(&answer, Criterion::Score);
            tally.add(&answer, Criterion::Score);
        }
        let counted = LayerTally {
            asked: 8,
            best_moves: 2,
            outcome_preserved: 4,
            mistakes: 4,
            outcome_mistakes: 2,
            total_regret: 12,
            unresolved: 2,
            regret: tally.regret,
        };
        assert_eq!(tally, counted);
        let regret = tally.regret;
        assert_eq!((regret.count, regret.total, regret.squares), (6, 12, 40));
    }

    #[test]
    fn mistakes_are_ranked_by_the_criterion() {
        let game = TicTacToe::default();
        let start = game.start();
        // A win to a draw that costs the most points, a win to a loss, a draw to a loss.
        let mistakes = [(9, 0), (1, -1), (0, -7)];
        for (criterion, ranks) in [
            (Criterion::Score, [0, 2, 1]),
            (Criterion::Outcome, [1, 0, 2]),
        ] {
            let mut tally = Tally::new(&game, criterion);
            for (target, after) in mistakes {
                tally.add(
                    &start,
                    judged(Cell(0), target, after),
                    Origin::default(),
                    &|| None,
                );
            }
            let rank =
                |(target, after)| tally.worst.rank_of(&start, &judged(Cell(0), target, after));
            assert_eq!(mistakes.map(rank), ranks.map(Some), "{criterion:?}");
            let kinds = Mistakes {
                total: 3,
                win_to_draw: 1,
                win_to_loss: 1,
                draw_to_loss: 1,
                score_only: 0,
            };
            assert_eq!(tally.mistakes, kinds);
            assert_eq!(rank((9, 1)), None);
        }
    }

    #[test]
    fn a_uniform_sample_of_the_answers_is_retained() {
        let game = TicTacToe::default();
        let mut tally = Tally::new(&game, Criterion::Score);
        for index in 0..2 * MOST_ANSWERS {
            let cell = Cell((index / MOST_ANSWERS) as u8);
            tally.add(
                &game.start(),
                judged(cell, 0, 0),
                Origin::default(),
                &|| None,
            );
        }
        assert_eq!(tally.answers.len(), MOST_ANSWERS);
        let late = tally.answers.iter().filter(|answer| answer.mv.0 == 1);
        let late = late.count();
        assert!((7900..8500).contains(&late), "{late}");
    }
}
