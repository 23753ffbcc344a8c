//! Numbers on the command line, each with a sentence for those that are none.

use std::ops::RangeInclusive;
use std::time::Duration;

/// How many positions or entries to look at.
pub fn parse_count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => Err("write a whole number from 1, such as 100000".into()),
    }
}

/// What random numbers begin with.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "write a whole number from 0, such as 7".into())
}

pub fn parse_milliseconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(time @ 1..) => Ok(time),
        _ => Err("that is not a time: write whole milliseconds from 1, such as 100".into()),
    }
}

pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // Far enough in the future not to overflow clocks.
        .filter(|&time| time <= Duration::from_secs(1 << 30))
        .ok_or_else(|| "that is not a time: write seconds, such as 10 or 0.5".into())
}

/// One of the layers in a list.
pub fn parse_layer(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .map_err(|_| "write whole numbers with commas between them, such as 36,35,20".into())
}

/// After how many faults to stop.
pub fn parse_faults(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(faults @ 1..=10_000) => Ok(faults),
        _ => Err("write a whole number from 1 to 10000, such as 10".into()),
    }
}

/// Beyond this no search ends in a lifetime.
const MAX_DEPTH: u32 = 99;

pub fn parse_depth(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(depth @ 1..=MAX_DEPTH) => Ok(depth),
        _ => Err(format!(
            "a depth is a whole number from 1 to {MAX_DEPTH}, such as 5"
        )),
    }
}

pub fn parse_depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = match text.split_once("..") {
        None if parse_depth(text).is_err() => {
            return Err(format!(
                "write one depth, such as 5, or the first and the last, such as 2..=5; depths are \
                 whole numbers from 1 to {MAX_DEPTH}"
            ));
        }
        None => (text, text),
        Some((from, to)) => (
            from,
            to.strip_prefix('=')
                .ok_or("write the last depth, too, after \"..=\", such as 2..=5")?,
        ),
    };
    let depths = parse_depth(from)?..=parse_depth(to)?;
    if depths.is_empty() {
        return Err(format!(
            "the first depth is greater than the last: write {to}..={from}"
        ));
    }
    Ok(depths)
}
