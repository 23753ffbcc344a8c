//! Memory needed for solving, as far as it is known in advance.

use super::bits::ReachedLayer;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::Split;

/// Memory of the program in bytes, apart from what grows with the game.
///
/// Measured with some margin while 1 to 8 threads wrote tables. Half of it is code; a debug build
/// has more code.
const PROGRAM: u64 = if cfg!(debug_assertions) { 36 } else { 18 } << 20;

/// Additional memory per thread, in bytes.
const THREAD: u64 = 6 << 20;

/// Returns the size of the tables of [`super::steps::Steps`], in bytes.
pub fn of_steps(arrangements: &Arrangements) -> u64 {
    let (pits, total) = (arrangements.pits() as u64, arrangements.max_seeds() as u64);
    (0..=total / 2)
        .map(|poor| {
            // Per arrangement: 4 bytes for each possible number of seeds dropped on it, twice 16
            // bytes per pit for its capture after 0 and 1 rounds, and 28 bytes per move.
            let dropped = (total - poor) / 2 + 1;
            let each = 4 * dropped + 32 * pits + 28 * pits;
            each.saturating_mul(arrangements.count(poor as usize) as u64)
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

/// The form in which a layer is solved and saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// All positions are solved and saved, one byte each.
    Bytes,
    /// All positions are solved and saved, four bits each.
    Packed,
    /// All positions are solved; only the reachable ones are saved.
    Picked,
    /// Only the reachable positions are solved and saved.
    Sparse,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{NoProgress, SolveError};
    use crate::games::kalah::Rules;
    use crate::games::kalah::index::layout::ByMover;
    use crate::games::kalah::retro::bits::BitMatrix;
    use crate::games::kalah::retro::dense::{self, Known};
    use crate::games::kalah::retro::forecast::{expected, most_bits};
    use crate::games::kalah::retro::layers::Layers;
    use crate::games::kalah::retro::matrix::Keeping;
    use crate::games::kalah::retro::needs::{FREED_LATE, Forms, Needs};
    use crate::games::kalah::retro::steps::Steps;
    use crate::games::pages::Pages;
    use std::sync::Arc;

    #[test]
    fn the_parts_are_what_they_are_said_to_be() {
        let arrangements = Arc::new(Arrangements::new(4, 13));
        let steps = Steps::new(Arc::clone(&arrangements), false);
        let mut layers = Layers::default();
        let keeping = Keeping {
            arrangements: &arrangements,
            form: Form::Bytes,
            reached: &[],
            store: None,
        };
        for (seeds, memory) in LayerMemory::of_all(&arrangements).into_iter().enumerate() {
            let splits: Vec<Split> = Split::of_layer(seeds).collect();
            let none = |_| Ok::<_, SolveError>(Known::default());
            let keep = |split, solved| keeping.keep(split, solved);
            let layer = dense::solve_splits(&steps, &layers, &splits, &NoProgress, none, keep);
            let layer = layer.unwrap();
            let matrices = layer.iter().flat_map(ByMover::both);
            let codes: usize = matrices.map(|matrix| matrix.bytes().len()).sum();
            assert_eq!(memory.slots, codes as u128);
            layers.layers.push(layer);
            let full = ReachedLayer::of(&arrangements, seeds, BitMatrix::full).unwrap();
            let matrices: Vec<_> = full
                .splits
                .iter()
                .flat_map(|split| split.bits.both())
                .collect();
            let words: usize = matrices.iter().map(|matrix| matrix.words().len()).sum();
            assert_eq!(memory.bits, 8 * words as u128);
            assert!(of_bits(&full) >= 8 * words as u64);
            let zeros = |rows, columns| BitMatrix::new(rows, columns, Pages::Small);
            let blank = ReachedLayer::of(&arrangements, seeds, zeros).unwrap();
            assert_eq!(of_bits(&blank), 0);
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
        // Hardly any position of the upper half is reachable.
        let reached: Vec<u64> = (0..)
            .zip(&layers)
            .map(|(seeds, layer)| layer.slots as u64 / if seeds > 8 { 1000 } else { 1 })
            .collect();
        let bits = vec![0; layers.len()];
        let needs = |reached: &[u64], fixed| Needs {
            layers: layers.clone(),
            reached: reached.to_vec(),
            bits: bits.clone(),
            frees_bits: false,
            fixed,
            has_files: false,
            threads: 1,
            others: 0,
        };
        let roomy = needs(&reached, 0).plan(u64::MAX).unwrap();
        let in_bytes = |up_to| Forms {
            packed: false,
            kept_up_to: up_to,
            dense_up_to: up_to,
            in_files: false,
        };
        assert_eq!(roomy.forms, in_bytes(8));
        let tight = needs(&reached, 5).plan(roomy.bytes + 5).unwrap();
        assert_eq!(tight.bytes, roomy.bytes + 5);
        let least = needs(&reached, 5).plan(0).unwrap_err();
        assert!(least.bytes > reached.iter().sum::<u64>() / 2);
        assert_eq!(needs(&reached, 5).plan(least.bytes), Ok(least));
        assert_eq!(needs(&reached, 5).plan(least.bytes - 1), Err(least));
        // If all positions are reachable, a byte per slot is the fastest form.
        let all: Vec<u64> = layers.iter().map(|layer| layer.slots as u64).collect();
        let full = needs(&all, 0).plan(u64::MAX).unwrap();
        assert_eq!(full.forms, in_bytes(16));
        assert!(full.bytes >= slots(16));
        // Bits count, and count less if they are freed.
        let bits: Vec<u64> = layers.iter().map(|layer| layer.bits as u64).collect();
        let with_bits = |frees_bits| {
            let needs = Needs {
                bits: bits.clone(),
                frees_bits,
                ..needs(&all, 0)
            };
            needs.plan(u64::MAX).unwrap().bytes
        };
        let all_bits: u64 = bits.iter().sum();
        assert_eq!(with_bits(false), full.bytes + all_bits);
        // Small amounts of memory are never returned, so freeing changes nothing here.
        assert_eq!(with_bits(true), full.bytes + all_bits);
    }

    #[test]
    fn half_a_byte_and_some_is_the_least() {
        let layers = LayerMemory::of_all(&Arrangements::new(6, 24));
        let all: Vec<u64> = layers.iter().map(|layer| layer.slots as u64).collect();
        let needs = Needs {
            layers: layers.clone(),
            reached: all.clone(),
            bits: vec![0; layers.len()],
            frees_bits: false,
            fixed: 0,
            has_files: false,
            threads: 1,
            others: 0,
        };
        let full = needs.plan(u64::MAX).unwrap();
        assert!(!full.forms.packed);
        let least = needs.plan(0).unwrap_err();
        assert!(
            least.forms.packed && least.bytes < full.bytes * 3 / 4,
            "{least:?}"
        );
        let packed = needs.plan(full.bytes - 1).unwrap();
        assert!(packed.forms.packed && packed.forms.dense_up_to == 24);
        // Freed bits count less.
        let bits: Vec<u64> = layers.iter().map(|layer| layer.bits as u64).collect();
        let all_bits: u64 = bits.iter().sum();
        let with_bits = |frees_bits| {
            Needs {
                bits: bits.clone(),
                frees_bits,
                ..needs.clone()
            }
            .plan(u64::MAX)
            .unwrap()
            .bytes
        };
        assert_eq!(with_bits(false), full.bytes + all_bits);
        let left = bits[23] + bits[24] + FREED_LATE as u64;
        assert_eq!(with_bits(true), full.bytes + left);
    }

    #[test]
    fn files_take_what_memory_does_not() {
        let layers = LayerMemory::of_all(&Arrangements::new(6, 24));
        let all: Vec<u64> = layers.iter().map(|layer| layer.slots as u64).collect();
        let packed: u128 = layers.iter().map(|layer| layer.packed).sum();
        let needs = |has_files| {
            Needs {
                layers: layers.clone(),
                reached: all.clone(),
                bits: vec![0; layers.len()],
                frees_bits: false,
                fixed: 0,
                has_files,
                threads: 1,
                others: 0,
            }
            .plan(if has_files { 0 } else { u64::MAX })
        };
        let roomy = needs(false).unwrap();
        assert!(!roomy.forms.in_files && roomy.files == 0);
        let least = needs(true).unwrap_err();
        assert!(
            least.forms.in_files && least.bytes < roomy.bytes / 3,
            "{least:?}"
        );
        assert!(least.files as u128 >= packed * 9 / 10, "{least:?}");
    }

    #[test]
    fn what_comes_from_others_takes_no_more_than_their_reachable_positions() {
        let rules = Rules {
            pits: 6,
            seeds: 3,
            empty_capture: false,
        };
        let layers = LayerMemory::of_all(&Arrangements::new(6, 36));
        let (reached, bits) = (expected(&layers, rules, 1.0), most_bits(&layers, rules));
        let plan = |others| {
            let needs = Needs {
                layers: layers.clone(),
                reached: reached.clone(),
                bits: bits.clone(),
                frees_bits: true,
                fixed: 0,
                has_files: true,
                threads: 1,
                others,
            };
            needs.plan(5_000_000_000).unwrap()
        };
        // Without this limit, all layers up to the start's would be saved with all of their
        // positions, though hardly any are reachable: 33 GB.
        let (alone, shared) = (plan(0), plan(3));
        assert!(
            shared.files < alone.files * 5 / 4,
            "{alone:?}, then {shared:?}"
        );
    }
}
