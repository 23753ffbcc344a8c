//! Contexts, which select the distribution of a symbol.

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
    let level = if codes <= LEVELS {
        expected as usize
    } else {
        expected as usize * LEVELS / codes
    };
    let difference = |neighbour: i32| ((neighbour - expected).clamp(-2, 2) + 2) as usize;
    // This sum of products is faster than the shorter nested form: its terms don't depend on each
    // other.
    level * PATTERNS
        + difference(above) * 125
        + difference(left) * 25
        + difference(leftmost) * 5
        + difference(uppermost)
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
