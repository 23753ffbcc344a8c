//! Files that are written beside the answer: each as a whole, and never in place of something else.
//! A symbolic link stays, as for tables, and the file that it leads to is written.

use crate::table::{Place, directory};
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An error unless `what` ("a report") can be written there; a file that `is_another` says to be
/// one, by its first kilobyte, may be replaced.
pub fn writable(path: &Path, what: &str, is_another: impl Fn(&[u8]) -> bool) -> anyhow::Result<()> {
    check(path, what, is_another)
        .with_context(|| format!("no {what} can be written to {}", path.display()))
}

fn check(path: &Path, what: &str, is_another: impl Fn(&[u8]) -> bool) -> anyhow::Result<()> {
    let path = match Place::find(path)? {
        Place::New(path) => path,
        // A slip of the pen must not cost a table or an AI.
        Place::File(path) => {
            let mut beginning = Vec::new();
            File::open(&path)?.take(1024).read_to_end(&mut beginning)?;
            if !is_another(&beginning) {
                bail!(
                    "the file is there already and is not a {what}\ntip: name another file, or remove it"
                );
            }
            path
        }
    };
    let directory = directory(&path);
    if !directory.is_dir() {
        bail!("there is no such directory");
    }
    tempfile::tempfile_in(directory)?;
    Ok(())
}

/// A file that is written beside its place, which is that at the end of any symbolic link. Dropped
/// before it is finished, it leaves nothing behind.
pub struct NewFile {
    file: BufWriter<NamedTempFile>,
    place: PathBuf,
}

impl NewFile {
    pub fn create(path: &Path) -> anyhow::Result<NewFile> {
        let (Place::New(place) | Place::File(place)) = Place::find(path)?;
        #[cfg_attr(not(unix), expect(unused_mut))]
        let mut options = tempfile::Builder::new();
        // Temporary files are for their owner alone; these are to be shown around.
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

    /// Puts it in its place, so that there is always a complete one.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner();
        file.map_err(io::IntoInnerError::into_error)?
            .persist(self.place)?;
        Ok(())
    }
}

/// Replaces a file as a whole.
pub fn write(path: &Path, what: &str, text: &str) -> anyhow::Result<()> {
    let written = NewFile::create(path).and_then(|mut file| {
        file.write(text.as_bytes())?;
        Ok(file.finish()?)
    });
    written.with_context(|| format!("can't write the {what} to {}", path.display()))
}
