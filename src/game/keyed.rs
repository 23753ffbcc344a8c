//! Keys of classes and the moves between them, for the solver by keys.

use super::{Broken, Endless, Followed, ScoreRange, SolveError};

/// A move to an unfinished position.
pub struct Step {
    /// Key of the child's class.
    pub key: u128,
    /// Layer of the child.
    pub layer: u32,
    /// The effect of the move, which turns the child's score into the parent's.
    pub followed: Followed,
}

/// The key of a class, and its layer.
pub type LayeredKey = (u128, u32);

/// The moves of one class.
#[derive(Default)]
pub struct Moves {
    /// Best score of the moves that end the game; [`i32::MIN`] if there are none.
    pub best: i32,
    /// The moves that don't end the game.
    pub steps: Vec<Step>,
}

/// Rules of a game that work on the keys of classes.
pub trait KeyedRules: Sync {
    /// Returns the name of the game ([`Notation::name`](super::Notation::name)).
    fn name(&self) -> String;

    /// Returns the size of keys in bits ([`Game::key_bits`](super::Game::key_bits)).
    fn key_bits(&self) -> u32;

    /// Returns the possible scores ([`Game::score_range`](super::Game::score_range)).
    fn scores(&self) -> ScoreRange;

    /// Returns whether classes can repeat ([`Game::endless`](super::Game::endless)).
    fn endless(&self) -> Endless {
        Endless::Impossible
    }

    /// Returns the number of classes from which all others are reached.
    fn roots(&self) -> u64;

    /// Returns the key and layer of one of the classes counted by `roots`.
    fn root(&self, number: u64) -> LayeredKey;

    /// Calls `each` with the moves of each class, in the order of `keys`.
    ///
    /// # Errors
    /// If the game breaks a promise.
    fn expand(
        &self,
        keys: &mut dyn Iterator<Item = u128>,
        each: &mut dyn FnMut(&Moves),
    ) -> Result<(), Broken>;

    /// Calls `each` with the classes from which one move leads to each class: their keys and layers.
    ///
    /// Each class is listed once. Some may not be reachable. Returns false at once if the game doesn't
    /// list moves backward ([`Backward`](super::Backward)).
    fn expand_backward(
        &self,
        _keys: &mut dyn Iterator<Item = u128>,
        _each: &mut dyn FnMut(&[LayeredKey]),
    ) -> bool {
        false
    }

    /// Returns the error for a class whose score is outside the game's score range.
    fn misfit(&self, key: u128, score: i32) -> SolveError;

    /// Returns the error for a class with more than 65,535 moves within its layer.
    fn too_many_moves(&self, key: u128) -> Broken;

    /// Returns the error for a game in which a class can repeat.
    fn repetition(&self) -> SolveError;
}
