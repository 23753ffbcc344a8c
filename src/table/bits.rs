//! Bits of slots, 64 to a word.

/// Calls `each` with the index of every bit that is set.
#[inline]
pub fn for_each_present(present: &[u64], mut each: impl FnMut(usize)) {
    for (number, &word) in present.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            each(64 * number + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}
