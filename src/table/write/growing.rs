//! Bytes that grow, and their digest: of a file from one run to the next, or of any writer.

use crate::text::hex;
use crate::work::disk::File;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The beginning of a file: how long it is, and the digest of all but what the file starts with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Prefix {
    pub length: u64,
    sha256: String,
}

impl Prefix {
    fn new(length: u64, hasher: &Sha256) -> Prefix {
        let digest = hasher.clone().finalize();
        Prefix {
            length,
            sha256: hex(digest),
        }
    }
}

/// A writer that grows, and the digest of what it has so far.
pub struct Growing<W: Write> {
    out: BufWriter<W>,
    /// Where in the writer it starts.
    origin: u64,
    /// How many bytes it starts with that don't count for the digest: they are replaced in the end.
    start: u64,
    length: u64,
    hasher: Sha256,
}

fn buffered<W: Write>(writer: W) -> BufWriter<W> {
    BufWriter::with_capacity(1 << 20, writer)
}

impl Growing<File> {
    /// A file of `start` zeros, which don't count for the digest.
    pub fn create(path: &Path, start: u64) -> io::Result<Growing<File>> {
        Growing::at(File::create(path)?, start, start, Sha256::new())
    }

    fn at(mut file: File, start: u64, length: u64, hasher: Sha256) -> io::Result<Growing<File>> {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Growing {
            out: buffered(file),
            origin: 0,
            start,
            length,
            hasher,
        })
    }

    /// A file that an earlier run has left, to be read from point to point.
    pub fn reopen(path: &Path, start: u64) -> io::Result<Reopened> {
        let mut input = BufReader::with_capacity(1 << 20, File::reopen(path)?);
        input.seek(SeekFrom::Start(start))?;
        Ok(Reopened {
            input,
            start,
            length: start,
            hasher: Sha256::new(),
        })
    }

    /// Another handle of the file.
    pub fn handle(&self) -> io::Result<File> {
        self.out.get_ref().try_clone()
    }
}

impl<W: Write + Seek> Growing<W> {
    /// What is written from here on, after `start` zeros, which don't count for the digest.
    pub fn here(mut writer: W, start: u64) -> io::Result<Growing<W>> {
        let origin = writer.stream_position()?;
        let mut out = buffered(writer);
        io::copy(&mut io::repeat(0).take(start), &mut out)?;
        Ok(Growing {
            out,
            origin,
            start,
            length: start,
            hasher: Sha256::new(),
        })
    }

    /// Appends all of another but its start.
    pub fn append_all<R: Read + Write + Seek>(&mut self, other: &mut Growing<R>) -> io::Result<()> {
        other.out.flush()?;
        let input = other.out.get_mut();
        input.seek(SeekFrom::Start(other.origin + other.start))?;
        let mut input = BufReader::with_capacity(1 << 20, input);
        loop {
            let bytes = input.fill_buf()?;
            if bytes.is_empty() {
                return Ok(());
            }
            self.write_all(bytes)?;
            let length = bytes.len();
            input.consume(length);
        }
    }

    /// Bytes so far, with those that it starts with.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The digest of what follows the start.
    pub fn digest(&self) -> [u8; 32] {
        self.hasher.clone().finalize().into()
    }

    /// Hands all to the system, and says what a later run has to find.
    pub fn prefix(&mut self) -> io::Result<Prefix> {
        self.out.flush()?;
        Ok(Prefix::new(self.length, &self.hasher))
    }

    /// Replaces what it starts with, and hands all to the system.
    pub fn finish(&mut self, start: &[u8]) -> io::Result<()> {
        debug_assert_eq!(start.len() as u64, self.start);
        self.out.seek(SeekFrom::Start(self.origin))?;
        self.out.write_all(start)?;
        self.out.seek(SeekFrom::Start(self.origin + self.length))?;
        self.out.flush()
    }
}

impl<W: Write> Write for Growing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A file that was left, read as far as the last point.
pub struct Reopened {
    input: BufReader<File>,
    start: u64,
    length: u64,
    hasher: Sha256,
}

/// How long a file is at a point that holds, and the digest of that.
pub struct Held(u64, Sha256);

impl Reopened {
    /// Reads on to a point; nothing unless the file has up to there what it had then.
    pub fn reach(&mut self, point: &Prefix) -> io::Result<Option<Held>> {
        let mut rest = point.length.saturating_sub(self.length);
        while rest > 0 {
            let bytes = self.input.fill_buf()?;
            if bytes.is_empty() {
                break;
            }
            let here = bytes.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
            self.hasher.update(&bytes[..here]);
            self.input.consume(here);
            self.length += here as u64;
            rest -= here as u64;
        }
        let holds = Prefix::new(self.length, &self.hasher) == *point;
        Ok(holds.then(|| Held(self.length, self.hasher.clone())))
    }

    /// The file cut back to a point, or to its start.
    pub fn cut_back(self, point: Option<Held>) -> io::Result<Growing<File>> {
        let (mut file, start) = (self.input.into_inner(), self.start);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&vec![0; start as usize])?;
        let Held(length, hasher) = point.unwrap_or(Held(start, Sha256::new()));
        Growing::at(file, start, length, hasher)
    }
}
