//! The distributions that cells are coded with, as they are stored and looked up.
//!
//! Every context has a distribution over 16 symbols. A context that comes up too rarely to be worth
//! its place in the table takes the distribution of its *parent*, a coarser context, and that one,
//! if need be, of the root. They are counted before a group of segments is written and don't adapt
//! while decoding, so that each cell can be decoded by itself.

use super::context::LEAVES;
use crate::table::format::Difference;
use flate2::{Decompress, FlushDecompress, Status};
use wide::{i8x16, i16x16};

/// Frequencies add up to `1 << PRECISION`.
pub const PRECISION: usize = 14;
pub const WHOLE: u32 = 1 << PRECISION;

/// A distribution over 16 symbols: how much of the whole, which an `i16` can hold, lies below each
/// of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct Distribution([i16; 16]);

impl Distribution {
    fn uniform() -> Distribution {
        Distribution::new(&EVEN)
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
    #[inline]
    pub fn has(&self, symbol: usize) -> bool {
        self.below(symbol) < self.end(symbol)
    }

    #[inline(always)]
    pub fn below(&self, symbol: usize) -> u16 {
        self.0[symbol] as u16
    }

    #[inline(always)]
    pub fn end(&self, symbol: usize) -> u16 {
        // The last symbol ends where the whole does.
        self.0
            .get(symbol + 1)
            .map_or(WHOLE as u16, |&end| end as u16)
    }

    /// How much of the whole lies below a symbol, and how much is its own.
    #[inline]
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

/// The bytes of memory that a [`Model`] takes.
pub const MODEL_BYTES: u64 = ((LEAVES + 1) * size_of::<Distribution>()) as u64;

/// The distributions of one group of segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    distributions: Vec<Distribution>,
}

impl Model {
    /// From the frequencies of all nodes.
    pub fn new(nodes: &[Frequencies]) -> Model {
        let leaves = &nodes[tree::FIRST_LEAF..];
        let mut distributions = Vec::with_capacity(leaves.len() + 1);
        distributions.extend(leaves.iter().map(Distribution::new));
        distributions.push(Distribution::uniform());
        Model { distributions }
    }

    #[inline(always)]
    pub fn distribution(&self, number: usize) -> &Distribution {
        &self.distributions[number]
    }
}

/// All contexts, coarsest first: the two roots, the parents, the leaves. That is their order in a
/// table, too.
pub mod tree {
    use super::super::context::{CODE_MODELS, LEAVES, MEMBER_MODELS, MEMBER_PARENTS, PATTERNS};

    pub const MEMBER_ROOT: usize = 0;
    pub const CODE_ROOT: usize = 1;
    const FIRST_MEMBER_PARENT: usize = 2;
    const FIRST_CODE_PARENT: usize = FIRST_MEMBER_PARENT + MEMBER_PARENTS;
    pub const FIRST_LEAF: usize = FIRST_CODE_PARENT + PATTERNS;
    pub const NODES: usize = FIRST_LEAF + LEAVES;

    /// The parent of a node; none for a root.
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

    /// Whether a node is about membership bits, in which any symbol may come up, or about codes,
    /// which have an escape.
    #[inline]
    pub fn is_member(node: usize) -> bool {
        node == MEMBER_ROOT
            || (FIRST_MEMBER_PARENT..FIRST_CODE_PARENT).contains(&node)
            || (FIRST_LEAF..FIRST_LEAF + MEMBER_MODELS).contains(&node)
    }

    const _: () = assert!(NODES == 2 + MEMBER_PARENTS + PATTERNS + MEMBER_MODELS + CODE_MODELS);
}

/// How much of the whole each of 16 symbols has.
pub type Frequencies = [u16; 16];

/// All symbols alike.
pub const EVEN: Frequencies = [(WHOLE / 16) as u16; 16];

/// Reads the distributions of a group.
pub fn unpack(packed: &[u8]) -> Result<Model, Difference> {
    let flags = tree::NODES.div_ceil(8);
    // Room for all that there can be and a byte, by which more is noticed.
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
    let (own, frequencies) = raw.split_at(flags);
    let owners: usize = own.iter().map(|byte| byte.count_ones() as usize).sum();
    Difference::check(32 * owners, frequencies.len(), |length| {
        format!("{length} bytes")
    })?;
    let (low, high) = frequencies.split_at(16 * owners);
    let mut stored = low.chunks_exact(16).zip(high.chunks_exact(16));
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
