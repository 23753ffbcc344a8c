//! The bits of reachable positions as a piece that a journal keeps: a gzip stream of a title, the
//! length of which comes first (4 bytes, lowest first), and the bits.
//!
//! The stream is made of members, of about a megabyte, so that all threads can compress.

use super::bits::ReachedLayer;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Matrices are cut into parts of at most so many words.
const PART: usize = 1 << 13;

/// So many parts make a member, and so many members are in memory at a time.
const PARTS: usize = 16;
const MEMBERS: usize = 16;

/// The longest title.
const TITLE: u64 = 1 << 16;

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Bits gain little from trying harder, and this is to take little time.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn parts(layers: &[ReachedLayer]) -> impl Iterator<Item = &[AtomicU64]> {
    let splits = layers.iter().flat_map(|layer| &layer.splits);
    let matrices = splits.flat_map(|split| split.bits.both());
    matrices.flat_map(|matrix| matrix.words().chunks(PART))
}

/// Writes the bits of all layers.
///
/// # Errors
/// If `out` fails.
pub fn write_bits(out: &mut dyn Write, title: &str, layers: &[ReachedLayer]) -> io::Result<()> {
    let length = (title.len() as u32).to_le_bytes();
    out.write_all(&compress(&[&length, title.as_bytes()].concat())?)?;
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

/// Reads the bits of all layers back into layers without any; says what their title is.
///
/// # Errors
/// If `input` fails or is not what [`write_bits`] wrote for layers like these. Some bits may be set
/// then.
pub fn read_bits(input: &mut dyn Read, layers: &[ReachedLayer]) -> io::Result<String> {
    let mut input = MultiGzDecoder::new(input);
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length)).min(TITLE);
    let mut title = String::new();
    input.by_ref().take(length).read_to_string(&mut title)?;
    let mut bytes = vec![[0; 8]; PART];
    for words in parts(layers) {
        let bytes = &mut bytes[..words.len()];
        input.read_exact(bytes.as_flattened_mut())?;
        for (word, bytes) in words.iter().zip(bytes) {
            // Pages of zeros are left untouched, and take no memory.
            match u64::from_le_bytes(*bytes) {
                0 => {}
                ones => word.store(ones, Relaxed),
            }
        }
    }
    // The end has to be read for the last checksum to be checked.
    match input.read(&mut [0])? {
        0 => Ok(title),
        _ => Err(io::Error::other("more than there should be")),
    }
}
