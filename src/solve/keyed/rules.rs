//! The rules as the solver sees them, independent of the game's type.

use crate::conformance::position_of;
use crate::game::{
    Broken, Endless, KeyedRules, LayeredKey, Moves, Notation, Roots, ScoreRange, SlotNumbers,
    SolveError, Step, distance, repetition,
};

/// Returns the game's own [`KeyedRules`], or the default ones by its methods.
///
/// # Errors
/// If there are more slots than 64 bits can number.
pub fn rules_of<G: Notation>(game: &G) -> Result<Box<dyn KeyedRules + '_>, SolveError> {
    let solving = game.capabilities().solving;
    match solving.keyed() {
        Some(own) => Ok(own),
        None => Ok(Box::new(RulesOf::new(game)?)),
    }
}

/// The default [`KeyedRules`] of a game.
pub struct RulesOf<'a, G: Notation> {
    game: &'a G,
    /// All slots, if the walk starts from every slot.
    slots: Option<SlotNumbers<G::Position>>,
}

impl<'a, G: Notation> RulesOf<'a, G> {
    /// Numbers the slots if the walk starts from every slot.
    ///
    /// # Errors
    /// If there are more slots than 64 bits can number.
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

    fn endless(&self) -> Endless {
        self.game.endless()
    }

    fn roots(&self) -> u64 {
        let is_open = || u64::from(self.game.final_score(&self.game.start()).is_none());
        self.slots.as_ref().map_or_else(is_open, SlotNumbers::count)
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
                if followed.is_finished {
                    moves.best = moves.best.max(followed.score(0));
                    continue;
                }
                moves.steps.push(Step {
                    key: game.key(&child),
                    layer: game.layer(&child),
                    followed,
                });
            }
            each(&moves);
        }
        Ok(())
    }

    fn expand_backward(
        &self,
        keys: &mut dyn Iterator<Item = u128>,
        each: &mut dyn FnMut(&[LayeredKey]),
    ) -> bool {
        let game = self.game;
        let Some(backward) = game.capabilities().solving.backward() else {
            return false;
        };
        let (mut parents, mut classes) = (Vec::new(), Vec::new());
        for key in keys {
            parents.clear();
            backward.add_parents(&canonical_of_key(game, key), &mut parents);
            classes.clear();
            classes.extend(parents.iter().map(|parent| {
                let class = game.canonical(parent);
                (game.key(&class), game.layer(&class))
            }));
            classes.sort_unstable();
            classes.dedup();
            each(&classes);
        }
        true
    }

    fn misfit(&self, key: u128, score: i32) -> SolveError {
        let name = self.game.format_position(&canonical_of_key(self.game, key));
        let range = self.game.score_range();
        if let Some(plies) = distance(score).filter(|_| range.counts_plies()) {
            return SolveError::TooFar {
                game: self.game.name(),
                position: format!("\"{name}\""),
                won: score > 0,
                plies,
                range,
            };
        }
        let found = format!("that of \"{name}\" is {score}, not one of {range}");
        Broken::new(self.game.rules(), "scores lie within score_range", found).into()
    }

    fn too_many_moves(&self, key: u128) -> Broken {
        let name = self.game.format_position(&canonical_of_key(self.game, key));
        let promise = "a position has at most 65,535 moves within its layer";
        Broken::new(self.game.rules(), promise, format!("\"{name}\" has more"))
    }

    fn repetition(&self) -> SolveError {
        repetition(self.game, &self.game.start())
    }
}

/// Returns the canonical position of a key that is known to be reachable.
pub(crate) fn canonical_of_key<G: Notation>(game: &G, key: u128) -> G::Position {
    game.position_of_key(key)
        .expect("position_of_key reads back what key returned")
}
