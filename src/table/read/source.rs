//! Sources of a table's bytes.

#[cfg(unix)]
use crate::guard::Watch;
use std::borrow::Cow;
use std::fs::File;
use std::io;

/// Bytes that any thread can read at any offset.
pub enum Source {
    /// Bytes in memory.
    Memory(Cow<'static, [u8]>),
    /// File mapped into memory.
    Mapped(Mapped),
    /// File of this length, which is read without a mapping.
    Plain(File, u64),
}

/// A mapping, and the watch that detects truncation.
pub struct Mapped {
    // Declared before the mapping and so dropped first: the watch must end before the mapping does.
    #[cfg(unix)]
    watch: Option<Watch>,
    map: memmap2::Mmap,
}

impl Source {
    /// Maps a file, or uses plain reads if there are too many mappings to watch.
    #[allow(unsafe_code)]
    pub fn mapped(
        file: File,
        #[cfg_attr(not(unix), expect(unused))] length: u64,
    ) -> io::Result<Source> {
        // SAFETY: the mapping is read-only, and this program never changes a table in place: it
        // writes a new one to a temporary file and renames it. If another program truncates the
        // file, reads beyond its new end raise SIGBUS, which `guard` turns into an error for
        // programs that enable it.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        #[cfg(unix)]
        let Ok(watch) = Watch::over(&map) else {
            return Ok(Source::Plain(file, length));
        };
        Ok(Source::Mapped(Mapped {
            #[cfg(unix)]
            watch,
            map,
        }))
    }

    /// Returns the number of bytes.
    pub fn length(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::Mapped(mapped) => mapped.map.len() as u64,
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
            Source::Mapped(mapped) => &mapped.map[..],
            Source::Plain(file, _) => {
                let mut buffer = vec![0; length];
                read_exact_at(file, &mut buffer, offset)?;
                return Ok(Cow::Owned(buffer));
            }
        };
        Ok(Cow::Borrowed(&bytes[offset as usize..][..length]))
    }

    /// Whether a read has found bytes missing that were there at opening.
    ///
    /// Such reads may have returned other bytes instead.
    pub fn is_cut_off(&self) -> bool {
        match self {
            #[cfg(unix)]
            Source::Mapped(mapped) => mapped.watch.as_ref().is_some_and(Watch::is_cut_off),
            _ => false,
        }
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
