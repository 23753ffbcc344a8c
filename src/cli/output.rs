//! Results on standard output, and files written in addition, such as reports.
//!
//! A file is replaced as a whole, and only by a file of the same kind. As for tables, a symbolic
//! link is preserved, and the file that it points to is written.

use crate::table::{TargetPlace, directory};
use crate::work::regular::open_named;
use anstream::AutoStream;
use anyhow::{Context, bail};
use serde::Serialize;
use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tempfile::NamedTempFile;

/// Checks that a file of the kind `what` ("report") can be written to `path`.
///
/// It may replace an existing file whose first kilobyte satisfies `is_another`.
pub fn writable(path: &Path, what: &str, is_another: impl Fn(&[u8]) -> bool) -> anyhow::Result<()> {
    let check = || {
        let found = TargetPlace::find(path)?;
        // A mistyped name must not overwrite a table or an AI.
        if let TargetPlace::File(path) = &found {
            let mut beginning = Vec::new();
            open_named(path)?.take(1024).read_to_end(&mut beginning)?;
            if !is_another(&beginning) {
                bail!(
                    "the file exists and is not a {what}\ntip: name another file, or remove this one"
                );
            }
        }
        let (TargetPlace::New(path) | TargetPlace::File(path)) = &found;
        let directory = directory(path);
        if !directory.is_dir() {
            bail!("there is no such directory");
        }
        tempfile::tempfile_in(directory)?;
        Ok(())
    };
    check().with_context(|| format!("can't write a {what} to {}", path.display()))
}

/// The first bytes of every report. A file with these may be replaced by a new report.
const PAGE: &[u8] = b"<!DOCTYPE html>";

/// Checks that a report can be written to `path`.
pub fn reportable(path: &Path) -> anyhow::Result<()> {
    if !["html", "htm"].iter().any(|ending| ends_in(path, ending)) {
        let path = path.display();
        bail!("{path} will be a page in HTML: name a file that ends in .html, such as report.html");
    }
    writable(path, "report", |text| text.starts_with(PAGE))
}

/// Checks that a picture can be written to `path`.
pub fn drawable(path: &Path) -> anyhow::Result<()> {
    if !ends_in(path, "svg") {
        let path = path.display();
        bail!("{path} will be an SVG: name a file that ends in .svg, such as picture.svg");
    }
    writable(path, "picture", |text| {
        String::from_utf8_lossy(text).contains("<svg")
    })
}

fn ends_in(path: &Path, ending: &str) -> bool {
    let found = path.extension();
    found.is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// A file that is written under a temporary name in its final directory.
///
/// If it is dropped before it is finished, the temporary file is removed. The final path is the
/// target of any symbolic link.
pub struct NewFile {
    file: BufWriter<NamedTempFile>,
    place: PathBuf,
}

impl NewFile {
    pub fn create(path: &Path) -> anyhow::Result<NewFile> {
        let (TargetPlace::New(place) | TargetPlace::File(place)) = TargetPlace::find(path)?;
        #[cfg_attr(not(unix), expect(unused_mut))]
        let mut options = tempfile::Builder::new();
        // By default only the owner can read temporary files, but these will be shared.
        #[cfg(unix)]
        options.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = options.tempfile_in(directory(&place))?;
        Ok(NewFile {
            file: BufWriter::with_capacity(1 << 16, file),
            place,
        })
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Renames the file to its final name, which therefore always has complete contents.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner();
        file.map_err(io::IntoInnerError::into_error)?
            .persist(self.place)?;
        Ok(())
    }
}

/// Writes or replaces a file as a whole.
pub fn write(path: &Path, what: &str, text: &str) -> anyhow::Result<()> {
    let written = NewFile::create(path).and_then(|mut file| {
        file.write(text.as_bytes())?;
        Ok(file.finish()?)
    });
    written.with_context(|| format!("can't write the {what} to {}", path.display()))
}

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

/// Returns standard output without colours.
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
