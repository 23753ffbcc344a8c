//! Large arrays as pieces that a journal keeps: a gzip stream of a title, the length of which comes
//! first (4 bytes, lowest first), and the arrays.
//!
//! The stream is made of members, of about a megabyte, so that all threads can compress.

use super::bits::ReachedLayer;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Arrays are cut into parts of at most so many bytes.
const PART: usize = 1 << 16;

/// So many parts make a member, and so many members are in memory at a time.
const PARTS: usize = 16;
const MEMBERS: usize = 16;

/// The longest title.
const TITLE: u64 = 1 << 16;

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Bits and codes gain little from trying harder, and this is to take little time.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Writes a title and the parts of arrays, whose bytes `put` appends.
fn write<T: Sync>(
    out: &mut dyn Write,
    title: &str,
    parts: &[T],
    put: impl Fn(&T, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let length = (title.len() as u32).to_le_bytes();
    out.write_all(&compress(&[&length, title.as_bytes()].concat())?)?;
    for batch in parts.chunks(PARTS * MEMBERS) {
        let member = |parts: &[T]| {
            let mut bytes = Vec::new();
            parts.iter().for_each(|part| put(part, &mut bytes));
            compress(&bytes)
        };
        let members = batch.par_chunks(PARTS).map(member);
        for member in members.collect::<Vec<_>>() {
            out.write_all(&member?)?;
        }
    }
    Ok(())
}

/// A piece that is read, and its title.
fn open(input: &mut dyn Read) -> io::Result<(impl Read, String)> {
    let mut input = MultiGzDecoder::new(input);
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length)).min(TITLE);
    let mut title = String::new();
    input.by_ref().take(length).read_to_string(&mut title)?;
    Ok((input, title))
}

/// An error unless all has been read; that checks the last checksum, too.
fn end(mut input: impl Read) -> io::Result<()> {
    match input.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(damaged("more than there should be")),
    }
}

fn words(layers: &[ReachedLayer]) -> impl Iterator<Item = &[AtomicU64]> {
    let splits = layers.iter().flat_map(|layer| &layer.splits);
    let matrices = splits.flat_map(|split| split.bits.both());
    matrices.flat_map(|matrix| matrix.words().chunks(PART / 8))
}

/// Writes the bits of all layers.
///
/// # Errors
/// If `out` fails.
pub fn write_bits(out: &mut dyn Write, title: &str, layers: &[ReachedLayer]) -> io::Result<()> {
    let parts: Vec<&[AtomicU64]> = words(layers).collect();
    write(out, title, &parts, |words, bytes| {
        let words = words.iter().map(|word| word.load(Relaxed).to_le_bytes());
        bytes.extend(words.flatten());
    })
}

/// Reads the bits of all layers back into layers without any; says what their title is.
///
/// # Errors
/// If `input` fails or is not what [`write_bits`] wrote for layers like these. Some bits may be set
/// then.
pub fn read_bits(input: &mut dyn Read, layers: &[ReachedLayer]) -> io::Result<String> {
    let (mut input, title) = open(input)?;
    let mut bytes = vec![[0; 8]; PART / 8];
    for words in words(layers) {
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
    end(input)?;
    Ok(title)
}
