//! The destination of a table, checked before the file is written.

use crate::table::write::options::WriteError;
use crate::work::{DiskError, disk};
#[cfg(windows)]
use dunce::canonicalize;
use std::ffi::OsString;
#[cfg(not(windows))]
use std::fs::canonicalize;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The destination of a table.
#[derive(Clone, Debug)]
pub struct TableTarget {
    /// The file's path with symbolic links resolved.
    pub path: PathBuf,
    force: bool,
}

impl TableTarget {
    /// Checks that a table may be written to `path`.
    ///
    /// # Errors
    /// If there is a file and `force` isn't set, if `path` is a directory or anything else that is
    /// not a regular file, or if its directory doesn't exist.
    pub fn find(path: &Path, force: bool) -> Result<TableTarget, WriteError> {
        let path = match TargetPlace::find(path).map_err(DiskError::of(path, "write there"))? {
            TargetPlace::New(path) => path,
            TargetPlace::File(path) if force => path,
            TargetPlace::File(_) => {
                return Err(WriteError::Exists {
                    path: path.to_owned(),
                });
            }
        };
        let folder = directory(&path);
        if !folder.is_dir() {
            let problem = "there is no such folder; make it first";
            let cause = io::Error::new(io::ErrorKind::NotFound, problem);
            return Err(DiskError::of(folder, "write there")(cause).into());
        }
        Ok(TableTarget { path, force })
    }

    /// Moves a finished file to its destination.
    ///
    /// # Errors
    /// If the file can't be renamed, or would replace one that was created meanwhile.
    pub fn take(&self, finished: &Path) -> Result<(), WriteError> {
        let renamed = if self.force {
            disk::rename(finished, &self.path)
        } else {
            disk::rename_to_new(finished, &self.path)
        };
        renamed.map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => WriteError::Exists {
                path: self.path.clone(),
            },
            _ => DiskError::of(&self.path, "give the finished file its name")(cause).into(),
        })?;
        // Sync the directory, so that the new name survives a power cut. Ignore errors: the table
        // itself is complete, and some file systems don't support this.
        let _ = disk::sync_directory(directory(&self.path));
        Ok(())
    }
}

/// Returns the directory for unfinished work on a table.
pub fn folder_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".partial");
    target.with_file_name(name)
}

/// The destination of a file that is written under another name first.
///
/// A symbolic link is followed: the file that it leads to is replaced, and must exist.
pub(crate) enum TargetPlace {
    /// Path at which there is no file yet.
    New(PathBuf),
    /// Path of an existing regular file, with symbolic links resolved.
    File(PathBuf),
}

/// Returns the error for a path to which no file can be written.
pub(crate) fn unsuitable(found: &str) -> io::Error {
    let problem = format!("expected the name of a file, found {found}");
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}

impl TargetPlace {
    /// Examines a path.
    pub(crate) fn find(path: &Path) -> io::Result<TargetPlace> {
        let is_of_folder = path
            .as_os_str()
            .to_string_lossy()
            .ends_with(std::path::is_separator);
        if path.file_name().is_none() || is_of_folder {
            return Err(unsuitable("the name of a directory"));
        }
        match fs::metadata(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(path).is_ok() {
                    return Err(unsuitable("a symbolic link to nothing"));
                }
                Ok(TargetPlace::New(path.to_owned()))
            }
            Err(cause) => Err(cause),
            Ok(metadata) if metadata.is_dir() => Err(unsuitable("a directory")),
            Ok(metadata) if !metadata.is_file() => {
                Err(unsuitable("something that is not a regular file"))
            }
            Ok(_) => Ok(TargetPlace::File(canonicalize(path)?)),
        }
    }
}

/// Returns the directory of a file.
pub(crate) fn directory(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_in(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn a_missing_directory_is_an_error_and_stays_missing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b/table.bin");
        let error = TableTarget::find(&path, false).unwrap_err();
        assert!(matches!(error, WriteError::Disk(_)), "{error}");
        assert_eq!(files_in(home.path()), 0);
    }

    #[test]
    fn existing_files_are_preserved_without_force() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("table.bin");
        fs::write(&path, "precious").unwrap();
        assert!(matches!(
            TableTarget::find(&path, false),
            Err(WriteError::Exists { .. })
        ));
        TableTarget::find(&path, true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        assert_eq!(files_in(home.path()), 1);
    }

    #[test]
    fn paths_of_no_file_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        for force in [false, true] {
            for path in [
                home.path(),
                &home.path().join("new/"),
                Path::new("/"),
                Path::new(""),
                Path::new("/dev/null"),
            ] {
                let result = TableTarget::find(path, force);
                let Err(WriteError::Disk(error)) = result else {
                    panic!("{path:?}: {result:?}");
                };
                assert_eq!(error.cause.kind(), io::ErrorKind::InvalidInput, "{path:?}");
            }
            let below_a_file = TableTarget::find(&file.join("table.bin"), force);
            assert!(
                matches!(below_a_file, Err(WriteError::Disk(_))),
                "{below_a_file:?}"
            );
        }
        assert!(!home.path().join("new").exists());
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let (path, finished) = (home.path().join("table.bin"), home.path().join("finished"));
        let target = TableTarget::find(&path, false).unwrap();
        fs::write(&finished, "ours").unwrap();
        fs::write(&path, "somebody else's").unwrap();
        assert!(matches!(
            target.take(&finished),
            Err(WriteError::Exists { .. })
        ));
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
        assert_eq!(fs::read(&finished).unwrap(), b"ours");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let home = tempfile::tempdir().unwrap();
        let [path, link, finished] =
            ["table.bin", "link", "finished"].map(|name| home.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::write(&finished, "new").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        TableTarget::find(&link, true)
            .unwrap()
            .take(&finished)
            .unwrap();
        assert_eq!(
            fs::canonicalize(&link).unwrap(),
            fs::canonicalize(&path).unwrap()
        );
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(files_in(home.path()), 2);
        fs::remove_file(&path).unwrap();
        for force in [false, true] {
            let error = TableTarget::find(&link, force).unwrap_err();
            assert!(error.to_string().contains("symbolic link to nothing"));
        }
    }
}
