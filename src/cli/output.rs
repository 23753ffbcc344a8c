//! Files that are written beside the answer: each as a whole, and never in place of something else.
//! A symbolic link stays, as for tables, and the file that it leads to is written.

use crate::table::{Place, directory};
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{self, Read, Write};
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
                    "the file is there already and is not a {what}; name another file, or remove it"
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

/// The file itself, at the end of any symbolic link.
pub fn destination(path: &Path) -> anyhow::Result<PathBuf> {
    let (Place::New(path) | Place::File(path)) = Place::find(path)?;
    Ok(path)
}

/// Replaces the file as a whole, so that there is always a complete one.
pub fn write(path: &Path, what: &str, text: &str) -> anyhow::Result<()> {
    let problem = || format!("can't write the {what} to {}", path.display());
    let place = destination(path).with_context(problem)?;
    let mut file = NamedTempFile::new_in(directory(&place)).with_context(problem)?;
    file.write_all(text.as_bytes()).with_context(problem)?;
    put_in_place(file, &place).with_context(problem)
}

/// Gives a finished file the name that [`destination`] has found.
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
