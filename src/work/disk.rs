//! File system calls of the table writer, and their errors.
//!
//! All its calls go through this module, so that tests can make each of them fail and replay what a
//! crash leaves on disk. They behave like those of `std::fs`, but open only regular files: a
//! symbolic link could lead to another user's file, and opening a pipe would block.

#[cfg(test)]
pub mod faults;

#[cfg(not(test))]
use super::regular::open;
#[cfg(test)]
use faults::open;
#[cfg(test)]
pub use faults::{File, create_dir, remove_dir, remove_file, rename};
#[cfg(not(test))]
pub use std::fs::{File, create_dir, remove_dir, remove_file, rename};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// An operation on a file or directory that failed.
#[derive(Debug, thiserror::Error)]
#[error("{path}: can't {action}: {cause}")]
pub struct DiskError {
    /// File or directory.
    pub path: PathBuf,
    /// Operation that failed: "write it", "lock the folder", …
    pub action: &'static str,
    /// The system's error.
    pub cause: io::Error,
}

impl DiskError {
    /// Returns a closure that turns the system's error into a [`DiskError`].
    pub(crate) fn of(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(io::Error) -> DiskError + use<> {
        let path = path.to_owned();
        move |cause| DiskError {
            path,
            action,
            cause,
        }
    }
}

/// Creates an empty file, or truncates the existing one, for reading and writing.
pub fn create(path: &Path) -> io::Result<File> {
    #[cfg(test)]
    faults::creating(path)?;
    let mut options = fs::File::options();
    let options = options.read(true).write(true).create(true).truncate(true);
    open(path, options)
}

/// Opens an existing file for reading and writing.
pub fn reopen(path: &Path) -> io::Result<File> {
    open(path, fs::File::options().read(true).write(true))
}

/// Opens an existing file for reading.
pub fn read(path: &Path) -> io::Result<File> {
    open(path, fs::File::options().read(true))
}

/// Renames a file without ever replacing one that another process creates.
pub fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::renaming(from, to)?;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use nix::errno::Errno;
        use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
        match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_NOREPLACE) {
            // Some file systems and old kernels don't support the flag.
            Err(Errno::EINVAL | Errno::ENOSYS) => {}
            renamed => return Ok(renamed?),
        }
    }
    match fs::hard_link(from, to) {
        // The file has its new name; the old name does no harm if it can't be removed.
        Ok(()) => fs::remove_file(from).or(Ok(())),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(cause),
        // Some file systems have no links, such as exFAT and network drives.
        Err(_) => replace_placeholder(from, to),
    }
}

/// Takes the new name with an empty file, and replaces that.
///
/// A crash in between leaves the empty file, and the old name.
fn replace_placeholder(from: &Path, to: &Path) -> io::Result<()> {
    drop(fs::File::create_new(to)?);
    fs::rename(from, to).inspect_err(|_| {
        let _ = fs::remove_file(to);
    })
}

/// Makes a directory's names survive a power cut, where the system supports it.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::syncing_directory(directory)?;
    #[cfg(all(unix, not(test)))]
    fs::File::open(directory)?.sync_all()?;
    #[cfg(not(all(unix, not(test))))]
    let _ = directory;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_its_name_without_links_and_replaces_none() {
        let home = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| home.path().join(name));
        fs::write(&from, "new").unwrap();
        replace_placeholder(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"new");
        assert!(!from.exists());
        fs::write(&from, "newer").unwrap();
        let error = replace_placeholder(&from, &to).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&to).unwrap(), b"new");
        fs::remove_file(&to).unwrap();
        fs::remove_file(&from).unwrap();
        assert!(replace_placeholder(&from, &to).is_err());
        assert!(!to.exists());
    }
}
