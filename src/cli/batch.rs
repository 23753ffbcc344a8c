//! `query --batch`: answers positions from standard input, one per line.

use super::advice;
use super::answer::{self, AnswerReport};
use super::json::ErrorReport;
use super::output::{plain_results, reader_is_gone};
use super::program::Answer;
use super::ui::progress::{Bar, waiting};
use crate::any::AnyOracle;
use crate::game::Progress;
use crate::oracle::{self, AskError, Wanted};
use crate::text::{bytes, count};
use anyhow::{Context, bail};
use std::io::{self, BufRead, BufWriter, Read, Write};

/// Maximum number of bytes in a line, without its end.
pub const MAX_LINE: usize = 1_000_000;
/// Number of bytes retained of a longer line, to identify it in the error.
const SHOWN_BYTES: usize = 60;

/// A line of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    Position(String),
    /// A line of more than [`MAX_LINE`] bytes: its beginning, and its length in bytes.
    TooLong(String, u64),
}

/// Answers each line of standard input.
///
/// All lines received so far are answered before it waits for more.
pub fn answer_lines(
    oracle: &AnyOracle<'_>,
    json: bool,
    wanted: Wanted,
    bar: &Bar,
) -> anyhow::Result<Answer> {
    let mut input = Lines::new(io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, plain_results());
    let mut failed = false;
    loop {
        let lines = input.next_ones().context("can't read standard input")?;
        if lines.is_empty() {
            break;
        }
        if reader_is_gone() {
            // Nobody reads the remaining answers, and unanswered lines don't count as answered.
            return Ok(Answer::Failed);
        }
        failed |= answer(&lines, oracle, wanted, json, &mut out)?;
        out.flush()?;
        if bar.cancelled() {
            bail!("interrupted; the lines above are answered");
        }
    }
    bar.finish();
    Ok(if failed { Answer::Failed } else { Answer::Yes })
}

/// Lines of text from a file, a pipe or a terminal.
pub struct Lines<R> {
    input: io::BufReader<R>,
    /// The beginning of the next line.
    rest: LineBuilder,
    /// Whether the lines so far are text.
    is_text: bool,
}

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines {
            input: io::BufReader::with_capacity(1 << 16, input),
            rest: LineBuilder::default(),
            is_text: false,
        }
    }

    /// Reads the lines received so far, waiting for at least one; empty at the end of the input.
    ///
    /// # Errors
    /// If the input can't be read, or is not text in UTF-8.
    pub fn next_ones(&mut self) -> io::Result<Vec<InputLine>> {
        loop {
            let part = match waiting(|| self.input.fill_buf()) {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let length = part.len();
            let lines = match length {
                0 => self.rest.end().into_iter().collect(),
                _ => self.rest.add(part),
            };
            self.input.consume(length);
            if !self.is_text {
                self.is_text = is_text(&lines)?;
            }
            if length == 0 || !lines.is_empty() {
                return Ok(lines);
            }
        }
    }
}

/// Returns whether the first line that isn't empty, if there is one, is text.
///
/// In UTF-16, every second byte of most positions is zero, which no position has.
fn is_text(lines: &[InputLine]) -> io::Result<bool> {
    let mut texts = lines.iter().map(|line| match line {
        InputLine::Position(text) | InputLine::TooLong(text, _) => text,
    });
    match texts.find(|text| !text.trim().is_empty()) {
        // A byte order mark may be all that the first line has.
        Some(text) if text.contains('\0') || *text == "\u{fffd}\u{fffd}" => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not text in UTF-8: it has zero bytes, as UTF-16 has, which `>` writes in Windows \
             PowerShell\ntip: write it with `| Out-File -Encoding utf8 FILE`",
        )),
        first => Ok(first.is_some()),
    }
}

/// A line that arrives in parts.
#[derive(Default)]
pub struct LineBuilder {
    received: Vec<u8>,
    length: u64,
}

impl LineBuilder {
    /// Adds a part of the input, and returns the lines that end in it.
    pub fn add(&mut self, part: &[u8]) -> Vec<InputLine> {
        let mut parts = part.split(|&byte| byte == b'\n');
        let last = parts.next_back().unwrap_or_default();
        let lines = parts.map(|part| {
            self.grow(part);
            self.finish()
        });
        let lines = lines.collect();
        self.grow(last);
        lines
    }

    /// Returns the last line, if no end has followed it.
    pub fn end(&mut self) -> Option<InputLine> {
        (self.length > 0).then(|| self.finish())
    }

    /// Adds bytes to the line. Of a line that is too long, only the beginning is retained.
    fn grow(&mut self, part: &[u8]) {
        if self.length <= MAX_LINE as u64 {
            self.received.extend_from_slice(part);
        }
        self.length += part.len() as u64;
        if self.length > MAX_LINE as u64 {
            self.received.truncate(SHOWN_BYTES);
        }
    }

    fn finish(&mut self) -> InputLine {
        let LineBuilder { received, length } = std::mem::take(self);
        let text = String::from_utf8_lossy(&received);
        // Some editors begin a file with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        if length > MAX_LINE as u64 {
            InputLine::TooLong(format!("{}...", text.trim_start()), length)
        } else {
            InputLine::Position(text.to_owned())
        }
    }
}

/// Writes one line of answer per line; returns whether any of them has no answer.
pub fn answer(
    lines: &[InputLine],
    oracle: &AnyOracle<'_>,
    wanted: Wanted,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let positions = lines.iter().filter_map(|line| match line {
        InputLine::Position(text) => Some(text.trim()),
        InputLine::TooLong(..) => None,
    });
    let answers = oracle.ask_many(&positions.collect::<Vec<_>>(), wanted);
    let mut answers = answers.into_iter();
    let mut failed = false;
    for line in lines {
        let (position, answer) = match line {
            InputLine::TooLong(beginning, length) => (&**beginning, Err(too_long(*length))),
            InputLine::Position(text) => {
                let answer = answers.next().context("an answer is missing")?;
                let error = |error: AskError| {
                    let tip = error.tip();
                    advice::with_tip(format!("{:#}", anyhow::Error::from(error)), tip)
                };
                (text.trim(), answer.map_err(error))
            }
        };
        failed |= print_one(position, answer, json, out)?;
        out.write_all(b"\n")?;
    }
    Ok(failed)
}

/// Returns the error message for a line of `length` bytes, which is too long.
pub fn too_long(length: u64) -> String {
    format!(
        "the line has {} bytes, but a position may have at most {}",
        count(length),
        bytes(MAX_LINE as u64)
    )
}

/// Writes one answer without the end of its line; returns whether there was none.
fn print_one(
    position: &str,
    answer: Result<oracle::Answer, String>,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let error = match answer {
        Ok(answer) if json => {
            let report = AnswerReport::new(&answer);
            serde_json::to_writer(out, &report).map_err(io::Error::from)?;
            return Ok(answer.is_interrupted);
        }
        Ok(answer) if !answer.is_interrupted => {
            answer::print_short(&answer, out)?;
            return Ok(false);
        }
        Ok(_) => "interrupted".to_owned(),
        Err(error) => error,
    };
    if json {
        let position = Some(position);
        let report = ErrorReport::new(position, &error);
        serde_json::to_writer(out, &report).map_err(io::Error::from)?;
    } else {
        // Each answer is a single line, so the tip can't have its own.
        let (error, tip) = advice::parts(&error);
        let tip = tip.map_or_else(String::new, |tip| format!("; tip: {tip}"));
        write!(out, "error: {error}{tip}")?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(input: impl Read) -> Vec<InputLine> {
        let mut input = Lines::new(input);
        input.input = BufReader::with_capacity(100, input.input.into_inner());
        let mut lines = Vec::new();
        loop {
            let more = input.next_ones().unwrap();
            if more.is_empty() {
                return lines;
            }
            lines.extend(more);
        }
    }

    fn position(text: &str) -> InputLine {
        InputLine::Position(text.to_owned())
    }

    #[test]
    fn lines_are_read_as_they_are() {
        assert_eq!(lines(&b""[..]), []);
        assert_eq!(lines(&b"\n"[..]), [position("")]);
        assert_eq!(lines(&b"a\n\nb"[..]), ["a", "", "b"].map(position));
        let long = "x".repeat(250);
        let text = format!("{long}\n{long}\r\n");
        let expected = [long.clone(), format!("{long}\r")].map(|text| position(&text));
        assert_eq!(lines(text.as_bytes()), expected);
        assert_eq!(lines(&b"\xff\n"[..]), [position("\u{fffd}")]);
        // A byte order mark is not part of the first position.
        assert_eq!(lines("\u{feff}a\nb".as_bytes()), ["a", "b"].map(position));
    }

    #[test]
    fn a_line_that_is_too_long_is_told_apart_and_the_next_is_read() {
        for (length, is_too_long) in [(MAX_LINE, false), (MAX_LINE + 1, true)] {
            for end in ["", "\nnext"] {
                let text = format!("{}{end}", "y".repeat(length));
                let found = lines(text.as_bytes());
                match &found[0] {
                    InputLine::Position(text) => assert!(!is_too_long && text.len() == length),
                    InputLine::TooLong(beginning, bytes) => {
                        assert!(is_too_long && *bytes == length as u64);
                        assert_eq!(*beginning, format!("{}...", "y".repeat(SHOWN_BYTES)));
                    }
                }
                let next: &[InputLine] = if end.is_empty() {
                    &[]
                } else {
                    &[position("next")]
                };
                assert_eq!(found[1..], *next);
            }
        }
        let endless = io::repeat(b'z').take(200 << 20).chain(&b"\nnext\n"[..]);
        let found = lines(endless);
        assert!(matches!(found[0], InputLine::TooLong(_, length) if length == 200 << 20));
        assert_eq!(found[1..], [position("next")]);
    }
}
