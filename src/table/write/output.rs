//! What a table is written to: a file, from one run to the next, or any writer.

use crate::table::format::{GroupRecord, HEADER_LENGTH, Header, Section};
use bincode::{Decode, Encode};
use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

/// What a later run has to know of a group of segments that is written.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct GroupState {
    /// Its end and distributions.
    pub group: GroupRecord,
    /// For each of its segments how many entries have each code.
    pub counts: Vec<Vec<u64>>,
}

/// How far a table is written.
#[derive(Clone, Default)]
pub struct Extent {
    /// The bytes of the table, with those of its header.
    pub length: u64,
    /// The digest of all that follows the header.
    pub hasher: Sha256,
    /// The entries of the index, which is appended when all blocks are there.
    pub index: Vec<u8>,
    /// How many blocks there are.
    pub blocks: u64,
}

impl Extent {
    /// A header, and nothing else.
    pub fn nothing() -> Extent {
        Extent {
            length: HEADER_LENGTH as u64,
            ..Extent::default()
        }
    }
}

/// What tables can be written to.
trait Medium: Write + Seek + Send {}

impl<W: Write + Seek + Send> Medium for W {}

/// A table that grows after an empty header.
pub struct Output<'a> {
    out: BufWriter<Box<dyn Medium + 'a>>,
    /// Where in the writer it starts.
    origin: u64,
    extent: Extent,
}

impl<'a> Output<'a> {
    /// From where a writer stands.
    pub fn begin(mut writer: impl Write + Seek + Send + 'a) -> io::Result<Output<'a>> {
        let origin = writer.stream_position()?;
        writer.write_all(&[0; HEADER_LENGTH])?;
        Ok(Output {
            origin,
            ..Output::after(writer, Extent::nothing())
        })
    }

    /// To a writer that has so much of it already, and stands there.
    pub fn after(writer: impl Write + Seek + Send + 'a, extent: Extent) -> Output<'a> {
        Output {
            out: BufWriter::with_capacity(1 << 20, Box::new(writer)),
            origin: 0,
            extent,
        }
    }

    /// How far it is written.
    pub fn extent(&self) -> &Extent {
        &self.extent
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

    /// Hands all to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Appends index and metadata, and gives the table its header; until then it is not a table.
    pub fn finish(&mut self, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let blocks_end = self.extent.length;
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
        self.out.seek(SeekFrom::Start(self.origin))?;
        self.out.write_all(&header.encode())?;
        let end = self.origin + self.extent.length;
        self.out.seek(SeekFrom::Start(end))?;
        self.out.flush()?;
        Ok(header)
    }
}
