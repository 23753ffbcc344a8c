//! What solving takes in memory, known as far as it can be before anything is done.

use super::bits::ReachedLayer;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::Split;

/// What the program takes beside what grows with the game, in bytes; measured, with some room, on
/// tables being written by 1 to 8 threads. Half of it is code, of which a debug build has more.
const PROGRAM: u64 = if cfg!(debug_assertions) { 34 } else { 18 } << 20;

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

/// What stays taken, on each thread, of splits that are packed or picked out and gone: memory of
/// middle size doesn't go back to the system at once.
const LINGERING: u128 = 6 << 20;

/// The parts that a layer may take, in bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct LayerMemory {
    /// A byte for each position, reachable or not.
    pub slots: u128,
    /// A bit for each.
    pub bits: u128,
    /// What of these bits is taken at least, if only some is needed.
    pub ends: u64,
    /// Beside a byte for each reachable position: where the codes of each row start.
    pub starts: u128,
    /// Four bits for each position, what stands beside them in each row, and what is kept apart.
    pub packed: u128,
    /// Of these bytes those that are in small matrices, which are never in files.
    small: u128,
    /// Both sides' bytes of the largest split.
    pub(super) largest: u128,
    /// The bytes of the even split.
    even_slots: u128,
    /// Its bits and starts.
    even_rest: u128,
}

impl LayerMemory {
    /// The parts of the layer with so many seeds.
    #[must_use]
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
            // The first and the last page of each matrix.
            memory.ends += 2 * 4096 * matrices as u64;
            // With 31 seeds on the board one code in fifty is too far from the others of its row,
            // and takes four bytes.
            let row = columns.div_ceil(2) + columns / 8 + 5;
            memory.packed += matrices * rows * row;
            // Small matrices stay in memory.
            memory.small += matrices * (rows * row).min(1 << 12);
            memory.largest = memory.largest.max(2 * rows * columns);
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

    /// What its codes take, and what solving it on so many threads takes beside them for a while.
    pub(super) fn codes(
        &self,
        reached: u64,
        form: Form,
        in_files: bool,
        threads: usize,
    ) -> (u128, u128) {
        let reached = u128::from(reached);
        // What is not kept as it was solved is a split on each thread.
        let threads = threads as u128;
        let in_work = (self.largest * threads).min(self.slots + self.even_slots)
            + (LINGERING * threads).min(self.slots);
        match form {
            // Both sides to move of the even split.
            Form::Bytes => (self.slots, self.even_slots),
            // On its way to a file it is in memory twice.
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

/// What the bits of a layer take, in bytes.
#[must_use]
pub fn of_bits(reached: &ReachedLayer) -> u64 {
    let matrices = reached.splits.iter().flat_map(|split| split.bits.both());
    matrices.map(|bits| bits.memory()).sum()
}

/// What all but bits and codes takes, in bytes.
#[must_use]
pub fn fixed(arrangements: &Arrangements, threads: usize) -> u64 {
    (PROGRAM + THREAD * threads as u64).saturating_add(of_steps(arrangements))
}

/// So many bytes, or the most that can be told.
pub(super) fn saturate(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// How a layer is solved, and what is kept of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// All positions, a byte each.
    Bytes,
    /// All positions, four bits each.
    Packed,
    /// All positions, of which the reachable ones are kept.
    Picked,
    /// The reachable positions.
    Sparse,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{NoProgress, SolveError};
    use crate::games::kalah::Rules;
    use crate::games::kalah::index::layout::ByMover;
    use crate::games::kalah::retro::dense::{self, Known};
    use crate::games::kalah::retro::forecast::{expected, most_bits};
    use crate::games::kalah::retro::layers::Layers;
    use crate::games::kalah::retro::matrix::Keeping;
    use crate::games::kalah::retro::needs::{FREED_LATE, Forms, Needs};
    use crate::games::kalah::retro::steps::Steps;
    use crate::games::words::Pages;
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
            let full = ReachedLayer::full(&arrangements, seeds).unwrap();
            let matrices: Vec<_> = full
                .splits
                .iter()
                .flat_map(|split| split.bits.both())
                .collect();
            let words: usize = matrices.iter().map(|matrix| matrix.words().len()).sum();
            assert_eq!(memory.bits, 8 * words as u128);
            assert!(of_bits(&full) >= 8 * words as u64);
            let blank = ReachedLayer::new(&arrangements, seeds, Pages::Small).unwrap();
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
        // The upper half is all but unreachable.
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
        // If all can be reached, a byte per slot is the quickest.
        let all: Vec<u64> = layers.iter().map(|layer| layer.slots as u64).collect();
        let full = needs(&all, 0).plan(u64::MAX).unwrap();
        assert_eq!(full.forms, in_bytes(16));
        assert!(full.bytes >= slots(16));
        // Bits count, and count less if they go.
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
        // The memory of so few lingers.
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
        // Bits that go count less.
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
        // Otherwise all layers up to the start's, hardly any of whose positions can be reached, would
        // be kept with all of their positions: 33 GB.
        let (alone, shared) = (plan(0), plan(3));
        assert!(
            shared.files < alone.files * 5 / 4,
            "{alone:?}, then {shared:?}"
        );
    }
}
