//! Bit sets of slots, with 64 slots per word.

/// Calls `each` with the index of every set bit.
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
