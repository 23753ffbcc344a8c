//! The fixed header of a table, and the checksum of a block.

use bincode::config::{Configuration, Fixint, LittleEndian};
use bincode::{Decode, Encode};
use serde::Serialize;

/// Version of the format, stored in the header of every table. 1 and 2 were drafts.
pub const FORMAT_VERSION: u32 = 4;

/// First bytes of every table.
///
/// They are not text in any encoding, and any conversion of line ends changes them.
pub const MAGIC: [u8; 8] = *b"\x8fZRMLO\x1a\n";

/// Size of the header in bytes.
pub const HEADER_LENGTH: usize = 128;

/// Encoding of the header's numbers.
const FIXED: Configuration<LittleEndian, Fixint> =
    bincode::config::standard().with_fixed_int_encoding();

/// A range of bytes in the file.
#[derive(Encode, Decode, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Section {
    pub offset: u64,
    pub length: u64,
}

impl Section {
    fn end(self) -> Option<u64> {
        self.offset.checked_add(self.length)
    }
}

/// The size of each part of a file in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Sections {
    /// Length of the fixed header in bytes.
    pub header: u64,
    /// Length of all compressed blocks in bytes.
    pub blocks: u64,
    /// Index of the blocks.
    pub index: u64,
    /// Metadata: the table's description of itself.
    pub metadata: u64,
}

/// Returns a file's format version from its first bytes, if it is a table.
pub fn version_of(start: &[u8]) -> Option<u32> {
    let version = start.strip_prefix(&MAGIC)?.first_chunk();
    // If the file ends before the version, decoding the header reports that.
    Some(version.map_or(FORMAT_VERSION, |&version| u32::from_le_bytes(version)))
}

/// The fields of the header in the order of the file.
///
/// [`MAGIC`], version and length stand before them, and a CRC after them.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    pub file_length: u64,
    pub blocks: Section,
    pub index: Section,
    pub metadata: Section,
    pub block_count: u64,
    pub entries: u64,
    pub metadata_crc: u32,
    pub digest: [u8; 32],
}

impl Header {
    pub fn encode(&self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        let (fields, crc) = bytes.split_at_mut(HEADER_LENGTH - 4);
        let all = (MAGIC, FORMAT_VERSION, HEADER_LENGTH as u32, self);
        bincode::encode_into_slice(all, fields, FIXED).expect("fields of fixed lengths");
        crc.copy_from_slice(&crc32fast::hash(fields).to_le_bytes());
        bytes
    }

    pub fn sections(&self) -> Sections {
        Sections {
            header: HEADER_LENGTH as u64,
            blocks: self.blocks.length,
            index: self.index.length,
            metadata: self.metadata.length,
        }
    }

    /// Decodes the header from the first 128 bytes of a file, or all if it has fewer.
    ///
    /// The caller has checked the version.
    pub fn decode(bytes: &[u8], file_length: u64) -> Result<Header, Difference> {
        if bytes.len() < HEADER_LENGTH {
            let found = format!("{} before the end of the file", bytes.len());
            return Err(Difference::new(format!("{HEADER_LENGTH} bytes"), found));
        }
        let expected = u32_at(bytes, HEADER_LENGTH - 4);
        Difference::check_crc(expected, crc32fast::hash(&bytes[..HEADER_LENGTH - 4]))?;
        let fields = bincode::decode_from_slice(&bytes[MAGIC.len() + 4..], FIXED);
        let ((length, header), _): ((u32, Header), usize) =
            fields.map_err(|cause| Difference::new("the fields of a header", cause))?;
        Difference::check(HEADER_LENGTH, length as usize, |length| {
            format!("{length} bytes of header")
        })?;
        header.check_sections(file_length)?;
        Ok(header)
    }

    /// Checks that the sections follow one another and fill the file.
    fn check_sections(&self, file_length: u64) -> Result<(), Difference> {
        Difference::check(self.file_length, file_length, |all| format!("{all} bytes"))?;
        let chain = [
            (Some(HEADER_LENGTH as u64), self.blocks.offset),
            (self.blocks.end(), self.index.offset),
            (self.index.end(), self.metadata.offset),
            (self.metadata.end(), file_length),
        ];
        if let Some((_, start)) = chain.iter().find(|&&(end, start)| end != Some(start)) {
            let expected = "sections that follow one another to the end of the file";
            let found = format!("one that should end at byte {start} and doesn't");
            return Err(Difference::new(expected, found));
        }
        Ok(())
    }
}

/// Reads a number at an offset, which must be within `bytes`.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le(bytemuck::pod_read_unaligned(&bytes[at..at + 4]))
}

/// Reads a number at an offset, which must be within `bytes`.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le(bytemuck::pod_read_unaligned(&bytes[at..at + 8]))
}

/// Returns the checksum of a block.
///
/// It covers the block's number and its `heads` in the index, so that swapped blocks and a damaged
/// index are detected, too. The heads are the first keys of this block and of the next one. They
/// are empty in the ranked layout.
pub fn block_crc(block: u64, heads: &[u8], stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&block.to_le_bytes());
    hasher.update(heads);
    hasher.update(stored);
    hasher.finalize()
}

/// A difference between the expected and the found content of a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Difference {
    /// Content that the table should have, in words.
    pub expected: String,
    /// Content that it has instead, in words.
    pub found: String,
}

impl Difference {
    /// Creates a difference from two descriptions.
    pub(crate) fn new(expected: impl ToString, found: impl ToString) -> Difference {
        Difference {
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// Returns an error unless both values are equal; `in_words` describes a value.
    pub(in crate::table) fn check<T: PartialEq>(
        expected: T,
        found: T,
        in_words: impl Fn(T) -> String,
    ) -> Result<(), Difference> {
        match expected == found {
            true => Ok(()),
            false => Err(Difference::new(in_words(expected), in_words(found))),
        }
    }

    /// Returns an error unless two CRCs are equal.
    pub(in crate::table) fn check_crc(expected: u32, found: u32) -> Result<(), Difference> {
        Difference::check(expected, found, |crc| format!("CRC {crc:08x}"))
    }

    /// Creates the difference for two neighbouring keys that don't ascend.
    pub(in crate::table) fn of_keys(before: u128, after: u128) -> Difference {
        Difference::new("ascending keys", format!("{before} followed by {after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            file_length: 1000,
            blocks: Section {
                offset: 128,
                length: 372,
            },
            index: Section {
                offset: 500,
                length: 100,
            },
            metadata: Section {
                offset: 600,
                length: 400,
            },
            block_count: 7,
            entries: 12345,
            metadata_crc: 99,
            digest: [7; 32],
        }
    }

    #[test]
    fn a_header_is_read_back() {
        let bytes = header().encode();
        assert_eq!(Header::decode(&bytes, 1000).unwrap(), header());
    }

    #[test]
    fn every_flipped_bit_is_an_error() {
        let good = header().encode();
        for bit in 0..8 * HEADER_LENGTH {
            let mut bytes = good;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::decode(&bytes, 1000).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn sections_must_fill_the_file_without_overflow() {
        for (which, offset, length) in [
            (0, 128, u64::MAX),
            (1, 501, 99),
            (2, 600, 399),
            (1, 500, u64::MAX - 10),
        ] {
            let mut bad = header();
            *[&mut bad.blocks, &mut bad.index, &mut bad.metadata][which] =
                Section { offset, length };
            let result = Header::decode(&bad.encode(), 1000);
            assert!(result.is_err(), "{which} {offset} {length}");
        }
        assert!(Header::decode(&header().encode(), 1001).is_err());
    }
}
