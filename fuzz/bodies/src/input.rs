//! Inputs without a fuzzing engine: random ones, and mutations of the corpus.

use super::Body;
use fastrand::Rng;
use std::path::PathBuf;

/// The longest random input in bytes.
const MOST: usize = 512;

/// Returns the committed inputs of a body, sorted by file name.
#[must_use]
pub fn corpus(body: &Body) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
    let folder = PathBuf::from(folder).join(body.name);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let files = paths.iter().map(std::fs::read);
    files.filter_map(Result::ok).collect()
}

/// Makes an input, which depends only on the random numbers and the corpus.
pub fn make(random: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    if corpus.is_empty() || random.bool() {
        let most = random.usize(8..=MOST);
        let length = random.usize(1..=most);
        return std::iter::repeat_with(|| random.u8(..))
            .take(length)
            .collect();
    }
    let mut input = corpus[random.usize(..corpus.len())].clone();
    for _ in 0..random.usize(1..=6) {
        change(random, &mut input, corpus);
    }
    input.truncate(4 * MOST);
    input
}

fn change(random: &mut Rng, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = random.usize(..=input.len());
    let end = random.usize(at..=input.len().min(at + 32));
    match random.u8(..8) {
        0 => input.truncate(at),
        1 => {
            input.drain(at..end);
        }
        2 => input.extend_from_within(at..end),
        3 => input.insert(at, random.u8(..)),
        4 => {
            let other = &corpus[random.usize(..corpus.len())];
            let from = random.usize(..=other.len());
            let to = random.usize(from..=other.len().min(from + 64));
            input.splice(at..end, other[from..to].iter().copied());
        }
        5 if end < input.len() => input[end] ^= 1 << random.u8(..8),
        _ if end < input.len() => input[end] = random.u8(..),
        _ => {}
    }
}
