//! How far searches look ahead.

use crate::game::Game;

/// How far to look, and what is taken for the score beyond.
pub trait Horizon<G: Game> {
    /// Whether some unfinished positions get an estimate.
    const ESTIMATES: bool;

    /// How many moves are looked ahead.
    fn depth(&self) -> u32;

    /// The estimate for an unfinished position that is looked no further from: its score without
    /// the points banked.
    fn to_come(&self, game: &G, position: &G::Position) -> i32;
}

/// To the ends of the game: scores are exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToTheEnd;

impl<G: Game> Horizon<G> for ToTheEnd {
    const ESTIMATES: bool = false;

    fn depth(&self) -> u32 {
        u32::MAX
    }

    fn to_come(&self, _game: &G, _position: &G::Position) -> i32 {
        unreachable!("nothing is estimated")
    }
}

/// So many moves ahead; see [`Search::to_depth`](super::Search::to_depth).
#[derive(Clone, Copy, Debug)]
pub struct ToDepth<F> {
    pub(super) depth: u32,
    pub(super) to_come: F,
}

impl<G: Game, F: Fn(&G, &G::Position) -> i32> Horizon<G> for ToDepth<F> {
    const ESTIMATES: bool = true;

    fn depth(&self) -> u32 {
        self.depth
    }

    fn to_come(&self, game: &G, position: &G::Position) -> i32 {
        (self.to_come)(game, position)
    }
}
