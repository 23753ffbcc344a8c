//! Open table files, whose game is not known yet: their bytes, and the index of their blocks.

use super::error::{ReadError, describe_start};
use crate::guard::MappedFile;
use crate::pool::Spare;
use crate::table::codec::Model;
use crate::table::codec::deflate::Decoder;
use crate::table::format::{
    Difference, FORMAT_VERSION, HEADER_LENGTH, Header, METADATA_LIMIT, Metadata, Plan, Section,
    block_crc, u32_at, u64_at, version_of,
};
use crate::work::DiskError;
use crate::work::regular::open_named;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Access to a table file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Maps the file into memory.
    ///
    /// No program may change or truncate the file while it is open. This library never does: it
    /// writes a new table to a temporary file and renames it, which leaves an open table unchanged.
    ///
    /// If another program truncates the file, reading the missing part raises `SIGBUS`, which ends
    /// the program unless it has enabled an error instead
    /// ([`survive_cut_off_files`](crate::guard::survive_cut_off_files)). If another program changes
    /// bytes of a block, the block's CRC shows it, except for changes between the check and the
    /// use, which can lead to a wrong answer.
    #[default]
    Mmap,
    /// Reads the file piece by piece, without a mapping.
    ///
    /// This is for file systems that can't map files, and for files that other programs may change:
    /// a change then only leads to an error.
    Plain,
}

/// An open table file, checked for damage as far as possible without its game.
///
/// Its header, metadata and index have been checked. Blocks are checked when they are read.
///
/// The file's description of itself may still be false. [`crate::table::Table::new`] checks it
/// against the game, and only then the file gives scores or statistics.
pub struct TableFile {
    pub(super) path: PathBuf,
    pub(super) source: Source,
    pub(super) header: Header,
    pub(super) metadata: Metadata,
    pub(super) plan: Plan,
    pub(super) index: Index,
    pub(super) decoders: Spare<Decoder>,
    /// Distributions of each group in a table with ranks, unpacked when first needed.
    pub(super) models: Vec<OnceLock<Model>>,
}

impl std::fmt::Debug for TableFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFile")
            .field("path", &self.path)
            .field("rules", &self.metadata.rules)
            .finish_non_exhaustive()
    }
}

impl TableFile {
    /// Opens a table and checks its header, metadata and index, but no block.
    ///
    /// See [`Access`] for what must not happen to the file while it is open.
    ///
    /// # Errors
    /// If the file can't be read or isn't an undamaged table of a known version.
    pub fn open(path: &Path, access: Access) -> Result<TableFile, ReadError> {
        // Check the kind before opening: opening a pipe would block.
        let kind = std::fs::metadata(path).map_err(DiskError::of(path, "open it"))?;
        if !kind.is_file() {
            let found = match kind.is_dir() {
                true => "a directory",
                false => "something that is not a regular file",
            };
            return Err(ReadError::NotATable {
                path: path.to_owned(),
                found: found.to_owned(),
            });
        }
        let file = open_named(path).map_err(DiskError::of(path, "open it"))?;
        let length = file
            .metadata()
            .map_err(DiskError::of(path, "read its length"))?
            .len();
        let source = match access {
            // An empty file can't be mapped.
            Access::Mmap if length > 0 => {
                Source::mapped(file, length).map_err(DiskError::of(path, "map it into memory"))?
            }
            _ => Source::Plain(file, length),
        };
        TableFile::from_source(path, source)
    }

    /// Opens a table whose bytes are in memory.
    ///
    /// # Errors
    /// If the bytes aren't those of an undamaged table of a known version.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<TableFile, ReadError> {
        TableFile::from_source(Path::new("(memory)"), Source::Memory(bytes.into()))
    }

    fn from_source(path: &Path, source: Source) -> Result<TableFile, ReadError> {
        let damaged = |part: &str, damage| damaged(path, part.to_owned(), damage);
        let header = read_header(path, &source)?;
        if header.metadata.length > METADATA_LIMIT as u64 {
            let expected = format!("at most {METADATA_LIMIT} bytes");
            let found = format!("{} bytes", header.metadata.length);
            return Err(damaged("metadata", Difference::new(expected, found)));
        }
        let bytes = source
            .read(header.metadata.offset, header.metadata.length as usize)
            .map_err(|cause| read_error(path, cause))?;
        let metadata = Difference::check_crc(header.metadata_crc, crc32fast::hash(&bytes))
            .and_then(|()| Metadata::decode(&bytes))
            .map_err(|damage| damaged("metadata", damage))?;
        drop(bytes);
        let plan = check_counts(&header, &metadata).map_err(|damage| damaged("header", damage))?;
        let groups = metadata.layout.groups().len();
        let mut file = TableFile {
            models: std::iter::repeat_with(OnceLock::new).take(groups).collect(),
            path: path.to_owned(),
            source,
            header,
            metadata,
            plan,
            index: Index::default(),
            decoders: Spare::new(),
        };
        let bytes = file.read(file.header.index)?.into_owned();
        let index = Index::new(bytes, file.plan.key_bytes(), file.header.blocks);
        file.intact()?;
        file.index = index
            .map_err(|(block, damage)| file.damaged(format!("index of block {block}"), damage))?;
        Ok(file)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the rules string in the file, which may have any characters.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.metadata.rules
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.header.file_length
    }

    /// Returns the header's SHA-256 digest of everything after the header.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.header.digest
    }

    pub(crate) fn damaged(&self, part: impl Into<String>, damage: Difference) -> ReadError {
        damaged(&self.path, part.into(), damage)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(in crate::table) fn read(&self, section: Section) -> Result<Cow<'_, [u8]>, ReadError> {
        let error = |cause| read_error(&self.path, cause);
        let length = usize::try_from(section.length)
            .map_err(|_| error(io::ErrorKind::FileTooLarge.into()))?;
        self.intact()?;
        self.source.read(section.offset, length).map_err(error)
    }

    /// Checks that the file was not truncated.
    ///
    /// Callers check after they have read bytes and before they trust the result.
    ///
    /// # Errors
    /// If a read has found bytes missing.
    pub(super) fn intact(&self) -> Result<(), ReadError> {
        if self.source.is_cut_off() {
            let cause = io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "another program has cut it off meanwhile",
            );
            return Err(read_error(&self.path, cause));
        }
        Ok(())
    }
}

fn read_header(path: &Path, source: &Source) -> Result<Header, ReadError> {
    let length = source.length();
    let start = source.read(0, length.min(HEADER_LENGTH as u64) as usize);
    let start = start.map_err(|cause| read_error(path, cause))?;
    let path = path.to_owned();
    match version_of(&start) {
        Some(FORMAT_VERSION) => Header::decode(&start, length)
            .map_err(|damage| damaged(&path, "header".to_owned(), damage)),
        // Check the version first: in another version, everything else may be at other places.
        Some(found) => Err(ReadError::Version {
            path,
            expected: FORMAT_VERSION,
            found,
        }),
        None => Err(ReadError::NotATable {
            path,
            found: describe_start(&start[..start.len().min(8)]),
        }),
    }
}

fn read_error(path: &Path, cause: io::Error) -> ReadError {
    DiskError::of(path, "read it")(cause).into()
}

fn damaged(path: &Path, part: String, damage: Difference) -> ReadError {
    ReadError::Damaged {
        path: path.to_owned(),
        part,
        damage,
    }
}

/// Checks that header and metadata agree, and returns the plan.
fn check_counts(header: &Header, metadata: &Metadata) -> Result<Plan, Difference> {
    let same = |what, expected: Option<u64>, found: u64| {
        Difference::check(expected, Some(found), |number| {
            format!("{} {what}", number.unwrap_or(u64::MAX))
        })
    };
    same("entries", metadata.entries(), header.entries)?;
    let plan = Plan::new(metadata, header.entries);
    let blocks = plan.as_ref().map(|plan| plan.blocks);
    same("blocks", blocks, header.block_count)?;
    let entry_bytes = plan.as_ref().map(|plan| 12 + plan.key_bytes() as u64);
    let length = entry_bytes
        .and_then(|bytes| header.block_count.checked_mul(bytes))
        .and_then(|length| length.checked_add(8));
    same("bytes of index", length, header.index.length)?;
    plan.ok_or_else(|| Difference::new("blocks that can be counted", "more"))
}

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

#[cfg(target_family = "wasm")]
fn read_exact_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    io::Read::read_exact(&mut file, buffer)
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

/// The place and CRC of each block, and in a keyed table its first key.
#[derive(Default)]
pub struct Index {
    /// Index as it is in the file.
    bytes: Vec<u8>,
    /// Size of an entry in bytes.
    entry: usize,
    /// First keys of all blocks of a keyed table.
    pub heads: Vec<u128>,
}

impl Index {
    /// Checks that blocks fill their section in order and their first keys ascend.
    ///
    /// The rest of an entry is checked by its block's CRC, which covers it.
    ///
    /// # Errors
    /// The number of the block whose entry is wrong, and the difference.
    pub fn new(
        bytes: Vec<u8>,
        key_bytes: usize,
        blocks: Section,
    ) -> Result<Index, (u64, Difference)> {
        let entry = 12 + key_bytes;
        let count = (bytes.len() / entry) as u64;
        let mut index = Index {
            bytes,
            entry,
            heads: Vec::new(),
        };
        let (first, end) = (blocks.offset, blocks.offset + blocks.length);
        let mut before = first;
        for block in 0..=count {
            let start = index.start(block);
            let lowest = if block == count { end } else { before };
            let highest = if block == 0 { first } else { end };
            if !(lowest..=highest).contains(&start) {
                let expected = format!("an offset from {lowest} to {highest}");
                return Err((block, Difference::new(expected, start)));
            }
            before = start;
        }
        if key_bytes > 0 {
            let bytes = (0..count).map(|block| index.head(block).iter().rev());
            let keys = bytes.map(|it| it.fold(0, |key, &byte| key << 8 | u128::from(byte)));
            index.heads = keys.collect();
        }
        let mut pairs = (0..).zip(index.heads.windows(2));
        match pairs.find(|(_, pair)| pair[0] >= pair[1]) {
            None => Ok(index),
            Some((block, pair)) => Err((block, Difference::of_keys(pair[0], pair[1]))),
        }
    }

    /// Returns the offset of a block, or the end of the last one.
    pub fn start(&self, block: u64) -> u64 {
        u64_at(&self.bytes, block as usize * self.entry)
    }

    /// Returns the byte range of a block.
    pub fn block(&self, block: u64) -> Section {
        let offset = self.start(block);
        let length = self.start(block + 1) - offset;
        Section { offset, length }
    }

    /// Returns the bytes of a block's first key; none if there is no such block.
    fn head(&self, block: u64) -> &[u8] {
        let start = block as usize * self.entry;
        let head = self.bytes.get(start + 12..start + self.entry);
        head.unwrap_or_default()
    }

    /// Returns an error unless the bytes of a block have the right CRC.
    pub fn check(&self, block: u64, stored: &[u8]) -> Result<(), Difference> {
        let heads = [self.head(block), self.head(block + 1)].concat();
        let expected = u32_at(&self.bytes, block as usize * self.entry + 8);
        Difference::check_crc(expected, block_crc(block, &heads, stored))
    }
}
