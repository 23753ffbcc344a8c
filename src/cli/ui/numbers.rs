//! Numbers for people.

pub(crate) use crate::text::{bytes, bytes_up, count, signed};

/// "1 thread", "2 threads"
pub fn threads(number: usize) -> String {
    match number {
        1 => "1 thread".to_owned(),
        number => format!("{number} threads"),
    }
}
