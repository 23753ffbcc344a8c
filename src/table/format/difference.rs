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

    /// An error unless both are the same; `in_words` says what they are.
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

    /// An error unless two CRCs are the same.
    pub(in crate::table) fn check_crc(expected: u32, found: u32) -> Result<(), Difference> {
        Difference::check(expected, found, |crc| format!("CRC {crc:08x}"))
    }

    /// Of keys that don't ascend.
    pub(in crate::table) fn of_keys(before: u128, after: u128) -> Difference {
        Difference::new("ascending keys", format!("{before} followed by {after}"))
    }
}
