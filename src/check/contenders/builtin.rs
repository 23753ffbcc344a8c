//! AIs that come with the checker, to try it with and to compare with.

use super::in_process::Ai;
pub use super::player::UnknownBuiltin;
use crate::game::{Notation, Side};
use crate::oracle::Oracle;
use crate::search::{Algorithm, Search};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// One of the AIs that come with the checker, by its name: `perfect`, `random:7`, `negamax:2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Builtin {
    /// [`Perfect`].
    Perfect,
    /// Any legal move, each as likely, with a seed; but the same one whenever the same position
    /// comes up.
    Random(u64),
    /// [`First`].
    First,
    /// The move that gains most at once; of equals the first. A move that ends the game gains what
    /// the end gives.
    Greedy,
    /// [`DepthLimited`], with its depth.
    Search(Algorithm, u32),
}

impl FromStr for Builtin {
    type Err = UnknownBuiltin;

    fn from_str(text: &str) -> Result<Builtin, UnknownBuiltin> {
        let unknown = || UnknownBuiltin(text.to_owned());
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse::<u64>().map_err(|_| unknown())?)),
            None => (text, None),
        };
        let depth = || {
            let depth = number.and_then(|number| u32::try_from(number).ok());
            depth
                .filter(|depth| (1..=99).contains(depth))
                .ok_or_else(unknown)
        };
        Ok(match (name, number) {
            ("perfect", None) => Builtin::Perfect,
            ("random", seed) => Builtin::Random(seed.unwrap_or(1)),
            ("first", None) => Builtin::First,
            ("greedy", None) => Builtin::Greedy,
            (name, _) => {
                let named = |algorithm: &Algorithm| algorithm.name() == name;
                let algorithm = Algorithm::ALL.into_iter().find(named);
                Builtin::Search(algorithm.ok_or_else(unknown)?, depth()?)
            }
        })
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Builtin::Perfect => f.write_str("perfect"),
            Builtin::Random(seed) => write!(f, "random:{seed}"),
            Builtin::First => f.write_str("first"),
            Builtin::Greedy => f.write_str("greedy"),
            Builtin::Search(algorithm, depth) => write!(f, "{algorithm}:{depth}"),
        }
    }
}

impl Builtin {
    /// The AI.
    #[must_use]
    pub fn make<'a, G: Notation>(self, oracle: &'a dyn Oracle<G>) -> Box<dyn Ai<G> + 'a> {
        match self {
            Builtin::Perfect => Box::new(Perfect(oracle)),
            Builtin::Random(seed) => {
                Box::new(move |game: &G, position: &G::Position| any_move(game, position, seed))
            }
            Builtin::First => Box::new(First),
            Builtin::Greedy => Box::new(|game: &G, position: &G::Position| {
                best_of(game, position, |child, side| evaluate(game, child, side))
            }),
            Builtin::Search(algorithm, depth) => Box::new(DepthLimited { algorithm, depth }),
        }
    }
}

impl<G: Notation> Ai<G> for Box<dyn Ai<G> + '_> {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        (**self).choose(game, position)
    }
}

/// Plays by an oracle's scores: always the first of the best moves.
pub struct Perfect<'a, G: Notation>(pub &'a dyn Oracle<G>);

impl<G: Notation> Ai<G> for Perfect<'_, G> {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        // Without a score it can't play; the referee asks the same oracle, and has the error then.
        match self.0.move_scores(position) {
            Ok(scores) if !scores.is_empty() => scores[0].0,
            _ => game.legal_moves(position)[0],
        }
    }
}

/// Always the first legal move in the game's order.
pub struct First;

impl<G: Notation> Ai<G> for First {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        game.legal_moves(position)[0]
    }
}

/// Any legal move, each as likely.
fn any_move<G: Notation>(game: &G, position: &G::Position, seed: u64) -> G::Move {
    // From the position rather than from the questions before, so that any number of jobs gives
    // the same report.
    let mut hasher = rustc_hash::FxHasher::default();
    position.hash(&mut hasher);
    let mut random = crate::random::Random::new(seed ^ hasher.finish());
    let moves = game.legal_moves(position);
    moves[random.index(moves.len())]
}

/// The result of a finished position, and what is banked in any other, seen from `side`.
pub(in crate::check) fn evaluate<G: Notation>(game: &G, position: &G::Position, side: Side) -> i32 {
    let score = game
        .final_score(position)
        .unwrap_or_else(|| game.banked(position));
    game.seen_from(side, position, score)
}

/// The first of the moves whose positions are worth most to the mover.
pub(in crate::check) fn best_of<G: Notation>(
    game: &G,
    position: &G::Position,
    mut worth: impl FnMut(&G::Position, Side) -> i32,
) -> G::Move {
    let side = game.side_to_move(position);
    let moves = game.legal_moves(position);
    let mut best = (moves[0], i32::MIN);
    for mv in moves {
        let worth = worth(&game.play(position, mv), side);
        if worth > best.1 {
            best = (mv, worth);
        }
    }
    best.0
}

/// Looks ahead this number of moves, extra turns and the opponent's moves counted alike, and takes
/// the points that are banked then for the score. Of equal moves it makes the first.
pub struct DepthLimited {
    /// How it searches; all ways choose the same moves.
    pub algorithm: Algorithm,
    /// The number of moves that it looks ahead, at least 1: its own move is the first of them.
    pub depth: u32,
}

impl<G: Notation> Ai<G> for DepthLimited {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        let mut search = Search::new(game).to_depth(self.depth, |_, _| 0);
        // Nothing asks it to stop, and the referee never asks about a finished position.
        match search.best_move(self.algorithm, position) {
            Ok(Some((mv, _))) => mv,
            _ => game.legal_moves(position)[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for name in [
            "perfect",
            "random:7",
            "first",
            "greedy",
            "minimax:2",
            "negamax:3",
            "mtdf:12",
        ] {
            assert_eq!(name.parse::<Builtin>().unwrap().to_string(), name);
        }
        assert_eq!("random".parse(), Ok(Builtin::Random(1)));
        for wrong in [
            "",
            "Perfect",
            "negamax",
            "negamax:0",
            "negamax:x",
            "first:1",
            "perfect:",
        ] {
            let error = wrong.parse::<Builtin>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("\"{wrong}\"")) && error.contains("greedy"),
                "{error}"
            );
        }
    }
}
