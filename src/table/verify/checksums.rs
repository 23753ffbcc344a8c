//! Reading a whole table and checking every sum and count in it.

use super::error::VerifyError;
use crate::game::Progress;
use crate::pool::map;
use crate::table::codec::MODEL_BYTES;
use crate::table::format::{Difference, HEADER_LENGTH, Layout, Section};
use crate::table::read::{Block, CheckedFile, ReadError};
use crate::text::hex;
use sha2::{Digest, Sha256};

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

    /// How many of the bytes that may be used remain for what is kept when it is read in full.
    ///
    /// # Errors
    /// If these are fewer than are needed.
    pub(super) fn memory_to_keep(&self, needed: u64, allowed: u64) -> Result<u64, VerifyError> {
        let groups = self.metadata().layout.ranked();
        let groups = groups.map_or(0, |ranked| ranked.groups.len()) as u64;
        let blocks = BATCH_BYTES.min(self.block_memory() * self.blocks());
        let reading = 2 * blocks + groups * MODEL_BYTES;
        let needed = needed.saturating_add(reading);
        match needed <= allowed {
            true => Ok(allowed - reading),
            false => Err(VerifyError::Memory {
                path: self.path().to_owned(),
                needed,
                allowed,
            }),
        }
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
            false => self.verify_checksums(progress).map(drop),
        }
    }

    /// Reads the whole file and checks every sum and count in it; says how many entries there are.
    ///
    /// # Errors
    /// If anything is damaged, or the caller wants it to stop.
    pub fn verify_checksums(&self, progress: &dyn Progress) -> Result<u64, VerifyError> {
        let digest = self.found_digest(progress)?;
        let batch = (BATCH_BYTES / self.block_memory()).clamp(1, 512);
        let blocks = self.blocks();
        progress.phase("checking blocks", "blocks", blocks);
        let segments = self.plan().segments.iter();
        let mut counts: Vec<Vec<u64>> = segments.map(|it| vec![0; it.scores.codes()]).collect();
        for start in (0..blocks).step_by(batch as usize) {
            if progress.cancelled() {
                return Err(self.interrupted());
            }
            let end = blocks.min(start + batch);
            let decoded = map((end - start) as usize, |task| {
                self.block(start + task as u64)
            });
            for (number, block) in (start..end).zip(decoded) {
                count(
                    &block?,
                    &mut counts[self.plan().segment_of(number) as usize],
                );
            }
            progress.advance(end - start);
        }
        for (segment, found) in (0..).zip(&counts) {
            self.check_counts(segment, found)?;
        }
        // Last, because a block's CRC says better where the damage is.
        if digest != self.digest() {
            let damage = Difference::new(hex(self.digest()), hex(digest));
            return Err(self.damaged("digest", damage).into());
        }
        Ok(counts.iter().flatten().sum())
    }

    /// Compares how many entries of a segment have which code with what the metadata say. Codes that
    /// are left out count as code 0.
    pub(super) fn check_counts(&self, segment: u32, found: &[u64]) -> Result<(), ReadError> {
        let mut expected = self.metadata().layout.counts(segment);
        if self.plan().is_derived(segment) {
            let all = expected.iter().sum();
            let expected = expected.to_mut();
            expected.fill(0);
            expected[0] = all;
        }
        if expected[..] != found[..] {
            let damage = Difference::new(format!("{expected:?}"), format!("{found:?}"));
            return Err(self.damaged(format!("counts of part {segment}"), damage));
        }
        Ok(())
    }
}

/// Counts the codes of a block.
fn count(block: &Block, counts: &mut [u64]) {
    match block.is_derived() {
        // Their scores are not here to be counted one by one.
        true => counts[0] += block.count(),
        false => block.for_each(|index| counts[usize::from(block.codes()[index])] += 1),
    }
}
