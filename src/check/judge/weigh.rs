//! What a move costs, by an oracle's scores.

use crate::check::contenders::{Fault, Reply};
use crate::check::options::Standard;
use crate::game::{Notation, Outcome, Side, best_moves};
use crate::oracle::{Oracle, OracleError};

/// One move weighed. Scores are seen from the mover.
#[derive(Clone, Debug)]
pub struct Judged<M> {
    /// The move, or why there is none.
    pub answer: Result<M, Box<Fault>>,
    /// The score under best play, before the move.
    pub before: i32,
    /// What the move is held against: `before`, or the value of the game where that is less and
    /// only it has to be kept.
    pub due: i32,
    /// The score under best play after the move; `before` where there is no move.
    pub after: i32,
    /// The position's layer.
    pub layer: u32,
    /// How long the AI took, in nanoseconds, if that was measured.
    pub nanos: Option<u64>,
    /// The best moves, if the judge was told to list them and the move is a mistake.
    pub best: Vec<M>,
}

impl<M> Judged<M> {
    /// Whether no move is better.
    #[must_use]
    pub fn is_perfect(&self) -> bool {
        self.answer.is_ok() && self.after == self.before
    }

    /// Whether the outcome is kept.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.answer.is_ok() && Outcome::of(self.after) == Outcome::of(self.before)
    }

    /// The points that it falls short of what is due.
    #[must_use]
    pub fn lost(&self) -> i32 {
        (self.due - self.after).max(0)
    }

    /// The outcome that is due and the one after the move, if the move falls short.
    #[must_use]
    pub fn outcome_lost(&self) -> Option<(Outcome, Outcome)> {
        let (due, after) = (Outcome::of(self.due), Outcome::of(self.after));
        (after < due).then_some((due, after))
    }

    /// Whether it counts as a mistake. A fault is none.
    #[must_use]
    pub fn is_mistake(&self, standard: Standard) -> bool {
        match standard {
            Standard::Score => self.lost() > 0,
            Standard::Outcome => self.outcome_lost().is_some(),
        }
    }
}

/// The outcomes that were due and that are left, if they differ: "win to loss".
pub(in crate::check) fn outcomes(due: i32, after: i32) -> Option<String> {
    let (due, after) = (Outcome::of(due), Outcome::of(after));
    (after < due).then(|| format!("{due} to {after}"))
}

/// Weighs moves with an oracle's scores.
pub struct Judge<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    /// The value of the game for the first player, where only that has to be kept.
    value: Option<i32>,
    /// For mistakes by this standard the best moves are listed.
    lists_best: Option<Standard>,
}

impl<'a, G: Notation> Judge<'a, G> {
    /// Every position's score has to be kept.
    #[must_use]
    pub fn new(oracle: &'a dyn Oracle<G>) -> Self {
        Judge {
            oracle,
            value: None,
            lists_best: None,
        }
    }

    /// Also lists the best moves where a mistake by this standard is made.
    #[must_use]
    pub fn listing_best(mut self, standard: Option<Standard>) -> Self {
        self.lists_best = standard;
        self
    }

    /// Only the value of the game has to be kept, and what is left of it after a mistake.
    ///
    /// # Errors
    /// If the oracle has no score for the start.
    pub fn of_the_game(oracle: &'a dyn Oracle<G>) -> Result<Self, OracleError> {
        let game = oracle.game();
        let start = game.start();
        let score = oracle.score(&start)?;
        Ok(Judge {
            oracle,
            value: Some(game.seen_from(Side::First, &start, score)),
            lists_best: None,
        })
    }

    /// Weighs what was answered in positions, in their order. There may be fewer replies than
    /// positions.
    ///
    /// # Errors
    /// If the oracle has no score for a position, or for one after a move.
    pub fn weigh(
        &self,
        positions: &[G::Position],
        replies: Vec<Reply<G::Move>>,
    ) -> Result<Vec<Judged<G::Move>>, OracleError> {
        let game = self.oracle.game();
        let positions = &positions[..replies.len()];
        let before = self.oracle.scores(positions);
        let answered = positions.iter().zip(&replies);
        let children: Vec<G::Position> = answered
            .filter_map(|(position, reply)| Some(game.play(position, *reply.answer.as_ref().ok()?)))
            .collect();
        let mut after = children.iter().zip(self.oracle.scores(&children));
        let mut judged = Vec::with_capacity(replies.len());
        for ((position, reply), before) in positions.iter().zip(replies).zip(before) {
            let before = before?;
            let side = game.side_to_move(position);
            let after = match reply.answer.is_ok().then(|| after.next()).flatten() {
                Some((child, score)) => game.seen_from(side, child, score?),
                None => before,
            };
            let mut weighed = Judged {
                answer: reply.answer.map_err(Box::new),
                before,
                due: self.due(side, before),
                after,
                layer: game.layer(&game.canonical(position)),
                nanos: reply
                    .time
                    .map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
                best: Vec::new(),
            };
            if let Some(standard) = self.lists_best
                && weighed.is_mistake(standard)
            {
                weighed.best = best_moves(&self.oracle.move_scores(position)?).collect();
            }
            judged.push(weighed);
        }
        Ok(judged)
    }

    /// What a move is held against where best play scores `before`.
    fn due(&self, side: Side, before: i32) -> i32 {
        match (self.value, side) {
            (None, _) => before,
            (Some(value), Side::First) => before.min(value),
            (Some(value), Side::Second) => before.min(-value),
        }
    }
}
