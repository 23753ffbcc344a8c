//! Opening files only if they are regular.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file, or fails if there is something other than a regular file.
///
/// Opening a pipe would block, and a symbolic link could lead to another file.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    is_file(path)?;
    open_at_once(path, options, false, |found| unlike(&expected(path), found))
}

/// Opens a file that a user has named, to read it, or fails if it is not a regular file.
///
/// A symbolic link is followed. A pipe would block, and a device can be endless.
pub fn open_named(path: &Path) -> io::Result<File> {
    let other = |found| io::Error::other(format!("expected a regular file, found {}", name(found)));
    match fs::metadata(path)?.file_type() {
        kind if kind.is_file() => open_at_once(path, File::options().read(true), true, other),
        kind => Err(other(kind)),
    }
}

/// Opens a path that was a regular file, and may have been replaced since.
fn open_at_once(
    path: &Path,
    options: &mut OpenOptions,
    #[cfg_attr(not(unix), expect(unused))] follows: bool,
    other: impl Fn(FileType) -> io::Error,
) -> io::Result<File> {
    #[cfg(unix)]
    {
        use nix::fcntl::OFlag;
        use std::os::unix::fs::OpenOptionsExt;
        let mut flags = OFlag::O_NONBLOCK;
        flags.set(OFlag::O_NOFOLLOW, !follows);
        options.custom_flags(flags.bits());
    }
    let file = options.open(path)?;
    match file.metadata()?.file_type() {
        kind if kind.is_file() => Ok(file),
        kind => Err(other(kind)),
    }
}

/// Returns an error if the path exists and is not a regular file.
pub fn is_file(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(unlike(&expected(path), metadata.file_type())),
        _ => Ok(()),
    }
}

fn expected(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    format!("a regular file {}", name.to_string_lossy())
}

/// Returns the error for a file type other than the expected one.
pub fn unlike(expected: &str, found: FileType) -> io::Error {
    let found = name(found);
    io::Error::other(format!(
        "expected {expected}, found {found}; move it away, or choose another name"
    ))
}

fn name(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_file() {
        "a file"
    } else {
        "something else, such as a pipe or a device"
    }
}
