//! What a move costs, by the table.

use crate::check::contenders::Fault;
use crate::game::{Notation, Outcome, Side};
use crate::table::{ProbeError, Table};

/// What counts as a mistake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Standard {
    /// Any loss of score.
    #[default]
    Score,
    /// Only what turns a win into a draw or loss, or a draw into a loss.
    Outcome,
}

impl Standard {
    /// Its name in JSON and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Standard::Score => "score",
            Standard::Outcome => "outcome",
        }
    }
}

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
    /// How long the AI took, in nanoseconds.
    pub nanos: u64,
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

    /// From which outcome to which it falls short of what is due, if it does.
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

/// Weighs moves with a table.
pub struct Judge<'a, G: Notation> {
    table: &'a Table<G>,
    /// The value of the game for the first player, where only that has to be kept.
    value: Option<i32>,
}

impl<'a, G: Notation> Judge<'a, G> {
    /// Every position's score has to be kept.
    #[must_use]
    pub fn new(table: &'a Table<G>) -> Self {
        Judge { table, value: None }
    }

    /// Only the value of the game has to be kept, and what is left of it after a mistake.
    ///
    /// # Errors
    /// If the start is not in the table, or the table can't be read.
    pub fn of_the_game(table: &'a Table<G>) -> Result<Self, ProbeError> {
        let start = table.game().start();
        let score = table.score(&start)?;
        Ok(Judge {
            table,
            value: Some(table.game().seen_from(Side::First, &start, score)),
        })
    }

    /// Weighs an answer.
    ///
    /// # Errors
    /// If a position is not in the table, or the table can't be read.
    pub fn weigh(
        &self,
        position: &G::Position,
        answer: Result<G::Move, Fault>,
        nanos: u64,
    ) -> Result<Judged<G::Move>, ProbeError> {
        let game = self.table.game();
        let before = self.table.score(position)?;
        let side = game.side_to_move(position);
        let due = match (self.value, side) {
            (None, _) => before,
            (Some(value), Side::First) => before.min(value),
            (Some(value), Side::Second) => before.min(-value),
        };
        let after = match &answer {
            Ok(mv) => self.after(position, *mv)?,
            Err(_) => before,
        };
        Ok(Judged {
            answer: answer.map_err(Box::new),
            before,
            due,
            after,
            layer: game.layer(&game.canonical(position)),
            nanos,
        })
    }

    /// The score after a move, seen from who makes it.
    fn after(&self, position: &G::Position, mv: G::Move) -> Result<i32, ProbeError> {
        let game = self.table.game();
        let child = game.play(position, mv);
        let score = self.table.score(&child)?;
        Ok(game.seen_from(game.side_to_move(position), &child, score))
    }
}
