//! The output of a table: a file, or memory.

use crate::table::format::{GroupRecord, HEADER_LENGTH, Header, Section};
use bincode::{Decode, Encode};
use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Seek, Write};

/// The state of a written group of segments, which a resumed run needs.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct GroupState {
    /// End and distributions of the group.
    pub group: GroupRecord,
    /// Number of entries with each code, for each segment of the group.
    pub counts: Vec<Vec<u64>>,
}

/// The written part of a table.
#[derive(Clone, Default)]
pub struct Extent {
    /// Length of the table in bytes, with the header.
    pub length: u64,
    /// Digest of everything after the header.
    pub hasher: Sha256,
    /// Index so far, which is appended after the last block.
    pub index: Vec<u8>,
    /// Number of blocks.
    pub blocks: u64,
}

impl Extent {
    /// Returns the extent of an empty header.
    pub fn nothing() -> Extent {
        Extent {
            length: HEADER_LENGTH as u64,
            ..Extent::default()
        }
    }
}

/// A destination of tables.
trait Medium: Write + Seek + Send {}

impl<W: Write + Seek + Send> Medium for W {}

/// A table whose parts are appended after an empty header.
pub struct Output<'a> {
    out: BufWriter<Box<dyn Medium + 'a>>,
    /// The written part.
    pub extent: Extent,
}

impl<'a> Output<'a> {
    /// Starts a table with an empty writer.
    pub fn begin(mut writer: impl Write + Seek + Send + 'a) -> io::Result<Output<'a>> {
        writer.write_all(&[0; HEADER_LENGTH])?;
        Ok(Output::after(writer, Extent::nothing()))
    }

    /// Continues a table whose written part ends at the writer's current offset.
    pub fn after(writer: impl Write + Seek + Send + 'a, extent: Extent) -> Output<'a> {
        Output {
            out: BufWriter::with_capacity(1 << 20, Box::new(writer)),
            extent,
        }
    }

    /// Appends a block, and its entry to the index.
    pub fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()> {
        self.out.write_all(stored)?;
        let extent = &mut self.extent;
        extent.index.extend(extent.length.to_le_bytes());
        extent.index.extend(crc.to_le_bytes());
        extent.index.extend(head);
        extent.blocks += 1;
        extent.hasher.update(stored);
        extent.length += stored.len() as u64;
        Ok(())
    }

    /// Flushes the buffer to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Appends index and metadata, then writes the header, which makes it a table.
    pub fn finish(&mut self, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let Extent {
            length: blocks_end,
            mut hasher,
            mut index,
            blocks,
        } = std::mem::take(&mut self.extent);
        // The index ends with the end of the last block.
        index.extend(blocks_end.to_le_bytes());
        for part in [&index, metadata] {
            self.out.write_all(part)?;
            hasher.update(part);
        }
        let index_end = blocks_end + index.len() as u64;
        let metadata_end = index_end + metadata.len() as u64;
        let section = |offset: u64, end: u64| Section {
            offset,
            length: end - offset,
        };
        let header = Header {
            file_length: metadata_end,
            blocks: section(HEADER_LENGTH as u64, blocks_end),
            index: section(blocks_end, index_end),
            metadata: section(index_end, metadata_end),
            block_count: blocks,
            entries,
            metadata_crc: crc32fast::hash(metadata),
            digest: hasher.finalize().into(),
        };
        // Write the header last.
        self.out.rewind()?;
        self.out.write_all(&header.encode())?;
        self.out.flush()?;
        Ok(header)
    }
}
