//! Differences between expected and found contents.

/// A difference between the expected and the found content of a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Difference {
    /// Expected content.
    pub expected: String,
    /// Content found.
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
