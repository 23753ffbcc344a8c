//! The index of the blocks: checked in full when a table is opened.

use crate::table::format::{Difference, Section, block_crc, u32_at, u64_at};

/// Where each block is, its CRC, and its first key in a keyed table.
#[derive(Default)]
pub struct Index {
    /// As the file has it.
    bytes: Vec<u8>,
    /// The bytes of an entry.
    entry: usize,
    /// The first keys of all blocks of a keyed table.
    pub heads: Vec<u128>,
}

impl Index {
    /// Checks whether the blocks follow one another from the first byte of their section to its last,
    /// and in a keyed table each begins with a higher key than the one before. That an entry is right
    /// to the last byte, its block's CRC shows.
    ///
    /// # Errors
    /// What is wrong with the entry of which block.
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
            let expected = match block {
                0 if start != first => format!("a block from byte {first}"),
                _ if block == count && start != end => format!("blocks up to byte {end}"),
                _ if start < before || start > end => {
                    format!("a block from a byte from {before} to {end}")
                }
                _ => {
                    before = start;
                    continue;
                }
            };
            return Err((block, Difference::new(expected, start)));
        }
        if key_bytes > 0 {
            let heads = (0..count).map(|block| key_of(index.head(block)));
            index.heads = heads.collect();
        }
        let mut pairs = (0..).zip(index.heads.windows(2));
        match pairs.find(|(_, pair)| pair[0] >= pair[1]) {
            None => Ok(index),
            Some((block, pair)) => Err((block, Difference::of_keys(pair[0], pair[1]))),
        }
    }

    /// Where a block starts, or where the last one ends.
    pub fn start(&self, block: u64) -> u64 {
        u64_at(&self.bytes, block as usize * self.entry)
    }

    /// The bytes of a block.
    pub fn block(&self, block: u64) -> Section {
        let offset = self.start(block);
        let length = self.start(block + 1) - offset;
        Section { offset, length }
    }

    /// The first key of a block, as the file has it; nothing if there is no such block.
    fn head(&self, block: u64) -> &[u8] {
        let start = block as usize * self.entry;
        let head = self.bytes.get(start + 12..start + self.entry);
        head.unwrap_or_default()
    }

    /// An error unless these bytes of a block have the right CRC.
    pub fn check(&self, block: u64, stored: &[u8]) -> Result<(), Difference> {
        let heads = [self.head(block), self.head(block + 1)].concat();
        let expected = u32_at(&self.bytes, block as usize * self.entry + 8);
        Difference::check_crc(expected, block_crc(block, &heads, stored))
    }
}

/// A key as the index has it.
fn key_of(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |key, &byte| key << 8 | u128::from(byte))
}
