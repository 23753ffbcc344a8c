//! What a table is written to.

use super::growing::{Growing, Prefix};
use crate::table::format::{HEADER_LENGTH, Header, Section};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, Write};

/// What a later run has to know of a group of segments that is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupState {
    /// The number of the segment after its last.
    pub end: u32,
    /// Its distributions, deflated.
    pub distributions: Vec<u8>,
    /// For each of its segments how many entries have each code.
    pub counts: Vec<Vec<u64>>,
}

/// Appends what a table consists of, one block after another.
pub trait Append: Send {
    /// Appends a block, and its entry to the index.
    fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()>;

    /// Appends index and metadata to so many blocks, and says what the header has to.
    fn describe(&mut self, blocks: u64, metadata: &[u8], entries: u64) -> io::Result<Header>;

    /// Hands all to the system, and says what a later run has to find of the table and its index.
    fn prefixes(&mut self) -> io::Result<[Prefix; 2]>;

    /// Gives the table its header; until then it is not a table.
    fn finish(&mut self, header: &[u8]) -> io::Result<()>;
}

/// A table that grows after an empty header, and its index, which grows beside it and is appended
/// when all blocks are there.
pub struct Output<W: Write, I: Write> {
    pub table: Growing<W>,
    pub index: Growing<I>,
}

impl<W: Write + Seek + Send, I: Read + Write + Seek + Send> Append for Output<W, I> {
    fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()> {
        let Output { table, index } = self;
        index.write_all(&table.length().to_le_bytes())?;
        index.write_all(&crc.to_le_bytes())?;
        index.write_all(head)?;
        table.write_all(stored)
    }

    fn describe(&mut self, block_count: u64, metadata: &[u8], entries: u64) -> io::Result<Header> {
        let Output { table, index } = self;
        let mut end = HEADER_LENGTH as u64;
        let mut section = |to: u64| {
            let offset = std::mem::replace(&mut end, to);
            let length = to - offset;
            Section { offset, length }
        };
        index.write_all(&table.length().to_le_bytes())?;
        let blocks = section(table.length());
        table.append_all(index)?;
        let index = section(table.length());
        table.write_all(metadata)?;
        Ok(Header {
            file_length: table.length(),
            blocks,
            index,
            metadata: section(table.length()),
            block_count,
            entries,
            metadata_crc: crc32fast::hash(metadata),
            digest: table.digest(),
        })
    }

    fn prefixes(&mut self) -> io::Result<[Prefix; 2]> {
        Ok([self.table.prefix()?, self.index.prefix()?])
    }

    fn finish(&mut self, header: &[u8]) -> io::Result<()> {
        self.table.finish(header)
    }
}
