//! Formatting of numbers and names for people, and of untrusted text.

use std::any::Any;
use std::time::Duration;

/// Displays enums by the names that they have when serialized.
macro_rules! display_as_serialized {
    ($($shown:ty),*) => {
        $(impl std::fmt::Display for $shown {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        })*
    };
}

pub(crate) use display_as_serialized;

/// Escapes the characters of untrusted text that could manipulate a terminal.
///
/// These are control characters and characters that change the direction of writing.
pub(crate) fn harmless(text: &str) -> String {
    let is_harmless = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmless(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_default());
        }
    }
    shown
}

/// Returns the message of a panic, if it has one.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> Option<&str> {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied())
}

/// Returns hexadecimal digits of some bytes, in lower case.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    let digits = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}

/// Returns a number with its thousands separated: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a number with its noun: `1 pit`, `3 pits`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u64))
}

/// Returns a number of plies: `1 ply`, `77 plies`.
pub(crate) fn plies(number: u32) -> String {
    match number {
        1 => "1 ply".to_owned(),
        _ => format!("{number} plies"),
    }
}

/// Returns items in a sentence: `a, b and c`; `none` if there are none.
pub(crate) fn listed(items: &[&str], conjunction: &str) -> String {
    match items {
        [] => "none".to_owned(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} {conjunction} {last}", others.join(", ")),
    }
}

/// Returns the legal moves in a sentence: `the legal moves are a1, b2`, of which each is a `noun`.
pub(crate) fn legal_moves(legal: &[String], noun: &str) -> String {
    match legal {
        [] => "the game is over there".to_owned(),
        [only] => format!("the only legal {noun} is {only}"),
        several => format!("the legal moves are {}", several.join(", ")),
    }
}

/// Returns a number of bytes in decimal units: `1.23 GB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    let power = (number.max(1).ilog10() as usize / 3).min(UNITS.len());
    match power {
        0 => format!("{number} B"),
        _ => format!(
            "{:.2} {}",
            number as f64 / 1000_f64.powi(power as i32),
            UNITS[power - 1]
        ),
    }
}

/// Returns a number of bytes, rounded up to a whole megabyte.
///
/// A user who allows the printed amount then allows enough.
pub fn bytes_up(number: u64) -> String {
    const MEGABYTE: u64 = 1_000_000;
    match number.checked_next_multiple_of(MEGABYTE) {
        Some(rounded) if number > MEGABYTE => bytes(rounded),
        _ => bytes(number),
    }
}

/// Returns a score with its sign: `+6`, `0`, `-8`.
pub(crate) fn signed(score: impl Into<f64>) -> String {
    match score.into() {
        0.0 => "0".to_owned(),
        score => format!("{score:+}"),
    }
}

/// Returns a cycle of positions and moves in turn: `: a -> (to) -> b -> (back) -> a`.
///
/// Long cycles and long names are shortened to fit in about ten lines.
pub(crate) fn cycle(cycle: &[String]) -> String {
    let short = |(number, text): (usize, &String)| {
        let end = text.char_indices().nth(50);
        let text = end.map_or(text.clone(), |(end, _)| format!("{}\u{2026}", &text[..end]));
        if number % 2 == 1 {
            format!("({text})")
        } else {
            text
        }
    };
    let mut shown: Vec<String> = cycle.iter().enumerate().map(short).collect();
    if let Some(hidden @ 1..) = shown.len().checked_sub(15) {
        let hidden = format!("\u{2026} ({} more) \u{2026}", hidden / 2);
        shown.splice(8..shown.len() - 7, [hidden]);
    }
    let arrow = if shown.is_empty() { "" } else { ": " };
    format!("{arrow}{}", shown.join(" -> "))
}

/// Returns a percentage, with enough digits to tell rates near 0 and 1 from 0 and 1.
pub(crate) fn percent(rate: f64) -> String {
    if rate == 0.0 || rate == 1.0 {
        return format!("{:.0}%", 100.0 * rate);
    }
    let away = rate.min(1.0 - rate);
    let digits = (-away.log10()).ceil().clamp(1.0, 7.0) as usize;
    format!("{:.digits$}%", 100.0 * rate)
}

/// Returns a duration with a unit: `6.1µs`, `1.5s`.
pub(crate) fn time(seconds: f64) -> String {
    format!("{:.1?}", Duration::from_secs_f64(seconds))
}

/// Returns a duration in one unit with two digits: `1.5 s`, `12 ms`, `54 s`.
pub(crate) fn roughly(seconds: f64) -> String {
    let units = [(3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms")];
    let fits = |(unit, _): &&(f64, &str)| seconds >= *unit;
    let (unit, name) = units.iter().find(fits).unwrap_or(&(1e-6, "µs"));
    let digits = usize::from(seconds / unit < 9.95);
    format!("{:.digits$} {name}", seconds / unit)
}

/// Encodes a part of an address's path, or one of several values.
#[cfg(feature = "cli")]
pub(crate) fn encode_part(part: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');
    utf8_percent_encode(part, ENCODED).to_string()
}

/// Returns the text with its first letter in upper case.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(100_020), "100,020");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn bytes_have_decimal_units() {
        for (number, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (42_220_000, "42.22 MB"),
            (2_247_000_000, "2.25 GB"),
            (u64::MAX, "18446.74 PB"),
        ] {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(bytes_up(33_400_001), "34.00 MB");
    }

    #[test]
    fn rates_near_the_ends_keep_their_digits() {
        for (rate, text) in [
            (0.0, "0%"),
            (1.0, "100%"),
            (0.5, "50.0%"),
            (0.9, "90.0%"),
            (0.985, "98.50%"),
            (0.999_996, "99.999600%"),
            (0.000_001_2, "0.000120%"),
        ] {
            assert_eq!(percent(rate), text);
        }
    }

    #[test]
    fn text_of_unknown_origin_is_shown_in_escapes() {
        assert_eq!(harmless("kalah pits=6 \u{e9}\""), "kalah pits=6 \u{e9}\"");
        assert_eq!(harmless("a\u{1b}[31mb\tc\n"), "a\\u{1b}[31mb\\tc\\n");
        assert_eq!(harmless("\u{202e}gnp\u{9b}"), "\\u{202e}gnp\\u{9b}");
    }
}
