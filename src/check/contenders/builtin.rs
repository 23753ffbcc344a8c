//! AIs that come with the checker, to try it with and to compare with.

use super::in_process::Ai;
use super::player::StartError;
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
    /// Playouts by an oracle's scores: always the first of the best moves.
    Perfect,
    /// Any legal move, each as likely, with a seed; but the same one whenever the same position
    /// comes up.
    Random(u64),
    /// Always the first legal move in the game's order.
    First,
    /// The move that gains most at once; of equals the first. A move that ends the game gains what
    /// the end gives.
    Greedy,
    /// Looks ahead this number of moves, at least 1, extra turns and the opponent's moves counted
    /// alike, and takes the points that are banked then for the score. Of equal moves it makes the
    /// first. All algorithms choose the same moves.
    Search(Algorithm, u32),
}

impl FromStr for Builtin {
    type Err = StartError;

    fn from_str(text: &str) -> Result<Builtin, StartError> {
        let unknown = || StartError::Builtin(text.to_owned());
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
    pub fn make<'a, G: Notation>(self, oracle: &'a dyn Oracle<G>) -> impl Ai<G> + use<'a, G> {
        move |game: &G, position: &G::Position| self.choose(oracle, game, position)
    }

    /// The AI's move in an unfinished position.
    #[must_use]
    pub fn choose<G: Notation>(
        self,
        oracle: &dyn Oracle<G>,
        game: &G,
        position: &G::Position,
    ) -> G::Move {
        let found = match self {
            // Without a score it can't play; the referee asks the same oracle, and has the error
            // then.
            Builtin::Perfect => oracle.move_scores(position).ok(),
            Builtin::Random(seed) => return any_move(game, position, seed),
            Builtin::First => None,
            Builtin::Greedy => {
                return best_of(game, position, |child, side| evaluate(game, child, side));
            }
            Builtin::Search(algorithm, depth) => {
                let mut search = Search::new(game).to_depth(depth, |_, _| 0);
                // Nothing asks it to stop, and the referee never asks about a finished position.
                let best = search.best_move(algorithm, position);
                best.ok().flatten().map(|best| vec![best])
            }
        };
        let best = found.and_then(|moves| moves.first().copied());
        best.map_or_else(|| game.legal_moves(position)[0], |(mv, _)| mv)
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
        assert_eq!("random".parse::<Builtin>().unwrap(), Builtin::Random(1));
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
