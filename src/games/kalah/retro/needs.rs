//! Memory, files and time of solving, for each choice of the layers' forms.

use super::memory::{self, Form, LayerMemory, saturate};
use crate::games::kalah::index::Arrangements;

/// The forms in which the layers are solved and saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// Whether codes of all positions are saved in four bits each instead of a byte.
    pub packed: bool,
    /// The most seeds of layers whose codes are all saved.
    ///
    /// In other layers, only reachable positions are saved.
    pub kept_up_to: usize,
    /// The most seeds of layers in which all positions are solved.
    ///
    /// At least `kept_up_to`. In layers with more seeds, only the reachable positions are solved.
    pub dense_up_to: usize,
    /// Whether large matrices, if packed or picked, are in files.
    pub in_files: bool,
}

impl Forms {
    pub(super) fn of(self, seeds: usize) -> Form {
        if seeds <= self.kept_up_to {
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
            fixed: memory::fixed(arrangements, threads),
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
            .flat_map(move |kind| (0..=most).map(move |kept_up_to| (kind, kept_up_to)))
            .flat_map(move |((packed, in_files), kept_up_to)| {
                (kept_up_to..=most).map(move |dense_up_to| Forms {
                    packed,
                    kept_up_to,
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
            if self.frees_bits && (1..=forms.kept_up_to).contains(&seeds) {
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
