//! The file of a list.
//!
//! A line `zermelo listed game 1`, a line of JSON that says how many there are of everything, then
//! these as one deflated stream (zlib): the lengths of the texts (u32 each), the texts, the sides (a
//! byte each, if there are any), the scores of finished positions (i32 each, -2^31 for those that
//! are not finished), how many moves each position has (u32 each), the moves' names and where they
//! lead (u32 each, all names before all positions). All numbers are little-endian. Its digest is the
//! SHA-256 of all that, not deflated.

use super::build::{check, levels};
use super::encode::{FIRST_LINE, Header, PIECE, lines, stopped, write_numbers};
use super::graph::Graph;
use super::solve::{check_range, solve};
use crate::game::{NoProgress, Progress, ScoreRange};
use crate::text::hex;
use crate::work::DiskError;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How the names of such files end.
pub const NAME: &str = "game";

/// A list that claims to unpack to more than so many times its bytes, and so many beyond, was made
/// to fill memory. What packs better than that is written unpacked.
const MOST_PACKED: u128 = 200;
const MOST_SLACK: u128 = 1 << 20;

/// Where the list of a table's game is: the table's whole name and an extension, so that no two
/// tables share a list.
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

/// Why a list can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// It is no list, or a damaged one.
    #[error("{} is no undamaged list of a game: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: &'static str,
    },
    /// The caller wanted it to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Writes the list to whatever takes bytes, packed so well.
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

/// A file, until it should stop.
struct Heeding<'a>(&'a mut fs::File, &'a dyn Progress);

impl Write for Heeding<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.cancelled() {
            return Err(stopped());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Graph {
    /// Writes the list to a file, which has all of it or is as it was.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        self.write_after(path, &NoProgress, || Ok(()))
    }

    /// Writes the list beside its place, which it takes when what belongs to it is written. Otherwise
    /// there is nothing left of it.
    ///
    /// # Errors
    /// If the system refuses, the caller wants it to stop, or `write_other` fails.
    pub fn write_after<T, E: From<FileError>>(
        &self,
        path: &Path,
        progress: &dyn Progress,
        write_other: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let part = longer(path, "part");
        let file = fs::File::create(&part).map_err(DiskError::of(path, "make it"));
        let mut file = file.map_err(FileError::from)?;
        let written = || {
            self.pack(&mut file, progress)
                .map_err(|cause| match progress.cancelled() {
                    true => FileError::Interrupted,
                    false => DiskError::of(path, "write it")(cause).into(),
                })?;
            let other = write_other()?;
            let renamed = fs::rename(&part, path);
            renamed
                .map_err(DiskError::of(path, "put it in its place"))
                .map_err(FileError::from)?;
            Ok(other)
        };
        written().inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })
    }

    /// Writes the list as well packed as may be.
    fn pack(&self, file: &mut fs::File, progress: &dyn Progress) -> io::Result<()> {
        write(self, Heeding(file, progress), Compression::new(3))?;
        let (letters, moves) = (self.texts.len() as u64, self.edges() as u64);
        let needed = unpacked(self.positions(), letters, moves);
        if file.metadata()?.len() < fewest_bytes(needed) {
            file.set_len(0)?;
            file.rewind()?;
            write(self, Heeding(file, progress), Compression::none())?;
        }
        file.sync_all()
    }

    /// Reads a list.
    ///
    /// # Errors
    /// If it can't be read, or is none.
    pub fn read(path: &Path) -> Result<Graph, FileError> {
        let bytes = fs::read(path).map_err(DiskError::of(path, "read it"))?;
        parse(&bytes).map_err(|problem| FileError::Damaged {
            path: path.to_owned(),
            problem,
        })
    }
}

/// How many bytes there are to unpack, at most.
fn unpacked(positions: usize, letters: u64, moves: u64) -> u128 {
    positions as u128 * 13 + u128::from(letters) + u128::from(moves) * 8
}

/// The fewest bytes that a list which unpacks to so many may have.
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
    // The end has a sum of its own, which is looked at when it is reached.
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

/// What stands behind the lines, as far as it has been read.
struct Unpacking<'a> {
    packed: ZlibDecoder<&'a [u8]>,
    digest: Sha256,
}

impl Unpacking<'_> {
    /// So many bytes. Nothing is believed to be long before it is there.
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

    /// Where things of the next lengths end that begin at 0 and follow each other.
    fn ends(&mut self, count: u64) -> Result<impl Iterator<Item = u64> + use<>, &'static str> {
        let mut sum = 0u64;
        let lengths = self.words(count)?.into_iter();
        Ok(lengths.map(move |length| {
            sum += u64::from(length);
            sum
        }))
    }

    /// The list, but for its digest.
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
            ..Graph::default()
        })
    }
}

/// Whether it is a list that could have been built: nothing leads out of it, or round in a circle.
fn is_sound(graph: &Graph) -> bool {
    fits_together(graph)
        && check(graph, &NoProgress).is_ok()
        && levels(graph).as_ref() == Ok(&graph.levels)
        && solve(graph, &NoProgress)
            .is_ok_and(|scores| check_range(graph, &scores) == Ok(graph.scores))
}

/// Whether every number leads to something.
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
}
