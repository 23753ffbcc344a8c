//! Scores under misread rules, by a plain search that remembers every position.
//!
//! If positions can repeat, all that can follow one are scored together.

use crate::game::{Endless, Game, Misreading, Notation, sort_best_first};
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
    pub fn new(game: &'a G, rules: &'a dyn Misreading<G>, depth: Option<u32>) -> Self {
        Imagined {
            game,
            rules,
            depth: depth.unwrap_or(DEEPEST),
            known: FxHashMap::default(),
            budget: if depth.is_some() {
                BUDGET_TO_DEPTH
            } else {
                BUDGET
            },
        }
    }

    /// Returns whether nothing can be asked any more.
    pub fn is_spent(&self) -> bool {
        self.budget == 0
    }

    /// Returns the moves that are legal under these rules, with their scores, best first.
    ///
    /// `None` if that takes too long.
    pub fn move_scores(&mut self, position: &G::Position) -> Option<Vec<(G::Move, i32)>> {
        if let Some(best) = self.rules.best_moves(self.game, position) {
            let is_known = self.depth == DEEPEST && !best.is_empty();
            return is_known.then(|| best.into_iter().map(|mv| (mv, 0)).collect());
        }
        let mut left = self.budget.min(BUDGET_OF_ONE);
        let before = left;
        if self.depth == DEEPEST && self.game.endless() == Endless::Draw {
            let is_settled = self.settle(position, &mut left).is_some();
            // Where too much follows one position, it does for those nearer to the start.
            self.budget = if is_settled { self.budget } else { 0 };
            is_settled.then_some(())?;
        }
        let moves = self.rules.moves(self.game, position);
        let scores = moves.into_iter().map(|mv| {
            let score = self.score_of_move(position, mv, self.depth, &mut left);
            Some((mv, score?))
        });
        let scores: Option<Vec<_>> = scores.collect();
        self.budget -= before - left;
        let mut scores = scores?;
        sort_best_first(&mut scores);
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
        let (class, banked) = self.class(position);
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

    /// Returns the position that stands for all with the same score to come, and the points won.
    fn class(&self, position: &G::Position) -> (G::Position, i32) {
        match self.rules.is_symmetric() {
            true => (self.game.canonical(position), self.game.banked(position)),
            false => (position.clone(), 0),
        }
    }

    /// Scores all positions that can follow one, where positions can repeat.
    ///
    /// Scores count plies. At first all are draws; then each becomes that of its best move until none
    /// changes.
    fn settle(&mut self, position: &G::Position, left: &mut u64) -> Option<()> {
        let (game, rules) = (self.game, self.rules);
        let mut classes = vec![self.class(position).0];
        let mut numbers = FxHashMap::from_iter([(classes[0].clone(), 0)]);
        // Each position's children, with their scores if they are known, or else their numbers.
        let mut children = Vec::new();
        while let Some(class) = classes.get(children.len()).cloned() {
            *left = left.checked_sub(1)?;
            let moves = rules.moves(game, &class).into_iter();
            let after = moves.map(|mv| rules.play(game, &class, mv)).map(|child| {
                let of_child = (self.class(&child).0, DEEPEST);
                let score = rules.final_score(game, &child);
                let score = score.or_else(|| self.known.get(&of_child).copied());
                let score = score.ok_or_else(|| {
                    *numbers.entry(of_child.0).or_insert_with_key(|new| {
                        classes.push(new.clone());
                        classes.len() - 1
                    })
                });
                (child, score)
            });
            children.push(after.collect::<Vec<_>>());
        }
        let (mut scores, mut before) = (vec![0; classes.len()], Vec::new());
        while scores != before {
            before.clone_from(&scores);
            for (number, class) in classes.iter().enumerate().rev() {
                let side = game.side_to_move(class);
                let of_moves = children[number].iter().map(|(child, score)| {
                    let score = score.unwrap_or_else(|number: usize| scores[number]);
                    game.score_of_move(side, child, score)
                });
                scores[number] = of_moves.max().unwrap_or_default();
            }
        }
        let classes = classes.into_iter().map(|class| (class, DEEPEST));
        self.known.extend(classes.zip(scores));
        Some(())
    }
}
