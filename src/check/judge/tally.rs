//! What has been counted so far.

use super::statistics::Sums;
use super::times::Times;
use super::weigh::{Judged, best_moves};
use crate::check::contenders::FaultKind;
use crate::check::options::{Plays, Standard};
use crate::game::{Notation, Outcome};
use crate::oracle::{Oracle, OracleError, Stop};
use serde::Serialize;
use std::collections::BTreeMap;

/// Mistakes, by what they cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mistakes {
    /// All of them.
    pub total: u64,
    /// A win became a draw.
    pub win_to_draw: u64,
    /// A win became a loss.
    pub win_to_loss: u64,
    /// A draw became a loss.
    pub draw_to_loss: u64,
    /// Only points were lost; 0 where only the outcome counts.
    pub score_only: u64,
}

/// Faults, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FaultCounts {
    /// Moves that the rules don't allow.
    pub illegal: u64,
    /// No answer in time.
    pub timeout: u64,
    /// Crashes, exits, closed pipes.
    pub crash: u64,
    /// Answers that are not one move.
    pub garbled: u64,
}

impl FaultCounts {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.illegal + self.timeout + self.crash + self.garbled
    }

    pub(in crate::check) fn add(&mut self, kind: FaultKind) {
        *match kind {
            FaultKind::Illegal => &mut self.illegal,
            FaultKind::Timeout => &mut self.timeout,
            FaultKind::Crash => &mut self.crash,
            FaultKind::Garbled => &mut self.garbled,
        } += 1;
    }
}

/// The counts of a part of what was asked, such as one layer of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LayerTally {
    /// Positions asked.
    pub asked: u64,
    /// Moves that no other move beats.
    pub perfect_moves: u64,
    /// Moves that keep the outcome.
    pub good_moves: u64,
    /// Mistakes.
    pub mistakes: u64,
    /// Mistakes that change the outcome.
    pub outcome_mistakes: u64,
    /// Points lost.
    pub score_lost: u64,
    /// Positions whose moves could not be weighed in time; in none of the other counts.
    pub unsettled: u64,
    /// What the moves lost of the score under best play.
    #[serde(skip)]
    pub regret: Sums,
}

impl LayerTally {
    /// Counts an answer in.
    pub(in crate::check) fn add<M>(&mut self, judged: &Judged<M>, standard: Standard) {
        if judged.answer.is_err() {
            self.asked += 1;
        } else if !judged.is_settled {
            self.unsettled += 1;
        } else {
            self.asked += 1;
            self.perfect_moves += u64::from(judged.is_perfect());
            self.good_moves += u64::from(judged.is_good());
            self.score_lost += judged.lost() as u64;
            self.regret.add(judged.regret().max(0) as u64);
            if judged.is_mistake(standard) {
                self.mistakes += 1;
                self.outcome_mistakes += u64::from(judged.outcome_lost().is_some());
            }
        }
    }
}

/// A position and what was answered there.
#[derive(Clone, Debug)]
pub(in crate::check) struct Case<G: Notation> {
    /// Which question it was, counted from 0.
    pub index: u64,
    /// The position.
    pub position: G::Position,
    /// The answer, weighed.
    pub judged: Judged<G::Move>,
    /// Among the worst mistakes: the number of mistakes that are the same but for symmetry, with
    /// the same scores before and after, this one included.
    pub alike: u64,
}

impl<G: Notation> Case<G> {
    /// All best moves, which the oracle finds if they aren't known.
    pub(in crate::check) fn best(
        &self,
        oracle: &dyn Oracle<G>,
        stop: Stop<'_>,
    ) -> Result<Vec<G::Move>, OracleError> {
        match &self.judged.best[..] {
            [] => best_moves(oracle, &self.position, self.judged.before, stop),
            best => Ok(best.to_vec()),
        }
    }

    pub(in crate::check) fn new(
        index: u64,
        position: &G::Position,
        judged: Judged<G::Move>,
    ) -> Self {
        Case {
            index,
            position: position.clone(),
            judged,
            alike: 1,
        }
    }
}

/// The number of the worst mistakes that are kept.
const WORST: usize = 10;

/// The number of right answers that are kept, to hold guesses at the cause of faults against.
const FIRST: usize = 256;

/// All that is counted while an AI is asked.
#[derive(Clone, Debug)]
pub(in crate::check) struct Tally<G: Notation> {
    game: G,
    standard: Standard,
    /// All of it: positions asked, best moves and so on.
    pub all: LayerTally,
    /// Mistakes by what they cost.
    pub mistakes: Mistakes,
    /// Mistakes by the points that they lost.
    pub by_loss: BTreeMap<i32, u64>,
    /// By layer of the game.
    pub layers: BTreeMap<u32, LayerTally>,
    /// By the side to move, the first player's first.
    pub sides: [LayerTally; 2],
    /// By the plays that the positions come from, if they come from plays.
    pub plays: BTreeMap<Plays, LayerTally>,
    /// The worst mistake in a position from plays to which the AI's own moves lead.
    pub worst_own: Option<Case<G>>,
    /// How long the moves took.
    pub times: Times,
    /// Positions with faults, in the order in which they were asked.
    pub faults: Vec<Case<G>>,
    /// The first positions that were answered with a legal move, and the moves.
    pub first_right: Vec<(G::Position, G::Move)>,
    /// The mistakes that cost most, worst first; of equals the first ones asked. Those that are the
    /// same but for symmetry are there once.
    pub worst: Vec<Case<G>>,
}

impl<G: Notation> Tally<G> {
    pub(in crate::check) fn new(game: G, standard: Standard) -> Tally<G> {
        Tally {
            game,
            standard,
            all: LayerTally::default(),
            mistakes: Mistakes::default(),
            by_loss: BTreeMap::new(),
            layers: BTreeMap::new(),
            sides: Default::default(),
            plays: BTreeMap::new(),
            worst_own: None,
            times: Times::default(),
            faults: Vec::new(),
            first_right: Vec::new(),
            worst: Vec::new(),
        }
    }

    pub(in crate::check) fn standard(&self) -> Standard {
        self.standard
    }

    pub(in crate::check) fn game(&self) -> &G {
        &self.game
    }

    /// How bad a mistake is: what it costs, by what counts.
    fn gravity(&self, judged: &Judged<G::Move>) -> (i32, i32) {
        let outcome = match (self.standard, judged.outcome_lost()) {
            (Standard::Outcome, Some((before, after))) => before as i32 - after as i32,
            _ => 0,
        };
        (outcome, judged.lost())
    }

    pub(in crate::check) fn add(
        &mut self,
        index: u64,
        position: &G::Position,
        judged: Judged<G::Move>,
    ) {
        self.all.add(&judged, self.standard);
        let layer = self.layers.entry(judged.layer).or_default();
        layer.add(&judged, self.standard);
        self.sides[self.game.side_to_move(position).index()].add(&judged, self.standard);
        if let Ok(mv) = judged.answer {
            self.times.add(judged.nanos);
            if self.first_right.len() < FIRST {
                self.first_right.push((position.clone(), mv));
            }
        }
        let is_mistake = judged.is_mistake(self.standard);
        let case = Case::new(index, position, judged);
        if case.judged.answer.is_err() {
            self.faults.push(case);
        } else if is_mistake {
            self.add_mistake(case);
        }
    }

    /// Counts an answer in a position from these plays; `is_own` if the AI's own moves lead there.
    pub(in crate::check) fn add_from(
        &mut self,
        (plays, is_own): (Plays, bool),
        index: u64,
        position: &G::Position,
        judged: &Judged<G::Move>,
    ) {
        let of_plays = self.plays.entry(plays).or_default();
        of_plays.add(judged, self.standard);
        let least = self
            .worst_own
            .as_ref()
            .map_or(0, |worst| worst.judged.lost());
        if is_own
            && judged.answer.is_ok()
            && judged.is_mistake(self.standard)
            && judged.lost() > least
        {
            self.worst_own = Some(Case::new(index, position, judged.clone()));
        }
    }

    fn add_mistake(&mut self, case: Case<G>) {
        let outcome_lost = case.judged.outcome_lost();
        self.mistakes.total += 1;
        *self.by_loss.entry(case.judged.lost()).or_default() += 1;
        let kind = match outcome_lost {
            Some((Outcome::Win, Outcome::Draw)) => &mut self.mistakes.win_to_draw,
            Some((Outcome::Win, _)) => &mut self.mistakes.win_to_loss,
            Some(_) => &mut self.mistakes.draw_to_loss,
            None => &mut self.mistakes.score_only,
        };
        *kind += 1;
        let gravity = self.gravity(&case.judged);
        let place = self
            .worst
            .partition_point(|other| self.gravity(&other.judged) >= gravity);
        // Those that are alike weigh the same, and the first of them came before this one.
        let first = self.worst[..place]
            .iter()
            .rposition(|other| self.gravity(&other.judged) > gravity);
        let equals = first.map_or(0, |first| first + 1)..place;
        if let Some(known) = equals
            .into_iter()
            .find(|&at| self.is_alike(&self.worst[at], &case))
        {
            self.worst[known].alike += 1;
        } else if place < WORST {
            self.worst.truncate(WORST - 1);
            self.worst.insert(place, case);
        }
    }

    /// Whether two mistakes are the same but for symmetry.
    fn is_alike(&self, one: &Case<G>, other: &Case<G>) -> bool {
        (one.judged.due, one.judged.after) == (other.judged.due, other.judged.after)
            && self.game.canonical(&one.position) == self.game.canonical(&other.position)
    }

    /// Which of the worst mistakes one in this position is, with these scores due and after it.
    pub(in crate::check) fn rank_of(
        &self,
        position: &G::Position,
        judged: &Judged<G::Move>,
    ) -> Option<usize> {
        let scores = (judged.due, judged.after);
        let mut canonical = None;
        self.worst.iter().position(|case| {
            (case.judged.due, case.judged.after) == scores
                && self.game.canonical(&case.position)
                    == *canonical.get_or_insert_with(|| self.game.canonical(position))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contenders::Fault;
    use crate::game::Game;
    use crate::games::tictactoe::{Cell, TicTacToe};

    fn judged<M>(answer: M, due: i32, after: i32) -> Judged<M> {
        Judged {
            answer: Ok(answer),
            before: due,
            due,
            after,
            is_settled: true,
            layer: 0,
            nanos: None,
            best: Vec::new(),
        }
    }

    #[test]
    fn faults_are_the_sum_of_their_kinds() {
        let mut counts = FaultCounts::default();
        for (times, kind) in (1..).zip([
            FaultKind::Illegal,
            FaultKind::Timeout,
            FaultKind::Crash,
            FaultKind::Garbled,
        ]) {
            (0..times).for_each(|_| counts.add(kind));
        }
        assert_eq!(counts.total(), 1 + 2 + 3 + 4);
    }

    #[test]
    fn answers_are_counted_by_what_they_keep() {
        let mut tally = LayerTally::default();
        let unsettled = Judged {
            is_settled: false,
            ..judged((), 0, 0)
        };
        let fault = Judged {
            answer: Err(Box::new(Fault::new(FaultKind::Crash, ""))),
            ..judged((), 3, 3)
        };
        // Two of each kind: perfect, worse but as good, a win thrown away, two more.
        for answer in [
            judged((), 3, 3),
            judged((), 3, 1),
            judged((), 3, -1),
            unsettled,
            fault,
        ] {
            tally.add(&answer, Standard::Score);
            tally.add(&answer, Standard::Score);
        }
        let counted = LayerTally {
            asked: 8,
            perfect_moves: 2,
            good_moves: 4,
            mistakes: 4,
            outcome_mistakes: 2,
            score_lost: 12,
            unsettled: 2,
            regret: tally.regret,
        };
        assert_eq!(tally, counted);
        let regret = tally.regret;
        assert_eq!((regret.count, regret.total, regret.squares), (6, 12, 40));
    }

    #[test]
    fn mistakes_are_ranked_by_what_counts() {
        let game = TicTacToe::default();
        let start = game.start();
        // A win to a draw that costs most points, a win to a loss, a draw to a loss.
        let mistakes = [(9, 0), (1, -1), (0, -7)];
        for (standard, ranks) in [(Standard::Score, [0, 2, 1]), (Standard::Outcome, [1, 0, 2])] {
            let mut tally = Tally::new(game.clone(), standard);
            for (index, (due, after)) in (0..).zip(mistakes) {
                tally.add(index, &start, judged(Cell(0), due, after));
            }
            let rank = |(due, after)| tally.rank_of(&start, &judged(Cell(0), due, after));
            assert_eq!(mistakes.map(rank), ranks.map(Some), "{standard:?}");
            let kinds = Mistakes {
                total: 3,
                win_to_draw: 1,
                win_to_loss: 1,
                draw_to_loss: 1,
                score_only: 0,
            };
            assert_eq!(tally.mistakes, kinds);
            assert_eq!(tally.by_loss, BTreeMap::from([(9, 1), (7, 1), (2, 1)]));
            assert_eq!(rank((9, 1)), None);
        }
    }

    #[test]
    fn the_first_right_answers_are_kept() {
        let game = TicTacToe::default();
        let mut tally = Tally::new(game.clone(), Standard::Score);
        for index in 0..300 {
            let cell = Cell((index % 9) as u8);
            tally.add(index, &game.start(), judged(cell, 0, 0));
        }
        let kept = tally.first_right.iter().map(|(_, mv)| mv.0);
        assert!(kept.eq((0..256).map(|index| (index % 9) as u8)));
    }
}
