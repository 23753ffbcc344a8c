//! A game as the solver by keys sees it: classes, and where moves lead.

use super::{Broken, Followed, ScoreRange, SolveError};

/// A move to an unfinished position.
pub struct Step {
    /// The child's class.
    pub key: u128,
    /// The child's layer.
    pub layer: u32,
    /// What its score is worth to the parent.
    pub followed: Followed,
}

/// The moves of a class.
#[derive(Default)]
pub struct Moves {
    /// The best score of those that end the game; [`i32::MIN`] if none does.
    pub best: i32,
    /// The others.
    pub steps: Vec<Step>,
}

/// A game whose classes are known by their keys.
pub trait KeyedRules: Sync {
    /// [`Notation::name`](super::Notation::name)
    fn name(&self) -> String;

    /// [`Game::key_bits`](super::Game::key_bits)
    fn key_bits(&self) -> u32;

    /// [`Game::score_range`](super::Game::score_range)
    fn scores(&self) -> ScoreRange;

    /// How many classes a walk to all others starts from.
    fn roots(&self) -> u64;

    /// The key of such a class, and its layer.
    fn root(&self, number: u64) -> (u128, u32);

    /// Calls `each` with the moves of each class, in the order of the keys.
    ///
    /// # Errors
    /// If the game breaks a promise.
    fn expand(
        &self,
        keys: &mut dyn Iterator<Item = u128>,
        each: &mut dyn FnMut(&Moves),
    ) -> Result<(), Broken>;

    /// The error if a class has a score that the game can't have.
    fn misfit(&self, key: u128, score: i32) -> Broken;

    /// The error if a class can come up twice.
    fn repetition(&self) -> SolveError;
}
