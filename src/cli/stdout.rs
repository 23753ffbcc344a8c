//! Standard output, for results.

use anstream::AutoStream;
use serde::Serialize;
use std::io::{self, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static READER_IS_GONE: AtomicBool = AtomicBool::new(false);

/// A writer of results that ignores a closed pipe.
///
/// If the reader leaves, as `head` does, that is not a failure: all further output is discarded, and
/// neither the answer nor the exit code changes.
pub struct Results<W>(W);

/// The results can't be written, although the reader may still be there.
#[derive(Debug, thiserror::Error)]
#[error("can't write the answer")]
struct Unwritable(#[source] io::Error);

/// Standard output, in colours if it supports them.
pub type Out = Results<AutoStream<StdoutLock<'static>>>;

pub fn results() -> Out {
    Results(anstream::stdout().lock())
}

/// Prints a result: as one line of JSON if that is wanted, and else in the words of `print`.
pub fn print_result(
    json: bool,
    result: &impl Serialize,
    print: impl FnOnce(&mut Out) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut out = results();
    match json {
        true => Ok(writeln!(out, "{}", serde_json::to_string(result)?)?),
        false => print(&mut out),
    }
}

/// Standard output without colours.
pub fn plain_results() -> Results<StdoutLock<'static>> {
    Results(io::stdout().lock())
}

/// Returns whether a write has found the pipe closed, because the reader has left.
pub fn reader_is_gone() -> bool {
    READER_IS_GONE.load(Relaxed)
}

impl<W: Write> Results<W> {
    /// Returns the result of `write`, or `gone` if the reader has left.
    fn or_gone<T>(
        &mut self,
        gone: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        if reader_is_gone() {
            return Ok(gone);
        }
        match write(&mut self.0) {
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                READER_IS_GONE.store(true, Relaxed);
                Ok(gone)
            }
            // The caller repeats interrupted writes.
            Err(cause) if cause.kind() != io::ErrorKind::Interrupted => {
                Err(io::Error::new(cause.kind(), Unwritable(cause)))
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Results<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.or_gone(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.or_gone((), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Error;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Even if a library wraps the error.
    #[test]
    fn write_errors_are_reported_once() {
        let expected = "can't write the answer: no storage space";
        let error = writeln!(Results(Full), "yes").unwrap_err();
        assert_eq!(format!("{:#}", Error::from(error)), expected);
        let mut rows = csv::Writer::from_writer(Results(Full));
        rows.write_record(["a", "b"]).unwrap();
        let error = rows.flush().unwrap_err();
        assert_eq!(format!("{:#}", Error::from(error)), expected);
    }
}
