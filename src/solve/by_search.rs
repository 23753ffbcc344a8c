//! Solving by a search of each class, for any game.
//!
//! Two bounds of its score are stored per class. Classes are numbered in the order of their keys,
//! or by the game's ranking if it is needed: for scores that don't fit in a byte otherwise, or
//! because the game's own solver relies on it too.
//!
//! Bounds are retained for the whole run. Positions near the ends of the game are searched first,
//! so most searches end after a move or two.

use super::keyed::{canonical_of_key, reachable, rules_of};
use super::solution::{Solved, solution_of};
use crate::game::{
    Broken, Notation, Progress, Ranking, Roots, Scores, Segment, Slot, SlotNumbers, Solution,
    SolveError, SolveOptions, SolveTimes, Tile, check_cancelled, follow_onto, too_long,
};
use crate::games::ones;
use crate::pool::{each, in_pool, map_of, try_map};
use crate::search::{Algorithm, Search, SlotTable, check_searchable, deepest_on};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Stack of each thread, in bytes. A search recurses as deep as games are long.
///
/// Untouched pages cost nothing.
pub(crate) const STACK: usize = 128 << 20;

/// Number of words of bits that one task searches.
const TASK: usize = 64;

/// Number of words that one task of the walk scans; most of their bits are clear.
const WALK: usize = 16 * TASK;

/// Bytes that the program takes regardless of the game, and bytes per thread.
const PROGRAM: u64 = 14 << 20;
const THREAD: u64 = 6 << 20;

/// Returns the memory for solving, in bytes: bounds and a bit per slot.
///
/// Before there are bounds, the walk needs two bits per slot.
pub(super) fn memory_needed<P>(ranking: &dyn Ranking<P>, threads: usize) -> u64 {
    let slots = slots_of(ranking);
    SlotTable::<P>::bytes_for(slots)
        .saturating_add(slots / 8)
        .saturating_add(PROGRAM + THREAD * threads as u64)
}

/// Returns the number of all slots of a ranking.
pub(super) fn slots_of<P>(ranking: &dyn Ranking<P>) -> u64 {
    let slots = ranking.segments().iter().map(|segment| segment.slots());
    slots.fold(0, u64::saturating_add)
}

/// Solves a game by a search of each class.
///
/// # Errors
/// Those of [`super::solve`].
pub(super) fn solve_by_searches<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    check_searchable(game)?;
    in_pool(options.threads, STACK, || {
        let began = Instant::now();
        let (solution, reach) = match numbering_for_search(game) {
            Some(ranking) => solve_numbered(game, ranking, options, progress)?,
            None => {
                let keys = reachable(game, options.memory, progress)?;
                let reach = began.elapsed();
                let entries = solve_keyed(game, &keys, options, progress)?;
                (solution_of(game, entries)?, reach)
            }
        };
        let times = SolveTimes::of(began.elapsed(), reach);
        Ok(Solved { solution, times })
    })
}

/// Returns the ranking by which a search numbers classes, if it uses one.
///
/// Only that of a game whose own solver relies on it too, or whose scores need more than a byte
/// unless the segment is known. Any other ranking is avoided, because errors in it would show only
/// class by class. Kalah's is worth it: with keys instead, its 169,562,786 classes of six pits and
/// two seeds take more than four times as long, and 12 GB instead of 0.8.
pub(super) fn numbering_for_search<G: Notation>(game: &G) -> Option<Arc<dyn Ranking<G::Position>>> {
    let solving = game.capabilities().solving;
    let is_needed = solving.own_solver().is_some() || game.score_range().codes() > 256;
    solving.ranking().filter(|_| is_needed)
}

/// Solves a game with this ranking; also returns the time to find its classes.
fn solve_numbered<G: Notation>(
    game: &G,
    ranking: Arc<dyn Ranking<G::Position>>,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<(Solution, Duration), SolveError> {
    let needed = memory_needed(&*ranking, options.threads);
    options.check_memory(needed, true, || game.name())?;
    let began = Instant::now();
    let table = table_of(game, ranking)?;
    let reached = reached_slots(game, &table.numbers, progress)?;
    let reach = began.elapsed();
    search(game, &table, &reached, progress)?;
    let scores = SearchedScores {
        count: reached.count(),
        reached,
        table,
    };
    Ok((Solution::Ranked(Box::new(scores)), reach))
}

/// Returns the keys and scores of the classes with these keys, which are all reachable classes.
fn solve_keyed<G: Notation>(
    game: &G,
    keys: &[u128],
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<(u128, i32)>, SolveError> {
    let needed = (keys.len() as u64).saturating_mul(BYTES_A_KEY);
    options.check_memory(needed, true, || game.name())?;
    let table = table_of(game, Arc::new(ReachedKeys::new(game, keys)?))?;
    let numbers = &table.numbers;
    search(game, &table, &Bits::all(numbers.count()), progress)?;
    Ok(map_of(keys, |&key| {
        let slot = numbers.of(&canonical_of_key(game, key));
        let bounds = table.get(slot.expect("every reachable class has a slot"));
        (key, bounds.lower)
    }))
}

/// Bytes per class that is numbered by its key.
///
/// The key, twice, its bounds, its score, and both again in the solution.
pub(super) const BYTES_A_KEY: u64 = 16 + 16 + 2 + 4 + 32;

fn table_of<G: Notation>(
    game: &G,
    ranking: Arc<dyn Ranking<G::Position>>,
) -> Result<SlotTable<G::Position>, SolveError> {
    if ranking.segments().iter().any(|it| it.scores.codes() > 256) {
        let found = format!("they are {}", game.score_range());
        return Err(Broken::new(game.rules(), "searches solve games of 256 scores", found).into());
    }
    let numbers = SlotNumbers::new(ranking);
    let numbers = numbers.ok_or_else(|| SolveError::TooMany { game: game.name() })?;
    SlotTable::new(numbers)
}

/// The reachable classes, numbered: one segment per layer, in the order of keys.
struct ReachedKeys<G> {
    game: G,
    segments: Vec<Segment>,
    keys: Vec<Vec<u128>>,
}

impl<G: Notation> ReachedKeys<G> {
    fn new(game: &G, keys: &[u128]) -> Result<ReachedKeys<G>, SolveError> {
        let mut by_layer: BTreeMap<u32, Vec<u128>> = BTreeMap::new();
        for &key in keys {
            let layer = game.layer(&canonical_of_key(game, key));
            by_layer.entry(layer).or_default().push(key);
        }
        let count = |keys: &Vec<u128>| u32::try_from(keys.len());
        let counts: Result<Vec<u32>, _> = by_layer.values().map(count).collect();
        let counts = counts.map_err(|_| SolveError::TooMany { game: game.name() })?;
        let segment = |(&layer, columns)| Segment {
            rows: 1,
            columns,
            scores: game.score_range(),
            layer,
            derived: false,
        };
        Ok(ReachedKeys {
            game: game.clone(),
            segments: by_layer.keys().zip(counts).map(segment).collect(),
            keys: by_layer.into_values().collect(),
        })
    }
}

impl<G: Notation> Ranking<G::Position> for ReachedKeys<G> {
    fn segments(&self) -> &[Segment] {
        &self.segments
    }

    fn slot(&self, canonical: &G::Position) -> Option<Slot> {
        let layer = self.game.layer(canonical);
        let segment = self.segments.binary_search_by_key(&layer, |of| of.layer);
        let segment = segment.ok()?;
        let column = self.keys[segment].binary_search(&self.game.key(canonical));
        Some(Slot {
            segment: segment as u32,
            row: 0,
            column: column.ok()? as u32,
        })
    }

    fn position(&self, slot: Slot) -> G::Position {
        let key = self.keys[slot.segment as usize][slot.column as usize];
        canonical_of_key(&self.game, key)
    }
}

/// One bit per slot.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(count: u64) -> Bits {
        let words = count.div_ceil(64) as usize;
        // Memory from the system, which is committed only when touched.
        Bits(bytemuck::allocation::zeroed_vec(words))
    }

    fn all(count: u64) -> Bits {
        let word = |first| match count - first {
            64.. => !0,
            bits => (1 << bits) - 1,
        };
        let firsts = (0..count).step_by(64);
        Bits(firsts.map(|first| AtomicU64::new(word(first))).collect())
    }

    /// Sets a bit and returns whether it was clear before.
    #[inline]
    fn set(&self, number: u64) -> bool {
        let (word, bit) = (&self.0[(number / 64) as usize], 1 << (number % 64));
        // Most bits are set already, and reading is cheaper than writing.
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    fn count(&self) -> u64 {
        let ones = |word: &AtomicU64| u64::from(word.load(Relaxed).count_ones());
        let parts: Vec<&[AtomicU64]> = self.0.chunks(1 << 16).collect();
        let counts = map_of(&parts, |part| part.iter().map(ones).sum::<u64>());
        counts.into_iter().sum()
    }

    /// Returns the numbers of the set bits in a range.
    fn within(&self, range: Range<u64>) -> impl Iterator<Item = u64> {
        let words = range.start / 64..range.end.div_ceil(64);
        let numbers = words.flat_map(|index| {
            let word = self.0[index as usize].load(Relaxed);
            ones(word).map(move |bit| 64 * index + bit as u64)
        });
        numbers.filter(move |number| range.contains(number))
    }
}

/// Returns the slots of all reachable unfinished classes.
///
/// Walks from the start in rounds, and expands each class once.
fn reached_slots<G: Notation>(
    game: &G,
    numbers: &SlotNumbers<G::Position>,
    progress: &dyn Progress,
) -> Result<Bits, SolveError> {
    progress.phase("finding reachable positions", "classes", 0);
    if game.capabilities().solving.roots() == Roots::Everywhere {
        progress.advance(numbers.count());
        return Ok(Bits::all(numbers.count()));
    }
    let start = numbers.of(&game.canonical(&game.start()));
    let start = start.expect("the start has a slot").number;
    let reached = Bits::new(numbers.count());
    let expanded = Bits::new(numbers.count());
    reached.set(start);
    progress.advance(1);
    // Most moves lead away from the start, so a round in this direction follows most of them.
    let words = reached.0.len();
    let in_order = |index: usize| match start > numbers.count() / 2 {
        true => words - 1 - index,
        false => index,
    };
    let found = AtomicU64::new(1);
    while found.swap(0, Relaxed) > 0 {
        each(words.div_ceil(WALK), &|task| {
            let (mut moves, mut classes, mut slots) = (Vec::new(), Vec::new(), Vec::new());
            let mut found_here = 0;
            for index in (task * WALK..words.min((task + 1) * WALK)).map(in_order) {
                let fresh = reached.0[index].load(Relaxed) & !expanded.0[index].load(Relaxed);
                if fresh == 0 || progress.cancelled() {
                    continue;
                }
                expanded.0[index].fetch_or(fresh, Relaxed);
                // Find all classes first and then all slots: each is faster for many at once.
                for number in ones(fresh).map(|bit| (64 * index + bit) as u64) {
                    let position = numbers.position(numbers.slot(number));
                    game.moves(&position, &mut moves);
                    for &mv in &moves {
                        follow_onto(game, &position, mv, &mut classes);
                    }
                }
                numbers.ranking.slots(&classes, &mut slots);
                classes.clear();
                for slot in slots.drain(..) {
                    let slot = slot.expect("every reachable class has a slot");
                    found_here += u64::from(reached.set(numbers.of_slot(slot)));
                }
            }
            if found_here > 0 {
                progress.advance(found_here);
                found.fetch_add(found_here, Relaxed);
            }
        });
        check_cancelled(progress, SolveError::Interrupted)?;
    }
    Ok(reached)
}

/// Searches every reachable class. Afterwards both bounds of each class are its score.
fn search<G: Notation>(
    game: &G,
    table: &SlotTable<G::Position>,
    reached: &Bits,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    progress.phase("searching", "classes", reached.count());
    let stop = |_| progress.cancelled();
    let deepest = deepest_on::<G>(STACK);
    for segment in ends_first(game, &table.numbers) {
        let numbers = table.numbers.of_segment(segment);
        let tasks = (numbers.end - numbers.start).div_ceil(64 * TASK as u64);
        try_map(tasks as usize, |task| {
            let first = numbers.start + (task * 64 * TASK) as u64;
            let end = numbers.end.min(first + 64 * TASK as u64);
            let mut search = Search::new(game)
                .with_slots(table)
                .no_deeper_than(deepest)
                .stop_when(&stop);
            let mut done = 0;
            for number in reached.within(first..end) {
                done += 1;
                let slot = table.numbers.slot(number);
                if table.get(slot).score().is_some() {
                    continue;
                }
                let position = table.numbers.position(slot);
                match search.score(Algorithm::AlphaBeta, &position) {
                    Ok(score) if table.get(slot).score().is_none() => {
                        return Err(rules_of(game)?.misfit(game.key(&position), score));
                    }
                    Ok(_) => {}
                    Err(_) if search.went_too_deep => {
                        return Err(too_long(game, &position, deepest));
                    }
                    Err(_) => return Err(SolveError::Interrupted),
                }
            }
            progress.advance(done);
            Ok(())
        })?;
        // Another task may have cancelled just before this one ended.
        check_cancelled(progress, SolveError::Interrupted)?;
    }
    Ok(())
}

/// Returns the segments, those near the ends of the game first, judged by their layers.
fn ends_first<G: Notation>(game: &G, numbers: &SlotNumbers<G::Position>) -> Vec<usize> {
    let layer = |&segment: &usize| numbers.segments[segment].layer;
    let mut segments: Vec<usize> = (0..numbers.segments.len()).collect();
    segments.sort_by_cached_key(layer);
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return segments;
    };
    let start = game.layer(&game.canonical(&game.start()));
    // Layers may count down, such as seeds on the board, or up, such as discs.
    if start.abs_diff(layer(first)) < start.abs_diff(layer(last)) {
        segments.sort_by_cached_key(|segment| std::cmp::Reverse(layer(segment)));
    }
    segments
}

/// The scores after the search, when both bounds of each class are equal.
struct SearchedScores<P> {
    count: u64,
    reached: Bits,
    table: SlotTable<P>,
}

impl<P: Send + Sync> Scores for SearchedScores<P> {
    fn count(&self) -> u64 {
        self.count
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(rows.len() as u32, columns.len() as u32);
        for row in rows.clone() {
            let slot = Slot {
                segment,
                row,
                column: columns.start,
            };
            let first = self.table.numbers.of_slot(slot);
            let begin = tile.index(row - rows.start, 0);
            for number in self.reached.within(first..first + columns.len() as u64) {
                let code = self.table.code(number);
                tile.set(begin + (number - first) as usize, code);
            }
        }
    }
}
