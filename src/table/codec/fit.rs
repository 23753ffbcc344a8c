//! Symbol counts for each context, and the choice of a group's distributions.
//!
//! A context gets its own distribution if this saves more bits than it takes in the table.

use super::model::{CODE_MODELS, ESCAPE, EVEN, Frequencies, MEMBER_MODELS, WHOLE, symbol, tree};
use super::walk::Turn;
use flate2::{Compress, Compression, FlushCompress, Status};

/// The number of times that each symbol occurs in each context.
pub struct Counts {
    /// Counts of the membership contexts, then those of the code contexts.
    pub symbols: Vec<[u32; 16]>,
}

impl Counts {
    pub fn new() -> Counts {
        Counts {
            symbols: vec![[0; 16]; MEMBER_MODELS + CODE_MODELS],
        }
    }

    pub fn merge(mut self, other: &Counts) -> Counts {
        for (sums, counts) in self.symbols.iter_mut().zip(&other.symbols) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        self
    }
}

impl Turn for Counts {
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols[model][known as usize] += 1;
        known
    }

    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8 {
        self.symbols[MEMBER_MODELS + model][symbol(known, expected)] += 1;
        known
    }
}

/// Returns frequencies that are close to the counts and add up to [`WHOLE`].
///
/// The parent's frequencies have a small weight, so that a symbol that the sample lacks by chance
/// remains possible.
fn frequencies(counts: &[u64; 16], parent: &Frequencies, member: bool) -> Frequencies {
    let weights: [u64; 16] = std::array::from_fn(|symbol| {
        counts[symbol] * u64::from(WHOLE) + 2 * u64::from(parent[symbol])
    });
    let total: u64 = weights.iter().sum();
    let mut found: Frequencies = std::array::from_fn(|symbol| {
        let share = (u128::from(weights[symbol]) * u128::from(WHOLE) / u128::from(total)) as u16;
        let needed = member || symbol == ESCAPE || counts[symbol] > 0;
        share.max(u16::from(needed))
    });
    let sum: i32 = found.iter().map(|&frequency| i32::from(frequency)).sum();
    if let Some(largest) = found.iter_mut().max() {
        // The sum is off by at most 16, and the largest frequency is at least a sixteenth of the
        // whole.
        *largest = (i32::from(*largest) + WHOLE as i32 - sum) as u16;
    }
    found
}

/// Returns 256 times the binary logarithm, rounded down.
///
/// It uses only integers, so that the result is the same on every machine.
fn log2(number: u32) -> u64 {
    let exponent = number.ilog2();
    let mut mantissa = (u64::from(number) << 31) >> exponent;
    let mut log = u64::from(exponent);
    for _ in 0..8 {
        let square = (mantissa * mantissa) >> 31;
        let carry = square >> 32;
        log = 2 * log + carry;
        mantissa = square >> carry;
    }
    log
}

/// Returns the cost of coding the counted symbols, in 1/256 bits.
fn cost(counts: &[u64; 16], frequencies: &Frequencies) -> u64 {
    let whole = log2(WHOLE);
    let symbols = counts.iter().zip(frequencies);
    symbols
        .map(|(&count, &frequency)| match frequency {
            // An escape and eight bits.
            0 => count * (whole - log2(u32::from(frequencies[ESCAPE].max(1))) + 8 * 256),
            _ => count * (whole - log2(u32::from(frequency))),
        })
        .sum()
}

/// Chooses distributions and returns them as they are stored in a table.
///
/// The counts are those of a sample of one slot in `rate`.
pub fn pack(counts: &Counts, rate: u64) -> Vec<u8> {
    // Add up the counts of each context in all of its ancestors.
    let mut nodes = vec![[0u64; 16]; tree::NODES];
    for (leaf, symbols) in counts.symbols.iter().enumerate() {
        let mut node = Some(tree::FIRST_LEAF + leaf);
        while let Some(this) = node {
            for (sum, &count) in nodes[this].iter_mut().zip(symbols) {
                *sum += u64::from(count);
            }
            node = tree::parent(this);
        }
    }
    // Store a distribution where it saves more than it takes, from the roots to the leaves.
    let mut chosen: Vec<Frequencies> = Vec::with_capacity(tree::NODES);
    let mut own = vec![0u8; tree::NODES.div_ceil(8)];
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (node, counts) in nodes.iter().enumerate() {
        let parent = tree::parent(node).map_or(EVEN, |parent| chosen[parent]);
        if counts.iter().all(|&count| count == 0) {
            chosen.push(parent);
            continue;
        }
        let frequencies = frequencies(counts, &parent, tree::is_member(node));
        let gain = cost(counts, &parent).saturating_sub(cost(counts, &frequencies));
        // In measurements, a stored distribution takes about a byte per symbol that occurs, and two
        // more.
        let symbols = frequencies.iter().filter(|&&frequency| frequency > 0);
        let price = 256 * (16 + 8 * symbols.count() as u64);
        if gain.saturating_mul(rate) <= price {
            chosen.push(parent);
            continue;
        }
        own[node / 8] |= 1 << (node % 8);
        for frequency in frequencies {
            low.push(frequency as u8);
            high.push((frequency >> 8) as u8);
        }
        chosen.push(frequencies);
    }
    // Free megabytes of counts before packing.
    drop(nodes);
    let raw = [own, low, high].concat();
    let mut packed = Vec::with_capacity(raw.len() + raw.len() / 8 + 64);
    // The buffer has enough space even for data that don't shrink.
    let status = Compress::new(Compression::best(), false).compress_vec(
        &raw,
        &mut packed,
        FlushCompress::Finish,
    );
    debug_assert!(matches!(status, Ok(Status::StreamEnd)));
    packed
}

#[cfg(test)]
mod tests {
    use super::super::model::unpack;
    use super::super::model::{MEMBER_MODELS, UNIFORM, code_model};
    use super::*;

    #[test]
    fn logarithms_are_within_a_256th() {
        for number in (1..2000).chain([16_383, 16_384]) {
            let exact = f64::from(number).log2() * 256.0;
            let found = log2(number) as f64;
            assert!(
                found <= exact + 1e-6 && exact - found < 1.1,
                "{number}: {found} {exact}"
            );
        }
    }

    #[test]
    fn frequencies_add_up_and_leave_nothing_out() {
        let uniform = [1024; 16];
        for counts in [
            std::array::from_fn(|i| i as u64),
            std::array::from_fn(|i| u64::from(i == 3)),
            std::array::from_fn(|i| if i == 3 { 1 << 31 } else { 1 }),
            [1 << 31; 16],
        ] {
            for member in [true, false] {
                let found = frequencies(&counts, &uniform, member);
                assert_eq!(found.iter().map(|&f| u32::from(f)).sum::<u32>(), WHOLE);
                for (symbol, (&frequency, &count)) in found.iter().zip(&counts).enumerate() {
                    let needed = count > 0 || member || symbol == ESCAPE;
                    assert!(!needed || frequency > 0, "{symbol} of {counts:?}");
                }
            }
        }
    }

    /// A frequent context gets its own distribution, a rare one gets its parent's.
    #[test]
    fn distributions_are_stored_where_they_pay() {
        let leaf = MEMBER_MODELS + code_model(5, 10, 5, 6, 4, 5);
        let sibling = MEMBER_MODELS + code_model(8, 10, 8, 9, 7, 8);
        let seldom = MEMBER_MODELS + code_model(2, 10, 2, 3, 1, 2);
        let mut counts = Counts::new();
        counts.symbols[leaf][7] = 100_000;
        counts.symbols[leaf][8] = 50_000;
        counts.symbols[sibling][2] = 80_000;
        counts.symbols[sibling][3] = 90_000;
        counts.symbols[seldom][7] = 1;
        let packed = pack(&counts, 1);
        let model = unpack(&packed).unwrap();
        let share = |leaf: usize, symbol: usize| {
            let distribution = model.distribution(leaf);
            f64::from(distribution.end(symbol) - distribution.below(symbol)) / f64::from(WHOLE)
        };
        assert!((share(leaf, 7) - 2.0 / 3.0).abs() < 0.001);
        assert!((share(sibling, 3) - 9.0 / 17.0).abs() < 0.001);
        // The parent has the counts of all three.
        assert!((share(seldom, 7) - 10.0 / 32.0).abs() < 0.001);
        assert!(
            (share(0, 9) - 1.0 / 16.0).abs() < 0.001,
            "nothing was seen of membership"
        );
        for leaf in 0..=UNIFORM {
            for quantile in [0, 1, 5000, 16_383] {
                let (_, below, frequency) = model.distribution(leaf).find(quantile);
                assert!(below <= quantile && quantile - below < frequency);
            }
        }
    }
}
