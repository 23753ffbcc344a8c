//! Memory, disk space and time of solving, for each choice of the layers' forms.
//!
//! Before a game is solved, a model estimates its reachable positions. The share of a layer's
//! positions that are reachable is nearly a function of one variable: how many seeds have left the
//! board, in multiples of the seeds per pit. Kalah(6,2) and Kalah(6,3) have shares of 0.43 and 0.44
//! at 2, 0.88 and 0.87 at 3, and 0.96 and 0.94 at 4. So the shares in solved games predict those in
//! larger ones.

use super::bits::ReachedLayer;
use super::matrix::Form;
use crate::game::{Forecast, SolveOptions};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::Split;
use crate::games::kalah::{Kalah, Rules};

/// Memory of the program in bytes, apart from what grows with the game.
///
/// Measured with some margin while 1 to 8 threads wrote tables. Half of it is code; a debug build
/// has more code.
const PROGRAM: u64 = if cfg!(debug_assertions) { 36 } else { 18 } << 20;

/// Additional memory per thread, in bytes.
const THREAD: u64 = 6 << 20;

/// Returns the size of the tables of [`super::moves::Steps`], in bytes.
pub fn of_steps(arrangements: &Arrangements) -> u64 {
    let (pits, total) = (arrangements.pits() as u64, arrangements.max_seeds() as u64);
    (0..=total / 2)
        .map(|smaller| {
            // Per arrangement: 4 bytes for each possible number of seeds dropped on it, twice 16
            // bytes per pit for its capture after 0 and 1 rounds, and 28 bytes per move.
            let dropped = (total - smaller) / 2 + 1;
            let each = 4 * dropped + 32 * pits + 28 * pits;
            each.saturating_mul(arrangements.count(smaller as usize) as u64)
        })
        .fold(0, u64::saturating_add)
}

/// Memory that each thread retains from freed splits, in bytes.
///
/// The allocator doesn't return blocks of medium size to the system at once.
const LINGERING: u128 = 6 << 20;

/// The sizes of a layer's parts, in bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct LayerMemory {
    /// One byte per position, reachable or not.
    pub slots: u128,
    /// One bit per position.
    pub bits: u128,
    /// The least memory of these bits if only some of them are set.
    pub ends: u64,
    /// Index of each row's first code, needed with one byte per reachable position.
    pub starts: u128,
    /// Four bits per position, with each row's header and its exceptions.
    pub packed: u128,
    /// The part of `packed` in small matrices, which are never in files.
    small: u128,
    /// One byte per position of the largest split, with either side to move.
    pub(super) largest: u128,
    /// One byte per position of the even split.
    even_slots: u128,
    /// Bits and starts of the even split.
    even_rest: u128,
}

impl LayerMemory {
    /// Returns the sizes for the layer with this number of seeds.
    pub fn new(arrangements: &Arrangements, seeds: usize) -> LayerMemory {
        let mut memory = LayerMemory::default();
        for split in Split::of_layer(seeds) {
            let rows = arrangements.count(split.larger) as u128;
            let columns = arrangements.count(split.smaller) as u128;
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
            // Count the first and the last page of each matrix.
            memory.ends += 2 * 4096 * matrices as u64;
            // With 31 seeds on the board, one code in fifty is too far from the others of its row
            // to fit in four bits. Such a code takes four bytes.
            let row = columns.div_ceil(2) + columns / 8 + 5;
            memory.packed += matrices * rows * row;
            // Small matrices stay in memory.
            memory.small += matrices * (rows * row).min(1 << 12);
            memory.largest = memory.largest.max(2 * rows * columns);
        }
        memory
    }

    /// Returns the sizes for all layers up to the numbering's seeds.
    pub fn of_all(arrangements: &Arrangements) -> Vec<LayerMemory> {
        (0..=arrangements.max_seeds())
            .map(|seeds| LayerMemory::new(arrangements, seeds))
            .collect()
    }

    /// Returns the memory of the layer's codes, and temporary memory for solving it.
    pub(super) fn codes(
        &self,
        reached: u64,
        form: Form,
        in_files: bool,
        threads: usize,
    ) -> (u128, u128) {
        let reached = u128::from(reached);
        // If codes are converted, each thread holds an unconverted split.
        let threads = threads as u128;
        let in_work = (self.largest * threads).min(self.slots + self.even_slots)
            + (LINGERING * threads).min(self.slots);
        match form {
            // The even split is solved with both sides to move.
            Form::Bytes => (self.slots, self.even_slots),
            // Codes on their way to a file are in memory twice.
            Form::Packed if in_files => (self.small, in_work + in_work * 5 / 8),
            Form::Picked if in_files => (self.starts, in_work + in_work.min(reached)),
            Form::Packed => (self.packed, in_work),
            Form::Picked => (reached + self.starts, in_work),
            Form::Sparse => {
                let beside = self.even_rest + self.even_slots.min(reached);
                (reached + self.starts, beside)
            }
        }
    }
}

/// Returns the memory of a layer's bits, in bytes.
pub fn of_bits(reached: &ReachedLayer) -> u64 {
    let matrices = reached.splits.iter().flat_map(|split| split.bits.both());
    matrices.map(|bits| bits.memory()).sum()
}

/// Returns the memory of everything but bits and codes, in bytes.
pub fn fixed(arrangements: &Arrangements, threads: usize) -> u64 {
    (PROGRAM + THREAD * threads as u64).saturating_add(of_steps(arrangements))
}

/// Returns `bytes`, or `u64::MAX` if it is larger.
pub(super) fn saturate(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The forms in which the layers are solved and saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// Whether codes of all positions are saved in four bits each instead of a byte.
    pub packed: bool,
    /// The most seeds of layers whose codes are all saved.
    ///
    /// In other layers, only reachable positions are saved.
    pub saved_up_to: usize,
    /// The most seeds of layers in which all positions are solved.
    ///
    /// At least `saved_up_to`. In layers with more seeds, only the reachable positions are solved.
    pub dense_up_to: usize,
    /// Whether large matrices, if packed or picked, are in files.
    pub in_files: bool,
}

impl Forms {
    pub(super) fn of(self, seeds: usize) -> Form {
        if seeds <= self.saved_up_to {
            match self.packed {
                true => Form::Packed,
                false => Form::Bytes,
            }
        } else if seeds <= self.dense_up_to {
            Form::Picked
        } else {
            Form::Sparse
        }
    }
}

/// A plan for solving a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RetroPlan {
    /// The layers' forms.
    pub forms: Forms,
    /// The cost, in positions solved and saved as [`Form::Bytes`].
    pub cost: f64,
    /// Memory in bytes, at most.
    pub bytes: u64,
    /// Disk space in bytes, at most.
    pub files: u64,
}

/// The known or expected sizes of a game to be solved.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The sizes of each layer's parts, by seeds on the board.
    pub layers: Vec<LayerMemory>,
    /// Number of reachable positions in each layer.
    pub reached: Vec<u64>,
    /// Memory of each layer's bits, in bytes.
    pub bits: Vec<u64>,
    /// Whether a solved layer's bits are freed if all of its codes are saved.
    pub frees_bits: bool,
    /// Memory of everything but codes and bits, in bytes.
    pub fixed: u64,
    /// Whether codes can be in files.
    pub has_files: bool,
    /// Number of threads.
    pub threads: usize,
    /// Number of other processes that send splits of a layer.
    pub others: usize,
}

impl Needs {
    /// Returns the needs of a single process with files, which writes solved layers.
    pub fn new(
        arrangements: &Arrangements,
        threads: usize,
        reached: Vec<u64>,
        bits: Vec<u64>,
    ) -> Needs {
        Needs {
            layers: LayerMemory::of_all(arrangements),
            reached,
            bits,
            frees_bits: true,
            fixed: fixed(arrangements, threads),
            has_files: true,
            threads,
            others: 0,
        }
    }

    /// Returns the fastest plan within the memory.
    ///
    /// # Errors
    /// The plan with the least memory, if even that needs more than `memory`.
    pub fn plan(&self, memory: u64) -> Result<RetroPlan, RetroPlan> {
        let within = self.plans().filter(|plan| plan.bytes <= memory);
        let quickest = within.min_by(|a, b| a.cost.total_cmp(&b.cost));
        quickest.ok_or_else(|| self.least())
    }

    /// Returns the plan with the least memory.
    pub fn least(&self) -> RetroPlan {
        let least = self.plans().min_by_key(|plan| plan.bytes);
        least.expect("there is a layer without seeds")
    }

    /// Returns all plans.
    fn plans(&self) -> impl Iterator<Item = RetroPlan> {
        let most = self.layers.len() - 1;
        let kinds = [(false, false), (true, false), (true, true)];
        kinds
            .into_iter()
            .filter(|&(_, in_files)| self.has_files || !in_files)
            .flat_map(move |kind| (0..=most).map(move |saved_up_to| (kind, saved_up_to)))
            .flat_map(move |((packed, in_files), saved_up_to)| {
                (saved_up_to..=most).map(move |dense_up_to| Forms {
                    packed,
                    saved_up_to,
                    dense_up_to,
                    in_files,
                })
            })
            .map(|forms| self.of(forms))
    }

    /// Returns the plan with these forms.
    pub fn of(&self, forms: Forms) -> RetroPlan {
        // Go through the layers as they are solved, to find the peak of the memory.
        let (mut peak, mut files, mut freed, mut cost) = (0, 0, 0u128, 0.0);
        let mut all: u128 = self.bits.iter().copied().map(u128::from).sum();
        for (seeds, (layer, &reached)) in self.layers.iter().zip(&self.reached).enumerate() {
            let form = forms.of(seeds);
            let (codes, beside) = layer.codes(reached, form, forms.in_files, self.threads);
            // After solving its own splits, a process receives those of the others, one from each
            // at a time.
            let coming = layer.largest / 2 * 5 / 4 * self.others as u128;
            let coming = coming.min(match form {
                Form::Bytes | Form::Packed => layer.slots,
                Form::Picked | Form::Sparse => u128::from(reached) + layer.starts,
            });
            let beside = match forms.in_files {
                true => beside.max(coming),
                false => beside,
            };
            all += codes;
            if forms.in_files {
                files += match form {
                    Form::Packed => layer.packed,
                    Form::Picked => u128::from(reached),
                    Form::Bytes | Form::Sparse => 0,
                };
            }
            // The peak: all codes and bits, temporary memory, less the bits freed by now.
            let read = READ.min(files);
            peak = u128::max(peak, all + read + beside - freed.saturating_sub(FREED_LATE));
            // A layer may be written only together with the next one, so its bits are freed one
            // layer later.
            if self.frees_bits && (1..=forms.saved_up_to).contains(&seeds) {
                freed += u128::from(self.bits[seeds - 1]);
            }
            cost += match form {
                Form::Bytes => layer.slots as f64,
                Form::Packed => layer.slots as f64 * PACKED_COST,
                Form::Picked => layer.slots as f64 * PICKED_COST,
                Form::Sparse => reached as f64 * SPARSE_COST,
            } * if forms.in_files { FILES_COST } else { 1.0 };
        }
        if forms.in_files {
            // Measured with Kalah(6,3): 5% more memory than counted here.
            peak += peak / 16;
        }
        RetroPlan {
            forms,
            cost,
            bytes: saturate(peak).saturating_add(self.fixed),
            files: saturate(files),
        }
    }
}

/// Cost of a position solved densely and packed, compared with [`Form::Bytes`].
const PACKED_COST: f64 = 1.5;

/// Cost of a position solved densely if only reachable ones are saved.
const PICKED_COST: f64 = 2.5;

/// Cost of a reachable position that is solved by itself.
const SPARSE_COST: f64 = 40.0;

/// Memory taken by file contents while they are read, in bytes.
const READ: u128 = 64 << 20;

/// Factor of the cost if codes are in files.
const FILES_COST: f64 = 2.0;

/// Memory of freed bits that is still taken, in bytes.
///
/// Small layers are written late, and the allocator doesn't return blocks of medium size to the
/// system at once.
pub(super) const FREED_LATE: u128 = 8 << 20;

/// A piecewise linear function, given by its values at `from`, `from + step`, ….
///
/// It is 0 before the first point and 1 after the last.
struct Curve {
    from: f64,
    step: f64,
    values: &'static [f64],
}

impl Curve {
    fn at(&self, place: f64) -> f64 {
        let steps = (place - self.from) / self.step;
        if steps < 0.0 {
            return 0.0;
        }
        let value = |index: usize| self.values.get(index).copied().unwrap_or(1.0);
        let (low, high) = (value(steps as usize), value(steps as usize + 1));
        low + (high - low) * steps.fract()
    }
}

/// Shares of reachable positions in Kalah(6,3).
const SIX: Curve = Curve {
    from: 1.0,
    step: 1.0 / 3.0,
    values: &[
        0.001, 0.018, 0.145, 0.44, 0.693, 0.817, 0.874, 0.906, 0.924, 0.941, 0.951, 0.96, 0.97,
        0.976, 0.981, 0.987,
    ],
};

/// Shares of reachable positions in Kalah(6,2) with empty captures.
const SIX_EMPTY: Curve = Curve {
    from: 1.0,
    step: 0.5,
    values: &[
        0.001, 0.019, 0.176, 0.524, 0.767, 0.876, 0.923, 0.941, 0.958, 0.966, 0.974,
    ],
};

/// Shares of reachable positions in Kalah(5,4).
const FIVE: Curve = Curve {
    from: 1.0,
    step: 0.25,
    values: &[
        0.0, 0.001, 0.01, 0.07, 0.245, 0.486, 0.665, 0.773, 0.842, 0.883, 0.924, 0.945, 0.965,
        0.973, 0.98, 0.988, 0.996,
    ],
};

/// Shares of reachable positions in Kalah(4,4).
const FOUR: Curve = Curve {
    from: 1.25,
    step: 0.25,
    values: &[
        0.001, 0.006, 0.037, 0.138, 0.331, 0.548, 0.703, 0.805, 0.864, 0.923, 0.949, 0.975, 0.981,
        0.987, 0.993, 0.999,
    ],
};

/// Returns the expected share of reachable positions, and their bits in a table.
///
/// The bits are those per reachable position.
fn shares(rules: Rules) -> (Curve, f64) {
    match (rules.pits, rules.empty_capture) {
        (6.., false) => (SIX, 2.07),
        (6.., true) => (SIX_EMPTY, 2.2),
        (5, _) => (FIVE, 2.38),
        (..=4, _) => (FOUR, 3.0),
    }
}

/// Returns the largest expected share of a layer's pages of bits that are written.
///
/// Where few positions are reachable, whole pages stay blank. In larger games, rows are longer and
/// more pages stay blank. The shares are those of Kalah(6,3), of Kalah(6,2), and of Kalah(5,3) and
/// Kalah(4,5). After the last value, pages are large ([`super::reach::blank`]) and hardly any of
/// them stay blank.
fn share_of_bits(rules: Rules) -> Curve {
    let (step, values): (f64, &[f64]) = match (rules.pits, rules.seeds) {
        (6.., 3..) => (1.0 / 3.0, &[0.0, 0.01, 0.05, 0.2, 0.48, 0.73]),
        (6.., _) => (0.5, &[0.01, 0.17, 0.5, 0.79]),
        _ => (1.0 / 3.0, &[0.01, 0.03, 0.14, 0.45, 0.8]),
    };
    Curve {
        from: 0.0,
        step,
        values,
    }
}

/// Nanoseconds to find and write a class of Kalah(6,3).
///
/// Measured on one core of an Intel Xeon of 2024.
const FIND_AND_WRITE: f64 = 18.5 + 16.8;
/// Nanoseconds per unit of the cost of solving, for Kalah(6,3) on the same core.
const SOLVE: f64 = 8.3;

/// Estimates the number of reachable positions of each layer.
///
/// The result is `times` the model's estimate, but at most the number of slots.
pub fn expected(layers: &[LayerMemory], rules: Rules, times: f64) -> Vec<u64> {
    let (share, _) = shares(rules);
    let of_layer = |gone: f64, layer: &LayerMemory| {
        (layer.slots as f64 * share.at(gone) * times).min(layer.slots as f64) as u64
    };
    by_gone(layers, rules, of_layer)
}

/// Estimates the most memory that the bits of each layer take, in bytes.
///
/// The positions are those reachable from the start.
pub fn most_bits(layers: &[LayerMemory], rules: Rules) -> Vec<u64> {
    let share = share_of_bits(rules);
    let of_layer = |gone: f64, layer: &LayerMemory| {
        ((layer.bits as f64 * share.at(gone)) as u64).saturating_add(layer.ends)
    };
    by_gone(layers, rules, of_layer)
}

/// Applies `of_layer` to each layer and the seeds that have left the board.
///
/// The seeds are in multiples of the seeds per pit.
fn by_gone(
    layers: &[LayerMemory],
    rules: Rules,
    of_layer: impl Fn(f64, &LayerMemory) -> u64,
) -> Vec<u64> {
    let gone = (0..layers.len()).rev();
    gone.map(|gone| gone as f64 / rules.seeds as f64)
        .zip(layers)
        .map(|(gone, layer)| of_layer(gone, layer))
        .collect()
}

/// Factor by which the model may be too low, from its errors in solved games.
const AT_MOST: f64 = 1.1;

/// Returns the most that solving a game is expected to need.
pub fn needs(game: &Kalah, threads: usize) -> Needs {
    let arrangements = Arrangements::new(game.pits(), game.total_seeds());
    let layers = LayerMemory::of_all(&arrangements);
    let rules = game.parameters();
    let all =
        |of: fn(&LayerMemory) -> u128| layers.iter().map(|layer| saturate(of(layer))).collect();
    let (reached, bits) = match game.up_to() {
        Some(_) => (all(|layer| layer.slots), all(|layer| layer.bits)),
        None => (expected(&layers, rules, AT_MOST), most_bits(&layers, rules)),
    };
    Needs::new(&arrangements, threads, reached, bits)
}

/// Estimates the cost of solving a game from its start.
pub fn forecast(game: &Kalah, options: SolveOptions) -> Forecast {
    let needs = needs(game, options.threads);
    let (Ok(plan) | Err(plan)) = needs.plan(options.memory);
    let rules = game.parameters();
    let positions: u64 = expected(&needs.layers, rules, 1.0).iter().sum();
    let nanoseconds = positions as f64 * FIND_AND_WRITE + plan.cost * SOLVE;
    Forecast {
        classes: positions,
        memory_bytes: plan.bytes,
        files_bytes: plan.files,
        table_bytes: (positions as f64 * shares(rules).1 / 8.0) as u64,
        seconds: nanoseconds / 1e9 / options.threads as f64,
    }
}

#[cfg(test)]
mod tests;
