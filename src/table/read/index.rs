//! The index of the blocks. All of it is checked when a table is opened.

use crate::table::format::{Difference, Section, block_crc, u32_at, u64_at};

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
            let heads = (0..count).map(|block| key_of(index.head(block)));
            index.heads = heads.collect();
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

/// Decodes a key of the index.
fn key_of(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |key, &byte| key << 8 | u128::from(byte))
}
