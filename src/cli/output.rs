//! Files written in addition to the answer, such as reports.
//!
//! A file is replaced as a whole, and only by a file of the same kind. As for tables, a symbolic
//! link is preserved, and the file that it points to is written.

use crate::table::{TargetPlace, directory};
use crate::work::regular::open_named;
use anyhow::{Context, bail};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
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

/// Returns whether two paths, of which neither may exist, lead to the same file.
pub fn are_same(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| match (path.canonicalize(), path.file_name()) {
        (Ok(path), _) => Some(path),
        (Err(_), name) => Some(directory(path).canonicalize().ok()?.join(name?)),
    };
    resolved(one).is_some() && resolved(one) == resolved(other)
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
