//! Large arrays as pieces that a journal keeps: cut into chunks that are compressed on all threads.
//!
//! A piece is a title and the chunks. Each is the length of what follows in 4 bytes, lowest first,
//! and a gzip member, whose checksum tells damage; a chunk of nothing but zeros has the length 0.

use super::bits::ReachedLayer;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of a chunk before it is compressed.
const CHUNK: usize = 1 << 20;

/// How many chunks are in memory at a time.
const BATCH: usize = 16;

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.iter().all(|&byte| byte == 0) {
        return Ok(Vec::new());
    }
    // Bits and codes gain little from trying harder, and this is to take little time.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn write_compressed(out: &mut dyn Write, compressed: &[u8]) -> io::Result<()> {
    out.write_all(&(compressed.len() as u32).to_le_bytes())?;
    out.write_all(compressed)
}

fn read_compressed(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    // Incompressible data grows a little; a greater length is wrong.
    if length > 2 * CHUNK as u64 {
        return Err(damaged("a chunk of impossible length"));
    }
    let mut compressed = Vec::new();
    input.take(length).read_to_end(&mut compressed)?;
    if compressed.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(compressed)
}

/// Decompresses what must be exactly `length` bytes.
fn decompress(compressed: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    // One more than there should be, so that too much shows; reading to the end checks the
    // checksum.
    GzDecoder::new(compressed)
        .take(length as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(damaged("a chunk of another length"))
    }
}

/// Writes a title and chunks, the bytes of each made by `fill`.
fn write_chunks<T: Sync>(
    out: &mut dyn Write,
    title: &str,
    chunks: &[T],
    fill: impl Fn(&T, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    write_compressed(out, &compress(title.as_bytes())?)?;
    for batch in chunks.chunks(BATCH) {
        let compressed: Vec<io::Result<Vec<u8>>> = batch
            .par_iter()
            .map_init(Vec::new, |bytes, chunk| {
                bytes.clear();
                fill(chunk, bytes);
                compress(bytes)
            })
            .collect();
        for compressed in compressed {
            write_compressed(out, &compressed?)?;
        }
    }
    Ok(())
}

/// Reads the title back, and says what it is.
fn read_title(input: &mut dyn Read) -> io::Result<String> {
    let compressed = read_compressed(input)?;
    let mut title = String::new();
    GzDecoder::new(&compressed[..])
        .take(CHUNK as u64)
        .read_to_string(&mut title)?;
    Ok(title)
}

/// Reads chunks back into `chunks`, all zeros before; nothing may follow them.
fn read_chunks<T: Send>(
    input: &mut dyn Read,
    chunks: Vec<T>,
    length: impl Fn(&T) -> usize + Sync,
    take: impl Fn(T, &[u8]) + Sync,
) -> io::Result<()> {
    let mut chunks = chunks.into_iter();
    loop {
        let mut batch = Vec::with_capacity(BATCH);
        for chunk in chunks.by_ref().take(BATCH) {
            batch.push((chunk, read_compressed(input)?));
        }
        if batch.is_empty() {
            break;
        }
        batch
            .into_par_iter()
            .filter(|(_, compressed)| !compressed.is_empty())
            .try_for_each(|(chunk, compressed)| {
                let bytes = decompress(&compressed, length(&chunk))?;
                take(chunk, &bytes);
                io::Result::Ok(())
            })?;
    }
    match input.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(damaged("more than there should be")),
    }
}

fn chunks_of_bits(layers: &[ReachedLayer]) -> Vec<&[AtomicU64]> {
    layers
        .iter()
        .flat_map(|layer| &layer.splits)
        .flat_map(|split| split.bits.both())
        .flat_map(|matrix| matrix.words().chunks(CHUNK / 8))
        .collect()
}

/// Writes the bits of all layers.
///
/// # Errors
/// If `out` fails.
pub fn write_bits(out: &mut dyn Write, title: &str, layers: &[ReachedLayer]) -> io::Result<()> {
    write_chunks(out, title, &chunks_of_bits(layers), |words, bytes| {
        bytes.extend(
            words
                .iter()
                .flat_map(|word| word.load(Relaxed).to_le_bytes()),
        );
    })
}

/// Reads the bits of all layers back into layers without any; says what their title is.
///
/// # Errors
/// If `input` fails or is not what [`write_bits`] wrote for layers like these. Some bits may be set
/// then.
pub fn read_bits(input: &mut dyn Read, layers: &[ReachedLayer]) -> io::Result<String> {
    let title = read_title(input)?;
    read_chunks(
        input,
        chunks_of_bits(layers),
        |words| 8 * words.len(),
        |words, bytes| {
            for (word, bytes) in words.iter().zip(bytes.as_chunks::<8>().0) {
                // Pages of zeros are left untouched, and take no memory.
                match u64::from_le_bytes(*bytes) {
                    0 => {}
                    ones => word.store(ones, Relaxed),
                }
            }
        },
    )?;
    Ok(title)
}

/// Writes arrays of codes.
///
/// # Errors
/// If `out` fails.
pub fn write_codes(out: &mut dyn Write, title: &str, arrays: &[&[u8]]) -> io::Result<()> {
    let chunks: Vec<&[u8]> = arrays
        .iter()
        .flat_map(|codes| codes.chunks(CHUNK))
        .collect();
    write_chunks(out, title, &chunks, |codes, bytes| bytes.extend(*codes))
}

/// Reads arrays of codes back into arrays of zeros.
///
/// # Errors
/// If `input` fails or is not what [`write_codes`] wrote for this title and arrays of these
/// lengths.
pub fn read_codes(input: &mut dyn Read, title: &str, arrays: Vec<&mut [u8]>) -> io::Result<()> {
    if read_title(input)? != title {
        return Err(damaged("another title"));
    }
    let chunks = arrays
        .into_iter()
        .flat_map(|codes| codes.chunks_mut(CHUNK))
        .collect();
    read_chunks(
        input,
        chunks,
        |codes: &&mut [u8]| codes.len(),
        |codes, bytes| codes.copy_from_slice(bytes),
    )
}
