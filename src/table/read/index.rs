//! The index: checked in full when a table is opened.

use super::block::key_at;
use super::error::{FilePart, ReadError};
use super::file::TableFile;
use crate::table::format::{Difference, Section, u64_at};

/// The entries of the index that are looked at together.
const CHUNK: u64 = 1 << 14;

impl TableFile {
    /// Whether the blocks follow one another from the first byte of their section to its last, and
    /// in a keyed table each begins with a higher key than the one before. Gives these keys.
    ///
    /// That an entry is right to the last byte, its block's CRC shows.
    pub(super) fn check_index(&self) -> Result<Vec<u128>, ReadError> {
        let key_bytes = self.plan.key_bytes();
        let entry = 12 + key_bytes;
        let count = self.header.block_count;
        let blocks = self.header.blocks;
        let (first, end) = (blocks.offset, blocks.offset + blocks.length);
        if count == 0 && first < end {
            let damage = Difference::new("blocks for the bytes of their section", 0);
            return Err(self.damaged(FilePart::Index { block: 0 }, damage));
        }
        let mut heads: Vec<u128> = Vec::new();
        let mut before = first;
        let mut number = 0;
        while number <= count {
            let entries = CHUNK.min(count - number);
            let is_last = number + entries == count;
            let length = entries * entry as u64 + if is_last { 8 } else { 0 };
            let offset = self.header.index.offset + number * entry as u64;
            let bytes = self.read(Section { offset, length })?;
            let fault = |block, expected: String, found: u64| {
                let damage = Difference::new(expected, found);
                let damaged = self.damaged(FilePart::Index { block }, damage);
                self.intact().err().unwrap_or(damaged)
            };
            for (block, bytes) in (number..).zip(bytes.chunks_exact(entry).take(entries as usize)) {
                let start = u64_at(bytes, 0);
                if block == 0 && start != first {
                    return Err(fault(block, format!("a block from byte {first}"), start));
                }
                if start < before || start > end {
                    let expected = format!("a block from a byte from {before} to {end}");
                    return Err(fault(block, expected, start));
                }
                before = start;
                if key_bytes > 0 {
                    let key = key_at(&bytes[12..]);
                    if let Some(&before) = heads.last().filter(|&&last| last >= key) {
                        let damage = Difference::of_keys(before, key);
                        let block = block - 1;
                        let damaged = self.damaged(FilePart::Index { block }, damage);
                        return Err(self.intact().err().unwrap_or(damaged));
                    }
                    heads.push(key);
                }
            }
            if is_last {
                let found = u64_at(&bytes, bytes.len() - 8);
                if found != end {
                    return Err(fault(count, format!("blocks up to byte {end}"), found));
                }
                break;
            }
            number += entries;
        }
        self.intact()?;
        Ok(heads)
    }
}
