//! What is expected somewhere, and what is there.

/// What should be in a part of a file, or about it, and what is there instead.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Difference {
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Difference {
    /// Both in words.
    pub(in crate::table) fn new(expected: impl ToString, found: impl ToString) -> Difference {
        Difference {
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// Of two CRCs.
    pub(in crate::table) fn of_crcs(expected: u32, found: u32) -> Difference {
        Difference::new(format!("CRC {expected:08x}"), format!("{found:08x}"))
    }

    /// Of keys that don't ascend.
    pub(in crate::table) fn of_keys(before: u128, after: u128) -> Difference {
        Difference::new("ascending keys", format!("{before} followed by {after}"))
    }
}
