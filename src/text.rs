//! Numbers as people read them, and text of others.

use std::time::Duration;

/// 1,234,567
pub(crate) fn count(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

/// 1.23 GB
pub(crate) fn bytes(number: u64) -> String {
    indicatif::DecimalBytes(number).to_string()
}

/// The same for the least that is enough: rounded up to a whole megabyte, so that who allows what
/// is printed allows enough.
pub(crate) fn bytes_up(number: u64) -> String {
    const MEGABYTE: u64 = 1_000_000;
    match number.checked_next_multiple_of(MEGABYTE) {
        Some(rounded) if number > MEGABYTE => bytes(rounded),
        _ => bytes(number),
    }
}

/// `+6`, `0`, `-8`
pub(crate) fn signed(score: i32) -> String {
    if score == 0 {
        "0".to_owned()
    } else {
        format!("{score:+}")
    }
}

/// Shares near 0 and 1 with as many digits as it takes to tell them from 0 and 1.
pub(crate) fn percent(rate: f64) -> String {
    if rate == 0.0 || rate == 1.0 {
        return format!("{:.0}%", 100.0 * rate);
    }
    let away = rate.min(1.0 - rate);
    let digits = (-away.log10()).ceil().clamp(1.0, 7.0) as usize;
    format!("{:.digits$}%", 100.0 * rate)
}

/// `6.1µs`, `1.5s`
pub(crate) fn time(seconds: f64) -> String {
    format!("{:.1?}", Duration::from_secs_f64(seconds))
}

/// What a program wrote, without letters that could make a terminal or a page do something.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if letter.is_control() && !matches!(letter, '\t' | '\n') {
                '\u{fffd}'
            } else {
                letter
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
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
    fn control_characters_of_others_are_not_printed() {
        assert_eq!(printable("a\u{1b}[31mb\tc"), "a\u{fffd}[31mb\tc");
    }
}
