//! What solving takes in memory, known as far as it can be before anything is done.

use super::bits::ReachedLayer;
use crate::games::kalah::Rules;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::Split;

/// How many positions the dense sweep solves while the sparse one solves one.
const DENSE_GAIN: u128 = 40;

/// What the program takes beside what grows with the game, in bytes; measured, with some room, on
/// tables being written by 1 to 8 threads.
const PROGRAM: u64 = 14 << 20;

/// What each thread adds to that.
const THREAD: u64 = 6 << 20;

/// What the tables of [`super::steps::Steps`] take, in bytes.
#[must_use]
pub fn of_steps(arrangements: &Arrangements) -> u64 {
    let (pits, total) = (arrangements.pits() as u64, arrangements.max_seeds() as u64);
    (0..=total / 2)
        .map(|poor| {
            // Of each arrangement: where it is after each possible number of seeds was dropped on
            // it, twice 8 bytes for the capture of each pit after 0 and 1 rounds, and 28 for each
            // move.
            let dropped = (total - poor) / 2 + 1;
            let each = 4 * dropped + 32 * pits + 28 * pits;
            each.saturating_mul(arrangements.count(poor as usize) as u64)
        })
        .fold(0, u64::saturating_add)
}

/// The parts that a layer may take, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerMemory {
    /// A byte for each position, reachable or not.
    pub slots: u128,
    /// A bit for each.
    pub bits: u128,
    /// Beside a byte for each reachable position: where the codes of each row start.
    pub starts: u128,
    /// The bytes of the even split.
    even_slots: u128,
    /// Its bits and starts.
    even_rest: u128,
}

impl LayerMemory {
    /// The parts of the layer with so many seeds.
    #[must_use]
    pub fn new(arrangements: &Arrangements, seeds: usize) -> LayerMemory {
        let mut memory = LayerMemory {
            slots: 0,
            bits: 0,
            starts: 0,
            even_slots: 0,
            even_rest: 0,
        };
        for split in Split::of_layer(seeds) {
            let rows = arrangements.count(split.rich) as u128;
            let columns = arrangements.count(split.poor) as u128;
            let bits = rows * 8 * columns.div_ceil(64);
            let matrices = if split.is_even() {
                memory.even_slots = rows * columns;
                memory.even_rest = bits + 8 * rows;
                1
            } else {
                2
            };
            memory.slots += matrices * rows * columns;
            memory.bits += matrices * bits;
            memory.starts += matrices * 8 * (rows + 1);
        }
        memory
    }

    /// The parts of all layers of up to so many seeds.
    #[must_use]
    pub fn of_all(arrangements: &Arrangements) -> Vec<LayerMemory> {
        (0..=arrangements.max_seeds())
            .map(|seeds| LayerMemory::new(arrangements, seeds))
            .collect()
    }

    /// What its codes take, and what solving it takes beside them for a while: both sides to move
    /// of the even split.
    fn codes(&self, reached: u64, dense: bool) -> (u128, u128) {
        if dense {
            (self.slots, self.even_slots)
        } else {
            let reached = u128::from(reached);
            let beside = self.even_rest + self.even_slots.min(reached);
            (reached + self.starts, beside)
        }
    }
}

/// About the least share of a layer's positions that can be reached, given how many seeds have left
/// the board.
///
/// In multiples of the seeds per pit, that is much the same for all starts. Kalah(6,2) and Kalah(6,3)
/// have 0.43 and 0.44 at 2 of them, 0.88 and 0.87 at 3, 0.96 and 0.94 at 4; below 2, Kalah(6,2) has
/// 0.09 at 1.5, and Kalah(6,3) 0.15 at 5/3 and 0.02 at 4/3. Boards with fewer pits and empty
/// captures have as little as 0.12, 0.68 and 0.89.
fn least_share(rules: Rules, gone: usize) -> f64 {
    // Multiples and shares; in between along straight lines.
    let points: &[(f64, f64)] = if rules.pits == 6 && !rules.empty_capture {
        &[
            (1.3, 0.0),
            (1.5, 0.03),
            (1.7, 0.14),
            (2.0, 0.42),
            (2.5, 0.72),
            (3.0, 0.86),
            (4.0, 0.93),
        ]
    } else {
        &[(1.9, 0.0), (2.0, 0.1), (3.0, 0.6), (4.0, 0.85)]
    };
    between(points, gone as f64 / rules.seeds as f64)
}

/// About the least share of the pages with a layer's bits that are touched: where few positions can
/// be reached, whole pages stay blank. Kalah(6,3) has 0.04 at two thirds of the seeds a pit, 0.19
/// at 1, 0.47 and 0.72 after each third more, 0.90 at 2; larger boards have less at first.
fn least_share_of_bits(rules: Rules, gone: usize) -> f64 {
    let points: &[(f64, f64)] = if rules.pits == 6 && !rules.empty_capture {
        &[
            (0.5, 0.0),
            (0.67, 0.03),
            (1.0, 0.18),
            (1.33, 0.46),
            (1.67, 0.71),
            (2.0, 0.89),
            (3.0, 0.98),
        ]
    } else {
        &[(1.9, 0.0), (2.0, 0.8), (3.0, 0.98)]
    };
    between(points, gone as f64 / rules.seeds as f64)
}

/// What lies on straight lines between points; 0 before the first, and the last after it.
fn between(points: &[(f64, f64)], at: f64) -> f64 {
    let Some(above) = points.iter().position(|point| point.0 > at) else {
        return points[points.len() - 1].1;
    };
    let Some(before) = above.checked_sub(1) else {
        return 0.0;
    };
    let ((from, low), (to, high)) = (points[before], points[above]);
    low + (high - low) * (at - from) / (to - from)
}

/// About the least that the bits of all layers take, in bytes, if the positions are those that can
/// be reached from the start.
#[must_use]
pub fn least_bits(layers: &[LayerMemory], rules: Rules) -> u64 {
    let total = layers.len() - 1;
    let layers = layers.iter().enumerate();
    layers
        .map(|(seeds, layer)| {
            (layer.bits as f64 * least_share_of_bits(rules, total - seeds)) as u64
        })
        .sum()
}

/// About the least number of positions of each layer that can be reached from the start.
#[must_use]
pub fn least_reached(layers: &[LayerMemory], rules: Rules) -> Vec<u64> {
    let total = layers.len() - 1;
    layers
        .iter()
        .enumerate()
        .map(|(seeds, layer)| (layer.slots as f64 * least_share(rules, total - seeds)) as u64)
        .collect()
}

/// What the bits of a layer take, in bytes: memory is given out by pages, when they are first
/// touched.
#[must_use]
pub fn of_bits(reached: &ReachedLayer) -> u64 {
    /// Words of 8 bytes.
    const PAGE: usize = 4096 / 8;
    let matrices = reached.splits.iter().flat_map(|split| split.bits.both());
    let pages = matrices.map(|matrix| {
        let touched = matrix.pages(PAGE);
        // The array may begin anywhere in its first page.
        touched + usize::from(touched > 0)
    });
    8 * (PAGE * pages.sum::<usize>()) as u64
}

/// How the codes are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SweepPlan {
    /// The layers of up to so many seeds have a code for each position, the others for each
    /// reachable one.
    pub dense_up_to: usize,
    /// What all takes at most, in bytes.
    pub bytes: u64,
}

/// The quickest plan within the memory if there is one, or else the one that takes the least;
/// `fixed` bytes are taken by all else.
///
/// # Errors
/// The plan that takes the least, if even that takes more than `memory`.
pub fn plan(
    layers: &[LayerMemory],
    reached: &[u64],
    fixed: u64,
    memory: u64,
) -> Result<SweepPlan, SweepPlan> {
    let plans = (0..layers.len()).map(|dense_up_to| {
        let (mut all, mut peak, mut cost) = (0, 0, 0);
        for (seeds, (layer, &reached)) in layers.iter().zip(reached).enumerate() {
            let dense = seeds <= dense_up_to;
            let (codes, beside) = layer.codes(reached, dense);
            all += codes;
            peak = u128::max(peak, all + beside);
            cost += if dense {
                layer.slots
            } else {
                u128::from(reached) * DENSE_GAIN
            };
        }
        let bytes = u64::try_from(peak).unwrap_or(u64::MAX);
        let plan = SweepPlan {
            dense_up_to,
            bytes: bytes.saturating_add(fixed),
        };
        (cost, plan)
    });
    let plans: Vec<(u128, SweepPlan)> = plans.collect();
    let within = plans.iter().filter(|(_, plan)| plan.bytes <= memory);
    match within.min_by_key(|(cost, _)| *cost) {
        Some(&(_, plan)) => Ok(plan),
        None => Err(plans
            .into_iter()
            .map(|(_, plan)| plan)
            .min_by_key(|plan| plan.bytes)
            .expect("there is a layer without seeds")),
    }
}

/// What all but bits and codes takes, in bytes.
#[must_use]
pub fn fixed(arrangements: &Arrangements, threads: usize) -> u64 {
    (PROGRAM + THREAD * threads as u64).saturating_add(of_steps(arrangements))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::NoProgress;
    use crate::games::kalah::retro::dense;
    use crate::games::kalah::retro::steps::Steps;
    use std::sync::Arc;

    #[test]
    fn the_parts_are_what_they_are_said_to_be() {
        let arrangements = Arc::new(Arrangements::new(4, 13));
        let steps = Steps::new(Arc::clone(&arrangements), false);
        let mut below = Vec::new();
        for (seeds, memory) in LayerMemory::of_all(&arrangements).into_iter().enumerate() {
            let layer = dense::solve_layer(&steps, &below, seeds, &NoProgress).unwrap();
            let planes = layer.splits.iter().flat_map(|split| split.codes.both());
            let codes: usize = planes.map(|plane| plane.len()).sum();
            assert_eq!(memory.slots, codes as u128);
            below.push(layer);
            let full = ReachedLayer::full(&arrangements, seeds);
            let matrices: Vec<_> = full
                .splits
                .iter()
                .flat_map(|split| split.bits.both())
                .collect();
            let words: usize = matrices.iter().map(|matrix| matrix.words().len()).sum();
            assert_eq!(memory.bits, 8 * words as u128);
            assert!(of_bits(&full) >= 8 * words as u64);
            assert_eq!(of_bits(&ReachedLayer::new(&arrangements, seeds)), 0);
            let rows: usize = matrices.iter().map(|matrix| matrix.rows() + 1).sum();
            // Even splits have a second matrix without rows.
            let starts = 8 * (rows - usize::from(seeds > 0 && seeds % 2 == 0)) as u128;
            assert_eq!(memory.starts, starts, "{seeds}");
        }
    }

    #[test]
    fn the_quickest_plan_that_fits_is_taken() {
        let arrangements = Arrangements::new(4, 16);
        let layers = LayerMemory::of_all(&arrangements);
        let slots = |up_to: usize| -> u64 {
            let slots = layers[..=up_to].iter().map(|layer| layer.slots as u64);
            slots.sum()
        };
        // The upper half is all but unreachable.
        let reached: Vec<u64> = (0..)
            .zip(&layers)
            .map(|(seeds, layer)| layer.slots as u64 / if seeds > 8 { 1000 } else { 1 })
            .collect();
        let roomy = plan(&layers, &reached, 0, u64::MAX).unwrap();
        assert_eq!(roomy.dense_up_to, 8);
        let tight = plan(&layers, &reached, 5, roomy.bytes + 5).unwrap();
        assert_eq!(tight.bytes, roomy.bytes + 5);
        let least = plan(&layers, &reached, 5, 0).unwrap_err();
        assert!(least.bytes > reached.iter().sum());
        assert_eq!(plan(&layers, &reached, 5, least.bytes), Ok(least));
        assert_eq!(plan(&layers, &reached, 5, least.bytes - 1), Err(least));
        // If all can be reached, a byte per slot is the least, and the quickest.
        let all: Vec<u64> = layers.iter().map(|layer| layer.slots as u64).collect();
        let full = plan(&layers, &all, 0, u64::MAX).unwrap();
        assert_eq!(full.dense_up_to, 16);
        assert!(full.bytes >= slots(16));
        assert_eq!(plan(&layers, &all, 0, 0), Err(full));
    }
}
