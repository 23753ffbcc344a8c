//! Scores of whole layers, reachable or not, a row of positions at a time.
//!
//! A position's *code* is the number of the seeds on the board that the side to move will get under
//! best play. Its score to come is `2 * code - seeds`. With codes, a move that passes the turn is
//! worth the seeds on the board minus the child's code, whatever it captures, and an extra turn the
//! child's code plus the seeds stored: so the best of a row's moves is an element-wise minimum (of
//! children where the turn passes) and maximum (of extra turns) of unsigned bytes.
//!
//! Within a split, a move that scores nothing lowers the number of the mover's arrangement and
//! leaves the other's. So rows are taken from the lowest number up, first the rich side's positions
//! of a row, which need lower rows of the poor side's, then the poor side's, which need the row
//! just made.

use super::codes::{Codes, DenseSplit, Solved};
use super::lines::{PoorMove, RichMove, poor_moves, rich_moves};
use super::plane::Plane;
use super::steps::{Pair, Steps};
use crate::game::{Progress, SolveError};
use crate::games::kalah::Pits;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use rayon::prelude::*;

/// After so many positions of a split it is asked whether to stop.
// In tests often, so that small splits are stopped in their midst.
const REPORT: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Runs the loop for each kind of line apart; in it, `$get` is the code at one arrangement of the
/// free side.
macro_rules! along {
    ($child:expr, $get:ident => $loop:expr) => {
        match $child {
            Codes::Bytes { codes, stride: 1 } => {
                let $get = |free: u32| codes[free as usize];
                $loop
            }
            Codes::Bytes { codes, stride } => {
                let $get = |free: u32| codes[free as usize * stride];
                $loop
            }
            child => {
                let $get = |free: u32| child.get(free as usize);
                $loop
            }
        }
    };
}

/// Lowers `best[from]` to the child's code at `to`, for all pairs.
fn lower<S: Solved + ?Sized>(layers: &S, best: &mut [u8], child: Codes, pairs: &[Pair]) {
    for pairs in pairs.chunks(child.codes_a_look()) {
        along!(child, get => for &[from, to] in pairs {
            let best = &mut best[from as usize];
            *best = (*best).min(get(to));
        });
        layers.look();
    }
}

/// Raises `best[from]` to the child's code at `to` plus the seeds gained, for all pairs.
fn raise<S: Solved + ?Sized>(
    layers: &S,
    best: &mut [u8],
    child: Codes,
    gained: u8,
    pairs: &[Pair],
) {
    for pairs in pairs.chunks(child.codes_a_look()) {
        along!(child, get => for &[from, to] in pairs {
            let best = &mut best[from as usize];
            *best = (*best).max(get(to).wrapping_add(gained));
        });
        layers.look();
    }
}

/// Lowers every `best` to the child's code at the corresponding place of `tos`.
fn lower_all<S: Solved + ?Sized>(layers: &S, best: &mut [u8], child: Codes, tos: &[u32]) {
    let part = child.codes_a_look();
    for (best, tos) in best.chunks_mut(part).zip(tos.chunks(part)) {
        along!(child, get => for (best, &to) in best.iter_mut().zip(tos) {
            *best = (*best).min(get(to));
        });
        layers.look();
    }
}

/// Raises every `best` to the child's code at the corresponding place of `tos` plus the seeds
/// gained.
fn raise_all<S: Solved + ?Sized>(
    layers: &S,
    best: &mut [u8],
    child: Codes,
    gained: u8,
    tos: &[u32],
) {
    let part = child.codes_a_look();
    for (best, tos) in best.chunks_mut(part).zip(tos.chunks(part)) {
        along!(child, get => for (best, &to) in best.iter_mut().zip(tos) {
            *best = (*best).max(get(to).wrapping_add(gained));
        });
        layers.look();
    }
}

/// Computes all codes of a layer from those of the layers below it, split by split: returns what
/// `keep` makes of each as soon as it is solved, one entry a split, by the poor side's seeds from 1
/// on.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and what `keep` returns.
pub fn solve_splits<S: Solved + ?Sized, T: Send>(
    steps: &Steps,
    below: &S,
    seeds: usize,
    progress: &dyn Progress,
    keep: impl Fn(DenseSplit) -> Result<T, SolveError> + Sync,
) -> Result<Vec<T>, SolveError> {
    let splits: Vec<Split> = Split::of_layer(seeds).collect();
    solve_some_splits(steps, below, &splits, progress, keep)
}

/// The same of these splits of the next layer, in the order of the poor side's seeds.
///
/// # Errors
/// As [`solve_splits`].
pub fn solve_some_splits<S: Solved + ?Sized, T: Send>(
    steps: &Steps,
    below: &S,
    splits: &[Split],
    progress: &dyn Progress,
    keep: impl Fn(DenseSplit) -> Result<T, SolveError> + Sync,
) -> Result<Vec<T>, SolveError> {
    let mut results: Vec<Option<Result<T, SolveError>>> = splits.iter().map(|_| None).collect();
    let keep = &keep;
    rayon::scope_fifo(|scope| {
        // Splits near the middle are the largest: begin with them, so that none of them is left
        // over at the end.
        for (&split, result) in splits.iter().zip(&mut results).rev() {
            debug_assert_eq!(below.count(), split.seeds());
            scope.spawn_fifo(move |_| {
                *result = Some(solve_split(steps, below, split, progress).and_then(keep));
            });
        }
    });
    let results: Result<_, SolveError> = results.into_iter().flatten().collect();
    if progress.cancelled() {
        return Err(SolveError::Interrupted);
    }
    results
}

/// Completes a layer of which some codes are there, one entry a split, by the poor side's seeds
/// from 1 on; an even split has the rich side's only. `keep` is as in [`solve_splits`].
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and what `keep` returns.
pub fn complete_splits<S: Solved + ?Sized, T: Send>(
    steps: &Steps,
    below: &S,
    seeds: usize,
    kept: Vec<ByMover<Option<Plane>>>,
    progress: &dyn Progress,
    keep: impl Fn(DenseSplit) -> Result<T, SolveError> + Sync,
) -> Result<Vec<T>, SolveError> {
    debug_assert_eq!(below.count(), seeds);
    let splits: Vec<_> = Split::of_layer(seeds).zip(kept).collect();
    let splits: Result<_, SolveError> = splits
        .into_par_iter()
        .map(|(split, kept)| complete_split(steps, below, split, kept, progress).and_then(&keep))
        .collect();
    if progress.cancelled() {
        return Err(SolveError::Interrupted);
    }
    splits
}

fn complete_split<S: Solved + ?Sized>(
    steps: &Steps,
    below: &S,
    split: Split,
    kept: ByMover<Option<Plane>>,
    progress: &dyn Progress,
) -> Result<DenseSplit, SolveError> {
    let columns = steps.arrangements.count(split.poor);
    let (rich_moves, poor_moves) = match (kept.rich, kept.poor) {
        (Some(rich_moves), _) if split.is_even() => (rich_moves, Plane::empty()),
        (Some(rich_moves), Some(poor_moves)) => (rich_moves, poor_moves),
        (None, None) => return solve_split(steps, below, split, progress),
        (rich_kept, poor_kept) => {
            let slots = steps.arrangements.count(split.rich) * columns;
            let rich_missing = rich_kept.is_none();
            let or_zeros = |kept: Option<Plane>| kept.map_or_else(|| Plane::new(slots), Ok);
            let (mut rich_moves, mut poor_moves) = (or_zeros(rich_kept)?, or_zeros(poor_kept)?);
            let mut sweep = SplitSweep {
                steps,
                below,
                split,
                columns,
                extra: vec![0; columns],
                unpacked: Vec::new(),
            };
            for (row, rich_pits) in steps.arrangements.all(split.rich).enumerate() {
                let here = row * columns..(row + 1) * columns;
                if rich_missing {
                    sweep.rich_row(&rich_pits, &poor_moves, &mut rich_moves[here]);
                } else {
                    sweep.poor_row(&rich_pits, &rich_moves[here.clone()], &mut poor_moves[here]);
                }
                if row % 1024 == 0 && progress.cancelled() {
                    return Err(SolveError::Interrupted);
                }
            }
            (rich_moves, poor_moves)
        }
    };
    progress.advance((rich_moves.len() + poor_moves.len()) as u64);
    let codes = ByMover {
        rich: rich_moves,
        poor: poor_moves,
    };
    Ok(DenseSplit {
        split,
        codes,
        columns,
    })
}

fn solve_split<S: Solved + ?Sized>(
    steps: &Steps,
    below: &S,
    split: Split,
    progress: &dyn Progress,
) -> Result<DenseSplit, SolveError> {
    let arrangements: &Arrangements = &steps.arrangements;
    let rows = arrangements.count(split.rich);
    let columns = arrangements.count(split.poor);
    let mut rich_moves = Plane::new(rows * columns)?;
    let mut poor_moves = Plane::new(rows * columns)?;
    let mut sweep = SplitSweep {
        steps,
        below,
        split,
        columns,
        extra: vec![0; columns],
        unpacked: Vec::new(),
    };
    let mut unreported = 0;
    for (row, rich_pits) in arrangements.all(split.rich).enumerate() {
        let here = row * columns..(row + 1) * columns;
        sweep.rich_row(&rich_pits, &poor_moves, &mut rich_moves[here.clone()]);
        sweep.poor_row(&rich_pits, &rich_moves[here.clone()], &mut poor_moves[here]);
        unreported += if split.is_even() { 1 } else { 2 } * columns as u64;
        if unreported >= REPORT {
            progress.advance(std::mem::take(&mut unreported));
            if progress.cancelled() {
                // Not what is there of it: that would be kept.
                return Err(SolveError::Interrupted);
            }
        }
    }
    progress.advance(unreported);
    if split.is_even() {
        poor_moves = Plane::empty();
    }
    let codes = ByMover {
        rich: rich_moves,
        poor: poor_moves,
    };
    Ok(DenseSplit {
        split,
        codes,
        columns,
    })
}

struct SplitSweep<'a, S: ?Sized> {
    steps: &'a Steps,
    below: &'a S,
    split: Split,
    columns: usize,
    /// Scratch: the best extra turn of each column.
    extra: Vec<u8>,
    /// Scratch: a child's row.
    unpacked: Vec<u8>,
}

impl<S: Solved + ?Sized> SplitSweep<'_, S> {
    /// The codes of one row with the rich side to move; `poor_codes` holds all lower rows.
    fn rich_row(&mut self, rich_pits: &Pits, poor_codes: &[u8], out: &mut [u8]) {
        let seeds = self.split.seeds();
        let lower_row = |row: usize| &poor_codes[row * self.columns..][..self.columns];
        out.fill(u8::MAX);
        let mut has_extra = false;
        for mv in rich_moves(self.steps, self.split, rich_pits) {
            match mv {
                RichMove::Capture(capture) => {
                    for (opposite, pairs) in capture.captured_by_seeds().iter().enumerate() {
                        let line = capture.line(opposite);
                        let child = if line.seeds() == seeds {
                            Codes::of_row(lower_row(line.fixed))
                        } else {
                            Codes::find(self.below, line).unpacked(&mut self.unpacked)
                        };
                        lower(self.below, out, child, pairs);
                    }
                }
                // Nothing is scored, so nothing is dropped: column goes to column, which needs no
                // table and is by far the most common move.
                RichMove::Plain { line, .. } if line.seeds() == seeds => {
                    for (best, &child) in out.iter_mut().zip(lower_row(line.fixed)) {
                        *best = (*best).min(child);
                    }
                }
                RichMove::Plain { line, dropped } => {
                    let child = Codes::find(self.below, line).unpacked(&mut self.unpacked);
                    let tos = self.steps.dropped(self.split.poor, dropped);
                    if !line.fixed_moves {
                        lower_all(self.below, out, child, tos);
                        continue;
                    }
                    if !std::mem::replace(&mut has_extra, true) {
                        self.extra.fill(0);
                    }
                    let gained = (seeds - line.seeds()) as u8;
                    match child {
                        Codes::Bytes { codes, stride: 1 } if dropped == 0 => {
                            for (best, &child) in self.extra.iter_mut().zip(codes) {
                                *best = (*best).max(child.wrapping_add(gained));
                            }
                        }
                        _ => raise_all(self.below, &mut self.extra, child, gained, tos),
                    }
                }
            }
        }
        self.conclude(has_extra, out);
    }

    /// The codes of one row with the poor side to move; `rich_row` is the same row with the rich
    /// side to move.
    fn poor_row(&mut self, rich_pits: &Pits, rich_row: &[u8], out: &mut [u8]) {
        let seeds = self.split.seeds();
        let by_kind = &self.steps.columns(self.split.poor).by_kind;
        out.fill(u8::MAX);
        let mut has_extra = false;
        for (mv, moves) in poor_moves(self.steps, self.split, rich_pits).zip(by_kind) {
            let PoorMove { line, captures } = mv;
            let child = if line.seeds() == seeds {
                Codes::of_row(rich_row)
            } else {
                Codes::find(self.below, line).unpacked(&mut self.unpacked)
            };
            if !line.fixed_moves {
                if !std::mem::replace(&mut has_extra, true) {
                    self.extra.fill(0);
                }
                let gained = (seeds - line.seeds()) as u8;
                raise(self.below, &mut self.extra, child, gained, &moves.sown);
            } else if captures {
                lower(self.below, out, child, &moves.emptied);
            } else {
                lower(self.below, out, child, &moves.sown);
            }
        }
        self.conclude(has_extra, out);
    }

    /// From the least child code over the moves that pass the turn, and the greatest over extra
    /// turns, to the row's codes.
    fn conclude(&self, has_extra: bool, out: &mut [u8]) {
        let seeds = self.split.seeds() as u8;
        if has_extra {
            // Where no move passes the turn the minimum is still 255, and the saturating difference
            // 0.
            for (best, &extra) in out.iter_mut().zip(&self.extra) {
                *best = seeds.saturating_sub(*best).max(extra);
            }
        } else {
            for best in out {
                *best = seeds.saturating_sub(*best);
            }
        }
    }
}
