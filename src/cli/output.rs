//! Files that are written beside the answer: each as a whole, and never in place of something else.

use crate::table::directory;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// An error unless `what` ("a report") can be written there; a file that `is_another` says to be
/// one, by its first kilobyte, may be replaced.
pub fn writable(path: &Path, what: &str, is_another: impl Fn(&[u8]) -> bool) -> anyhow::Result<()> {
    check(path, what, is_another)
        .with_context(|| format!("no {what} can be written to {}", path.display()))
}

fn check(path: &Path, what: &str, is_another: impl Fn(&[u8]) -> bool) -> anyhow::Result<()> {
    let directory = directory(path);
    if path.is_dir() {
        bail!("that is a directory");
    }
    if !directory.is_dir() {
        bail!("there is no such directory");
    }
    // A slip of the pen must not cost a table or an AI.
    if path.exists() {
        let mut beginning = Vec::new();
        if path.is_file() {
            File::open(path)?.take(1024).read_to_end(&mut beginning)?;
        }
        if !path.is_file() || !is_another(&beginning) {
            bail!("the file is there already and is not a {what}; name another file, or remove it");
        }
    }
    tempfile::tempfile_in(directory)?;
    Ok(())
}

/// Replaces the file as a whole, so that there is always a complete one.
pub fn write(path: &Path, what: &str, text: &str) -> anyhow::Result<()> {
    let problem = || format!("can't write the {what} to {}", path.display());
    let mut file = NamedTempFile::new_in(directory(path)).with_context(problem)?;
    file.write_all(text.as_bytes()).with_context(problem)?;
    put_in_place(file, path).with_context(problem)
}

/// Gives a finished file its name.
pub fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        // Temporary files are for their owner alone; these are to be shown around.
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path)?;
    Ok(())
}
