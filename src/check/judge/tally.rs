//! What has been counted so far.

use super::weigh::Judged;
use crate::check::contenders::FaultKind;
use crate::check::options::Standard;
use crate::game::{Notation, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

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

/// The counts of one layer of the game.
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
}

/// How long moves took, in buckets a fifth wide.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// Counts by `4 * log2(nanoseconds)`.
    buckets: BTreeMap<u32, u64>,
    count: u64,
    total: u128,
    longest: u64,
}

impl Times {
    fn add(&mut self, nanos: u64) {
        let nanos = nanos.max(1);
        let octave = nanos.ilog2();
        // Which quarter of the octave, by the two bits below the highest one.
        let quarter = (u128::from(nanos) << 2 >> octave) as u32 & 3;
        *self.buckets.entry(4 * octave + quarter).or_default() += 1;
        self.count += 1;
        self.total += u128::from(nanos);
        self.longest = self.longest.max(nanos);
    }

    /// The mean; zero if nothing was asked.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let nanos = self.total / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The longest.
    #[must_use]
    pub fn longest(&self) -> Duration {
        Duration::from_nanos(self.longest)
    }

    /// The time that this share of the moves took at most, up to the width of a bucket.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (&bucket, &count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                let end = (u128::from(bucket % 4) + 5) << (bucket / 4) >> 2;
                let end = u64::try_from(end).unwrap_or(u64::MAX);
                return Duration::from_nanos(end.min(self.longest));
            }
        }
        Duration::ZERO
    }
}

/// A position and what was answered there.
#[derive(Clone, Debug)]
pub struct Case<G: Notation> {
    /// Which question it was, counted from 0.
    pub index: u64,
    /// The position.
    pub position: G::Position,
    /// The answer, weighed.
    pub judged: Judged<G::Move>,
}

/// The number of the worst mistakes that are kept.
const WORST: usize = 10;

/// The number of mistakes of each kind that are kept, to find a short losing line among them.
const FIRST: usize = 16;

/// All that is counted while an AI is asked.
#[derive(Clone, Debug)]
pub struct Tally<G: Notation> {
    standard: Standard,
    /// Positions asked.
    pub asked: u64,
    /// Moves that no other move beats.
    pub perfect_moves: u64,
    /// Moves that keep the outcome.
    pub good_moves: u64,
    /// Mistakes by what they cost.
    pub mistakes: Mistakes,
    /// Points lost by all moves together.
    pub score_lost: u64,
    /// Mistakes by the points that they lost.
    pub by_loss: BTreeMap<i32, u64>,
    /// By layer of the game.
    pub layers: BTreeMap<u32, LayerTally>,
    /// How long the moves took.
    pub times: Times,
    /// Positions with faults, in the order in which they were asked.
    pub faults: Vec<Case<G>>,
    /// The mistakes that cost most, worst first; of equals the first ones asked.
    pub worst: Vec<Case<G>>,
    /// The first mistakes that change the outcome.
    first_outcome: Vec<Case<G>>,
    /// The first mistakes that cost only score.
    first_score: Vec<Case<G>>,
}

impl<G: Notation> Tally<G> {
    pub(in crate::check) fn new(standard: Standard) -> Tally<G> {
        Tally {
            standard,
            asked: 0,
            perfect_moves: 0,
            good_moves: 0,
            mistakes: Mistakes::default(),
            score_lost: 0,
            by_loss: BTreeMap::new(),
            layers: BTreeMap::new(),
            times: Times::default(),
            faults: Vec::new(),
            worst: Vec::new(),
            first_outcome: Vec::new(),
            first_score: Vec::new(),
        }
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
        self.asked += 1;
        self.times.add(judged.nanos);
        let layer = self.layers.entry(judged.layer).or_default();
        layer.asked += 1;
        if judged.is_perfect() {
            self.perfect_moves += 1;
            self.good_moves += 1;
            layer.perfect_moves += 1;
            layer.good_moves += 1;
            return;
        }
        let case = Case {
            index,
            position: position.clone(),
            judged,
        };
        if case.judged.answer.is_err() {
            self.faults.push(case);
            return;
        }
        let good = u64::from(case.judged.is_good());
        self.good_moves += good;
        layer.good_moves += good;
        let lost = case.judged.lost();
        self.score_lost += lost as u64;
        layer.score_lost += lost as u64;
        if case.judged.is_mistake(self.standard) {
            layer.mistakes += 1;
            layer.outcome_mistakes += u64::from(case.judged.outcome_lost().is_some());
            self.add_mistake(case);
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
        let first = match outcome_lost {
            Some(_) => &mut self.first_outcome,
            None => &mut self.first_score,
        };
        if first.len() < FIRST {
            first.push(case.clone());
        }
        let gravity = self.gravity(&case.judged);
        let place = self
            .worst
            .partition_point(|other| self.gravity(&other.judged) >= gravity);
        if place < WORST {
            self.worst.truncate(WORST - 1);
            self.worst.insert(place, case);
        }
    }

    /// The first mistakes that change the outcome, or, if none does, the first of score.
    pub(in crate::check) fn to_refute(&self) -> &[Case<G>] {
        if self.first_outcome.is_empty() {
            &self.first_score
        } else {
            &self.first_outcome
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_bucket() {
        let mut times = Times::default();
        for nanos in 1..=10_000 {
            times.add(nanos);
        }
        assert_eq!(times.longest(), Duration::from_nanos(10_000));
        assert_eq!(times.mean(), Duration::from_nanos(5000));
        for share in [0.01, 0.1, 0.5, 0.95, 1.0] {
            let found = times.quantile(share).as_nanos() as f64;
            let right = share * 10_000.0;
            assert!(found >= right && found <= 1.26 * right, "{share}: {found}");
        }
        assert_eq!(Times::default().quantile(0.5), Duration::ZERO);
        let mut longest = Times::default();
        longest.add(u64::MAX);
        assert_eq!(longest.quantile(0.5), Duration::from_nanos(u64::MAX));
    }
}
