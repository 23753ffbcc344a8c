//! The contexts in which cells are coded, their distributions, and how these are stored.
//!
//! A context selects the distribution of a symbol. Every context has one over 16 symbols. A context
//! that is too rare to be worth its space in the table uses the distribution of its *parent*, a
//! coarser context, or that of the root.
//!
//! The distributions are chosen before a group of segments is written. They don't adapt while
//! decoding, so each cell can be decoded by itself.

use crate::table::format::Difference;
use flate2::{Decompress, FlushDecompress, Status};
use wide::{i8x16, i16x16, u8x16};

/// Binary logarithm of [`WHOLE`].
pub const PRECISION: usize = 14;
/// Sum of a distribution's frequencies.
pub const WHOLE: u32 = 1 << PRECISION;

/// A distribution over 16 symbols: the sum of the frequencies below each of them.
///
/// Each sum is at most [`WHOLE`] and so fits into an `i16`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct Distribution([i16; 16]);

impl Distribution {
    /// Creates a distribution from frequencies, which must add up to [`WHOLE`].
    pub fn new(frequencies: &[u16; 16]) -> Distribution {
        let mut below = 0u16;
        Distribution(frequencies.map(|frequency| {
            let this = below as i16;
            below += frequency;
            this
        }))
    }

    #[inline(always)]
    pub fn below(&self, symbol: usize) -> u16 {
        self.0[symbol] as u16
    }

    #[inline(always)]
    pub fn end(&self, symbol: usize) -> u16 {
        // The last symbol ends with the whole.
        self.0
            .get(symbol + 1)
            .map_or(WHOLE as u16, |&end| end as u16)
    }

    /// Returns the sum of the frequencies below a symbol, and the symbol's own.
    #[inline]
    pub fn share(&self, symbol: usize) -> (u16, u16) {
        let below = self.below(symbol);
        (below, self.end(symbol) - below)
    }

    /// Returns the symbol at a quantile, with its share as in [`Distribution::share`].
    #[inline(always)]
    pub fn find(&self, quantile: u16) -> (u8, u16, u16) {
        // Comparing with all sums at once is faster than a search. The first symbol's sum is 0 and
        // so never above the quantile.
        let above = i16x16::new(self.0).simd_gt(i16x16::splat(quantile as i16));
        let above = i8x16::from_i16x16_saturate(above).to_bitmask();
        let symbol = ((above | 1 << 16).trailing_zeros() as u16).wrapping_sub(1) & 0xf;
        let (below, frequency) = self.share(usize::from(symbol));
        (symbol as u8, below, frequency)
    }
}

/// Memory of a [`Model`] in bytes.
pub const MODEL_BYTES: u64 = ((LEAVES + 1) * size_of::<Distribution>()) as u64;

/// The distributions of one group of segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    distributions: Vec<Distribution>,
}

impl Model {
    /// Creates a model from the frequencies of all nodes.
    pub fn new(nodes: &[Frequencies]) -> Model {
        let leaves = &nodes[tree::FIRST_LEAF..];
        let mut distributions = Vec::with_capacity(leaves.len() + 1);
        distributions.extend(leaves.iter().map(Distribution::new));
        distributions.push(Distribution::new(&EVEN));
        Model { distributions }
    }

    #[inline(always)]
    pub fn distribution(&self, number: usize) -> &Distribution {
        &self.distributions[number]
    }
}

/// The tree of all contexts: two roots, then the parents, then the leaves.
///
/// Tables have the same order.
pub mod tree {
    use super::{CODE_MODELS, LEAVES, MEMBER_MODELS, MEMBER_PARENTS, PATTERNS};

    pub const MEMBER_ROOT: usize = 0;
    pub const CODE_ROOT: usize = 1;
    const FIRST_MEMBER_PARENT: usize = 2;
    const FIRST_CODE_PARENT: usize = FIRST_MEMBER_PARENT + MEMBER_PARENTS;
    pub const FIRST_LEAF: usize = FIRST_CODE_PARENT + PATTERNS;
    pub const NODES: usize = FIRST_LEAF + LEAVES;

    /// Returns the parent of a node, or `None` for a root.
    #[inline]
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

    /// Returns whether a node is a context of membership bits, not of codes.
    ///
    /// Membership bits can be any symbol; codes have an escape.
    #[inline]
    pub fn is_member(node: usize) -> bool {
        node == MEMBER_ROOT
            || (FIRST_MEMBER_PARENT..FIRST_CODE_PARENT).contains(&node)
            || (FIRST_LEAF..FIRST_LEAF + MEMBER_MODELS).contains(&node)
    }

    const _: () = assert!(NODES == 2 + MEMBER_PARENTS + PATTERNS + MEMBER_MODELS + CODE_MODELS);
}

/// Frequency of each of 16 symbols, out of [`WHOLE`].
pub type Frequencies = [u16; 16];

/// The frequencies in which all symbols are equally likely.
pub const EVEN: Frequencies = [(WHOLE / 16) as u16; 16];

/// Reads the distributions of a group.
pub fn unpack(packed: &[u8]) -> Result<Model, Difference> {
    let flags = tree::NODES.div_ceil(8);
    // One byte more than the most that is valid, to detect longer data.
    let mut raw = Vec::with_capacity(flags + 32 * tree::NODES + 1);
    let status = Decompress::new(false)
        .decompress_vec(packed, &mut raw, FlushDecompress::Finish)
        .map_err(|cause| Difference::new("deflated data", cause))?;
    if status != Status::StreamEnd || raw.len() < flags {
        let found = format!("{} bytes, {status:?}", raw.len());
        return Err(Difference::new(
            format!("at least {flags} bytes, deflated"),
            found,
        ));
    }
    // Split into the flags of the nodes that have their own distribution, and the frequencies.
    let (own, frequencies) = raw.split_at(flags);
    let owners: usize = own.iter().map(|byte| byte.count_ones() as usize).sum();
    Difference::check(32 * owners, frequencies.len(), |length| {
        format!("{length} bytes")
    })?;
    let (low, high) = frequencies.split_at(16 * owners);
    let mut stored = low.chunks_exact(16).zip(high.chunks_exact(16));
    // Parents come before their children, so their frequencies are known.
    let mut nodes: Vec<Frequencies> = Vec::with_capacity(tree::NODES);
    for node in 0..tree::NODES {
        let is_own = own[node / 8] >> (node % 8) & 1 == 1;
        let Some((low, high)) = is_own.then(|| stored.next()).flatten() else {
            let parent = tree::parent(node);
            nodes.push(parent.map_or(EVEN, |parent| nodes[parent]));
            continue;
        };
        let frequencies: Frequencies =
            std::array::from_fn(|symbol| u16::from_le_bytes([low[symbol], high[symbol]]));
        let sum: u32 = frequencies.iter().map(|&f| u32::from(f)).sum();
        Difference::check(WHOLE, sum, |sum| {
            format!("frequencies that add up to {sum}")
        })?;
        nodes.push(frequencies);
    }
    Ok(Model::new(&nodes))
}

/// Number of contexts of four membership bits.
///
/// A context has the six bits above, two bits to the left, a bit for the first row, and the four
/// bits two rows above.
pub const MEMBER_MODELS: usize = 1 << 13;
/// Number of parents of membership contexts, which ignore the row two above.
pub const MEMBER_PARENTS: usize = 1 << 9;

/// Number of levels to which the expected code is reduced.
pub const LEVELS: usize = 32;
/// Number of patterns of four neighbours.
///
/// Each neighbour differs from the expected code by -2 or less, -1, 0, 1, or 2 and more.
pub const PATTERNS: usize = 625;
/// Number of contexts of a code.
pub const CODE_MODELS: usize = LEVELS * PATTERNS;

/// Symbol of a code that is too far from the expected one.
///
/// Two symbols from the uniform distribution follow.
pub const ESCAPE: usize = 15;

pub const LEAVES: usize = MEMBER_MODELS + CODE_MODELS;

/// Number of the distribution in which all symbols are equally likely.
pub const UNIFORM: usize = LEAVES;

/// Returns the context of a code, below [`CODE_MODELS`].
#[inline(always)]
pub fn code_model(
    expected: i32,
    codes: usize,
    above: i32,
    left: i32,
    leftmost: i32,
    uppermost: i32,
) -> usize {
    let difference = |neighbour: i32| ((neighbour - expected).clamp(-2, 2) + 2) as usize;
    // This sum of products is faster than the shorter nested form: its terms don't depend on each
    // other.
    first_model(expected, codes)
        + difference(above) * 125
        + difference(left) * 25
        + difference(leftmost) * 5
        + difference(uppermost)
}

/// Returns the first context of the level of an expected code.
#[inline(always)]
pub fn first_model(expected: i32, codes: usize) -> usize {
    let level = if codes <= LEVELS {
        expected as usize
    } else {
        expected as usize * LEVELS / codes
    };
    level * PATTERNS
}

/// Returns the patterns of the neighbours of 16 codes, which [`code_model`] adds to the first model.
///
/// Each is 25 times the first number of its lane and the second one.
#[inline(always)]
pub fn patterns(expected: u8x16, [above, left, leftmost, uppermost]: [u8x16; 4]) -> [[u8; 16]; 2] {
    let two = u8x16::splat(2);
    let digit = |neighbour: u8x16| {
        let more = neighbour.saturating_sub(expected).min(two);
        two + more - expected.saturating_sub(neighbour).min(two)
    };
    let pair =
        |first: u8x16, second: u8x16| (first + first + first + first + first + second).to_array();
    [
        pair(digit(above), digit(left)),
        pair(digit(leftmost), digit(uppermost)),
    ]
}

/// Largest residue: -7 to 7 have their own symbols.
pub const FARTHEST: i32 = 7;

/// Returns the symbol of a code, given the expected one.
#[inline(always)]
pub fn symbol(code: u8, expected: u8) -> usize {
    let residue = i32::from(code) - i32::from(expected);
    if residue.abs() <= FARTHEST {
        (residue + FARTHEST) as usize
    } else {
        ESCAPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
