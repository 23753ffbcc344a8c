//! Numbers on the command line, each with a sentence for those that are none.

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
