//! The checkpoint of the bits of reachable positions: reading and writing.
//!
//! It is a gzip stream of the highest layer not yet processed (8 bytes, little-endian), the game's
//! rules string, and the bits. The stream consists of members of about a megabyte, so that all
//! threads can compress.

use super::bits::ReachedLayer;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of words per chunk of a matrix, at most.
const PART: usize = 1 << 13;

/// Number of chunks in a gzip member, and number of members in memory at a time.
const PARTS: usize = 16;
const MEMBERS: usize = 16;

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Better compression gains little for these bits, so favour speed.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn parts(layers: &[ReachedLayer]) -> impl Iterator<Item = &[AtomicU64]> {
    let splits = layers.iter().flat_map(|layer| &layer.splits);
    let matrices = splits.flat_map(|split| split.bits.both());
    matrices.flat_map(|matrix| matrix.words().chunks(PART))
}

/// Writes the bits of all layers, of which `top` is the highest one not yet processed.
///
/// # Errors
/// If `out` fails.
pub fn write_bits(
    out: &mut dyn Write,
    rules: &str,
    top: usize,
    layers: &[ReachedLayer],
) -> io::Result<()> {
    let head = [&(top as u64).to_le_bytes(), rules.as_bytes()].concat();
    out.write_all(&compress(&head)?)?;
    let parts: Vec<&[AtomicU64]> = parts(layers).collect();
    for batch in parts.chunks(PARTS * MEMBERS) {
        let member = |parts: &[&[AtomicU64]]| {
            let words = parts.iter().copied().flatten();
            let bytes = words.flat_map(|word| word.load(Relaxed).to_le_bytes());
            compress(&bytes.collect::<Vec<u8>>())
        };
        let members = batch.par_chunks(PARTS).map(member);
        for member in members.collect::<Vec<_>>() {
            out.write_all(&member?)?;
        }
    }
    Ok(())
}

/// Reads the bits of all layers into blank layers; returns the highest one not yet processed.
///
/// # Errors
/// If `input` fails, or if it isn't what [`write_bits`] wrote for the same rules. Some bits may be
/// set then.
pub fn read_bits(input: &mut dyn Read, rules: &str, layers: &[ReachedLayer]) -> io::Result<usize> {
    let mut input = MultiGzDecoder::new(input);
    let (mut top, mut of) = ([0; 8], vec![0; rules.len()]);
    input.read_exact(&mut top)?;
    input.read_exact(&mut of)?;
    let top = u64::from_le_bytes(top) as usize;
    if of != rules.as_bytes() || !(1..layers.len() - 1).contains(&top) {
        return Err(io::Error::other("it is of another game"));
    }
    let mut bytes = vec![[0; 8]; PART];
    for words in parts(layers) {
        let bytes = &mut bytes[..words.len()];
        input.read_exact(bytes.as_flattened_mut())?;
        for (word, bytes) in words.iter().zip(bytes) {
            // Don't write zeros, because untouched pages take no memory.
            match u64::from_le_bytes(*bytes) {
                0 => {}
                ones => word.store(ones, Relaxed),
            }
        }
    }
    // Only reading to the end makes the decoder check the last checksum.
    match input.read(&mut [0])? {
        0 => Ok(top),
        _ => Err(io::Error::other("more than there should be")),
    }
}
