//! An open table file, of whatever game.

use super::error::ReadError;
use super::index::Index;
use super::source::Source;
use crate::pool::Spare;
use crate::table::codec::Model;
use crate::table::codec::deflate::Decoder;
use crate::table::format::{
    Difference, FORMAT_VERSION, HEADER_LENGTH, Header, METADATA_LIMIT, Metadata, Plan, Section,
    version_of,
};
use crate::work::DiskError;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How a table file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Mapped into memory.
    ///
    /// Nobody may change the file in place or cut it off for as long as it is open. This library
    /// never does: it writes a new table beside the old one and renames it, which leaves an open
    /// table as it was. If another program cuts the file off, the system ends this program
    /// (`SIGBUS`) when it reads what is gone, unless the program has asked for an error instead
    /// ([`survive_cut_off_files`](crate::guard::survive_cut_off_files)); if one changes bytes of a block, the block's CRC shows that,
    /// unless they change in the very moment between check and use, when an answer may be wrong.
    #[default]
    Mmap,
    /// With plain reads: for file systems that can't map, and for files that others might change,
    /// which is then an error and no more.
    Plain,
}

/// An open table file of whatever game, undamaged as far as can be told without its game: header,
/// metadata and index have been checked; blocks are checked when they are read.
///
/// What it says of itself is not to be believed yet. [`crate::table::Table::new`] holds that against
/// the game; a score or a statistic comes from no file that has not been there.
pub struct TableFile {
    pub(super) path: PathBuf,
    pub(super) source: Source,
    pub(super) header: Header,
    pub(super) metadata: Metadata,
    pub(super) plan: Plan,
    pub(super) index: Index,
    pub(super) decoders: Spare<Decoder>,
    /// The distributions of each group of a table made of cells, unpacked when first needed.
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
    /// Opens a table and checks its header, metadata and index; of the blocks nothing is read.
    /// [`Access`] says what must not happen to the file while it is open.
    ///
    /// # Errors
    /// If the file can't be read or isn't an undamaged table of a known version.
    pub fn open(path: &Path, access: Access) -> Result<TableFile, ReadError> {
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let kind = std::fs::metadata(path).map_err(DiskError::of(path, "open it"))?;
        if !kind.is_file() {
            return Err(ReadError::NoFile {
                path: path.to_owned(),
                found: if kind.is_dir() {
                    "a directory"
                } else {
                    "something that is not a regular file"
                },
            });
        }
        let file = File::open(path).map_err(DiskError::of(path, "open it"))?;
        let length = file
            .metadata()
            .map_err(DiskError::of(path, "read its length"))?
            .len();
        let source = match access {
            // There is nothing to map in a file without bytes.
            Access::Mmap if length > 0 => {
                Source::mapped(file, length).map_err(DiskError::of(path, "map it into memory"))?
            }
            _ => Source::Plain(file, length),
        };
        TableFile::from_source(path, source)
    }

    /// A table whose bytes are in memory already.
    ///
    /// # Errors
    /// If they aren't those of an undamaged table of a known version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<TableFile, ReadError> {
        TableFile::from_source(Path::new("(memory)"), Source::Memory(bytes))
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
        let groups = metadata
            .layout
            .ranked()
            .map_or(0, |ranked| ranked.groups.len());
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

    /// The file's name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rules string of the game that it says it is of. It may hold any characters.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.metadata.rules
    }

    /// How many bytes the file has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.header.file_length
    }

    /// The SHA-256 digest of all that follows the header, as the header gives it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.header.digest
    }

    pub(in crate::table) fn damaged(
        &self,
        part: impl Into<String>,
        damage: Difference,
    ) -> ReadError {
        damaged(&self.path, part.into(), damage)
    }

    pub(in crate::table) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(in crate::table) fn read(&self, section: Section) -> Result<Cow<'_, [u8]>, ReadError> {
        let error = |cause| read_error(&self.path, cause);
        let length = usize::try_from(section.length)
            .map_err(|_| error(io::ErrorKind::FileTooLarge.into()))?;
        self.intact()?;
        self.source.read(section.offset, length).map_err(error)
    }

    /// To be asked after bytes were read and before what was made of them is believed.
    ///
    /// # Errors
    /// If some were gone.
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
        // Before anything else: in another version, all the rest may be elsewhere.
        Some(found) => Err(ReadError::Version {
            path,
            expected: FORMAT_VERSION,
            found,
        }),
        None => Err(ReadError::NotATable {
            path,
            start: start[..start.len().min(8)].to_vec(),
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

/// Whether header and metadata tell the same story.
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
