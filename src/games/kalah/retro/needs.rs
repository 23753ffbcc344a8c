//! What a sweep needs, by the forms in which layers are kept.

use super::memory::{self, Form, LayerMemory, saturate};
use crate::games::kalah::index::Arrangements;

/// How the layers are solved, and what is kept of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// Whether the codes that are kept of all positions take four bits each and not a byte.
    pub packed: bool,
    /// In layers of up to so many seeds codes are kept of all positions, in others of the reachable
    /// ones.
    pub kept_up_to: usize,
    /// In layers of up to so many seeds all positions are solved, in others the reachable ones.
    /// Never fewer than `kept_up_to`.
    pub dense_up_to: usize,
    /// Whether large codes that are kept packed, or picked out, are in files and not in memory.
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

/// How to go about a sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepPlan {
    /// How the layers are solved and kept.
    pub forms: Forms,
    /// What it costs, against positions that are solved and kept as [`Form::Bytes`].
    pub cost: f64,
    /// What all takes at most, in bytes.
    pub bytes: u64,
    /// What is in files at most, in bytes.
    pub files: u64,
}

/// What a sweep is known or expected to take.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The parts of each layer, by seeds on the board.
    pub layers: Vec<LayerMemory>,
    /// How many positions of each can be reached.
    pub reached: Vec<u64>,
    /// What the bits of each take, in bytes.
    pub bits: Vec<u64>,
    /// Whether bits go when their layer is solved and codes are kept of all of its positions.
    pub frees_bits: bool,
    /// What is taken by all but codes and bits, in bytes.
    pub fixed: u64,
    /// Whether codes can be in files.
    pub has_files: bool,
    /// How many threads solve.
    pub threads: usize,
    /// How many other processes a layer's splits come from.
    pub others: usize,
}

impl Needs {
    /// What one process needs that gives each layer to a journal and may use files.
    #[must_use]
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

    /// The quickest plan within the memory if there is one, or else the one that takes the least.
    ///
    /// # Errors
    /// The plan that takes the least, if even that takes more than `memory`.
    pub fn plan(&self, memory: u64) -> Result<SweepPlan, SweepPlan> {
        let within = self.plans().filter(|plan| plan.bytes <= memory);
        let quickest = within.min_by(|a, b| a.cost.total_cmp(&b.cost));
        quickest.ok_or_else(|| self.least())
    }

    /// The plan that takes the least memory.
    #[must_use]
    pub fn least(&self) -> SweepPlan {
        let least = self.plans().min_by_key(|plan| plan.bytes);
        least.expect("there is a layer without seeds")
    }

    /// All plans.
    fn plans(&self) -> impl Iterator<Item = SweepPlan> {
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

    /// The plan with these forms.
    #[must_use]
    pub fn of(&self, forms: Forms) -> SweepPlan {
        let (mut peak, mut files, mut freed, mut cost) = (0, 0, 0u128, 0.0);
        let mut all: u128 = self.bits.iter().copied().map(u128::from).sum();
        for (seeds, (layer, &reached)) in self.layers.iter().zip(&self.reached).enumerate() {
            let form = forms.of(seeds);
            let (codes, beside) = layer.codes(reached, form, forms.in_files, self.threads);
            // When its own are solved, those of others come, one from each at a time.
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
            let read = READ.min(files);
            peak = u128::max(peak, all + read + beside - freed.saturating_sub(FREED_LATE));
            // A layer may be written with the next one.
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
            // Measured with Kalah(6,3): a twentieth more than is counted here.
            peak += peak / 16;
        }
        SweepPlan {
            forms,
            cost,
            bytes: saturate(peak).saturating_add(self.fixed),
            files: saturate(files),
        }
    }
}

/// What a position costs, against one of a layer that is solved densely and kept in bytes: of one
/// that is packed then, of one of which only the reachable ones are kept, and of a reachable one
/// that is solved by itself.
const PACKED_COST: f64 = 1.5;

const PICKED_COST: f64 = 2.5;

const SPARSE_COST: f64 = 40.0;

/// So many bytes of what is in files are in memory at least while it is read.
const READ: u128 = 64 << 20;

/// With files all of it costs so many times as much.
const FILES_COST: f64 = 2.0;

/// So much of the bits that are not needed any more is still taken: layers are written late if they
/// are small, and memory of middle size doesn't go back to the system at once.
pub(super) const FREED_LATE: u128 = 8 << 20;
