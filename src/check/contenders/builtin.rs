//! Builtin AIs, to try the checker with and to compare with.

use super::in_process::Ai;
use super::player::StartError;
use crate::game::{Notation, Side};
use crate::oracle::Oracle;
use crate::search::{Algorithm, Search};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Builtin AI, named like `perfect`, `random:7` or `negamax:2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Builtin {
    /// Plays the first of the best moves by an oracle's scores.
    Perfect,
    /// Plays a random legal move by a seed, always the same in the same position.
    Random(u64),
    /// Plays the first legal move in the game's order.
    First,
    /// Plays the move that gains most at once, and the first of equals.
    ///
    /// A move that ends the game gains the final score.
    Greedy,
    /// Searches this number of moves ahead, at least 1.
    ///
    /// Extra turns and the opponent's moves count alike. The points already won are the score of
    /// the positions reached. It plays the first of equal moves. All algorithms choose the same
    /// moves.
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
    /// Creates the AI.
    #[must_use]
    pub fn make<'a, G: Notation>(self, oracle: &'a dyn Oracle<G>) -> impl Ai<G> + use<'a, G> {
        move |game: &G, position: &G::Position| self.choose(oracle, game, position)
    }

    /// Returns the AI's move in an unfinished position.
    #[must_use]
    pub fn choose<G: Notation>(
        self,
        oracle: &dyn Oracle<G>,
        game: &G,
        position: &G::Position,
    ) -> G::Move {
        let found = match self {
            // Without a score this AI can't play. The checker asks the same oracle and then reports
            // its error.
            Builtin::Perfect => oracle.move_scores(position).ok(),
            Builtin::Random(seed) => return any_move(game, position, seed),
            Builtin::First => None,
            Builtin::Greedy => {
                return best_of(game, position, |child, side| evaluate(game, child, side));
            }
            Builtin::Search(algorithm, depth) => {
                let mut search = Search::new(game).to_depth(depth, |_, _| 0);
                // Nothing cancels this search, and the checker never asks about a finished
                // position.
                let best = search.best_move(algorithm, position);
                best.ok().flatten().map(|best| vec![best])
            }
        };
        let best = found.and_then(|moves| moves.first().copied());
        best.map_or_else(|| game.legal_moves(position)[0], |(mv, _)| mv)
    }
}

/// Returns a random legal move, uniformly.
fn any_move<G: Notation>(game: &G, position: &G::Position, seed: u64) -> G::Move {
    // The position determines the random numbers, so that any number of jobs gives the same report.
    let mut hasher = rustc_hash::FxHasher::default();
    position.hash(&mut hasher);
    let mut random = crate::random::Random::new(seed ^ hasher.finish());
    let moves = game.legal_moves(position);
    moves[random.index(moves.len())]
}

/// Returns the final score, or the points already won in an unfinished position.
///
/// It is seen from `side`.
pub(in crate::check) fn evaluate<G: Notation>(game: &G, position: &G::Position, side: Side) -> i32 {
    let score = game
        .final_score(position)
        .unwrap_or_else(|| game.banked(position));
    game.seen_from(side, position, score)
}

/// Returns the first move whose position is worth most to the side to move.
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
