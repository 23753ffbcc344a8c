//! The distributions that cells are coded with: counted, stored, and looked up.
//!
//! Every context has a distribution over 16 symbols. A context that comes up too rarely to be worth
//! its place in the table takes the distribution of its *parent*, a coarser context, and that one,
//! if need be, of the root.

use super::context::Counts;
use super::error::Fault;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use wide::{i8x16, i16x16};

/// Frequencies add up to `1 << PRECISION`.
pub(super) const PRECISION: usize = 14;
const WHOLE: u32 = 1 << PRECISION;

/// Contexts of four membership bits: six bits above them, two to the left, whether it is the first
/// row, and the four bits two rows above.
pub(super) const MEMBER_MODELS: usize = 1 << 13;
/// A parent leaves the row two above out.
const MEMBER_PARENTS: usize = 1 << 9;

/// The expected code is brought to so many levels.
const LEVELS: usize = 32;
/// How four neighbours differ from what is expected, each by -2 or less, -1, 0, 1, or 2 and more.
const PATTERNS: usize = 625;
/// Contexts of a code.
pub(super) const CODE_MODELS: usize = LEVELS * PATTERNS;

/// The symbol of a code that is too far from what was expected: two symbols from the uniform
/// distribution follow.
pub(super) const ESCAPE: usize = 15;

const LEAVES: usize = MEMBER_MODELS + CODE_MODELS;

/// The distribution in which all symbols are equally likely.
pub(super) const UNIFORM: usize = LEAVES;

/// The context of a code: which of [`CODE_MODELS`].
#[inline(always)]
pub(super) fn code_model(
    expected: i32,
    codes: usize,
    above: i32,
    left: i32,
    leftmost: i32,
    uppermost: i32,
) -> usize {
    let level = if codes <= LEVELS {
        expected as usize
    } else {
        expected as usize * LEVELS / codes
    };
    let difference = |neighbour: i32| ((neighbour - expected).clamp(-2, 2) + 2) as usize;
    // A sum of products, not the shorter nested form: what each neighbour adds needn't wait for the
    // others.
    level * PATTERNS
        + difference(above) * 125
        + difference(left) * 25
        + difference(leftmost) * 5
        + difference(uppermost)
}

/// A distribution over 16 symbols: how much of the whole, which an `i16` can hold, lies below each
/// of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(super) struct Distribution([i16; 16]);

impl Distribution {
    fn uniform() -> Distribution {
        Distribution::new(&[(WHOLE / 16) as u16; 16])
    }

    /// The frequencies must add up to the whole.
    pub fn new(frequencies: &[u16; 16]) -> Distribution {
        let mut below = 0u16;
        Distribution(frequencies.map(|frequency| {
            let this = below as i16;
            below += frequency;
            this
        }))
    }

    /// Whether a symbol can come up.
    pub fn has(&self, symbol: usize) -> bool {
        self.below(symbol) < self.end(symbol)
    }

    #[inline(always)]
    fn below(&self, symbol: usize) -> u16 {
        self.0[symbol] as u16
    }

    #[inline(always)]
    fn end(&self, symbol: usize) -> u16 {
        // The last symbol ends where the whole does.
        self.0
            .get(symbol + 1)
            .map_or(WHOLE as u16, |&end| end as u16)
    }

    /// How much of the whole lies below a symbol, and how much is its own.
    pub fn share(&self, symbol: usize) -> (u16, u16) {
        let below = self.below(symbol);
        (below, self.end(symbol) - below)
    }

    /// The symbol whose share a part of the whole belongs to, and that share.
    #[inline(always)]
    pub fn find(&self, quantile: u16) -> (u8, u16, u16) {
        // A comparison of all at once is quicker than a search. The first symbol is never above the
        // quantile.
        let above = i16x16::new(self.0).simd_gt(i16x16::splat(quantile as i16));
        let above = i8x16::from_i16x16_saturate(above).to_bitmask();
        let symbol = ((above | 1 << 16).trailing_zeros() as u16).wrapping_sub(1) & 0xf;
        let (below, frequency) = self.share(usize::from(symbol));
        (symbol as u8, below, frequency)
    }
}

/// The distributions of one group of segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Model {
    distributions: Vec<Distribution>,
}

impl Model {
    #[inline(always)]
    pub fn distribution(&self, number: usize) -> &Distribution {
        &self.distributions[number]
    }
}

/// All contexts, coarsest first: the two roots, the parents, the leaves. That is their order in a
/// table, too.
mod tree {
    use super::{CODE_MODELS, LEAVES, MEMBER_MODELS, MEMBER_PARENTS, PATTERNS};

    pub const MEMBER_ROOT: usize = 0;
    pub const CODE_ROOT: usize = 1;
    const FIRST_MEMBER_PARENT: usize = 2;
    const FIRST_CODE_PARENT: usize = FIRST_MEMBER_PARENT + MEMBER_PARENTS;
    pub const FIRST_LEAF: usize = FIRST_CODE_PARENT + PATTERNS;
    pub const NODES: usize = FIRST_LEAF + LEAVES;

    /// The parent of a node; none for a root.
    pub fn parent(node: usize) -> Option<usize> {
        Some(match node {
            MEMBER_ROOT | CODE_ROOT => return None,
            _ if node < FIRST_CODE_PARENT => MEMBER_ROOT,
            _ if node < FIRST_LEAF => CODE_ROOT,
            _ if node < FIRST_LEAF + MEMBER_MODELS => {
                FIRST_MEMBER_PARENT + (node - FIRST_LEAF) % MEMBER_PARENTS
            }
            _ => FIRST_CODE_PARENT + (node - FIRST_LEAF - MEMBER_MODELS) % PATTERNS,
        })
    }

    /// Whether a node is about membership bits, in which any symbol may come up, or about codes,
    /// which have an escape.
    pub fn is_member(node: usize) -> bool {
        node == MEMBER_ROOT
            || (FIRST_MEMBER_PARENT..FIRST_CODE_PARENT).contains(&node)
            || (FIRST_LEAF..FIRST_LEAF + MEMBER_MODELS).contains(&node)
    }

    const _: () = assert!(NODES == 2 + MEMBER_PARENTS + PATTERNS + MEMBER_MODELS + CODE_MODELS);
}

type Frequencies = [u16; 16];

/// Frequencies that add up to the whole, as near as may be to the counts; `parent`'s count a
/// little, too, so that a symbol that the counts lack by chance stays possible.
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
        // At most 16 too few or too many, and the largest has a sixteenth at least.
        *largest = (i32::from(*largest) + WHOLE as i32 - sum) as u16;
    }
    found
}

/// 256 times the binary logarithm, rounded down, by whole numbers only: the same on every machine.
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

/// What coding the counted symbols takes, in 1/256 bits.
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

/// Chooses distributions from the counts of a sample that holds one slot in `rate`: packed as they
/// are stored in a table.
pub(super) fn pack(counts: &Counts, rate: u64) -> Vec<u8> {
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
    let uniform = [(WHOLE / 16) as u16; 16];
    let mut chosen: Vec<Frequencies> = Vec::with_capacity(tree::NODES);
    let mut own = vec![0u8; tree::NODES.div_ceil(8)];
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (node, counts) in nodes.iter().enumerate() {
        let parent = tree::parent(node).map_or(uniform, |parent| chosen[parent]);
        if counts.iter().all(|&count| count == 0) {
            chosen.push(parent);
            continue;
        }
        let frequencies = frequencies(counts, &parent, tree::is_member(node));
        let gain = cost(counts, &parent).saturating_sub(cost(counts, &frequencies));
        // Measured: a stored distribution takes about a byte for each symbol that comes up, and two
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
    let raw = [own, low, high].concat();
    let mut packed = Vec::with_capacity(raw.len() + raw.len() / 8 + 64);
    // The room is enough for data that don't shrink at all.
    let status = Compress::new(Compression::best(), false).compress_vec(
        &raw,
        &mut packed,
        FlushCompress::Finish,
    );
    debug_assert!(matches!(status, Ok(Status::StreamEnd)));
    packed
}

/// Reads the distributions of a group.
pub(super) fn unpack(packed: &[u8]) -> Result<Model, Fault> {
    let fault = |expected: String, found: String| Fault::new("distributions", expected, found);
    let flags = tree::NODES.div_ceil(8);
    // Room for all that there can be and a byte, by which more is noticed.
    let mut raw = Vec::with_capacity(flags + 32 * tree::NODES + 1);
    let status = Decompress::new(false)
        .decompress_vec(packed, &mut raw, FlushDecompress::Finish)
        .map_err(|cause| fault("deflated data".into(), cause.to_string()))?;
    if status != Status::StreamEnd || raw.len() < flags {
        let found = format!("{} bytes, {status:?}", raw.len());
        return Err(fault(format!("at least {flags} bytes, deflated"), found));
    }
    let (own, frequencies) = raw.split_at(flags);
    let owners: usize = own.iter().map(|byte| byte.count_ones() as usize).sum();
    if frequencies.len() != 32 * owners {
        let found = format!("{} bytes", frequencies.len());
        return Err(fault(format!("{} bytes", 32 * owners), found));
    }
    let (low, high) = frequencies.split_at(16 * owners);
    let mut stored = low.chunks_exact(16).zip(high.chunks_exact(16));
    let mut nodes: Vec<Distribution> = Vec::with_capacity(tree::NODES);
    for node in 0..tree::NODES {
        let is_own = own[node / 8] >> (node % 8) & 1 == 1;
        let Some((low, high)) = is_own.then(|| stored.next()).flatten() else {
            let parent = tree::parent(node);
            nodes.push(parent.map_or_else(Distribution::uniform, |parent| nodes[parent]));
            continue;
        };
        let frequencies: Frequencies =
            std::array::from_fn(|symbol| u16::from_le_bytes([low[symbol], high[symbol]]));
        let sum: u32 = frequencies.iter().map(|&f| u32::from(f)).sum();
        if sum != WHOLE {
            return Err(fault(
                format!("frequencies that add up to {WHOLE}"),
                sum.to_string(),
            ));
        }
        nodes.push(Distribution::new(&frequencies));
    }
    let mut distributions = nodes.split_off(tree::FIRST_LEAF);
    distributions.push(Distribution::uniform());
    Ok(Model { distributions })
}

#[cfg(test)]
mod tests {
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

    /// What comes up often gets a distribution of its own, what comes up seldom its parent's.
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
        let model = unpack(&pack(&counts, 1)).unwrap();
        let share = |leaf: usize, symbol: usize| {
            let distribution = model.distribution(leaf);
            f64::from(distribution.end(symbol) - distribution.below(symbol)) / f64::from(WHOLE)
        };
        assert!((share(leaf, 7) - 2.0 / 3.0).abs() < 0.001);
        assert!((share(sibling, 3) - 9.0 / 17.0).abs() < 0.001);
        // The parent has all three's.
        assert!((share(seldom, 7) - 10.0 / 32.0).abs() < 0.001);
        assert!(
            (share(0, 9) - 1.0 / 16.0).abs() < 0.001,
            "nothing was seen of membership"
        );
        for leaf in 0..=UNIFORM {
            for quantile in [0, 1, 5000, 16_383] {
                let (symbol, below, frequency) = model.distribution(leaf).find(quantile);
                assert!(below <= quantile && quantile - below < frequency);
                assert!(model.distribution(leaf).has(usize::from(symbol)));
            }
        }
    }

    #[test]
    fn contexts_are_told_apart_and_stay_in_range() {
        let mut seen = std::collections::HashSet::new();
        for expected in 0..32 {
            for [a, b, c, d] in (0..625).map(|i| [i % 5, i / 5 % 5, i / 25 % 5, i / 125]) {
                let near = |difference: i32| expected + difference - 2;
                let model = code_model(expected, 32, near(a), near(b), near(c), near(d));
                assert!(model < CODE_MODELS && seen.insert(model));
            }
        }
        assert_eq!(code_model(255, 256, 0, 0, 0, 0) / PATTERNS, LEVELS - 1);
    }
}
