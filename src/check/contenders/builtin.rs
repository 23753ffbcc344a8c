//! Builtin AIs, to try the checker with, to compare with, and to play against.

use super::player::{Ai, StartError};
use crate::game::{Notation, WON};
use crate::oracle::Oracle;
use crate::random::{Random, hash};
use crate::search::{Algorithm, Search};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Builtin AI, named like `perfect`, `random:7`, `negamax:2` or `level:3`.
///
/// It plays the same move whenever it is asked about the same position. Another seed, the last
/// number of a name (1 by default), chooses otherwise among equal moves, and makes other errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Builtin {
    kind: Kind,
    seed: u64,
}

/// Values of moves for a builtin AI, and the rate of moves that aren't best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Plays a best move by an oracle's scores.
    Perfect,
    /// Plays a random legal move.
    Random,
    /// Chooses moves in proportion to `exp(score / temperature)`.
    ///
    /// The temperature is in thousandths of a point, or of an outcome in games that count plies.
    Softmax(u32),
    /// Plays a random move with this probability in thousandths, or else a best one.
    Error(u32),
    /// Plays the first legal move in the game's order.
    First,
    /// Plays the move that reaches the best position by the game's static evaluation.
    Greedy,
    /// Searches this number of moves ahead, at least 1.
    ///
    /// Extra turns and the opponent's moves count alike. The positions reached are worth their
    /// static evaluation. All algorithms choose the same moves.
    Search(Algorithm, u32),
    /// One of [`LEVELS`], counted from 1.
    Level(usize),
}

/// The levels of strength, from the weakest to perfect play.
///
/// Each has a name that fits in a sentence, a temperature, and the depth of a search in moves, if
/// there is time. A level chooses moves in proportion to `exp(score / temperature)`. Where an oracle
/// answers at once, the scores are exact, otherwise those of the search. The temperature is in
/// thousandths of the square root of the game's highest score, in points. It is 0 if the level
/// always plays a best move by exact scores.
pub(crate) const LEVELS: [(&str, u32, u32); 10] = [
    ("beginner on the first day", 3000, 1),
    ("beginner after a week", 1960, 1),
    ("beginner after a month", 1280, 2),
    ("casual player", 840, 2),
    ("keen player", 550, 3),
    ("club player", 360, 4),
    ("strong club player", 235, 5),
    ("expert", 150, 6),
    ("master", 100, 8),
    ("perfect player", 0, 0),
];

/// A temperature at which only best moves are chosen.
const COLDEST: f64 = 1e-9;
/// Number of positions after which a level's search looks no further ahead.
const NODE_LIMIT: u64 = 20_000;

impl FromStr for Builtin {
    type Err = StartError;

    fn from_str(text: &str) -> Result<Builtin, StartError> {
        parse(text).ok_or_else(|| StartError::Builtin(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Builtin> {
    let mut words = text.split(':');
    let name = words.next()?;
    let thousandths = |number: f64| (1000.0 * number).round() as u32;
    let kind = match name {
        "perfect" => Kind::Perfect,
        "random" => Kind::Random,
        "softmax" => Kind::Softmax(thousandths(parse_in(words.next(), 0.001..=1e6)?)),
        "error" => Kind::Error(thousandths(parse_in(words.next(), 0.0..=1.0)?)),
        "first" => Kind::First,
        "greedy" => Kind::Greedy,
        "level" => Kind::Level(parse_in(words.next(), 1..=LEVELS.len())?),
        _ => {
            let named = |algorithm: &Algorithm| algorithm.to_string() == name;
            let depth = parse_in(words.next(), 1..=99)?;
            Kind::Search(Algorithm::ALL.into_iter().find(named)?, depth)
        }
    };
    let seed = match words.next() {
        None => 1,
        Some(_) if kind == Kind::First => return None,
        Some(seed) => seed.parse().ok()?,
    };
    words.next().is_none().then_some(Builtin { kind, seed })
}

/// Returns a number in this range.
fn parse_in<N: FromStr + PartialOrd>(word: Option<&str>, range: RangeInclusive<N>) -> Option<N> {
    let number = word?.parse().ok();
    number.filter(|number| range.contains(number))
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Perfect => f.write_str("perfect"),
            Kind::Random => f.write_str("random"),
            Kind::Softmax(strength) => write!(f, "softmax:{}", f64::from(strength) / 1000.0),
            Kind::Error(probability) => write!(f, "error:{}", f64::from(probability) / 1000.0),
            Kind::First => f.write_str("first"),
            Kind::Greedy => f.write_str("greedy"),
            Kind::Search(algorithm, depth) => write!(f, "{algorithm}:{depth}"),
            Kind::Level(level) => write!(f, "level:{level}"),
        }?;
        match self.seed {
            1 => Ok(()),
            seed => write!(f, ":{seed}"),
        }
    }
}

impl Builtin {
    /// Returns the AI of one of the ten levels of strength, counted from 1, or of the nearest one.
    #[must_use]
    pub fn of_level(level: usize, seed: u64) -> Builtin {
        let kind = Kind::Level(level.clamp(1, LEVELS.len()));
        Builtin { kind, seed }
    }

    /// Returns the AI that searches this number of moves ahead, at least 1.
    #[must_use]
    pub fn of_depth(depth: u32, seed: u64) -> Builtin {
        let kind = Kind::Search(Algorithm::AlphaBeta, depth);
        Builtin { kind, seed }
    }

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
        let moves = game.legal_moves(position);
        // The position determines the random numbers, so that any number of jobs gives the same
        // report.
        let mut random = Random::new(self.seed ^ hash(position));
        // Without a score an AI that needs one can't play. The checker asks the same oracle and
        // then reports its error.
        let exact = || oracle.move_scores(position).ok();
        let searched = |algorithm, depths| search_scores(game, position, algorithm, depths);
        let (temperature, scores) = match self.kind {
            Kind::First => return moves[0],
            Kind::Random => (COLDEST, None),
            Kind::Error(probability) if random.below(1000) < u64::from(probability) => {
                (COLDEST, None)
            }
            Kind::Perfect | Kind::Error(_) => (COLDEST, exact()),
            Kind::Softmax(temperature) => (f64::from(temperature) / 1000.0, exact()),
            Kind::Greedy => (COLDEST, searched(Algorithm::AlphaBeta, 1..=1)),
            Kind::Search(algorithm, depth) => (COLDEST, searched(algorithm, depth..=depth)),
            Kind::Level(number) => {
                let (_, temperature, depth) = LEVELS[number - 1];
                let range = game.score_range();
                let most = match range.counts_plies() {
                    true => 1,
                    false => range.highest.max(1),
                };
                let temperature = f64::from(temperature) / 1000.0 * f64::from(most).sqrt();
                let scores = match oracle.effort() {
                    Some(_) if depth > 0 => searched(Algorithm::AlphaBeta, 1..=depth),
                    _ => exact(),
                };
                (temperature.max(COLDEST), scores)
            }
        };
        match scores {
            Some(scores) => softmax_move(game, &mut random, temperature, &scores),
            None => moves[random.index(moves.len())],
        }
    }
}

/// Returns the moves' scores by searches to ascending depths.
///
/// They are those of the last search, or of the first that has taken long enough.
fn search_scores<G: Notation>(
    game: &G,
    position: &G::Position,
    algorithm: Algorithm,
    depths: RangeInclusive<u32>,
) -> Option<Vec<(G::Move, i32)>> {
    let mut scores = None;
    for depth in depths {
        let mut search = Search::new(game).to_depth(depth, G::evaluate);
        // Nothing cancels this search.
        scores = search.play_scores(algorithm, position).ok();
        if search.counts().nodes > NODE_LIMIT {
            break;
        }
    }
    scores
}

/// Returns a random move, in proportion to `exp(score / temperature)`.
fn softmax_move<G: Notation>(
    game: &G,
    random: &mut Random,
    temperature: f64,
    scores: &[(G::Move, i32)],
) -> G::Move {
    // In a game that counts plies, the outcome counts most.
    let point = if game.score_range().counts_plies() {
        WON
    } else {
        1
    };
    let temperature = temperature * f64::from(point);
    let weight =
        |&(_, score): &(G::Move, i32)| (f64::from(score - scores[0].1) / temperature).exp();
    let part = random.below(1 << 32) as f64 / (1_u64 << 32) as f64;
    let mut remaining = part * scores.iter().map(weight).sum::<f64>();
    let chosen = scores.iter().find(|mv| {
        remaining -= weight(mv);
        remaining < 0.0
    });
    chosen.unwrap_or(&scores[0]).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, NoProgress, SearchSetup, Side};
    use crate::games::connect4::{Connect4, Parameters};
    use crate::oracle::BySearch;
    use crate::testing::tables::{kalah, table_of};

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
            "negamax:4:3",
            "greedy:9",
            "perfect:2",
            "softmax:0.5:3",
            "softmax:20",
            "error:0.125",
            "level:1",
            "level:10:7",
        ] {
            assert_eq!(name.parse::<Builtin>().unwrap().to_string(), name);
        }
        assert_eq!("random:1".parse::<Builtin>().unwrap().to_string(), "random");
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
            "level",
            "level:0",
            "level:11",
            "level:1:1:1",
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
        let game = kalah(3, 2);
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
                let expected = (1.0 - error) * weight / sum + error / scores.len() as f64;
                let is_it = |seed: &u64| {
                    let ai: Builtin = format!("{name}:{seed}").parse().unwrap();
                    ai.choose(&oracle, &game, &game.start()) == mv
                };
                let probability = (0..seeds).filter(is_it).count() as f64 / seeds as f64;
                // Four standard deviations at most.
                assert!(
                    (probability - expected).abs() < 0.032,
                    "{name}: {probability}, not {expected}"
                );
            }
        }
    }

    /// Returns the score of a game between two AIs for the first one, who begins or not.
    fn score_of<G: Notation>(oracle: &dyn Oracle<G>, ais: [&str; 2], begins: bool) -> i32 {
        let game = oracle.game();
        let ais = ais.map(|name| name.parse::<Builtin>().unwrap());
        let own = if begins { Side::First } else { Side::Second };
        let mut position = game.start();
        while game.final_score(&position).is_none() {
            let ai = ais[usize::from(game.side_to_move(&position) != own)];
            position = game.play(&position, ai.choose(oracle, game, &position));
        }
        game.seen_from(own, &position, game.final_score(&position).unwrap())
    }

    /// With points already won as its evaluation, it played the first column until it had lost.
    #[test]
    fn a_search_to_a_depth_beats_weak_players_at_connect_four() {
        let game = Connect4::new(Parameters::default()).unwrap();
        let setup = SearchSetup::new(1, 1 << 20);
        let oracle = BySearch::new(&game, &setup, &NoProgress).unwrap();
        for opponent in ["random", "level:1"] {
            let wins = (1..=10).filter(|seed| {
                let ais = ["alphabeta:4", &format!("{opponent}:{seed}")];
                score_of(&oracle, ais, seed % 2 == 0) > 0
            });
            assert!(wins.count() >= 9, "{opponent}");
        }
        // Another seed plays another game.
        let opening = |seed: u64| {
            let ai = format!("greedy:{seed}").parse::<Builtin>().unwrap();
            let mut position = game.start();
            let mut moves = Vec::new();
            for _ in 0..6 {
                let mv = ai.choose(&oracle, &game, &position);
                assert_eq!(mv, ai.choose(&oracle, &game, &position));
                position = game.play(&position, mv);
                moves.push(mv);
            }
            moves
        };
        assert!((2..9).any(|seed| opening(seed) != opening(1)));
    }

    #[test]
    fn a_higher_level_loses_less() {
        let game = kalah(3, 3);
        let oracle = table_of(&game);
        let mut random = Random::new(5);
        let mut positions = Vec::new();
        while positions.len() < 1000 {
            let mut position = game.start();
            while game.final_score(&position).is_none() {
                positions.push(position);
                let moves = game.legal_moves(&position);
                position = game.play(&position, moves[random.index(moves.len())]);
            }
        }
        let regret = |name: &str| {
            let ai: Builtin = name.parse().unwrap();
            let regrets = positions.iter().map(|position| {
                let mv = ai.choose(&oracle, &game, position);
                let best = oracle.score(position).unwrap();
                f64::from(best - oracle.score_after(position, mv).unwrap())
            });
            regrets.sum::<f64>() / positions.len() as f64
        };
        let regrets: Vec<f64> = (1..=LEVELS.len())
            .map(|level| regret(&format!("level:{level}")))
            .collect();
        assert!(regrets[0] > regret("random") / 2.0, "{regrets:?}");
        assert_eq!(regrets[LEVELS.len() - 1].to_bits(), 0);
        assert!(
            regrets.windows(2).all(|pair| pair[0] > pair[1]),
            "{regrets:?}"
        );
    }
}
