//! Scores of whole layers, reachable or not, one row of positions at a time.
//!
//! A position's *code* is the number of seeds on the board that the side to move will get under
//! best play. Its score to come is `2 * code - seeds`. If a move passes the turn, its code is the
//! number of seeds on the board minus the child's code, whatever it captures. For an extra turn, it
//! is the child's code plus the seeds stored. The best moves of a row are therefore an element-wise
//! minimum of bytes (over children where the turn passes) and an element-wise maximum (over extra
//! turns).
//!
//! Within a split, a move that scores nothing lowers the number of its own side's arrangement and
//! leaves the other side's unchanged. So rows are solved in ascending order. In each row, the
//! positions with the larger side to move come first: they need lower rows of the smaller side's
//! matrix. Then come those with the smaller side to move, which need the row just solved.

use super::layers::Layers;
use super::matrix::Codes;
use super::moves::{LargerSideMove, Pair, SmallerSideMove, Steps, larger_moves, smaller_moves};
use super::storage::Plane;
use crate::game::{Progress, SolveError, check_cancelled};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{ByMover, Split};

/// Number of positions of a split between two checks for cancellation.
// Tests check often, so that cancellation also interrupts small splits.
const REPORT: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Compiles the loop separately for each representation of a line's codes.
///
/// In the loop, `$get` returns the code at one arrangement of the free side.
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

/// Replaces `best[from]` by the child's code at `to` if that is better.
fn each_pair(
    layers: &Layers,
    best: &mut [u8],
    child: Codes,
    pairs: &[Pair],
    better: impl Fn(u8, u8) -> u8,
) {
    for pairs in pairs.chunks(child.codes_between_evictions()) {
        along!(child, get => for &[from, to] in pairs {
            let best = &mut best[from as usize];
            *best = better(*best, get(to));
        });
        layers.evict_if_needed();
    }
}

/// Replaces every `best` by the child's code at the same index of `tos` if better.
fn each_place(
    layers: &Layers,
    best: &mut [u8],
    child: Codes,
    tos: &[u32],
    better: impl Fn(u8, u8) -> u8,
) {
    let part = child.codes_between_evictions();
    for (best, tos) in best.chunks_mut(part).zip(tos.chunks(part)) {
        along!(child, get => for (best, &to) in best.iter_mut().zip(tos) {
            *best = better(*best, get(to));
        });
        layers.evict_if_needed();
    }
}

/// Returns a function that picks the better of two extra turns.
///
/// `gained` seeds are added to the second.
fn with(gained: u8) -> impl Fn(u8, u8) -> u8 {
    move |best, code| best.max(code.wrapping_add(gained))
}

/// The known codes of a split; an even split has only the larger side's.
pub type KnownCodes = ByMover<Option<Plane>>;

/// Solves a split of the next layer from the codes of the layers below it.
///
/// Codes that are `known` are not computed again.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`].
pub fn solve_split(
    steps: &Steps,
    layers: &Layers,
    split: Split,
    known: KnownCodes,
    progress: &dyn Progress,
) -> Result<ByMover<Plane>, SolveError> {
    debug_assert_eq!(layers.count(), split.seeds());
    let columns = steps.arrangements.count(split.smaller);
    let slots = steps.arrangements.count(split.larger) * columns;
    let needs_larger = known.larger.is_none();
    // In an even split, the smaller side's codes are needed to find the larger side's.
    let needs_smaller = known.smaller.is_none() && (needs_larger || !split.is_even());
    let or_zeros = |known: Option<Plane>, is_needed: bool| match known {
        None if is_needed => Plane::new(slots),
        known => Ok(known.unwrap_or_default()),
    };
    let mut larger = or_zeros(known.larger, needs_larger)?;
    let mut smaller = or_zeros(known.smaller, needs_smaller)?;
    let mut solver = SplitSolver {
        steps,
        layers,
        split,
        columns,
        extra: vec![0; columns],
        unpacked: Vec::new(),
    };
    // Solve row by row, ascending: each row needs only lower rows and lower layers.
    let mut unreported = 0;
    for (row, larger_pits) in steps.arrangements.all(split.larger).enumerate() {
        let here = row * columns..(row + 1) * columns;
        if needs_larger {
            solver.larger_row(&larger_pits, &smaller, &mut larger[here.clone()]);
        }
        if needs_smaller {
            solver.smaller_row(&larger_pits, &larger[here.clone()], &mut smaller[here]);
        }
        unreported += if split.is_even() { 1 } else { 2 } * columns as u64;
        if unreported >= REPORT {
            progress.advance(std::mem::take(&mut unreported));
            // Return nothing, because the caller would save an incomplete split.
            check_cancelled(progress, SolveError::Interrupted)?;
        }
    }
    progress.advance(unreported);
    // The other matrix of an even split has served its purpose.
    if split.is_even() {
        smaller = Plane::default();
    }
    Ok(ByMover { larger, smaller })
}

struct SplitSolver<'a> {
    steps: &'a Steps,
    layers: &'a Layers,
    split: Split,
    columns: usize,
    /// Scratch: the best extra turn of each column.
    extra: Vec<u8>,
    /// Scratch: the unpacked row of a child.
    unpacked: Vec<u8>,
}

impl SplitSolver<'_> {
    /// Solves one row with the larger side to move; `smaller_codes` holds all lower rows.
    fn larger_row(&mut self, larger_pits: &Pits, smaller_codes: &[u8], out: &mut [u8]) {
        let seeds = self.split.seeds();
        let lower_row = |row: usize| &smaller_codes[row * self.columns..][..self.columns];
        out.fill(u8::MAX);
        let mut has_extra = false;
        for mv in larger_moves(self.steps, self.split, larger_pits) {
            match mv {
                LargerSideMove::Capture { lines, captures } => {
                    for (line, pairs) in lines.all().zip(&captures.by_seeds) {
                        let child = if line.seeds() == seeds {
                            Codes::of_row(lower_row(line.fixed))
                        } else {
                            self.layers.codes(line).unpacked(&mut self.unpacked)
                        };
                        each_pair(self.layers, out, child, pairs, u8::min);
                    }
                }
                // Nothing is scored, so nothing is dropped and each column leads to the same
                // column. This is by far the most common move, and needs no table.
                LargerSideMove::Plain { line, .. } if line.seeds() == seeds => {
                    for (best, &child) in out.iter_mut().zip(lower_row(line.fixed)) {
                        *best = (*best).min(child);
                    }
                }
                // The move sows into the store. Its children lie along a line of a lower layer.
                LargerSideMove::Plain { line, dropped } => {
                    let child = self.layers.codes(line).unpacked(&mut self.unpacked);
                    let tos = self.steps.dropped(self.split.smaller, dropped);
                    if !line.fixed_moves {
                        each_place(self.layers, out, child, tos, u8::min);
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
                        _ => each_place(self.layers, &mut self.extra, child, tos, with(gained)),
                    }
                }
            }
        }
        self.conclude(has_extra, out);
    }

    /// Solves one row with the smaller side to move.
    ///
    /// `larger_row` is the same row with the larger side to move.
    fn smaller_row(&mut self, larger_pits: &Pits, larger_row: &[u8], out: &mut [u8]) {
        let seeds = self.split.seeds();
        let by_kind = &self.steps.columns(self.split.smaller).by_kind;
        out.fill(u8::MAX);
        let mut has_extra = false;
        for (mv, moves) in smaller_moves(self.steps, self.split, larger_pits).zip(by_kind) {
            let SmallerSideMove { line, captures } = mv;
            let child = if line.seeds() == seeds {
                Codes::of_row(larger_row)
            } else {
                self.layers.codes(line).unpacked(&mut self.unpacked)
            };
            if line.fixed_moves {
                let pairs = match captures {
                    true => &moves.emptied,
                    false => &moves.sown,
                };
                each_pair(self.layers, out, child, pairs, u8::min);
                continue;
            }
            if !std::mem::replace(&mut has_extra, true) {
                self.extra.fill(0);
            }
            let gained = (seeds - line.seeds()) as u8;
            let (extra, better) = (&mut self.extra, with(gained));
            each_pair(self.layers, extra, child, &moves.sown, better);
        }
        self.conclude(has_extra, out);
    }

    /// Computes the row's codes from the best child codes.
    ///
    /// `out` holds the least child code of the moves that pass the turn, `self.extra` the greatest
    /// of the extra turns.
    fn conclude(&self, has_extra: bool, out: &mut [u8]) {
        let seeds = self.split.seeds() as u8;
        if has_extra {
            // If no move passes the turn, the minimum is still 255 and the saturating difference is
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
