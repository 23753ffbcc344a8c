//! Numbers for people.

pub(crate) use crate::text::{count, signed};

/// 1.23 GB
pub fn bytes(number: u64) -> String {
    indicatif::DecimalBytes(number).to_string()
}

/// The same for the least that is enough: rounded up to a whole megabyte, so that who allows what
/// is printed allows enough.
pub fn bytes_up(number: u64) -> String {
    const MEGABYTE: u64 = 1_000_000;
    match number.checked_next_multiple_of(MEGABYTE) {
        Some(rounded) if number > MEGABYTE => bytes(rounded),
        _ => bytes(number),
    }
}

/// "1 thread", "2 threads"
pub fn threads(number: usize) -> String {
    match number {
        1 => "1 thread".to_owned(),
        number => format!("{number} threads"),
    }
}
