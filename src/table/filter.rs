//! Reversible filters that make codes easier to compress.

use crate::game::Tile;

/// What the codes of a tile go through before they are compressed.
///
/// Measured on Kalah, where what a move does depends on row and column alike: deflate finds as much
/// without a filter (75.3 MB for all of kalah(6,2) at level 6, against 75.4 MB with `Gradient`), so
/// that `None` is the default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Filter {
    /// Nothing.
    #[default]
    None,
    /// The difference from what the left, upper and upper-left neighbours let expect (the median of
    /// left, upper, and left + upper - upper-left), modulo the number of codes.
    Gradient,
}

impl Filter {
    /// The number that stands for it in a table.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    /// The filter with this number.
    pub(super) fn from_number(number: u8) -> Option<Filter> {
        [Filter::None, Filter::Gradient]
            .into_iter()
            .find(|filter| filter.number() == number)
    }

    /// Puts what is to be compressed, one byte for each slot that is present, into `residues`.
    pub(super) fn apply(
        self,
        tile: &Tile,
        codes: usize,
        scratch: &mut Vec<u8>,
        residues: &mut Vec<u8>,
    ) {
        residues.clear();
        if self == Filter::None {
            for_each_present(&tile.present, |index| residues.push(tile.codes[index]));
            return;
        }
        scratch.clear();
        scratch.resize(tile.codes.len(), 0);
        scratch.copy_from_slice(&tile.codes);
        walk(
            tile.columns as usize,
            &tile.present,
            scratch,
            |code, expected| {
                residues.push(if code >= expected {
                    code - expected
                } else {
                    (usize::from(code) + codes - usize::from(expected)) as u8
                });
                code
            },
        );
    }

    /// The reverse of `apply`: `tile` has its shape and its present slots, all else is set.
    /// `residues` has one byte below `codes` for each of them.
    pub(super) fn undo(self, tile: &mut Tile, codes: usize, residues: &[u8]) {
        if self == Filter::None {
            let mut rest = residues;
            for (&word, codes) in tile.present.iter().zip(tile.codes.chunks_mut(64)) {
                let (these, others) = rest.split_at(rest.len().min(word.count_ones() as usize));
                rest = others;
                if these.len() == codes.len() {
                    codes.copy_from_slice(these);
                } else {
                    let mut ones = word;
                    for &code in these {
                        codes[ones.trailing_zeros() as usize] = code;
                        ones &= ones - 1;
                    }
                }
            }
            return;
        }
        let mut next = residues.iter().copied();
        let columns = tile.columns as usize;
        walk(columns, &tile.present, &mut tile.codes, |_, expected| {
            let sum = usize::from(next.next().unwrap_or(0)) + usize::from(expected);
            (if sum >= codes { sum - codes } else { sum }) as u8
        });
        // An absent slot took what was expected there; a tile has 0 in it.
        for (word, codes) in tile.present.iter().zip(tile.codes.chunks_mut(64)) {
            if *word != !0 {
                for (bit, code) in codes.iter_mut().enumerate() {
                    *code &= 0u8.wrapping_sub((word >> bit & 1) as u8);
                }
            }
        }
    }
}

/// Goes through the slots in order: each present one becomes what `turn` makes of it and of what
/// was expected, each absent one what was expected.
#[inline]
fn walk(columns: usize, present: &[u64], codes: &mut [u8], mut turn: impl FnMut(u8, u8) -> u8) {
    let mut index = 0;
    for row in 0..codes.len() / columns {
        let mut left = 0;
        let mut upper_left = 0;
        for column in 0..columns {
            let upper = if row > 0 {
                codes[index - columns]
            } else {
                left
            };
            if column == 0 {
                left = upper;
                upper_left = upper;
            }
            let expected = median(left, upper, upper_left);
            let code = &mut codes[index];
            *code = if present[index / 64] >> (index % 64) & 1 == 1 {
                turn(*code, expected)
            } else {
                expected
            };
            left = *code;
            upper_left = upper;
            index += 1;
        }
    }
}

/// The median of `left`, `upper` and `left + upper - upper_left`.
#[inline]
fn median(left: u8, upper: u8, upper_left: u8) -> u8 {
    let (low, high) = (left.min(upper), left.max(upper));
    let sum = i16::from(left) + i16::from(upper) - i16::from(upper_left);
    sum.clamp(i16::from(low), i16::from(high)) as u8
}

/// Calls `each` with the index of every bit that is set.
#[inline]
pub(super) fn for_each_present(present: &[u64], mut each: impl FnMut(usize)) {
    for (number, &word) in present.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            each(64 * number + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As docs/table-format.md describes it.
    #[test]
    fn residues_are_differences_from_the_median_of_the_neighbours() {
        let mut tile = Tile::default();
        tile.reset(2, 3);
        // 5 7 -
        // 6 9 2
        for (index, code) in [(0, 5), (1, 7), (3, 6), (4, 9), (5, 2)] {
            tile.set(index, code);
        }
        let (mut scratch, mut residues) = (Vec::new(), Vec::new());
        Filter::Gradient.apply(&tile, 10, &mut scratch, &mut residues);
        // Expected: 0, 5, (7), 5, median(6, 7, 8) = 7, median(9, 7, 9) = 9.
        assert_eq!(residues, [5, 2, 1, 2, 3]);
        let mut back = tile.clone();
        back.codes.fill(0);
        Filter::Gradient.undo(&mut back, 10, &residues);
        assert_eq!(back, tile);
    }
}
