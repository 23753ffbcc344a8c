//! Parsers of numbers on the command line, each with its error message.

use std::ops::{RangeBounds, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

/// Parses a number in a range. `what` is the error, which says what to write.
pub fn parse<T: FromStr + PartialOrd>(
    text: &str,
    range: impl RangeBounds<T>,
    what: &str,
) -> Result<T, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| range.contains(number));
    number.ok_or_else(|| what.to_owned())
}

/// Parses a number of positions or entries.
pub fn parse_count(text: &str) -> Result<u64, String> {
    parse(text, 1.., "write a whole number from 1, such as 100000")
}

/// Parses a seed of random numbers.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    parse(text, .., "write a whole number from 0, such as 7")
}

pub fn parse_milliseconds(text: &str) -> Result<u64, String> {
    let what = "that is not a time: write whole milliseconds from 1, such as 100";
    parse(text, 1.., what)
}

pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // Far enough in the future not to overflow clocks.
        .filter(|&time| time <= Duration::from_secs(1 << 30))
        .ok_or_else(|| "that is not a time: write seconds, such as 10 or 0.5".into())
}

/// Parses one of the layers in a list.
pub fn parse_layer(text: &str) -> Result<u32, String> {
    let what = "write whole numbers with commas between them, such as 36,35,20";
    parse(text, .., what)
}

/// Parses the number of faults after which to stop.
pub fn parse_faults(text: &str) -> Result<usize, String> {
    let what = "write a whole number from 1 to 10000, such as 10";
    parse(text, 1..=10_000, what)
}

/// Maximum depth: no deeper search would end in a lifetime.
const MAX_DEPTH: u32 = 99;

pub fn parse_depth(text: &str) -> Result<u32, String> {
    let what = format!("a depth is a whole number from 1 to {MAX_DEPTH}, such as 5");
    parse(text, 1..=MAX_DEPTH, &what)
}

pub fn parse_depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = text.split_once("..=").unwrap_or((text, text));
    match (parse_depth(from), parse_depth(to)) {
        (Ok(from), Ok(to)) if from <= to => Ok(from..=to),
        _ => Err(format!(
            "write one depth, such as 5, or the least and the greatest, such as 2..=5; depths are \
             whole numbers from 1 to {MAX_DEPTH}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_ranges_or_single() {
        assert_eq!(parse_depths("2..=5"), Ok(2..=5));
        assert_eq!(parse_depths("4"), Ok(4..=4));
        for (wrong, words) in [
            ("", "whole number"),
            ("0..=3", "from 1 to 99"),
            ("2..5", "2..=5"),
            ("2..", "2..=5"),
            ("5..=2", "2..=5"),
            ("2..=100", "from 1 to 99"),
            ("deep", "whole number"),
        ] {
            let error = parse_depths(wrong).unwrap_err();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }
}
