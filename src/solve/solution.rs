//! The scores of a solved game.

use super::keyed::canonical_of_key as canonical;
use crate::conformance::slot_of;
use crate::game::{Broken, Notation, Ranking, Scores, Slot, Solution, SolveTimes, Tile};
use crate::pool::{sort, try_map_of};
use crate::table::SortedEntries;
use std::ops::Range;

/// A solved game.
pub struct Solved {
    /// The score of every reachable class.
    pub solution: Solution,
    /// Time that each phase took.
    pub times: SolveTimes,
}

/// Returns the score of a position in a solution, seen from its side to move.
///
/// `None` if its class is not in the solution.
#[must_use]
pub fn score_of<G: Notation>(game: &G, solution: &Solution, position: &G::Position) -> Option<i32> {
    if let Some(score) = game.final_score(position) {
        return Some(score);
    }
    let canonical = game.canonical(position);
    let to_come = match solution {
        Solution::Ranked(scores) => {
            let ranking = game.capabilities().solving.ranking()?;
            let slot = ranking.slot(&canonical)?;
            let (rows, columns) = (slot.row..slot.row + 1, slot.column..slot.column + 1);
            let mut tile = Tile::default();
            scores.tile(slot.segment, rows, columns, &mut tile);
            let segment = &ranking.segments()[slot.segment as usize];
            segment.scores.score(tile.get(0)?)
        }
        Solution::Keyed(entries) => {
            let key = game.key(&canonical);
            let index = entries.binary_search_by_key(&key, |entry| entry.0).ok()?;
            entries[index].1
        }
    };
    Some(game.banked(position) + to_come)
}

/// The scores found by keys, which are merged while they are read.
pub(crate) struct SortedScores<'a> {
    /// Number of entries.
    pub count: u64,
    /// Bytes of memory that they take in this process.
    pub memory: u64,
    pub entries: Box<SortedEntries<'a>>,
}

/// Returns the solution with these keys and scores, in ascending order of keys.
///
/// # Errors
/// If the game's ranking breaks a promise.
pub(super) fn solution_of<G: Notation>(
    game: &G,
    entries: Vec<(u128, i32)>,
) -> Result<Solution, Broken> {
    Ok(match game.capabilities().solving.ranking() {
        Some(ranking) => Solution::Ranked(Box::new(RankedScores::new(game, &*ranking, &entries)?)),
        None => Solution::Keyed(entries),
    })
}

/// Number of classes per task.
const TASK: usize = 1 << 10;

/// Slots and score codes, sorted by slot.
struct RankedScores(Vec<(Slot, u8)>);

impl RankedScores {
    /// Returns the scores of the classes with these keys.
    ///
    /// # Errors
    /// If the ranking breaks a promise: two classes share a slot, a class has none, or a segment
    /// can't have its score.
    fn new<G: Notation>(
        game: &G,
        ranking: &dyn Ranking<G::Position>,
        entries: &[(u128, i32)],
    ) -> Result<Self, Broken> {
        let segments = ranking.segments();
        let entry_of = |&(key, score): &(u128, i32)| {
            let position = canonical(game, key);
            let slot = slot_of(game, ranking, &position)?;
            let range = segments[slot.segment as usize].scores;
            let code = range.code(score).ok_or_else(|| {
                let name = game.format_position(&position);
                let found = format!("that of \"{name}\" is {score}, not one of {range}");
                Broken::new(
                    game.rules(),
                    "scores lie within those of their segment",
                    found,
                )
            })?;
            Ok((slot, code as u8))
        };
        let tasks: Vec<_> = entries.chunks(TASK).collect();
        let by_task: Vec<Vec<(Slot, u8)>> =
            try_map_of(&tasks, |entries| entries.iter().map(entry_of).collect())?;
        let mut entries = by_task.concat();
        sort(&mut entries);
        Ok(RankedScores(entries))
    }

    /// Returns the entries of a row's columns.
    fn in_row(&self, segment: u32, row: u32, columns: &Range<u32>) -> &[(Slot, u8)] {
        let at = |column| Slot {
            segment,
            row,
            column,
        };
        let begin = self.0.partition_point(|entry| entry.0 < at(columns.start));
        let length = self.0[begin..].partition_point(|entry| entry.0 < at(columns.end));
        &self.0[begin..begin + length]
    }
}

impl Scores for RankedScores {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(rows.len() as u32, columns.len() as u32);
        for row in rows.clone() {
            for &(slot, code) in self.in_row(segment, row, &columns) {
                let index = tile.index(row - rows.start, slot.column - columns.start);
                tile.set(index, code);
            }
        }
    }
}
