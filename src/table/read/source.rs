//! Sources of a table's bytes.

use crate::guard::MappedFile;
use std::borrow::Cow;
use std::fs::File;
use std::io;

/// Bytes that any thread can read at any offset.
pub enum Source {
    /// Bytes in memory.
    Memory(Cow<'static, [u8]>),
    /// File mapped into memory.
    Mapped(MappedFile),
    /// File of this length, which is read without a mapping.
    Plain(File, u64),
}

impl Source {
    /// Maps a file, or uses plain reads if there are too many mappings to watch.
    pub fn mapped(file: File, length: u64) -> io::Result<Source> {
        let mapped = MappedFile::new(&file)?;
        Ok(match mapped.is_exposed() {
            true => Source::Plain(file, length),
            false => Source::Mapped(mapped),
        })
    }

    /// Returns the number of bytes.
    pub fn length(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::Mapped(mapped) => mapped.len() as u64,
            Source::Plain(_, length) => *length,
        }
    }

    /// Reads exactly `length` bytes from `offset`.
    pub fn read(&self, offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let end = offset.checked_add(length as u64);
        // Check the length before allocating a buffer.
        if end.is_none_or(|end| end > self.length()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let bytes = match self {
            Source::Memory(bytes) => &bytes[..],
            Source::Mapped(mapped) => mapped,
            Source::Plain(file, _) => {
                let mut buffer = vec![0; length];
                read_exact_at(file, &mut buffer, offset)?;
                return Ok(Cow::Owned(buffer));
            }
        };
        Ok(Cow::Borrowed(&bytes[offset as usize..][..length]))
    }

    /// Returns whether a read has found bytes missing that were there at opening.
    ///
    /// Such reads may have returned other bytes instead.
    pub fn is_cut_off(&self) -> bool {
        matches!(self, Source::Mapped(mapped) if mapped.is_cut_off())
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}
