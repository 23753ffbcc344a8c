//! Builtin AIs, to try the checker with and to compare with.

use super::in_process::Ai;
use super::player::StartError;
use crate::game::{Notation, Side};
use crate::oracle::Oracle;
use crate::random::Random;
use crate::search::{Algorithm, Search};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Builtin AI, named like `perfect`, `random:7` or `negamax:2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Builtin {
    /// Plays the first of the best moves by an oracle's scores.
    Perfect,
    /// Plays a random legal move by a seed, always the same in the same position.
    Random(u64),
    /// Chooses moves in proportion to `exp(score / temperature)`, by a seed.
    ///
    /// The temperature is in thousandths of a point, or of an outcome in games that count plies.
    Softmax(u32, u64),
    /// Plays a random move with this probability in thousandths, or else the first of the best.
    Error(u32, u64),
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
        read(text).ok_or_else(|| StartError::Builtin(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Builtin> {
    let parts: Vec<&str> = text.split(':').collect();
    let seed = |at: usize| parts.get(at).map_or(Some(1), |seed| seed.parse().ok());
    let thousandths = |number: &str, range: RangeInclusive<f64>| {
        let number = 1000.0 * number.parse::<f64>().ok()?;
        range.contains(&number).then_some(number.round() as u32)
    };
    Some(match parts[..] {
        ["perfect"] => Builtin::Perfect,
        ["random"] | ["random", _] => Builtin::Random(seed(1)?),
        ["softmax", strength] | ["softmax", strength, _] => {
            Builtin::Softmax(thousandths(strength, 1.0..=1e9)?, seed(2)?)
        }
        ["error", share] | ["error", share, _] => {
            Builtin::Error(thousandths(share, 0.0..=1000.0)?, seed(2)?)
        }
        ["first"] => Builtin::First,
        ["greedy"] => Builtin::Greedy,
        [name, depth] => {
            let named = |algorithm: &Algorithm| algorithm.to_string() == name;
            let depth = depth.parse().ok();
            let depth = depth.filter(|depth| (1..=99).contains(depth))?;
            Builtin::Search(Algorithm::ALL.into_iter().find(named)?, depth)
        }
        _ => return None,
    })
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Builtin::Perfect => f.write_str("perfect"),
            Builtin::Random(seed) => write!(f, "random:{seed}"),
            Builtin::Softmax(strength, seed) => {
                write!(f, "softmax:{}:{seed}", f64::from(*strength) / 1000.0)
            }
            Builtin::Error(share, seed) => write!(f, "error:{}:{seed}", f64::from(*share) / 1000.0),
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
            Builtin::Softmax(temperature, seed) => {
                let temperature = f64::from(temperature) / 1000.0;
                let scores = oracle.move_scores(position).ok();
                scores.map(|scores| vec![by_score(game, position, seed, temperature, &scores)])
            }
            Builtin::Error(share, seed) => {
                if random_at(position, !seed).below(1000) < u64::from(share) {
                    return any_move(game, position, seed);
                }
                oracle.move_scores(position).ok()
            }
            Builtin::First => None,
            Builtin::Greedy => {
                return best_of(game, position, |child, side| evaluate(game, child, side));
            }
            Builtin::Search(algorithm, depth) => {
                let mut search = Search::new(game).to_depth(depth, G::evaluate);
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
    let moves = game.legal_moves(position);
    moves[random_at(position, seed).index(moves.len())]
}

/// Random numbers that the position determines, so that any number of jobs gives the same report.
fn random_at(position: &impl Hash, seed: u64) -> Random {
    let mut hasher = rustc_hash::FxHasher::default();
    position.hash(&mut hasher);
    Random::new(seed ^ hasher.finish())
}

/// Returns a random move with its score, in proportion to `exp(score / temperature)`.
fn by_score<G: Notation>(
    game: &G,
    position: &G::Position,
    seed: u64,
    temperature: f64,
    scores: &[(G::Move, i32)],
) -> (G::Move, i32) {
    let counts_plies = game.score_range().counts_plies();
    let points = |score: i32| if counts_plies { score.signum() } else { score };
    let best = points(scores[0].1);
    let weight =
        |&(_, score): &(G::Move, i32)| (f64::from(points(score) - best) / temperature).exp();
    let part = random_at(position, seed).below(1 << 32) as f64 / (1_u64 << 32) as f64;
    let mut left = part * scores.iter().map(weight).sum::<f64>();
    let chosen = scores.iter().find(|mv| {
        left -= weight(mv);
        left < 0.0
    });
    *chosen.unwrap_or(&scores[0])
}

/// Returns the final score, or the static evaluation of an unfinished position.
///
/// It is seen from `side`.
pub(in crate::check) fn evaluate<G: Notation>(game: &G, position: &G::Position, side: Side) -> i32 {
    let score = game
        .final_score(position)
        .unwrap_or_else(|| game.evaluate(position));
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
    use crate::game::Game;
    use crate::games::kalah::{Kalah, Rules};
    use crate::table::testing::table_of;

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
            "softmax:0.5:3",
            "softmax:20:1",
            "error:0.125:1",
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
            "softmax",
            "softmax:0",
            "softmax:-1",
            "softmax:nan",
            "softmax:1:x",
            "error:1.5",
            "error:inf",
        ] {
            let error = wrong.parse::<Builtin>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("\"{wrong}\"")) && error.contains("greedy"),
                "{error}"
            );
        }
    }

    /// Over many seeds, each move comes up as often as its weight says.
    #[test]
    fn moves_have_the_wanted_frequencies() {
        let rules = Rules {
            pits: 3,
            seeds: 2,
            empty_capture: false,
        };
        let game = Kalah::new(rules).unwrap();
        let oracle = table_of(&game);
        let scores = oracle.move_scores(&game.start()).unwrap();
        let seeds = 4000;
        for (name, temperature, error) in [("softmax:4", 4.0, 0.0), ("error:0.3", 1e-3, 0.3)] {
            let weights = scores
                .iter()
                .map(|mv| f64::from(mv.1 - scores[0].1) / temperature);
            let weights: Vec<f64> = weights.map(f64::exp).collect();
            let sum: f64 = weights.iter().sum();
            for (&(mv, _), weight) in scores.iter().zip(&weights) {
                let wanted = (1.0 - error) * weight / sum + error / scores.len() as f64;
                let is_it = |seed: &u64| {
                    let ai: Builtin = format!("{name}:{seed}").parse().unwrap();
                    ai.choose(&oracle, &game, &game.start()) == mv
                };
                let share = (0..seeds).filter(is_it).count() as f64 / seeds as f64;
                // Four standard deviations at most.
                assert!(
                    (share - wanted).abs() < 0.032,
                    "{name}: {share}, not {wanted}"
                );
            }
        }
    }
}
