//! What the solver knows of a game: classes by their keys, and where moves lead. No more of it
//! depends on the game's type.

use crate::conformance::position_of;
use crate::game::{Broken, Notation, Roots, ScoreRange, SlotNumbers, SolveError, repetition};

/// What a child's score is worth to the parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth {
    /// What the child's position banks for its side to move.
    pub banked: i32,
    /// Whether the turn passes to the other side.
    pub passes: bool,
}

impl Worth {
    pub fn of(self, child_score: i32) -> i32 {
        let score = self.banked + child_score;
        if self.passes { -score } else { score }
    }
}

/// A move to an unfinished position.
pub struct Step {
    /// The child's class.
    pub key: u128,
    pub layer: u32,
    pub worth: Worth,
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
    fn name(&self) -> String;

    fn key_bits(&self) -> u32;

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

pub struct RulesOf<'a, G: Notation> {
    game: &'a G,
    /// If the walk starts from every slot.
    slots: Option<SlotNumbers<G::Position>>,
}

impl<'a, G: Notation> RulesOf<'a, G> {
    /// # Errors
    /// If there are more slots than can be counted.
    pub fn new(game: &'a G) -> Result<Self, SolveError> {
        let solving = game.capabilities().solving;
        let slots = match (solving.roots(), solving.ranking()) {
            (Roots::Everywhere, Some(ranking)) => {
                let slots = SlotNumbers::new(ranking);
                Some(slots.ok_or_else(|| SolveError::TooMany { game: game.name() })?)
            }
            _ => None,
        };
        Ok(RulesOf { game, slots })
    }
}

impl<G: Notation> KeyedRules for RulesOf<'_, G> {
    fn name(&self) -> String {
        self.game.name()
    }

    fn key_bits(&self) -> u32 {
        self.game.key_bits()
    }

    fn scores(&self) -> ScoreRange {
        self.game.score_range()
    }

    fn roots(&self) -> u64 {
        self.slots.as_ref().map_or(1, SlotNumbers::count)
    }

    fn root(&self, number: u64) -> (u128, u32) {
        let position = match &self.slots {
            Some(slots) => slots.position(slots.slot(number)),
            None => self.game.canonical(&self.game.start()),
        };
        (self.game.key(&position), self.game.layer(&position))
    }

    fn expand(
        &self,
        keys: &mut dyn Iterator<Item = u128>,
        each: &mut dyn FnMut(&Moves),
    ) -> Result<(), Broken> {
        let game = self.game;
        let mut listed = Vec::new();
        let mut moves = Moves::default();
        for key in keys {
            let position = position_of(game, key, &mut listed)?;
            let mut child = position.clone();
            moves.best = i32::MIN;
            moves.steps.clear();
            for &mv in &listed {
                let followed = game.follow(&position, mv, &mut child);
                let worth = Worth {
                    banked: followed.points,
                    passes: followed.turns,
                };
                if followed.is_finished {
                    moves.best = moves.best.max(worth.of(0));
                    continue;
                }
                moves.steps.push(Step {
                    key: game.key(&child),
                    layer: game.layer(&child),
                    worth,
                });
            }
            each(&moves);
        }
        Ok(())
    }

    fn misfit(&self, key: u128, score: i32) -> Broken {
        let name = self.game.format_position(&canonical_of_key(self.game, key));
        let range = self.game.score_range();
        let found = format!(
            "that of \"{name}\" is {score}, not one of {} to {} in steps of {}",
            range.lowest, range.highest, range.step
        );
        Broken::new(self.game.rules(), "scores lie within score_range", found)
    }

    fn repetition(&self) -> SolveError {
        repetition(self.game, &self.game.start())
    }
}

/// The canonical position that a key names, for keys of classes that are known to be reachable.
pub(crate) fn canonical_of_key<G: Notation>(game: &G, key: u128) -> G::Position {
    game.position_of_key(key)
        .expect("position_of_key reads back what key returned")
}
