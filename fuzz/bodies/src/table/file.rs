//! The parts of a table file, and assembly with or without recomputed checksums.

use super::metadata::{Layout, Metadata};
use sha2::{Digest, Sha256};

pub const HEADER: usize = 128;

/// The parts of a file.
#[derive(Clone, Debug)]
pub struct Parts {
    pub blocks: Vec<Block>,
    pub metadata: Metadata,
    /// False numbers for the header: offset and number.
    pub header_lies: Vec<(usize, u64)>,
    /// False offsets for the index: number of the block (or of the end), and offset.
    pub index_lies: Vec<(usize, u64)>,
    /// The header of the original file, with its checksums.
    old_sums: [u8; HEADER],
}

#[derive(Clone, Debug)]
pub struct Block {
    pub bytes: Vec<u8>,
    /// The first key, in the keyed layout.
    pub head: Vec<u8>,
    pub crc: u32,
}

/// The checksums to recompute.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    pub blocks: bool,
    pub metadata: bool,
    pub digest: bool,
    pub header: bool,
}

impl Sums {
    pub const ALL: Sums = Sums {
        blocks: true,
        metadata: true,
        digest: true,
        header: true,
    };
}

/// A file, and the offsets of its parts.
pub struct Assembled {
    pub bytes: Vec<u8>,
    pub index: usize,
    pub metadata: usize,
    /// The bytes of the key in an entry of the index.
    key_bytes: usize,
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u64_at(bytes, at) as u32
}

impl Parts {
    /// Splits an undamaged table into its parts.
    pub fn of(bytes: &[u8]) -> Parts {
        let [index, metadata] = [40, 56].map(|at| u64_at(bytes, at) as usize);
        let metadata = Metadata::read(&bytes[metadata..]);
        let key_bytes = match metadata.layout {
            Layout::Keyed { key_bytes, .. } => usize::from(key_bytes),
            Layout::Ranked { .. } => 0,
        };
        let entry = 12 + key_bytes;
        let block = |i: usize| {
            let at = index + entry * i;
            let [start, end] = [at, at + entry].map(|at| u64_at(bytes, at) as usize);
            Block {
                bytes: bytes[start..end].to_vec(),
                head: bytes[at + 12..at + entry].to_vec(),
                crc: u32_at(bytes, at + 8),
            }
        };
        let mut old_sums = [0; HEADER];
        old_sums.copy_from_slice(&bytes[..HEADER]);
        Parts {
            blocks: (0..u64_at(bytes, 72) as usize).map(block).collect(),
            metadata,
            header_lies: Vec::new(),
            index_lies: Vec::new(),
            old_sums,
        }
    }

    /// Assembles the file with its old checksums.
    pub fn assemble(&self) -> Assembled {
        let mut bytes = self.old_sums.to_vec();
        let mut index = Vec::new();
        let lie = |number: usize, truth: u64| {
            let lie = self.index_lies.iter().find(|lie| lie.0 == number);
            lie.map_or(truth, |lie| lie.1)
        };
        for (number, block) in self.blocks.iter().enumerate() {
            index.extend(lie(number, bytes.len() as u64).to_le_bytes());
            index.extend(block.crc.to_le_bytes());
            index.extend(&block.head);
            bytes.extend(&block.bytes);
        }
        index.extend(lie(self.blocks.len(), bytes.len() as u64).to_le_bytes());
        let index_at = bytes.len();
        bytes.extend(&index);
        let metadata_at = bytes.len();
        bytes.extend(self.metadata.write());
        let mut header = |at: usize, number: usize| {
            bytes[at..at + 8].copy_from_slice(&(number as u64).to_le_bytes());
        };
        let end = metadata_at + self.metadata.write().len();
        header(16, end);
        header(32, index_at - HEADER);
        header(40, index_at);
        header(48, index.len());
        header(56, metadata_at);
        header(64, end - metadata_at);
        header(72, self.blocks.len());
        header(80, self.metadata.entries() as usize);
        for &(at, lie) in &self.header_lies {
            bytes[at..at + 8].copy_from_slice(&lie.to_le_bytes());
        }
        Assembled {
            bytes,
            index: index_at,
            metadata: metadata_at,
            key_bytes: self.blocks.first().map_or(0, |block| block.head.len()),
        }
    }
}

impl Assembled {
    /// Recomputes checksums, as far as their data can still be located.
    pub fn fix(&mut self, sums: Sums) {
        let entry = 12 + self.key_bytes;
        let blocks = (self.metadata - self.index).saturating_sub(8) / entry;
        let bytes = &mut self.bytes;
        if sums.blocks && self.metadata <= bytes.len() {
            for block in 0..blocks {
                let at = self.index + block * entry;
                let [start, end] = [at, at + entry].map(|at| u64_at(bytes, at) as usize);
                let Some(stored) = bytes.get(start..end) else {
                    continue;
                };
                let mut hasher = crc32fast::Hasher::new();
                hasher.update(&(block as u64).to_le_bytes());
                hasher.update(&bytes[at + 12..at + entry]);
                if block + 1 < blocks {
                    hasher.update(&bytes[at + entry + 12..at + 2 * entry]);
                }
                hasher.update(stored);
                let crc = hasher.finalize().to_le_bytes();
                bytes[at + 8..at + 12].copy_from_slice(&crc);
            }
        }
        if sums.metadata && self.metadata <= bytes.len() {
            let crc = crc32fast::hash(&bytes[self.metadata..]).to_le_bytes();
            bytes[88..92].copy_from_slice(&crc);
        }
        if sums.digest {
            let digest = Sha256::digest(&bytes[HEADER..]);
            bytes[92..124].copy_from_slice(&digest);
        }
        if sums.header {
            let crc = crc32fast::hash(&bytes[..124]).to_le_bytes();
            bytes[124..128].copy_from_slice(&crc);
        }
    }
}
