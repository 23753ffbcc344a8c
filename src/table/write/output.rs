//! What a table is written to.

use super::error::WriteError;
use super::growing::Growing;
use crate::game::scratch::Scratch;
use crate::table::format::{HEADER_LENGTH, Header, Section};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

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

/// Takes blocks, one after another, and makes them a table in the end.
pub trait Sink: Send {
    /// The blocks and the index so far.
    fn output(&mut self) -> &mut dyn Append;

    /// From here a later run can go on, if there can be one.
    fn checkpoint(&mut self, _state: &GroupState) -> io::Result<()> {
        Ok(())
    }

    /// The folder in which the table grows.
    fn folder(&self) -> &Path {
        Path::new("")
    }

    /// The same, if there is something in it to go on from.
    fn kept_in(&self) -> Option<&Path> {
        None
    }

    /// From now on [`Sink::scratch`] is in a folder of its own in another one. `restart` discards
    /// what is there.
    ///
    /// # Errors
    /// If that can't be made.
    fn set_scratch(&mut self, _place: &Path, _restart: bool) -> Result<(), WriteError> {
        Ok(())
    }

    /// A folder for what the solver has no memory for.
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        None
    }

    /// Keeps what `write` writes under a name, if there can be a later run.
    fn keep(
        &mut self,
        _name: &str,
        _write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        Ok(())
    }

    /// What was kept under a name, if anything was; an error if it is damaged.
    fn kept(&self, _name: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(None)
    }

    /// From what is written there is nothing to go on.
    fn discard(&mut self) {}

    /// Gives the table its header; until then it is not a table.
    fn finish(&mut self, header: &[u8]) -> Result<(), WriteError>;
}

/// Appends what a table consists of.
pub trait Append {
    /// Appends a block, and its entry to the index.
    fn block(&mut self, stored: &[u8], crc: u32, head: &[u8]) -> io::Result<()>;

    /// Appends index and metadata to so many blocks, and says what the header has to.
    fn describe(&mut self, blocks: u64, metadata: &[u8], entries: u64) -> io::Result<Header>;
}

/// A table that grows after an empty header, and its index, which grows beside it and is appended
/// when all blocks are there.
pub struct Output<W: Write, I: Write> {
    pub table: Growing<W>,
    pub index: Growing<I>,
}

impl<W: Write + Seek, I: Read + Write + Seek> Append for Output<W, I> {
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
}
