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

use super::layers::Layers;
use super::lines::{PoorMove, RichMove, poor_moves, rich_moves};
use super::matrix::{Codes, Matrix};
use super::plane::Plane;
use super::splits::for_all;
use super::steps::{Pair, Steps};
use crate::game::{Progress, SolveError};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{ByMover, Split};

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

/// Compares `best[from]` with the child's code at `to`, for all pairs.
fn each_pair(
    layers: &Layers,
    best: &mut [u8],
    child: Codes,
    pairs: &[Pair],
    better: impl Fn(u8, u8) -> u8,
) {
    for pairs in pairs.chunks(child.codes_a_look()) {
        along!(child, get => for &[from, to] in pairs {
            let best = &mut best[from as usize];
            *best = better(*best, get(to));
        });
        layers.look();
    }
}

/// Compares every `best` with the child's code at the corresponding place of `tos`.
fn each_place(
    layers: &Layers,
    best: &mut [u8],
    child: Codes,
    tos: &[u32],
    better: impl Fn(u8, u8) -> u8,
) {
    let part = child.codes_a_look();
    for (best, tos) in best.chunks_mut(part).zip(tos.chunks(part)) {
        along!(child, get => for (best, &to) in best.iter_mut().zip(tos) {
            *best = better(*best, get(to));
        });
        layers.look();
    }
}

/// The better of two extra turns, of which the second gains so many seeds.
fn with(gained: u8) -> impl Fn(u8, u8) -> u8 {
    move |best, code| best.max(code.wrapping_add(gained))
}

/// Codes of a split that are there already; an even split has the rich side's only.
pub type Known = ByMover<Option<Plane>>;

/// Computes the codes of these splits of the next layer from those of the layers below it, but for
/// those that `known` gives: what `keep` makes of each as soon as it is solved, in the order of the
/// splits.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and what `known` and `keep` return.
pub fn solve_splits<E: From<SolveError> + Send>(
    steps: &Steps,
    layers: &Layers,
    splits: &[Split],
    progress: &dyn Progress,
    known: impl Fn(Split) -> Result<Known, E> + Sync,
    keep: impl Fn(Split, ByMover<Plane>) -> Result<ByMover<Matrix>, SolveError> + Sync,
) -> Result<Vec<ByMover<Matrix>>, E> {
    for_all(splits, progress, |&split| {
        debug_assert_eq!(layers.count(), split.seeds());
        let solved = solve_split(steps, layers, split, known(split)?, progress)?;
        Ok(keep(split, solved)?)
    })
}

fn solve_split(
    steps: &Steps,
    layers: &Layers,
    split: Split,
    known: Known,
    progress: &dyn Progress,
) -> Result<ByMover<Plane>, SolveError> {
    let columns = steps.arrangements.count(split.poor);
    let slots = steps.arrangements.count(split.rich) * columns;
    let needs_rich = known.rich.is_none();
    // Of an even split the poor side's codes serve to find the rich side's.
    let needs_poor = known.poor.is_none() && (needs_rich || !split.is_even());
    let or_zeros = |known: Option<Plane>, is_needed: bool| match known {
        None if is_needed => Plane::new(slots),
        known => Ok(known.unwrap_or_default()),
    };
    let mut rich_moves = or_zeros(known.rich, needs_rich)?;
    let mut poor_moves = or_zeros(known.poor, needs_poor)?;
    let mut sweep = SplitSweep {
        steps,
        layers,
        split,
        columns,
        extra: vec![0; columns],
        unpacked: Vec::new(),
    };
    let mut unreported = 0;
    for (row, rich_pits) in steps.arrangements.all(split.rich).enumerate() {
        let here = row * columns..(row + 1) * columns;
        if needs_rich {
            sweep.rich_row(&rich_pits, &poor_moves, &mut rich_moves[here.clone()]);
        }
        if needs_poor {
            sweep.poor_row(&rich_pits, &rich_moves[here.clone()], &mut poor_moves[here]);
        }
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
        poor_moves = Plane::default();
    }
    Ok(ByMover {
        rich: rich_moves,
        poor: poor_moves,
    })
}

struct SplitSweep<'a> {
    steps: &'a Steps,
    layers: &'a Layers,
    split: Split,
    columns: usize,
    /// Scratch: the best extra turn of each column.
    extra: Vec<u8>,
    /// Scratch: a child's row.
    unpacked: Vec<u8>,
}

impl SplitSweep<'_> {
    /// The codes of one row with the rich side to move; `poor_codes` holds all lower rows.
    fn rich_row(&mut self, rich_pits: &Pits, poor_codes: &[u8], out: &mut [u8]) {
        let seeds = self.split.seeds();
        let lower_row = |row: usize| &poor_codes[row * self.columns..][..self.columns];
        out.fill(u8::MAX);
        let mut has_extra = false;
        for mv in rich_moves(self.steps, self.split, rich_pits) {
            match mv {
                RichMove::Capture { lines, captures } => {
                    for (line, pairs) in lines.into_iter().zip(&captures.by_seeds) {
                        let child = if line.seeds() == seeds {
                            Codes::of_row(lower_row(line.fixed))
                        } else {
                            self.layers.codes(line).unpacked(&mut self.unpacked)
                        };
                        each_pair(self.layers, out, child, pairs, u8::min);
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
                    let child = self.layers.codes(line).unpacked(&mut self.unpacked);
                    let tos = self.steps.dropped(self.split.poor, dropped);
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
