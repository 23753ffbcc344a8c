//! Grading of moves with an oracle's scores.

use crate::check::contenders::Reply;
use crate::check::error::CheckError;
use crate::check::options::Criterion;
use crate::game::{
    CancelScope, NoProgress, Notation, Outcome, Progress, Side, WON, margin, points,
};
use crate::oracle::{Oracle, OracleError};
use std::time::{Duration, Instant};

/// Graded answer. Scores are seen from the side to move before the move.
#[derive(Clone, Debug)]
pub(in crate::check) struct Judged<M> {
    /// The move or the fault.
    pub answer: Reply<M>,
    /// The score under best play before the move.
    pub before: i32,
    /// The target score of the move.
    ///
    /// It is `before`. If only the value of the game counts, it is the smaller of `before` and that
    /// value. If scores count plies, the smaller outcome decides.
    pub target: i32,
    /// The score under best play after the move; `before` for a fault.
    pub after: i32,
    /// Whether the scores count plies.
    pub counts_plies: bool,
    /// Whether the opponent can bring the position, which is won, up again for ever.
    pub repeats: bool,
    /// Whether the scores are known; if not, all of them are 0.
    pub is_resolved: bool,
    /// The position's layer.
    pub layer: u32,
    /// The best moves of a mistake in the game's order.
    ///
    /// They are present if the caller wants them or the oracle searches, since finding them later
    /// would take long.
    pub best: Vec<M>,
}

impl<M> Judged<M> {
    /// Wraps an answer that has not been graded.
    pub(in crate::check) fn unresolved(answer: Reply<M>) -> Judged<M> {
        Judged {
            answer,
            before: 0,
            target: 0,
            after: 0,
            counts_plies: false,
            repeats: false,
            is_resolved: false,
            layer: 0,
            best: Vec::new(),
        }
    }

    /// Returns whether no move is better.
    pub fn is_best(&self) -> bool {
        self.answer.is_ok() && self.is_resolved && self.after == self.before
    }

    /// Returns whether the move preserves the outcome.
    pub fn preserves_outcome(&self) -> bool {
        self.answer.is_ok()
            && self.is_resolved
            && Outcome::of(self.result()) == Outcome::of(self.before)
    }

    /// Returns whether the move preserves a win but lets it take longer.
    pub fn is_slow_win(&self) -> bool {
        self.target > 0 && self.regret(self.target).is_some_and(|plies| plies > 0)
    }

    /// Returns the score after the move, or 0 if the game then repeats for ever.
    fn result(&self) -> i32 {
        if self.repeats { 0 } else { self.after }
    }

    /// Returns how far the move falls short of the target score, at least 0.
    pub fn shortfall(&self) -> i32 {
        (self.target - self.result()).max(0)
    }

    /// Returns the regret against a score, at least 0.
    ///
    /// If scores count plies, it is in plies, and `None` unless the move preserves a win or a loss.
    pub fn regret(&self, score: i32) -> Option<i32> {
        let result = self.result();
        let is_kept = score.signum() * result.signum() > 0 && margin(score) == margin(result);
        (!self.counts_plies || is_kept).then(|| (score - self.after).max(0))
    }

    /// Returns the outcomes of the target and after the move, if the latter is worse.
    pub fn outcome_lost(&self) -> Option<(Outcome, Outcome)> {
        let (target, after) = (Outcome::of(self.target), Outcome::of(self.result()));
        (after < target).then_some((target, after))
    }

    /// Returns whether the answer counts as a mistake. A fault does not.
    pub fn is_mistake(&self, criterion: Criterion) -> bool {
        match criterion {
            Criterion::Score => self.shortfall() > 0,
            Criterion::Outcome => self.outcome_lost().is_some(),
        }
    }
}

/// Judge that grades moves with an oracle's scores.
pub(in crate::check) struct Judge<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    /// The value of the game for the first player, if only that has to be preserved.
    value: Option<i32>,
    /// The criterion for mistakes whose best moves are listed.
    pub lists_best: Option<Criterion>,
    /// The time limit for grading a move, after which it is unresolved.
    pub budget: Option<Duration>,
}

impl<'a, G: Notation> Judge<'a, G> {
    /// Makes a judge whose target is the score of each position.
    pub fn new(oracle: &'a dyn Oracle<G>) -> Self {
        Judge {
            oracle,
            value: None,
            lists_best: None,
            budget: None,
        }
    }

    /// Makes a judge whose target is the value of the game.
    ///
    /// After a mistake by the AI, the target is the score that remains.
    ///
    /// # Errors
    /// If the oracle has no score for the start.
    pub fn of_the_game(oracle: &'a dyn Oracle<G>) -> Result<Self, OracleError> {
        let game = oracle.game();
        let start = game.start();
        let score = oracle.score(&start)?;
        Ok(Judge {
            value: Some(game.seen_from(Side::First, &start, score)),
            ..Judge::new(oracle)
        })
    }

    /// Grades one answer; returns `None` if the caller cancels before it is graded.
    ///
    /// # Errors
    /// If the oracle has no score for the position, or for the one after the move.
    pub fn grade_one(
        &self,
        position: &G::Position,
        reply: Reply<G::Move>,
        progress: &dyn Progress,
    ) -> Result<Option<Judged<G::Move>>, CheckError> {
        // Discard the answer after cancellation: an AI that uses the same oracle may have been
        // cancelled with it.
        if self.is_search() && progress.cancelled() {
            return Ok(None);
        }
        let game = self.oracle.game();
        let mut graded = Judged::unresolved(reply);
        graded.layer = game.layer(&game.canonical(position));
        graded.counts_plies = game.score_range().counts_plies();
        // Don't search for scores that a fault doesn't need.
        if self.is_search() && graded.answer.is_err() {
            return Ok(Some(graded));
        }
        let resolved = in_time(self.oracle, self.budget, progress, |oracle| {
            self.resolve(oracle, position, &mut graded)
        });
        match resolved {
            Ok(Some(())) => graded.is_resolved = true,
            // Time ran out: discard the scores that were found, so that all of them are 0.
            Ok(None) => {
                (graded.before, graded.target, graded.after) = (0, 0, 0);
                graded.best.clear();
            }
            Err(CheckError::Interrupted) => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(graded))
    }

    /// Finds the scores, and the best moves if they are to be listed.
    fn resolve(
        &self,
        oracle: &dyn Oracle<G>,
        position: &G::Position,
        graded: &mut Judged<G::Move>,
    ) -> Result<(), OracleError> {
        let game = oracle.game();
        let before = oracle.score(position)?;
        graded.before = before;
        graded.target = self.target(game.side_to_move(position), before);
        graded.after = match graded.answer {
            Ok(mv) => oracle.score_after_knowing(position, mv, before)?,
            Err(_) => before,
        };
        let listed = self
            .lists_best
            .or(self.is_search().then_some(Criterion::Score));
        if let Some(criterion) = listed
            && graded.is_mistake(criterion)
        {
            graded.best = best_moves(oracle, position, before, usize::MAX)?;
        }
        Ok(())
    }

    /// Returns whether the oracle searches, so that no question should be repeated or wasted.
    pub fn is_search(&self) -> bool {
        self.oracle.effort().is_some()
    }

    /// Returns the target score of a move where best play scores `before`.
    fn target(&self, side: Side, before: i32) -> i32 {
        let Some(value) = self.value.map(|value| side.seen(value)) else {
            return before;
        };
        if !self.oracle.game().score_range().counts_plies() {
            return before.min(value);
        }
        // The value's distance is that from the start, so only its points limit the target.
        match points(before) > points(value) {
            true => WON * points(value),
            false => before,
        }
    }
}

/// Returns up to `most` best moves of a position in the game's order.
///
/// `score` is the position's score.
pub(in crate::check) fn best_moves<G: Notation>(
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    score: i32,
    most: usize,
) -> Result<Vec<G::Move>, OracleError> {
    let mut best = Vec::new();
    for mv in oracle.game().legal_moves(position) {
        if best.len() < most && oracle.keeps(position, mv, score)? {
            best.push(mv);
        }
    }
    Ok(best)
}

/// Asks an oracle with a time limit; returns `None` if the time runs out.
///
/// # Errors
/// If the oracle has no answer, or the caller cancels before the answer.
pub(in crate::check) fn in_time<G: Notation, T>(
    oracle: &dyn Oracle<G>,
    budget: Option<Duration>,
    progress: &dyn Progress,
    ask: impl FnOnce(&dyn Oracle<G>) -> Result<T, OracleError>,
) -> Result<Option<T>, CheckError> {
    // The searches' own reports are not passed on, because there are too many.
    let stop = || progress.cancelled();
    let unheard = CancelScope::new(&NoProgress, &stop);
    let clock = CancelScope::with_deadline(&unheard, budget.map(|budget| Instant::now() + budget));
    let limited = oracle.with_progress(&clock);
    match ask(limited.as_deref().unwrap_or(oracle)) {
        Err(error) if error.is_interruption() && clock.is_past_deadline() => Ok(None),
        found => Ok(Some(found?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contenders::{Fault, FaultKind};
    use crate::check::listing::ListedMistake;
    use crate::game::{Bounds, Game};
    use crate::games::kalah::{Kalah, Position};
    use crate::testing::tables::{kalah, table_of};

    fn judged(before: i32, after: i32) -> Judged<u8> {
        judged_move(0, before, after)
    }

    fn judged_move<M>(mv: M, before: i32, after: i32) -> Judged<M> {
        Judged {
            before,
            target: before,
            after,
            is_resolved: true,
            ..Judged::unresolved(Ok(mv))
        }
    }

    #[test]
    fn only_resolved_moves_are_best_or_preserve_the_outcome() {
        let is = |judged: &Judged<u8>| (judged.is_best(), judged.preserves_outcome());
        assert_eq!(is(&judged(2, 2)), (true, true));
        assert_eq!(is(&judged(2, 1)), (false, true));
        assert_eq!(is(&judged(2, 0)), (false, false));
        let unresolved = Judged {
            is_resolved: false,
            ..judged(0, 0)
        };
        assert_eq!(is(&unresolved), (false, false));
        let fault = Judged {
            answer: Err(Fault::new(FaultKind::Crash, "")),
            ..judged(2, 2)
        };
        assert_eq!(is(&fault), (false, false));
    }

    #[test]
    fn an_outcome_is_lost_only_if_worse_than_the_target() {
        assert_eq!(
            judged(2, 0).outcome_lost(),
            Some((Outcome::Win, Outcome::Draw))
        );
        assert_eq!(judged(2, 1).outcome_lost(), None);
        let better = Judged {
            target: 0,
            ..judged(2, 2)
        };
        assert_eq!(better.outcome_lost(), None);
    }

    #[test]
    fn outcomes_are_named_where_they_differ() {
        let game = kalah(3, 2);
        let outcomes = |before, after| {
            let judged = judged_move(game.legal_moves(&game.start())[0], before, after);
            ListedMistake::of(&game, &game.start(), &judged, &[]).outcomes
        };
        assert_eq!(outcomes(2, 1), None);
        assert_eq!(outcomes(-1, 0), None);
        assert_eq!(outcomes(2, 0).as_deref(), Some("win to draw"));
        assert_eq!(outcomes(0, -3).as_deref(), Some("draw to loss"));
    }

    #[test]
    fn the_target_is_the_value_of_the_game_if_only_that_counts() {
        let game = kalah(3, 2);
        let table = table_of(&game);
        let value = Oracle::score(&table, &game.start()).unwrap();
        assert_ne!(value, 0);
        let judge = Judge::of_the_game(&table).unwrap();
        let mut is_more = false;
        for first in game.legal_moves(&game.start()) {
            let position = game.play(&game.start(), first);
            for mv in game.legal_moves(&position) {
                let judged = judge.grade_one(&position, Ok(mv), &NoProgress).unwrap();
                let judged = judged.unwrap();
                let side = game.side_to_move(&position);
                let own_value = if side == Side::First { value } else { -value };
                let best = Oracle::score(&table, &position).unwrap();
                assert_eq!(judged.before, best);
                assert_eq!(judged.target, best.min(own_value));
                is_more |= side == Side::Second && best > own_value;
            }
        }
        // The first player has made a mistake.
        assert!(is_more);
    }

    /// An oracle that obeys every cancellation, even if it could answer at once.
    struct Obedient<'p>(Kalah, &'p dyn Progress);

    impl Oracle<Kalah> for Obedient<'_> {
        fn game(&self) -> &Kalah {
            &self.0
        }

        fn score(&self, _: &Position) -> Result<i32, OracleError> {
            match self.1.cancelled() {
                true => Err(OracleError::Interrupted(Bounds::exactly(0))),
                false => Ok(0),
            }
        }

        fn with_progress<'q>(
            &'q self,
            progress: &'q dyn Progress,
        ) -> Option<Box<dyn Oracle<Kalah> + 'q>> {
            Some(Box::new(Obedient(self.0.clone(), progress)))
        }
    }

    #[test]
    fn a_question_ends_with_its_time_or_its_caller() {
        let game = kalah(3, 2);
        let oracle = Obedient(game.clone(), &NoProgress);
        let hour = Some(Duration::from_secs(3600));
        for (budget, stops, ends) in [
            (None, false, false),
            (hour, false, false),
            (Some(Duration::ZERO), false, true),
            (hour, true, true),
            (None, true, true),
        ] {
            let stop = || stops;
            let asker = CancelScope::new(&NoProgress, &stop);
            let found = in_time(&oracle, budget, &asker, |oracle| {
                oracle.score(&game.start())
            });
            let is_time_up = budget == Some(Duration::ZERO);
            match found {
                Ok(found) => assert_eq!((found.is_none(), is_time_up), (ends, ends), "{budget:?}"),
                Err(CheckError::Interrupted) => assert!(ends && stops, "{budget:?}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
