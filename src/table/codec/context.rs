//! Contexts: what a symbol's distribution depends on.

/// Contexts of four membership bits: six bits above them, two to the left, whether it is the first
/// row, and the four bits two rows above.
pub const MEMBER_MODELS: usize = 1 << 13;
/// A parent leaves the row two above out.
pub const MEMBER_PARENTS: usize = 1 << 9;

/// The expected code is reduced to this many levels.
pub const LEVELS: usize = 32;
/// How four neighbours differ from what is expected, each by -2 or less, -1, 0, 1, or 2 and more.
pub const PATTERNS: usize = 625;
/// Contexts of a code.
pub const CODE_MODELS: usize = LEVELS * PATTERNS;

/// The symbol of a code that is too far from what was expected: two symbols from the uniform
/// distribution follow.
pub const ESCAPE: usize = 15;

pub const LEAVES: usize = MEMBER_MODELS + CODE_MODELS;

/// The distribution in which all symbols are equally likely.
pub const UNIFORM: usize = LEAVES;

/// The context of a code: which of [`CODE_MODELS`].
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
    // A sum of products, not the shorter nested form: what each neighbour adds needn't wait for the
    // others.
    level * PATTERNS
        + difference(above) * 125
        + difference(left) * 25
        + difference(leftmost) * 5
        + difference(uppermost)
}

/// A residue of -7 to 7 has a symbol of its own.
pub const FARTHEST: i32 = 7;

/// The symbol of a code where another was expected.
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
