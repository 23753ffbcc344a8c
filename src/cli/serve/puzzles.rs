//! Puzzles: positions in which exactly one of several moves wins, and not at once.
//!
//! Each has an id that is the same on any machine: the key of its class.

use super::http::Params;
use super::problem::Problem;
use crate::any::AnyTable;
use crate::check::builtin::Builtin;
use crate::oracle::{Answer, Wanted};
use rustc_hash::FxHashSet;

/// Number of puzzles on a page, fewer if they are rare.
pub const PUZZLES: usize = 6;
/// Maximum number of positions to sample for the puzzles of a page.
const MOST_SAMPLED: usize = 5000;
/// Estimated number of positions to search, after which no more are graded.
const WORK: u128 = 3_000_000;
/// Estimated number of positions that one search of a grading may visit.
const SEARCHED: u128 = 300_000;
/// Number of moves that a search looks ahead at most to find a puzzle's move.
pub const DEEPEST: u32 = 6;

/// Difficulty of finding the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Easy,
    Medium,
    Hard,
}

crate::text::display_as_serialized!(Level);

impl Level {
    pub const ALL: [Level; 3] = [Level::Easy, Level::Medium, Level::Hard];
}

/// The choice of puzzles in an address.
#[derive(Clone, Copy)]
pub struct Choice {
    pub level: Level,
    pub seed: u64,
}

impl Choice {
    pub fn of(params: &Params) -> Result<Choice, Problem> {
        let level = params.filled("level").unwrap_or("easy");
        let named = Level::ALL.into_iter().find(|it| it.to_string() == level);
        let wrong = || format!("\"level={level}\": write level=easy, level=medium or level=hard");
        Ok(Choice {
            level: named.ok_or_else(|| Problem::bad_request(wrong()))?,
            seed: params.number("seed", 1, u64::MAX)?,
        })
    }

    /// Returns the parameters of an address with this choice.
    pub fn query(self) -> [(&'static str, String); 2] {
        let Choice { level, seed } = self;
        [("level", level.to_string()), ("seed", seed.to_string())]
    }
}

/// A position in which exactly one of several moves wins, and not at once.
pub struct Puzzle {
    /// The key of its class in hexadecimal digits.
    pub id: String,
    /// All moves with their scores, best first.
    pub answer: Answer,
    pub level: Level,
    /// The least number of moves ahead at which a search finds the move, if it is at most
    /// [`DEEPEST`], or fewer where a position has many moves.
    pub depth: Option<u32>,
    /// The points, or in games that count plies the difference of scores, that the second-best
    /// move loses.
    pub loss: i32,
}

/// Returns the puzzle of a position, or `None` if it is none; adds the positions searched to
/// `work`.
///
/// They are estimated, so that a seed gives the same puzzles whatever else the machine does.
fn graded(
    table: &dyn AnyTable,
    answer: Answer,
    work: &mut u128,
) -> Result<Option<Puzzle>, Problem> {
    let moves = answer.moves.as_deref().unwrap_or_default();
    let [(best, most), (_, next), ..] = moves else {
        return Ok(None);
    };
    let position = &*answer.position;
    let is_one = *most > 0 && *next <= 0;
    if !is_one || table.view(Some(position), &[best])?.result.is_some() {
        return Ok(None);
    }
    let (deepest, visits) = deepest(moves.len());
    *work += visits;
    let (loss, spread) = (most - next, most - moves[moves.len() - 1].1);
    let mut depth = None;
    for ahead in 1..=deepest {
        // Two seeds, because a search that sees no difference may be lucky.
        let [one, other] =
            [1, 2].map(|seed| table.choose(Builtin::of_depth(ahead, seed), position));
        if one? == *best && other? == *best {
            depth = Some(ahead);
            break;
        }
    }
    let greedy_fails = depth != Some(1);
    let is_close = 2 * loss <= spread;
    let steps = depth.unwrap_or(DEEPEST + 1) + u32::from(greedy_fails) + u32::from(is_close);
    Ok(Some(Puzzle {
        id: format!("{:x}", table.key(position)?),
        level: match steps {
            ..=3 => Level::Easy,
            4..=6 => Level::Medium,
            _ => Level::Hard,
        },
        depth,
        loss,
        answer,
    }))
}

/// Returns the number of moves that a grading looks ahead, and the estimated positions that it
/// visits.
fn deepest(moves: usize) -> (u32, u128) {
    // Of the moves^depth positions, alpha-beta visits about the power 3/4.
    let visits = |ahead| (moves as u128).saturating_pow(3 * ahead).isqrt().isqrt();
    let ahead = (1..=DEEPEST).rfind(|&ahead| visits(ahead) <= SEARCHED);
    let ahead = ahead.unwrap_or(1);
    (ahead, visits(ahead))
}

/// Samples puzzles of a level, as long as `is_awaited` says that somebody waits for them.
pub fn sample(
    table: &dyn AnyTable,
    choice: Choice,
    is_awaited: &dyn Fn() -> bool,
) -> Result<Vec<Puzzle>, Problem> {
    let mut work = 0;
    let mut found: Vec<Puzzle> = Vec::new();
    // A symmetric position is the same puzzle, and grading takes longest.
    let mut seen = FxHashSet::default();
    let mut puzzle =
        |answer: Answer, work: &mut u128| match seen.insert(table.key(&answer.position)?) {
            true => graded(table, answer, work),
            false => Ok(None),
        };
    let mut failure = Ok(());
    let mut sampled = 0;
    table.sample(choice.seed, &mut |answer| {
        sampled += 1;
        match puzzle(answer, &mut work) {
            Ok(puzzle) => found.extend(puzzle.filter(|it| it.level == choice.level)),
            Err(problem) => failure = Err(problem),
        }
        let is_enough = found.len() == PUZZLES || sampled == MOST_SAMPLED || work >= WORK;
        failure.is_ok() && !is_enough && is_awaited()
    })?;
    failure.map(|()| found)
}

/// Returns the puzzle with this id.
pub fn find(table: &dyn AnyTable, id: &str) -> Result<Puzzle, Problem> {
    let none = || Problem::not_found(format!("there is no puzzle \"{id}\""));
    let key = u128::from_str_radix(id, 16).map_err(|_| none())?;
    let position = table.position_of_key(key).ok_or_else(none)?;
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    let answer = table.ask(Some(&position), wanted, None)?;
    graded(table, answer, &mut 0)?.ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradings_look_less_far_ahead_where_there_are_many_moves() {
        for (moves, ahead) in [(2, 6), (7, 6), (24, 5), (65, 4), (200, 3)] {
            let found = deepest(moves);
            assert_eq!(found.0, ahead, "{moves}");
            assert!(found.1 <= SEARCHED);
        }
        assert_eq!(deepest(1_000_000).0, 1);
    }
}
