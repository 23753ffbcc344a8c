//! Answers to be explained, and the moves that hypotheses allow for them.

use crate::game::Game;

/// Legal answer to be explained.
#[derive(Clone, Debug)]
pub(in crate::check) struct Answer<G: Game> {
    pub position: G::Position,
    pub mv: G::Move,
    pub is_mistake: bool,
}

/// Answer with the legal moves of its position, in the game's order, and their scores.
pub(super) struct Scored<'a, G: Game> {
    pub answer: &'a Answer<G>,
    pub moves: Vec<(G::Move, i32)>,
    /// The index of the answer.
    pub chosen: usize,
}

impl<G: Game> Scored<'_, G> {
    /// Returns whether the answer is one of these moves.
    pub fn is_in(&self, moves: MoveSet) -> bool {
        moves >> self.chosen & 1 == 1
    }
}

/// Moves by their index: bit `n` stands for the n-th legal move.
pub(super) type MoveSet = u128;

/// The moves that a hypothesis allows for each answer, or `None` where that isn't known.
pub(super) type Predictions = Vec<Option<MoveSet>>;
