//! Several searches of one position, and what each has cost.

use super::{Algorithm, Counts, NoMemory, Search, Stopped, TranspositionTable, deepest_on};
#[cfg(doc)]
use crate::game::Game;
use crate::game::{Notation, Progress, Side, SolveError, endless};
use crate::pool::on_large_stack;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// An algorithm, with a transposition table or without.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    /// How it searches.
    pub algorithm: Algorithm,
    /// Whether it has a table.
    pub has_table: bool,
}

impl Method {
    /// All of them, the plainest first; each algorithm without a table and then with one.
    #[must_use]
    pub fn all() -> Vec<Method> {
        let both = |algorithm| {
            [false, true].map(|has_table| Method {
                algorithm,
                has_table,
            })
        };
        Algorithm::ALL.into_iter().flat_map(both).collect()
    }
}

/// The algorithm's name, with `-tt` for a table: `alphabeta`, `alphabeta-tt`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.has_table { "-tt" } else { "" };
        f.pad(&format!("{}{ending}", self.algorithm))
    }
}

/// What is no [`Method`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no method \"{0}\": there are minimax, negamax, alphabeta, negascout and mtdf, and each with a table: minimax-tt, ..."
)]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Method, UnknownMethod> {
        // "alpha-beta" and "MTD(f)" are what people write.
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|letter| letter.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let named = |method: &Method| plain(&method.to_string()) == plain(text);
        let found = Method::all().into_iter().find(named);
        found.ok_or_else(|| UnknownMethod(text.to_owned()))
    }
}

/// What to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The methods, in the order in which they run.
    pub methods: Vec<Method>,
    /// How many moves to look ahead, least first, each at least 1; none: to the ends of the game.
    /// Beyond that the points banked so far ([`Game::banked`]) are taken for the score.
    pub depths: Vec<u32>,
    /// How long each search may take. What takes longer is not finished, and not tried at greater
    /// depths.
    pub limit: Option<Duration>,
    /// The size of a table, in bytes. Each search has one of its own, empty at first.
    pub table_bytes: u64,
}

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The value, seen from the side to move, and the first of the best moves in the game's order.
    Found {
        /// The value.
        value: i32,
        /// The move; none if the game is over.
        best_move: Option<String>,
    },
    /// It would have taken longer than it might.
    OverLimit,
    /// It was not begun: the same method did not finish at a smaller depth, or all was stopped.
    NotTried,
    /// It was told to stop.
    Interrupted,
}

/// One search.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// How it searched.
    pub method: Method,
    /// How many moves it looked ahead; none: to the ends of the game.
    pub depth: Option<u32>,
    /// What came of it.
    pub outcome: Outcome,
    /// What it did, until it was stopped if it was.
    pub counts: Counts,
    /// How long it took.
    pub time: Duration,
}

/// Several searches of a position, and what each has cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The position, in the game's notation.
    pub position: String,
    /// Whose turn it is: who the values are seen from.
    pub to_move: Side,
    /// What is taken for the score at a depth, if the game says: [`Notation::banked_name`].
    pub estimate: Option<&'static str>,
    /// The searches, by depth and then in the order of the methods.
    pub runs: Vec<Run>,
    /// Whether they were told to stop before the last one was through.
    pub is_interrupted: bool,
}

/// Why searches can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The system doesn't give the memory for a table.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// Two searches found different values: one of them, or the rules, must be wrong.
    #[error(
        "{one} finds the value {value} and {other} {other_value}{}; they should be the same, so there is a mistake in one of them, or the rules of the game contradict themselves",
        .depth.map_or_else(String::new, |depth| format!(" at depth {depth}"))
    )]
    Disagreement {
        /// How many moves both looked ahead.
        depth: Option<u32>,
        /// One of them.
        one: Method,
        /// What it found.
        value: i32,
        /// The other.
        other: Method,
        /// What that one found.
        other_value: i32,
    },
    /// Plays are longer than the stack allows for, or never end.
    #[error(transparent)]
    Endless(SolveError),
    /// With a depth there is no room for it in the table's keys.
    #[error(
        "to a depth a table takes games with keys of at most {allowed} bits, and this one has {bits}"
    )]
    KeyBits {
        /// The game's.
        bits: u32,
        /// What leaves room for the depth.
        allowed: u32,
    },
}

/// The stack of a search, in bytes: it recurses as deep as plays are long.
pub(super) const STACK: usize = 256 << 20;

/// Searches a position with each method at each depth, one after the other, so that
/// they don't take time from each other.
///
/// # Errors
/// If two searches contradict each other, a table can't be had, or plays are too long.
pub fn compare<G: Notation>(
    game: &G,
    position: &G::Position,
    comparison: &Comparison,
    progress: &dyn Progress,
) -> Result<Compared, CompareError> {
    let has_tables = comparison.methods.iter().any(|method| method.has_table);
    let (bits, allowed) = (game.key_bits(), u128::BITS - u32::BITS);
    if has_tables && !comparison.depths.is_empty() && bits > allowed {
        return Err(CompareError::KeyBits { bits, allowed });
    }
    let depths: Vec<Option<u32>> = match &comparison.depths[..] {
        [] => vec![None],
        depths => depths.iter().copied().map(Some).collect(),
    };
    on_large_stack(STACK, |stack| {
        let mut runs: Vec<Run> = Vec::new();
        for &depth in &depths {
            for &method in &comparison.methods {
                let gave_up = |run: &Run| run.method == method && run.outcome == Outcome::OverLimit;
                let run = if progress.cancelled() || runs.iter().any(gave_up) {
                    Run {
                        method,
                        depth,
                        outcome: Outcome::NotTried,
                        counts: Counts::default(),
                        time: Duration::ZERO,
                    }
                } else {
                    let deepest = deepest_on::<G>(stack);
                    run(game, position, method, depth, comparison, deepest, progress)?
                };
                agrees(&runs, &run)?;
                runs.push(run);
            }
        }
        let is_interrupted = runs.iter().any(|run| match run.outcome {
            Outcome::Interrupted => true,
            Outcome::NotTried => progress.cancelled(),
            _ => false,
        });
        Ok(Compared {
            position: game.format_position(position),
            to_move: game.side_to_move(position),
            estimate: game.banked_name(),
            runs,
            is_interrupted,
        })
    })
}

/// An error if a search found another value than those before it at the same depth.
fn agrees(runs: &[Run], run: &Run) -> Result<(), CompareError> {
    let Outcome::Found { value, .. } = run.outcome else {
        return Ok(());
    };
    for before in runs.iter().filter(|before| before.depth == run.depth) {
        match before.outcome {
            Outcome::Found { value: known, .. } if known != value => {
                return Err(CompareError::Disagreement {
                    depth: run.depth,
                    one: before.method,
                    value: known,
                    other: run.method,
                    other_value: value,
                });
            }
            _ => {}
        }
    }
    Ok(())
}

fn run<G: Notation>(
    game: &G,
    position: &G::Position,
    method: Method,
    depth: Option<u32>,
    comparison: &Comparison,
    deepest: u32,
    progress: &dyn Progress,
) -> Result<Run, CompareError> {
    let name = match depth {
        Some(depth) => format!("{method} to depth {depth}"),
        None => method.to_string(),
    };
    progress.phase(&name, "nodes", 0);
    let table = match method.has_table {
        true => Some(TranspositionTable::try_new(comparison.table_bytes)?),
        false => None,
    };
    // Whoever has a table gets it empty and ready.
    let began = Instant::now();
    let is_over = || {
        comparison
            .limit
            .is_some_and(|limit| began.elapsed() > limit)
    };
    let stop = |visited| {
        progress.advance(visited);
        progress.cancelled() || is_over()
    };
    let mut search = Search::new(game).no_deeper_than(deepest).stop_when(&stop);
    if let Some(table) = &table {
        search = search.with_table(table);
    }
    if let Some(depth) = depth {
        search = search.to_depth(depth, |_, _| 0);
    }
    let outcome = match search.score(method.algorithm, position) {
        Ok(value) => Outcome::Found {
            value,
            best_move: search.chosen().map(|mv| game.format_move(mv)),
        },
        Err(Stopped) if search.went_too_deep() => {
            return Err(CompareError::Endless(endless(game, position, deepest)));
        }
        Err(Stopped) if progress.cancelled() => Outcome::Interrupted,
        Err(Stopped) => Outcome::OverLimit,
    };
    Ok(Run {
        method,
        depth,
        outcome,
        counts: search.counts(),
        time: began.elapsed(),
    })
}

#[cfg(test)]
mod tests;
