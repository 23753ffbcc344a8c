//! Opening files only if they are regular.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file, or fails if there is something other than a regular file.
///
/// Opening a pipe would block, and a symbolic link could lead to another file.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    is_file(path)?;
    // The file may be replaced after the check.
    #[cfg(unix)]
    {
        use nix::fcntl::OFlag;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
    }
    let file = options.open(path)?;
    match file.metadata()?.file_type() {
        kind if kind.is_file() => Ok(file),
        kind => Err(unlike(&expected(path), kind)),
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
    let found = if found.is_symlink() {
        "a symbolic link"
    } else if found.is_dir() {
        "a folder"
    } else if found.is_file() {
        "a file"
    } else {
        "something else, such as a pipe or a device"
    };
    io::Error::other(format!(
        "expected {expected}, found {found}; move it away, or choose another name"
    ))
}
