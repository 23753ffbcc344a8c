//! What can be wrong with the bytes of a table.

use crate::text::hex;
use std::borrow::Cow;

/// What is wrong with a part of a file: what should be there, and what is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends within it.
    #[error("expected {expected} bytes, found {found} before the end of the file")]
    Truncated {
        /// How many bytes it has.
        expected: u64,
        /// How many of them there are.
        found: u64,
    },
    /// It has another length than it should have.
    #[error("expected {expected} bytes, found {found} bytes")]
    Length {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// Its CRC-32 is not the one that the file gives.
    #[error("expected CRC {expected:08x}, found {found:08x}")]
    Checksum {
        /// What the file says.
        expected: u32,
        /// What its bytes have.
        found: u32,
    },
    /// The SHA-256 digest of all that follows the header is not the one in the header.
    #[error("expected {}, found {}", hex(**expected), hex(**found))]
    Digest {
        /// What the header says.
        expected: Box<[u8; 32]>,
        /// What the bytes have.
        found: Box<[u8; 32]>,
    },
    /// It gives another number of something than the rest of the file.
    #[error("expected {expected} {what}, found {found}")]
    Number {
        /// What is counted: "entries", "blocks", …
        what: &'static str,
        /// How many there should be; `u64::MAX` also stands for more than can be counted.
        expected: u64,
        /// How many it says that there are.
        found: u64,
    },
    /// Keys don't ascend.
    #[error("expected ascending keys, found {before} followed by {after}")]
    Order {
        /// A key.
        before: u128,
        /// The key after it.
        after: u128,
    },
    /// It has the right length and sum, but nothing in it that a table can have.
    #[error("expected {expected}, found {found}")]
    Content {
        /// What could be there.
        expected: Cow<'static, str>,
        /// What is there.
        found: String,
    },
}

impl Damage {
    /// Bytes that can't be what they should be.
    pub(in crate::table) fn content(
        expected: impl Into<Cow<'static, str>>,
        found: impl ToString,
    ) -> Damage {
        Damage::Content {
            expected: expected.into(),
            found: found.to_string(),
        }
    }
}
