//! The file format of an explicit game graph.
//!
//! A line `zermelo listed game 1`, then a line of JSON with the counts, then one zlib stream of:
//!
//! - the lengths of the texts (u32 each) and the texts,
//! - the sides to move (one byte each), if there are any,
//! - the scores of finished positions (i32 each, -2^31 for unfinished positions, ±1000 for won and
//!   lost ones if scores count plies),
//! - the number of moves of each position (u32 each),
//! - the moves' names and then the moves' targets (u32 each),
//! - the pictures and the rules in words, if there are any (`look.rs`).
//!
//! All numbers are little-endian. The digest is the SHA-256 of the file before compression, without
//! pictures and rules in words.

use super::build::{check, levels};
use super::graph::{
    BUFFER_BYTES, CancellableWriter, FIRST_LINE, Graph, Header, MOST_DECIMALS, UNFINISHED,
    greatest, lines, write_numbers,
};
use super::look::Look;
use super::solve::scored;
use crate::game::{Endless, NoProgress, Progress, ScoreRange, WON};
use crate::text::hex;
use crate::work::DiskError;
use crate::work::disk::{self, File};
use crate::work::regular::open_named;
use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Extension of such files.
pub const NAME: &str = "game";

/// Greatest compression ratio and slack in bytes, beyond which a file is refused.
///
/// Such a file was made to fill memory. Data that compresses better is stored uncompressed.
const MOST_PACKED: u128 = 200;
const MOST_SLACK: u128 = 1 << 20;

/// The longest header that is read, in bytes.
const MOST_HEADER: u64 = 1 << 28;

/// Returns the path of the list for a table's game.
///
/// The table's whole name and an extension, so that no two tables share a list.
#[must_use]
pub fn beside(table: &Path) -> PathBuf {
    longer(table, NAME)
}

/// Returns a path with one more extension.
fn longer(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Writes a graph with this compression level.
fn write(graph: &Graph, mut to: impl Write, packing: Compression) -> io::Result<()> {
    to.write_all(&lines(graph)?)?;
    let mut packed = io::BufWriter::with_capacity(BUFFER_BYTES, ZlibEncoder::new(to, packing));
    write_numbers(graph, &mut packed)?;
    graph.look.write(&mut packed)?;
    packed
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()?;
    Ok(())
}

impl Graph {
    /// Writes the graph to a file atomically: on error, an earlier file remains.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn write(&self, path: &Path) -> Result<(), DiskError> {
        self.write_after(path, &NoProgress, || Ok(()))
    }

    /// Writes the graph to a temporary file, which is renamed after `write_other`.
    ///
    /// On failure, nothing of it remains.
    ///
    /// # Errors
    /// If the system reports an error, the caller cancels, or `write_other` fails.
    pub fn write_after<T, E: From<DiskError>>(
        &self,
        path: &Path,
        progress: &dyn Progress,
        write_other: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let part = longer(path, "part");
        let mut file = disk::create(&part).map_err(DiskError::of(path, "make it"))?;
        let written = || {
            self.pack(&mut file, progress)
                .map_err(DiskError::of(path, "write it"))?;
            let other = write_other()?;
            fs::rename(&part, path).map_err(DiskError::of(path, "put it in its place"))?;
            Ok(other)
        };
        written().inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })
    }

    /// Writes the graph compressed, or uncompressed if it compresses too well.
    fn pack(&self, file: &mut File, progress: &dyn Progress) -> io::Result<()> {
        let to = CancellableWriter(|bytes: &[u8]| file.write_all(bytes), progress);
        write(self, to, Compression::new(3))?;
        let (letters, moves) = (self.texts.len() as u64, self.edges() as u64);
        let pictures = self.look.pictures.iter();
        let pictures: usize = pictures.map(|picture| picture.len() + 1).sum();
        let needed = unpacked(self.positions(), letters, moves) + pictures as u128;
        if file.metadata()?.len() < fewest_bytes(needed) {
            file.set_len(0)?;
            file.rewind()?;
            let to = CancellableWriter(|bytes: &[u8]| file.write_all(bytes), progress);
            write(self, to, Compression::none())?;
        }
        file.sync_all()
    }

    /// Reads a graph.
    ///
    /// # Errors
    /// If the file can't be read or is not a valid graph.
    pub fn read(path: &Path) -> Result<Graph, DiskError> {
        let read = open_named(path).and_then(|file| {
            let length = file.metadata()?.len();
            let parsed = parse(io::BufReader::with_capacity(BUFFER_BYTES, file), length);
            parsed.map_err(|problem| io::Error::new(io::ErrorKind::InvalidData, problem))
        });
        read.map_err(DiskError::of(path, "read the list of a game"))
    }
}

/// Returns the greatest number of bytes before compression.
fn unpacked(positions: usize, letters: u64, moves: u64) -> u128 {
    positions as u128 * 13 + u128::from(letters) + u128::from(moves) * 8
}

/// Returns the smallest allowed number of compressed bytes.
fn fewest_bytes(unpacked: u128) -> u64 {
    let fewest = unpacked.saturating_sub(MOST_SLACK).div_ceil(MOST_PACKED);
    u64::try_from(fewest).unwrap_or(u64::MAX)
}

const SHORT: &str = "it ends too soon, or its counts are wrong";

/// Reads a graph from a file of this length.
///
/// Memory is taken only for data that is really there.
fn parse(mut file: impl BufRead, length: u64) -> Result<Graph, &'static str> {
    let mut lines = Vec::new();
    let mut next_line = |most| file.by_ref().take(most).read_until(b'\n', &mut lines);
    next_line(FIRST_LINE.len() as u64).map_err(|_| SHORT)?;
    next_line(MOST_HEADER).map_err(|_| SHORT)?;
    let header = lines
        .strip_prefix(FIRST_LINE.as_bytes())
        .ok_or("it doesn't begin like one")?;
    let header: Header = match header.strip_suffix(b"\n") {
        Some(header) => serde_json::from_slice(header).map_err(|_| "its header can't be read")?,
        None => return Err(SHORT),
    };
    let count = header.positions as usize;
    let needed = unpacked(count, header.letters, header.moves);
    if length < fewest_bytes(needed) {
        return Err("it would unpack to more than its size allows");
    }
    let mut unpacking = Unpacking {
        packed: ZlibDecoder::new(file),
        digest: Sha256::new(),
    };
    unpacking.digest.update(&lines);
    let graph = unpacking.graph(header)?;
    let digest = hex(unpacking.digest.finalize_reset());
    // As much again for the rules and the names.
    let most = u128::from(length) * MOST_PACKED + 2 * MOST_SLACK;
    let most = u64::try_from(most.saturating_sub(needed)).unwrap_or(u64::MAX);
    let look = unpacking.rest(most)?;
    // The stream ends with a checksum, which is checked when its end is read.
    let packed = &mut unpacking.packed;
    let at_end = packed.read(&mut [0]).map_err(|_| SHORT)?;
    if at_end > 0 || packed.total_in() + lines.len() as u64 != length {
        return Err("there is more behind its end");
    }
    let graph = Graph {
        greatest: greatest(&graph.finals),
        look: Look::read(look, count)?,
        digest,
        ..graph
    };
    is_sound(&graph)
        .then_some(graph)
        .ok_or("its parts contradict each other")
}

/// Decompresses the data after the first two lines.
struct Unpacking<R> {
    packed: ZlibDecoder<R>,
    digest: Sha256,
}

impl<R: BufRead> Unpacking<R> {
    /// Returns the next `length` bytes.
    fn take(&mut self, length: u64) -> Result<Vec<u8>, &'static str> {
        let mut bytes = Vec::new();
        let mut packed = self.packed.by_ref().take(length);
        packed.read_to_end(&mut bytes).map_err(|_| SHORT)?;
        self.digest.update(&bytes);
        (bytes.len() as u64 == length).then_some(bytes).ok_or(SHORT)
    }

    /// Returns the bytes up to the end, if they are not more than `most`.
    fn rest(&mut self, most: u64) -> Result<Vec<u8>, &'static str> {
        let mut bytes = Vec::new();
        let mut packed = self.packed.by_ref().take(most);
        packed.read_to_end(&mut bytes).map_err(|_| SHORT)?;
        Ok(bytes)
    }

    fn words(&mut self, count: u64) -> Result<Vec<u32>, &'static str> {
        let bytes = self.take(count.checked_mul(4).ok_or(SHORT)?)?;
        let words = bytes.as_chunks().0.iter();
        Ok(words.map(|&word| u32::from_le_bytes(word)).collect())
    }

    /// Ends of consecutive items from 0 on, whose lengths are the next `count` numbers.
    fn ends(&mut self, count: u64) -> Result<impl Iterator<Item = u64> + use<R>, &'static str> {
        let mut sum = 0u64;
        let lengths = self.words(count)?.into_iter();
        Ok(lengths.map(move |length| {
            sum += u64::from(length);
            sum
        }))
    }

    /// Returns the graph, without its digest.
    fn graph(&mut self, header: Header) -> Result<Graph, &'static str> {
        let count = u64::from(header.positions);
        // In the order in which they were written.
        Ok(Graph {
            ends: self.ends(count)?.collect(),
            texts: String::from_utf8(self.take(header.letters)?)
                .map_err(|_| "its texts are no text")?,
            sides: match header.has_sides {
                true => Some(self.take(count)?),
                false => None,
            },
            finals: self
                .words(count)?
                .into_iter()
                .map(|score| score as i32)
                .collect(),
            firsts: [0].into_iter().chain(self.ends(count)?).collect(),
            moves: self.words(header.moves)?,
            children: self.words(header.moves)?,
            name: header.name,
            names: header.names,
            levels: header.levels,
            decimals: header.decimals,
            scores: ScoreRange {
                lowest: header.lowest,
                highest: header.highest,
                step: header.step,
            },
            endless: match header.endless {
                true => Endless::Draw,
                false => Endless::Impossible,
            },
            ..Graph::default()
        })
    }
}

/// Returns whether the graph could have been built: consistent, and without cycles unless it allows
/// them.
fn is_sound(graph: &Graph) -> bool {
    let is_long = graph.endless == Endless::Draw && graph.scores.step == -WON;
    fits_together(graph)
        && check(graph, &NoProgress).is_ok()
        && levels(graph).as_ref() == Ok(&graph.levels)
        && scored(graph, is_long, &NoProgress).is_ok_and(|(range, _)| range == graph.scores)
}

/// Returns whether all numbers are in range.
fn fits_together(graph: &Graph) -> bool {
    let count = graph.positions();
    let is_boundary = |&end: &u64| graph.texts.is_char_boundary(end as usize);
    count > 0
        && graph.decimals <= MOST_DECIMALS
        && graph.ends.last() == Some(&(graph.texts.len() as u64))
        && graph.ends.iter().all(is_boundary)
        && graph
            .sides
            .as_ref()
            .is_none_or(|sides| sides.iter().all(|&side| side < 2))
        && graph.firsts.last() == Some(&(graph.edges() as u64))
        && graph.children.iter().all(|&child| (child as usize) < count)
        && graph
            .moves
            .iter()
            .all(|&name| (name as usize) < graph.names.len())
        && graph.levels.last() == Some(&(count as u32))
        && (graph.finals.iter()).all(|&score| score == UNFINISHED || score % graph.unit() == 0)
}
