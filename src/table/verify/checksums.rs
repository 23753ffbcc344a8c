//! Reading a whole table and checking every sum and count in it.

use super::error::VerifyError;
use crate::game::Progress;
use crate::pool::map;
use crate::table::codec::MODEL_BYTES;
use crate::table::format::{Difference, HEADER_LENGTH, Layout, Section};
use crate::table::read::{Block, CheckedFile, FilePart, ReadError};
use crate::text::hex;
use sha2::{Digest, Sha256};

/// What [`CheckedFile::verify_checksums`] has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksums {
    /// How many blocks.
    pub blocks: u64,
    /// How many entries.
    pub entries: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// About so many bytes of blocks are decoded together.
const BATCH_BYTES: u64 = 36 << 20;

impl CheckedFile {
    /// The bytes of memory that a decoded block takes at most.
    fn block_memory(&self) -> u64 {
        match &self.metadata().layout {
            // A code a slot and a bit.
            Layout::Ranked(ranked) => u64::from(ranked.tile_side).pow(2) * 9 / 8,
            // A key and a code, and both as they were before.
            Layout::Keyed(keyed) => u64::from(keyed.block_entries) * 34,
        }
    }

    /// The bytes of memory that reading it in full takes, whatever it is read for.
    pub(super) fn reading_memory(&self) -> u64 {
        let groups = self.metadata().layout.ranked();
        let groups = groups.map_or(0, |ranked| ranked.groups.len()) as u64;
        2 * BATCH_BYTES.min(self.block_memory() * self.blocks()) + groups * MODEL_BYTES
    }

    pub(super) fn interrupted(&self) -> VerifyError {
        VerifyError::Interrupted {
            path: self.path().to_owned(),
        }
    }

    /// The digest of what is in the file.
    fn found_digest(&self, progress: &dyn Progress) -> Result<[u8; 32], VerifyError> {
        progress.phase(
            "reading the table",
            "bytes",
            self.bytes() - HEADER_LENGTH as u64,
        );
        let mut hasher = Sha256::new();
        let mut at = HEADER_LENGTH as u64;
        while at < self.bytes() {
            if progress.cancelled() {
                return Err(self.interrupted());
            }
            let length = (self.bytes() - at).min(1 << 16);
            hasher.update(&self.read(Section { offset: at, length })?);
            at += length;
            progress.advance(length);
        }
        Ok(hasher.finalize().into())
    }

    /// Checks the digest, for who will decode every block later, and count what is in it; a scan
    /// says best what else is wrong then.
    pub(super) fn check_digest(&self, progress: &dyn Progress) -> Result<(), VerifyError> {
        match self.found_digest(progress)? == self.digest() {
            true => Ok(()),
            false => self.scan(progress, |_| {}).map(drop),
        }
    }

    /// Reads everything, in order, and checks every sum; `each` gets every block.
    pub(super) fn scan(
        &self,
        progress: &dyn Progress,
        mut each: impl FnMut(Block),
    ) -> Result<Checksums, VerifyError> {
        let blocks = self.blocks();
        let digest = self.found_digest(progress)?;
        let batch = (BATCH_BYTES / self.block_memory()).clamp(1, 512);
        progress.phase("checking blocks", "blocks", blocks);
        let mut entries = 0u64;
        let mut counts = Counts::new(self);
        let mut start = 0;
        while start < blocks {
            if progress.cancelled() {
                return Err(self.interrupted());
            }
            let end = blocks.min(start + batch);
            let decoded = map((end - start) as usize, |task| {
                self.block(start + task as u64)
            });
            for (number, block) in (start..end).zip(decoded) {
                let block = block?;
                entries += counts.add(self, number, &block);
                each(block);
            }
            progress.advance(end - start);
            start = end;
        }
        counts.check(self)?;
        // Last, because a block's CRC says better where the damage is.
        if digest != self.digest() {
            let damage = Difference::new(hex(self.digest()), hex(digest));
            return Err(self.damaged(FilePart::Digest, damage).into());
        }
        Ok(Checksums {
            blocks,
            entries,
            bytes: self.bytes(),
        })
    }

    /// Reads the whole file and checks every sum and count in it.
    ///
    /// # Errors
    /// If anything is damaged, or the caller wants it to stop.
    pub fn verify_checksums(&self, progress: &dyn Progress) -> Result<Checksums, VerifyError> {
        self.scan(progress, |_| {})
    }
}

/// Counts of codes in each segment, to be compared with those that the metadata give.
struct Counts(Vec<Vec<u64>>);

impl Counts {
    fn new(file: &CheckedFile) -> Counts {
        let segments = file.plan().segments.iter();
        Counts(segments.map(|s| vec![0; s.scores.codes()]).collect())
    }

    fn add(&mut self, file: &CheckedFile, number: u64, block: &Block) -> u64 {
        let counts = &mut self.0[file.plan().segment_of(number) as usize];
        let count = block.count();
        match block.is_derived() {
            // Their scores are not here to be counted one by one.
            true => counts[0] += count,
            false => block.for_each(|i| counts[usize::from(block.codes()[i])] += 1),
        }
        count
    }

    fn check(&self, file: &CheckedFile) -> Result<(), ReadError> {
        for (part, found) in self.0.iter().enumerate() {
            let mut expected = file.metadata().layout.counts(part as u32);
            if file.plan().is_derived(part as u32) {
                let all = expected.iter().sum();
                let expected = expected.to_mut();
                expected.fill(0);
                expected[0] = all;
            }
            if expected[..] != found[..] {
                let damage = Difference::new(format!("{expected:?}"), format!("{found:?}"));
                return Err(file.damaged(FilePart::Counts { part }, damage));
            }
        }
        Ok(())
    }
}
