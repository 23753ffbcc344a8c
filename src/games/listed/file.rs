//! The file format of an explicit game graph.
//!
//! A line `zermelo listed game 1`, then a line of JSON with the counts, then one zlib stream of:
//!
//! - the lengths of the texts (u32 each) and the texts,
//! - the sides to move (one byte each), if there are any,
//! - the scores of finished positions (i32 each, -2^31 for unfinished positions, ±1000 for won and
//!   lost ones if scores count plies),
//! - the number of moves of each position (u32 each),
//! - the moves' names and then the moves' targets (u32 each).
//!
//! All numbers are little-endian. The digest is the SHA-256 of the file before compression.

use super::build::{check, levels};
use super::encode::{FIRST_LINE, Header, Heeding, PIECE, lines, write_numbers};
use super::graph::{Graph, UNFINISHED};
use super::solve::scored;
use crate::game::{Endless, NoProgress, Progress, ScoreRange};
use crate::text::hex;
use crate::work::DiskError;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Extension of such files.
pub const NAME: &str = "game";

/// Greatest compression ratio and slack in bytes, beyond which a file is refused.
///
/// Such a file was made to fill memory. Data that compresses better is stored uncompressed.
const MOST_PACKED: u128 = 200;
const MOST_SLACK: u128 = 1 << 20;

/// Path of the list for a table's game.
///
/// The table's whole name and an extension, so that no two tables share a list.
#[must_use]
pub fn beside(table: &Path) -> PathBuf {
    longer(table, NAME)
}

/// A path with one more extension.
fn longer(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Writes a graph with this compression level.
fn write(graph: &Graph, mut to: impl Write, packing: Compression) -> io::Result<()> {
    to.write_all(&lines(graph)?)?;
    let mut packed = io::BufWriter::with_capacity(PIECE, ZlibEncoder::new(to, packing));
    write_numbers(graph, &mut packed)?;
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
        let mut file = fs::File::create(&part).map_err(DiskError::of(path, "make it"))?;
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
    fn pack(&self, file: &mut fs::File, progress: &dyn Progress) -> io::Result<()> {
        let to = Heeding(|bytes: &[u8]| file.write_all(bytes), progress);
        write(self, to, Compression::new(3))?;
        let (letters, moves) = (self.texts.len() as u64, self.edges() as u64);
        let needed = unpacked(self.positions(), letters, moves);
        if file.metadata()?.len() < fewest_bytes(needed) {
            file.set_len(0)?;
            file.rewind()?;
            let to = Heeding(|bytes: &[u8]| file.write_all(bytes), progress);
            write(self, to, Compression::none())?;
        }
        file.sync_all()
    }

    /// Reads a graph.
    ///
    /// # Errors
    /// If the file can't be read or is not a valid graph.
    pub fn read(path: &Path) -> Result<Graph, DiskError> {
        let read = fs::read(path).and_then(|bytes| {
            parse(&bytes).map_err(|problem| io::Error::new(io::ErrorKind::InvalidData, problem))
        });
        read.map_err(DiskError::of(path, "read the list of a game"))
    }
}

/// Greatest number of bytes before compression.
fn unpacked(positions: usize, letters: u64, moves: u64) -> u128 {
    positions as u128 * 13 + u128::from(letters) + u128::from(moves) * 8
}

/// Smallest allowed number of compressed bytes.
fn fewest_bytes(unpacked: u128) -> u64 {
    let fewest = unpacked.saturating_sub(MOST_SLACK).div_ceil(MOST_PACKED);
    u64::try_from(fewest).unwrap_or(u64::MAX)
}

const SHORT: &str = "it ends too soon, or its counts are wrong";

fn parse(bytes: &[u8]) -> Result<Graph, &'static str> {
    let rest = bytes
        .strip_prefix(FIRST_LINE.as_bytes())
        .ok_or("it doesn't begin like one")?;
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or(SHORT)?;
    let header: Header =
        serde_json::from_slice(&rest[..end]).map_err(|_| "its header can't be read")?;
    let count = header.positions as usize;
    let needed = unpacked(count, header.letters, header.moves);
    if (bytes.len() as u64) < fewest_bytes(needed) {
        return Err("it would unpack to more than its size allows");
    }
    let deflated = &rest[end + 1..];
    let mut unpacking = Unpacking {
        packed: ZlibDecoder::new(deflated),
        digest: Sha256::new(),
    };
    unpacking
        .digest
        .update(&bytes[..bytes.len() - deflated.len()]);
    let graph = unpacking.graph(header)?;
    // The stream ends with a checksum, which is checked when its end is read.
    let packed = &mut unpacking.packed;
    let at_end = packed.read(&mut [0]).map_err(|_| SHORT)?;
    if at_end > 0 || packed.total_in() != deflated.len() as u64 {
        return Err("there is more behind its end");
    }
    let graph = Graph {
        digest: hex(unpacking.digest.finalize()),
        ..graph
    };
    is_sound(&graph)
        .then_some(graph)
        .ok_or("its parts contradict each other")
}

/// Decompresses the data after the first two lines.
struct Unpacking<'a> {
    packed: ZlibDecoder<&'a [u8]>,
    digest: Sha256,
}

impl Unpacking<'_> {
    /// The next `length` bytes.
    ///
    /// Memory is allocated only for data that is really there.
    fn take(&mut self, length: u64) -> Result<Vec<u8>, &'static str> {
        let mut bytes = Vec::new();
        let mut packed = self.packed.by_ref().take(length);
        packed.read_to_end(&mut bytes).map_err(|_| SHORT)?;
        self.digest.update(&bytes);
        (bytes.len() as u64 == length).then_some(bytes).ok_or(SHORT)
    }

    fn words(&mut self, count: u64) -> Result<Vec<u32>, &'static str> {
        let bytes = self.take(count.checked_mul(4).ok_or(SHORT)?)?;
        let words = bytes.as_chunks().0.iter();
        Ok(words.map(|&word| u32::from_le_bytes(word)).collect())
    }

    /// Ends of consecutive items from 0 on, whose lengths are the next `count` numbers.
    fn ends(&mut self, count: u64) -> Result<impl Iterator<Item = u64> + use<>, &'static str> {
        let mut sum = 0u64;
        let lengths = self.words(count)?.into_iter();
        Ok(lengths.map(move |length| {
            sum += u64::from(length);
            sum
        }))
    }

    /// The graph, without its digest.
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

/// Whether the graph could have been built: consistent, and without cycles unless it allows them.
fn is_sound(graph: &Graph) -> bool {
    fits_together(graph)
        && check(graph, &NoProgress).is_ok()
        && levels(graph).as_ref() == Ok(&graph.levels)
        && scored(graph, &NoProgress).is_ok_and(|(range, _)| range == graph.scores)
}

/// Whether all numbers are in range.
fn fits_together(graph: &Graph) -> bool {
    let count = graph.positions();
    let is_boundary = |&end: &u64| graph.texts.is_char_boundary(end as usize);
    count > 0
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
