//! Checking all checksums and counts of a table.

use super::verdict::VerifyError;
use crate::game::{Progress, check_cancelled};
use crate::pool::map;
use crate::table::codec::MODEL_BYTES;
use crate::table::format::{Difference, HEADER_LENGTH, Layout, Section};
use crate::table::read::{CheckedFile, ReadError};
use crate::text::hex;
use sha2::{Digest, Sha256};

/// Approximate size of the blocks that are decoded together, in bytes.
const BATCH_BYTES: u64 = 36 << 20;

impl CheckedFile {
    /// Returns the largest size of a decoded block in memory, in bytes.
    fn block_memory(&self) -> u64 {
        match &self.metadata().layout {
            // Each slot has a code and a bit.
            Layout::Ranked(ranked) => u64::from(ranked.tile_side).pow(2) * 9 / 8,
            // Each entry has a key and a code, both before and after decoding.
            Layout::Keyed(keyed) => u64::from(keyed.block_entries) * 34,
        }
    }

    /// Returns the bytes of memory that remain besides those for reading the table.
    ///
    /// # Errors
    /// If fewer than `needed` bytes would remain.
    pub(super) fn memory_besides_reading(
        &self,
        needed: u64,
        allowed: u64,
    ) -> Result<u64, VerifyError> {
        let groups = self.metadata().layout.groups().len() as u64;
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

    pub(crate) fn interrupted(&self) -> VerifyError {
        VerifyError::Interrupted {
            path: self.path().to_owned(),
        }
    }

    /// Returns an error if the caller cancels.
    pub(crate) fn check_stop(&self, progress: &dyn Progress) -> Result<(), VerifyError> {
        check_cancelled(progress, self.interrupted())
    }

    /// Returns the digest of the file's contents.
    fn found_digest(&self, progress: &dyn Progress) -> Result<[u8; 32], VerifyError> {
        progress.phase(
            "reading the table",
            "bytes",
            self.bytes() - HEADER_LENGTH as u64,
        );
        let mut hasher = Sha256::new();
        let mut at = HEADER_LENGTH as u64;
        while at < self.bytes() {
            self.check_stop(progress)?;
            let length = (self.bytes() - at).min(1 << 16);
            hasher.update(&self.read(Section { offset: at, length })?);
            at += length;
            progress.advance(length);
        }
        Ok(hasher.finalize().into())
    }

    /// Checks the digest.
    ///
    /// This is enough for callers that decode and count every block later. If the digest is wrong,
    /// all checksums are checked for a more precise error.
    ///
    /// # Errors
    /// If anything is damaged, or the caller cancels.
    pub fn check_digest(&self, progress: &dyn Progress) -> Result<(), VerifyError> {
        match self.found_digest(progress)? == self.digest() {
            true => Ok(()),
            false => self.verify_checksums(progress).map(drop),
        }
    }

    /// Checks all checksums and counts of the file; returns the number of entries.
    ///
    /// # Errors
    /// If anything is damaged, or the caller cancels.
    pub fn verify_checksums(&self, progress: &dyn Progress) -> Result<u64, VerifyError> {
        let digest = self.found_digest(progress)?;
        // Decode the blocks in batches and count the codes of each segment.
        let batch = (BATCH_BYTES / self.block_memory()).clamp(1, 512);
        let blocks = self.blocks();
        progress.phase("checking blocks", "blocks", blocks);
        let (plan, segments) = (self.plan(), 0..self.plan().segments.len() as u32);
        let mut counts: Vec<Vec<u64>> = segments.map(|it| plan.no_counts(it)).collect();
        for start in (0..blocks).step_by(batch as usize) {
            self.check_stop(progress)?;
            let end = blocks.min(start + batch);
            let decoded = map((end - start) as usize, |task| {
                self.block(start + task as u64)
            });
            for (number, block) in (start..end).zip(decoded) {
                let (block, segment) = (block?, self.plan().segment_of(number));
                let counts = &mut counts[segment as usize];
                match block.is_derived() || plan.has_wide_codes() {
                    // The scores are omitted or too many, so only the sum can be counted.
                    true => counts[0] += block.count(),
                    false => block.for_each(|at| counts[usize::from(block.codes()[at])] += 1),
                }
            }
            progress.advance(end - start);
        }
        for (segment, found) in (0..).zip(&counts) {
            self.check_counts(segment, found)?;
        }
        // Report a wrong digest last: a block's CRC tells more precisely where the damage is.
        if digest != self.digest() {
            let damage = Difference::new(hex(self.digest()), hex(digest));
            return Err(self.damaged("digest", damage).into());
        }
        Ok(counts.iter().flatten().sum())
    }

    /// Compares the counts of a segment's codes with those of the metadata.
    ///
    /// Omitted codes count as code 0.
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
