//! Fuzzes tables: opens, describes, probes and verifies modified ones.
//!
//! Most changes recompute all checksums.

mod check;
mod file;
mod lie;
mod metadata;
mod mutate;
mod of;
mod sample;

pub use check::Checked;
pub use file::Parts;
pub use mutate::{Changed, change};
pub use sample::samples;

use arbitrary::{Result, Unstructured};

/// Changes one of the samples by the input and checks the result.
///
/// # Errors
/// If the input is too short.
pub fn run(u: &mut Unstructured<'_>) -> Result<Checked> {
    let samples = samples();
    let sample = &samples[u.choose_index(samples.len())?];
    let other = &samples[u.choose_index(samples.len())?];
    let (parts, is_lie) = match u.int_in_range(0..=7)? {
        0 => match sample.lie(u)? {
            Some(bytes) => (Parts::of(&bytes), true),
            None => return Ok(Checked::Refused),
        },
        1 => {
            // The original file with a few bits flipped.
            let mut bytes = sample.bytes().to_vec();
            for _ in 0..u.int_in_range(0..=3)? {
                let at = u.choose_index(bytes.len())?;
                bytes[at] ^= 1 << u.int_in_range(0..=7)?;
            }
            return sample.check(bytes, false, u);
        }
        _ => (sample.parts().clone(), false),
    };
    let Changed { bytes, forged } = change(u, parts, other.parts())?;
    sample.check(bytes, forged || is_lie, u)
}
