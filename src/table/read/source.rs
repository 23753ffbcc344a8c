//! Where the bytes of a table come from.

#[cfg(unix)]
use crate::guard::Watch;
use std::borrow::Cow;
use std::fs::File;
use std::io;

/// Bytes that can be read at any place, from any thread.
pub trait Source: Send + Sync {
    /// How many there are.
    fn length(&self) -> u64;

    /// The bytes from `offset`, exactly `length` of them.
    fn read(&self, offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>>;

    /// Whether bytes that were there when it was opened have been found gone, so that others may
    /// have been read in their place.
    fn is_cut_off(&self) -> bool {
        false
    }
}

fn slice(bytes: &[u8], offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
    usize::try_from(offset)
        .ok()
        .and_then(|start| bytes.get(start..start.checked_add(length)?))
        .map(Cow::Borrowed)
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Bytes in memory.
impl Source for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        slice(self, offset, length)
    }
}

/// A file mapped into memory.
pub struct Mapped {
    // Before the mapping itself: it must not be watched any longer when it is gone.
    #[cfg(unix)]
    watch: Option<Watch>,
    map: memmap2::Mmap,
}

impl Mapped {
    /// Nothing if there are too many mappings to watch over one more.
    #[allow(unsafe_code)]
    pub fn new(file: &File) -> io::Result<Option<Mapped>> {
        // SAFETY: the mapping is read-only, and this program never changes a table in place: a new
        // one is written beside it and renamed. Should another program cut the file off meanwhile,
        // reads beyond its new end raise SIGBUS, which `guard` turns into an error for programs that
        // want that.
        let map = unsafe { memmap2::Mmap::map(file)? };
        #[cfg(unix)]
        let Ok(watch) = Watch::over(&map) else {
            return Ok(None);
        };
        Ok(Some(Mapped {
            #[cfg(unix)]
            watch,
            map,
        }))
    }
}

impl Source for Mapped {
    fn length(&self) -> u64 {
        self.map.len() as u64
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        slice(&self.map, offset, length)
    }

    #[cfg(unix)]
    fn is_cut_off(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::is_cut_off)
    }
}

/// A file that is read where and when it is needed.
pub struct Plain {
    file: File,
    length: u64,
}

impl Plain {
    pub fn new(file: File, length: u64) -> Plain {
        Plain { file, length }
    }
}

impl Source for Plain {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        // Before the buffer is allocated.
        if offset
            .checked_add(length as u64)
            .is_none_or(|end| end > self.length)
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut buffer = vec![0; length];
        read_exact_at(&self.file, &mut buffer, offset)?;
        Ok(Cow::Owned(buffer))
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
