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
        let Extent {
            length,
            index,
            blocks,
            ..
        } = &mut self.extent;
        index.extend(length.to_le_bytes());
        index.extend(crc.to_le_bytes());
        index.extend(head);
        *blocks += 1;
        self.append(stored)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.extent.hasher.update(bytes);
        self.extent.length += bytes.len() as u64;
        Ok(())
    }

    /// Flushes the buffer to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Appends index and metadata, then writes the header, which makes it a table.
    pub fn finish(&mut self, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let blocks_end = self.extent.length;
        // The index ends with the end of the last block.
        let mut index = std::mem::take(&mut self.extent.index);
        index.extend(blocks_end.to_le_bytes());
        self.append(&index)?;
        let index_end = self.extent.length;
        self.append(metadata)?;
        let section = |offset: u64, end: u64| Section {
            offset,
            length: end - offset,
        };
        let header = Header {
            file_length: self.extent.length,
            blocks: section(HEADER_LENGTH as u64, blocks_end),
            index: section(blocks_end, index_end),
            metadata: section(index_end, self.extent.length),
            block_count: self.extent.blocks,
            entries,
            metadata_crc: crc32fast::hash(metadata),
            digest: self.extent.hasher.clone().finalize().into(),
        };
        // Write the header last.
        self.out.rewind()?;
        self.out.write_all(&header.encode())?;
        self.out.flush()?;
        Ok(header)
    }
}
