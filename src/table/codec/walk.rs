//! The order in which the slots of a cell are coded, and the contexts of each.
//!
//! Neighbouring slots have similar scores, and their classes are often both reachable or both not.
//! So each slot is coded with a distribution that depends on a few slots above and to the left of
//! it, its *context*.
//!
//! A cell has two streams: one for the rows from the middle row upwards, one for those below it. A
//! probe decodes only the rows from the middle to its own, a quarter of them on average.
//!
//! Counting, encoding and decoding share this walk, each with another [`Turn`].

use super::model::{code_model, first_model, patterns};
use crate::game::Tile;
use crate::table::format::{CELL_COLUMNS, CellShape};
#[cfg(target_arch = "x86_64")]
use safe_arch::byte_shl_imm_u128_m128i;
use wide::u8x16;

/// Most columns of a cell.
const WIDTH: usize = CELL_COLUMNS as usize;

/// Number of absent slots after a present one that have the codes expected there.
///
/// Tables of Dots and Boxes are 1.3% larger than without a limit if it is 1, and 0.4% with 4.
const REACH: usize = 4;

/// Properties of a cell that are known before its words are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellKind {
    /// Whether every slot has an entry, so that membership is not coded.
    pub full: bool,
    /// Number of codes; `None` if they are omitted.
    pub codes: Option<usize>,
}

/// An action at each slot of a walk: to count, encode or decode it.
pub trait Turn {
    /// Handles four neighbouring membership bits, lowest first, and returns them.
    ///
    /// `known` has the bits if the cell is known.
    fn members(&mut self, model: usize, known: u32) -> u32;

    /// Handles a code and returns it; `known` is the code if the cell is known.
    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8;
}

/// Returns the membership bits of up to 32 slots in a row of a tile.
pub fn row_bits(tile: &Tile, index: usize, columns: u32) -> u64 {
    let (word, shift) = (index / 64, index % 64);
    let mut bits = tile.present[word] >> shift;
    if shift + columns as usize > 64 {
        bits |= tile.present[word + 1] << (64 - shift);
    }
    bits & ((1 << columns) - 1)
}

/// Returns the median of `left`, `upper` and `left + upper - upper_left`.
#[inline(always)]
fn median(left: i32, upper: i32, upper_left: i32) -> i32 {
    let (low, high) = (left.min(upper), left.max(upper));
    (left + upper - upper_left).clamp(low, high)
}

/// The two rows coded before a row, from which its contexts are taken.
///
/// An absent slot has the code that is expected there if it has no row above it or one of the
/// [`REACH`] slots to its left is present, and else the code above it.
#[derive(Clone, Copy, Default)]
pub struct Above {
    bits: u64,
    uppermost_bits: u64,
    codes: [u8; WIDTH],
    uppermost_codes: [u8; WIDTH],
}

/// Returns the row at which the coding of a cell starts.
pub fn middle(shape: CellShape) -> u32 {
    (shape.rows - 1) / 2
}

/// Walks through rows of a cell, where each is the row above the next one.
///
/// `above` is the context of the first row; with `None`, it has no row above. Returns `above`, or
/// if that is `None` the context after the first row. If `KNOWN`, the tile has the cell already,
/// otherwise the walk fills it.
#[inline(always)]
pub fn walk<const KNOWN: bool>(
    turn: &mut impl Turn,
    tile: &mut Tile,
    shape: CellShape,
    kind: CellKind,
    rows: impl Iterator<Item = u32>,
    above: Option<Above>,
) -> Above {
    let mut first = above;
    let mut above = above;
    for row in rows {
        let index = tile.index(shape.top + row, shape.left);
        let known = if KNOWN {
            row_bits(tile, index, shape.columns)
        } else {
            0
        };
        // Membership comes first: codes exist only for slots with classes.
        let bits = if kind.full {
            (1u64 << shape.columns) - 1
        } else {
            members(turn, shape.columns, above.as_ref(), known)
        };
        if !KNOWN {
            tile.mark(index, bits);
        }
        let codes = match kind.codes {
            None => [0; WIDTH],
            Some(codes) => {
                let columns = shape.columns as usize;
                let slots = &mut tile.codes[index..index + columns];
                match &above {
                    None => first_row::<KNOWN>(turn, slots, bits, codes),
                    Some(above) if KNOWN => {
                        known_row(turn, &tile.codes[index..], bits, codes, above)
                    }
                    Some(above) => next_row(turn, slots, bits, codes, above),
                }
            }
        };
        // For the second row, the first stands for both rows above.
        above = Some(Above {
            bits,
            uppermost_bits: above.map_or(bits, |above| above.bits),
            codes,
            uppermost_codes: above.map_or(codes, |above| above.codes),
        });
        // The upward half starts with the middle row, and the downward half continues from there.
        first = first.or(above);
    }
    first.unwrap_or_default()
}

/// Handles the codes of a row without a row above it.
#[inline(always)]
fn first_row<const KNOWN: bool>(
    turn: &mut impl Turn,
    slots: &mut [u8],
    bits: u64,
    codes: usize,
) -> [u8; WIDTH] {
    let mut line = [0; WIDTH];
    // Without neighbours, expect a code in the middle of the range.
    let mut left = (codes / 2) as u8;
    let mut leftmost = left;
    for (column, (slot, code)) in slots.iter_mut().zip(&mut line).enumerate() {
        *code = left;
        if bits >> column & 1 == 1 {
            let expected = i32::from(left);
            let (left, leftmost) = (expected, i32::from(leftmost));
            let model = code_model(expected, codes, left, left, leftmost, left);
            *code = turn.code(model, expected as u8, *slot);
            if !KNOWN {
                *slot = *code;
            }
        }
        (leftmost, left) = (left, *code);
    }
    line
}

/// Finds the codes of a row with a row above it.
#[inline(always)]
fn next_row(
    turn: &mut impl Turn,
    slots: &mut [u8],
    mut bits: u64,
    codes: usize,
    above: &Above,
) -> [u8; WIDTH] {
    // Both lines begin with neighbours of the first column, and the last column has one, too.
    let mut uppers = [above.codes[0]; WIDTH + 2 + REACH];
    uppers[2..WIDTH + 2].copy_from_slice(&above.codes);
    let mut line = uppers;
    while bits != 0 {
        let column = bits.trailing_zeros() as usize % WIDTH;
        let (upper_left, upper) = (uppers[column + 1].into(), uppers[column + 2].into());
        let (leftmost, left) = (line[column].into(), line[column + 1].into());
        let uppermost = i32::from(above.uppermost_codes[column]);
        let expected = median(left, upper, upper_left);
        let model = code_model(expected, codes, upper, left, leftmost, uppermost);
        let code = turn.code(model, expected as u8, 0);
        slots[column] = code;
        line[column + 2] = code;
        // The next codes, if their slots are absent.
        for next in column + 3..column + 3 + REACH {
            let [left, upper_left] = [line[next - 1], uppers[next - 1]];
            line[next] = median(left.into(), uppers[next].into(), upper_left.into()) as u8;
        }
        bits &= bits - 1;
    }
    let mut codes = [0; WIDTH];
    codes.copy_from_slice(&line[2..WIDTH + 2]);
    codes
}

/// Handles the codes of a known row with a row above it.
///
/// The contexts are those of [`next_row`], but all codes are known, so vectors have them. Slots and
/// lines may go on after the last column: no context looks to the right.
#[inline(always)]
fn known_row(
    turn: &mut impl Turn,
    slots: &[u8],
    mut bits: u64,
    codes: usize,
    above: &Above,
) -> [u8; WIDTH] {
    let slots: [u8; WIDTH] = match slots.first_chunk() {
        Some(slots) => *slots,
        None => std::array::from_fn(|column| slots.get(column).copied().unwrap_or(0)),
    };
    let upper = u8x16::new(above.codes);
    let start = above.codes[0];
    let upper_left = shifted(upper, start);
    let present = spread(bits);
    let mut row = present.bitselect(u8x16::new(slots), upper);
    for _ in 0..REACH {
        row = present.bitselect(row, medians(shifted(row, start), upper, upper_left));
    }
    let left = shifted(row, start);
    let expected = medians(left, upper, upper_left);
    let uppermost = u8x16::new(above.uppermost_codes);
    let patterns = patterns(expected, [upper, left, shifted(left, start), uppermost]);
    let expected = expected.to_array();
    while bits != 0 {
        let column = bits.trailing_zeros() as usize % WIDTH;
        let pattern = usize::from(patterns[0][column]) * 25 + usize::from(patterns[1][column]);
        let model = first_model(i32::from(expected[column]), codes) + pattern;
        turn.code(model, expected[column], slots[column]);
        bits &= bits - 1;
    }
    row.to_array()
}

/// Returns the codes to the left: each lane has that of the lane before, the first has `start`.
#[inline(always)]
fn shifted(row: u8x16, start: u8) -> u8x16 {
    // The compiler would shift two halves of the row.
    #[cfg(target_arch = "x86_64")]
    let moved = bytemuck::cast::<_, u8x16>(byte_shl_imm_u128_m128i::<1>(bytemuck::cast(row)));
    #[cfg(not(target_arch = "x86_64"))]
    let moved = u8x16::new((u128::from_le_bytes(row.to_array()) << 8).to_le_bytes());
    moved | u8x16::new(u128::from(start).to_le_bytes())
}

/// Returns the [`median`]s of 16 slots.
#[inline(always)]
fn medians(left: u8x16, upper: u8x16, upper_left: u8x16) -> u8x16 {
    let (low, high) = (left.min(upper), left.max(upper));
    let falls = upper_left.max(high).simd_eq(upper_left);
    let rises = upper_left.min(low).simd_eq(upper_left);
    rises.bitselect(high, falls.bitselect(low, left + upper - upper_left))
}

/// Returns the lanes of the bits that are set, with all of their bits set.
#[inline(always)]
fn spread(bits: u64) -> u8x16 {
    const BITS: u64 = 0x8040_2010_0804_0201;
    let half = |bits: u64| u128::from((bits & 0xff).wrapping_mul(0x0101_0101_0101_0101) & BITS);
    let lanes = |bits: u128| u8x16::new(bits.to_le_bytes());
    let of_lanes = lanes(u128::from(BITS) << 64 | u128::from(BITS));
    lanes(half(bits >> 8) << 64 | half(bits)).simd_eq(of_lanes)
}

/// Handles the membership bits of a row, four at a time.
#[inline(always)]
fn members(turn: &mut impl Turn, columns: u32, above: Option<&Above>, known: u64) -> u64 {
    // Extend a row to the right by repeating its last bit.
    let extend = |bits: u64| {
        let last = bits >> (columns - 1) & 1;
        bits | (0u64.wrapping_sub(last) & (0xff << columns))
    };
    // A missing row counts as empty.
    let (upper, uppermost) = above.map_or((0, 0), |above| (above.bits, above.uppermost_bits));
    let (upper, uppermost, known) = (extend(upper), extend(uppermost), extend(known));
    // Shift the row above by one bit: bit 0 is now the slot to the left of the first.
    let upper = upper << 1 | upper & 1;
    let mut bits = 0u64;
    for column in (0..columns).step_by(4) {
        // At the left edge, use the slot above the first one for both bits to the left.
        let left = match column {
            0 => (upper & 1) * 3,
            _ => bits >> (column - 2) & 3,
        };
        let context = (upper >> column & 0x3f)
            | left << 6
            | u64::from(above.is_none()) << 8
            | (uppermost >> column & 0xf) << 9;
        let four = turn.members(context as usize, (known >> column & 0xf) as u32);
        bits |= u64::from(four) << column;
    }
    bits & ((1 << columns) - 1)
}

/// Walks through both halves of a known cell, with a turn for each.
pub fn walk_known<T: Turn>(
    tile: &mut Tile,
    shape: CellShape,
    kind: CellKind,
    upwards: &mut T,
    downwards: impl FnOnce(&mut T) -> &mut T,
) {
    let middle = middle(shape);
    let above = walk::<true>(upwards, tile, shape, kind, (0..=middle).rev(), None);
    let below = middle + 1..shape.rows;
    walk::<true>(downwards(upwards), tile, shape, kind, below, Some(above));
}
