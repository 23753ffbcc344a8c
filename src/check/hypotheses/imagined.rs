//! Scores under misread rules, by a plain search that remembers every position.

use crate::game::{Endless, Game, Misreading, Notation};
use rustc_hash::FxHashMap;

/// A search under misread rules, to the end of the game or to a depth.
pub(super) struct Imagined<'a, G: Game> {
    game: &'a G,
    rules: &'a dyn Misreading<G>,
    /// The number of moves to look ahead; to the end if it is [`DEEPEST`].
    depth: u32,
    /// The scores to come of finished searches, by class and remaining depth.
    known: FxHashMap<(G::Position, u32), i32>,
    /// The number of positions that may still be visited.
    budget: u64,
}

/// The number of positions that all questions together may visit, and one question.
const BUDGET: u64 = 200_000;
const BUDGET_TO_DEPTH: u64 = 600_000;
const BUDGET_OF_ONE: u64 = 20_000;

/// The number of moves that a search looks ahead, at most. Its stack is limited.
const DEEPEST: u32 = 400;

impl<'a, G: Notation> Imagined<'a, G> {
    /// Returns a search.
    ///
    /// It is `None` if it would go to the end of a game whose positions can repeat.
    pub fn new(
        game: &'a G,
        rules: &'a dyn Misreading<G>,
        depth: Option<u32>,
    ) -> Option<Imagined<'a, G>> {
        (depth.is_some() || game.endless() == Endless::Impossible).then(|| Imagined {
            game,
            rules,
            depth: depth.unwrap_or(DEEPEST),
            known: FxHashMap::default(),
            budget: if depth.is_some() {
                BUDGET_TO_DEPTH
            } else {
                BUDGET
            },
        })
    }

    /// Returns whether nothing can be asked any more.
    pub fn is_spent(&self) -> bool {
        self.budget == 0
    }

    /// Returns the moves that are legal under these rules, with their scores, best first.
    ///
    /// `None` if that takes too long.
    pub fn move_scores(&mut self, position: &G::Position) -> Option<Vec<(G::Move, i32)>> {
        let mut left = self.budget.min(BUDGET_OF_ONE);
        let before = left;
        let moves = self.rules.moves(self.game, position);
        let scores = moves.into_iter().map(|mv| {
            let score = self.score_of_move(position, mv, self.depth, &mut left);
            Some((mv, score?))
        });
        let scores: Option<Vec<_>> = scores.collect();
        self.budget -= before - left;
        let mut scores = scores?;
        scores.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
        Some(scores)
    }

    fn score_of_move(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        left: &mut u64,
    ) -> Option<i32> {
        let child = self.rules.play(self.game, position, mv);
        let score = self.score(&child, depth - 1, left)?;
        let side = self.game.side_to_move(position);
        Some(self.game.score_of_move(side, &child, score))
    }

    /// Returns the score, seen from the side to move.
    fn score(&mut self, position: &G::Position, depth: u32, left: &mut u64) -> Option<i32> {
        if let Some(score) = self.rules.final_score(self.game, position) {
            return Some(score);
        }
        let is_limited = self.depth < DEEPEST;
        if depth == 0 {
            let checking = self.game.capabilities().checking;
            return is_limited.then(|| checking.material(self.game, position));
        }
        let (class, banked) = match self.rules.is_symmetric() {
            true => (self.game.canonical(position), self.game.banked(position)),
            false => (position.clone(), 0),
        };
        let key = (class, if is_limited { depth } else { DEEPEST });
        if let Some(score) = self.known.get(&key) {
            return Some(banked + score);
        }
        *left = left.checked_sub(1)?;
        let mut best = None;
        for mv in self.rules.moves(self.game, &key.0) {
            best = best.max(Some(self.score_of_move(&key.0, mv, depth, left)?));
        }
        self.known.insert(key, best?);
        Some(banked + best?)
    }
}
