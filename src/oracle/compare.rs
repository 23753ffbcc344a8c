//! Runs several searches of one position and compares their costs.

use super::{AskError, unfinished};
use crate::game::{Notation, Progress, Side, SolveError, UnknownName, too_long};
use crate::pool::on_large_stack;
use crate::search::{
    Algorithm, Counts, Guide, Order, STACK, Search, Stopped, TranspositionTable, Visit,
    check_searchable, deepest_on,
};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// A search method: an algorithm, with or without a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchMethod {
    /// Algorithm, which decides the positions that are visited.
    pub algorithm: Algorithm,
    /// Whether it uses a table.
    pub has_table: bool,
}

impl SearchMethod {
    /// Returns all methods, simplest first.
    ///
    /// Each algorithm comes without a table and then with one.
    #[must_use]
    pub fn all() -> Vec<SearchMethod> {
        let both = |algorithm| {
            [false, true].map(|has_table| SearchMethod {
                algorithm,
                has_table,
            })
        };
        Algorithm::ALL.into_iter().flat_map(both).collect()
    }
}

/// The algorithm's name, with `-tt` for a table: `alphabeta`, `alphabeta-tt`.
impl fmt::Display for SearchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.has_table { "-tt" } else { "" };
        f.pad(&format!("{}{ending}", self.algorithm))
    }
}

impl FromStr for SearchMethod {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<SearchMethod, UnknownName> {
        // Ignore case and punctuation, since people write "alpha-beta" and "MTD(f)".
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|letter| letter.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let named = |method: &SearchMethod| plain(&method.to_string()) == plain(text);
        let found = SearchMethod::all().into_iter().find(named);
        let unknown = || {
            UnknownName(format!(
                "there is no method \"{text}\": there are minimax, negamax, alphabeta, negascout and mtdf, and each with a table: minimax-tt, ..."
            ))
        };
        found.ok_or_else(unknown)
    }
}

/// The searches to run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// The methods, in the order in which they run.
    pub methods: Vec<SearchMethod>,
    /// Search depths in moves, ascending, each at least 1.
    ///
    /// Empty to search to the ends of the game. At its depth, a search takes the static evaluation
    /// ([`Game::evaluate`](crate::game::Game::evaluate)) for the score.
    pub depths: Vec<u32>,
    /// Time limit for each search.
    ///
    /// A method that exceeds it is not tried at greater depths.
    pub limit: Option<Duration>,
    /// Size of a table in bytes.
    ///
    /// Each search gets its own empty table.
    pub table_bytes: u64,
    /// The order in which moves are searched.
    pub(crate) order: Order,
    /// Number of moves from the root to which the trees are recorded; `None` to record none.
    pub(crate) tree_depth: Option<u32>,
    /// Whether the last method finds the line of best play to each depth.
    pub lines: bool,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunResult {
    /// The search finished.
    Found {
        /// The value, seen from the side to move.
        value: i32,
        /// The first best move in the game's order; `None` if the game is over.
        best_move: Option<String>,
    },
    /// The search exceeded the time limit.
    OverLimit,
    /// The search was not started.
    ///
    /// Either the method exceeded the limit at a smaller depth, or the comparison was cancelled.
    NotTried,
    /// The search was cancelled.
    Interrupted,
}

/// One search and its cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The method that this run used.
    pub method: SearchMethod,
    /// Search depth in moves; `None` if it searched to the ends of the game.
    pub depth: Option<u32>,
    /// Score that the run found, or why it found none.
    pub outcome: RunResult,
    /// Counts of the search, up to its end or until it was stopped.
    pub counts: Counts,
    /// Wall-clock time of the search.
    pub time: Duration,
    /// The visits, if they were recorded and are fewer than 100,000.
    pub(crate) tree: Option<Vec<Visit>>,
    /// The line of best play, if it was wanted and found in time.
    ///
    /// Each move is the first best one in the game's order.
    pub line: Option<Vec<String>>,
}

impl Run {
    /// Returns whether the search finished, and so has a value.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.outcome, RunResult::Found { .. })
    }
}

/// The results of several searches of one position.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The position, in the game's notation.
    pub position: String,
    /// The side to move, from which the values are seen.
    pub to_move: Side,
    /// The searches, by depth and then in the order of the methods.
    pub runs: Vec<Run>,
    /// Whether the comparison was cancelled before the last search finished.
    pub is_interrupted: bool,
}

/// Why searches can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// It is not an unfinished position.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// Two searches found different values, so one of them or the rules must be wrong.
    #[error(
        "{one} finds the value {value} and {other} {other_value}{}; they should be the same, so there is a mistake in one of them, or the rules of the game contradict themselves",
        .depth.map_or_else(String::new, |depth| format!(" at depth {depth}"))
    )]
    Disagreement {
        /// Search depth of both, in moves.
        depth: Option<u32>,
        /// The earlier method.
        one: SearchMethod,
        /// The value it found.
        value: i32,
        /// The later method.
        other: SearchMethod,
        /// The value it found.
        other_value: i32,
    },
    /// The system can't provide the memory for a table, or games are longer than the stack allows
    /// for, or can be endless.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The table's keys have no bits to spare for the depth.
    #[error(
        "to a depth a table takes games with keys of at most {allowed} bits, and this one has {bits}"
    )]
    KeyBits {
        /// Bits of the game's keys.
        bits: u32,
        /// The most bits that leave room for the depth.
        allowed: u32,
    },
}

/// Searches a position with each method at each depth.
///
/// The searches run one after the other, so that they don't slow each other down.
///
/// # Errors
/// If the game is over in the position, two searches contradict each other, the memory for a table
/// is missing, or games are too long or endless.
pub fn compare<G: Notation>(
    game: &G,
    position: &G::Position,
    comparison: &Comparison,
    progress: &dyn Progress,
) -> Result<Compared, CompareError> {
    unfinished(game, position)?;
    if comparison.depths.is_empty() {
        check_searchable(game)?;
    }
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
                let gave_up =
                    |run: &Run| run.method == method && run.outcome == RunResult::OverLimit;
                let run = if progress.cancelled() || runs.iter().any(gave_up) {
                    Run {
                        method,
                        depth,
                        outcome: RunResult::NotTried,
                        counts: Counts::default(),
                        time: Duration::ZERO,
                        tree: None,
                        line: None,
                    }
                } else {
                    // A search for the order of moves needs a half of the stack.
                    let searches = if comparison.order == Order::Own { 1 } else { 2 };
                    let deepest = deepest_on::<G>(stack) / searches;
                    run(game, position, method, depth, comparison, deepest, progress)?
                };
                agrees(&runs, &run)?;
                runs.push(run);
            }
        }
        let is_interrupted = runs.iter().any(|run| match run.outcome {
            RunResult::Interrupted => true,
            RunResult::NotTried => progress.cancelled(),
            _ => false,
        });
        Ok(Compared {
            position: game.format_position(position),
            to_move: game.side_to_move(position),
            runs,
            is_interrupted,
        })
    })
}

/// Checks a search's value against the values found before at the same depth.
fn agrees(runs: &[Run], run: &Run) -> Result<(), CompareError> {
    let value = |run: &Run| match run.outcome {
        RunResult::Found { value, .. } => Some(value),
        _ => None,
    };
    let mut before = runs.iter().filter(|before| before.depth == run.depth);
    let known = before.find_map(|before| Some((before.method, value(before)?)));
    match known.zip(value(run)) {
        Some(((one, value), other_value)) if value != other_value => {
            Err(CompareError::Disagreement {
                depth: run.depth,
                one,
                value,
                other: run.method,
                other_value,
            })
        }
        _ => Ok(()),
    }
}

fn run<G: Notation>(
    game: &G,
    position: &G::Position,
    method: SearchMethod,
    depth: Option<u32>,
    comparison: &Comparison,
    deepest: u32,
    progress: &dyn Progress,
) -> Result<Run, CompareError> {
    let to = depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    progress.phase(&format!("{method}{to}"), "nodes", 0);
    let table = || TranspositionTable::try_new(comparison.table_bytes);
    let table = method.has_table.then(table).transpose()?;
    let scores = TranspositionTable::try_new(SCORES_BYTES)?;
    // Start the clock only now: allocating the tables is not part of the search.
    let began = Instant::now();
    let stop = |visited| {
        progress.advance(visited);
        let is_over = |limit| began.elapsed() > limit;
        progress.cancelled() || comparison.limit.is_some_and(is_over)
    };
    let mut scorer = Search::new(game)
        .with_table(&scores)
        .no_deeper_than(deepest)
        .stop_when(&stop);
    let is_estimated = depth.is_some() || comparison.order == Order::Static;
    scorer.evaluate = is_estimated.then_some(G::evaluate);
    let guide = Guide::new(scorer, comparison.order, comparison.tree_depth);
    let mut search = Search::observed(game, guide).stop_when(&stop);
    search = search.no_deeper_than(deepest);
    if let Some(table) = &table {
        search = search.with_table(table);
    }
    search.depth = depth.unwrap_or(u32::MAX);
    search.evaluate = depth.and(Some(G::evaluate));
    let outcome = match search.score(method.algorithm, position) {
        Ok(value) => RunResult::Found {
            value,
            best_move: search.chosen().map(|mv| game.format_move(mv)),
        },
        Err(Stopped) if search.went_too_deep => {
            return Err(too_long(game, position, deepest).into());
        }
        Err(Stopped) if progress.cancelled() => RunResult::Interrupted,
        Err(Stopped) => RunResult::OverLimit,
    };
    let (counts, time) = (search.counts(), began.elapsed());
    let Guide { visits, scorer, .. } = search.observer;
    let is_tree = (1..Guide::<G>::MOST).contains(&visits.len());
    let has_line = comparison.lines && comparison.methods.last() == Some(&method);
    Ok(Run {
        method,
        depth,
        outcome,
        counts,
        time,
        tree: is_tree.then_some(visits),
        line: has_line.then(|| line(scorer, position, depth)).flatten(),
    })
}

/// Size of the table of the search for scores and lines, in bytes.
const SCORES_BYTES: u64 = 8 << 20;

/// Returns the line of best play to a depth, or `None` if the search was stopped.
fn line<G: Notation>(
    mut search: Search<'_, G>,
    position: &G::Position,
    depth: Option<u32>,
) -> Option<Vec<String>> {
    let (mut position, mut moves) = (position.clone(), Vec::new());
    for depth in (1..=depth.unwrap_or(u32::MAX)).rev() {
        search.depth = depth;
        let best = search.play_scores(Algorithm::AlphaBeta, &position);
        let Some(&(mv, _)) = best.ok()?.first() else {
            break;
        };
        moves.push(search.game.format_move(mv));
        position = search.game.play(&position, mv);
    }
    Some(moves)
}

#[cfg(test)]
mod tests;
