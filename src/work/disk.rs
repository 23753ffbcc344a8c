//! The calls by which a table comes to disk: all of the writer's go through here, so that tests can
//! let each of them fail, and see what a crash leaves of them. They are those of `std::fs`, but for
//! files only that are the writer's own: a link could lead to somebody else's, and a pipe would wait
//! for its other end.

#[cfg(test)]
pub mod faults;

#[cfg(not(test))]
use super::regular::open;
#[cfg(test)]
use faults::open;
#[cfg(test)]
pub use faults::{File, create_dir, remove_dir, remove_file, rename};
use std::fs;
#[cfg(not(test))]
pub use std::fs::{File, create_dir, remove_dir, remove_file, rename};
use std::io;
use std::path::Path;

/// An empty file, to be read and written.
pub fn create(path: &Path) -> io::Result<File> {
    #[cfg(test)]
    faults::creating(path)?;
    let mut options = fs::File::options();
    let options = options.read(true).write(true).create(true).truncate(true);
    open(path, options)
}

/// A file that is there, to be read and written.
pub fn reopen(path: &Path) -> io::Result<File> {
    open(path, fs::File::options().read(true).write(true))
}

/// A file that is there, to be read.
pub fn read(path: &Path) -> io::Result<File> {
    open(path, fs::File::options().read(true))
}

/// Unlike a plain renaming this replaces nothing, whatever others do meanwhile.
pub fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::renaming(from, to)?;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use nix::errno::Errno;
        use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
        match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_NOREPLACE) {
            // What some file systems and old kernels answer.
            Err(Errno::EINVAL | Errno::ENOSYS) => {}
            renamed => return Ok(renamed?),
        }
    }
    fs::hard_link(from, to)?;
    // It has its name already; the other one does no harm.
    let _ = fs::remove_file(from);
    Ok(())
}

/// Makes the names in a directory last through a power cut, where the system can do that.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::syncing_directory(directory)?;
    #[cfg(all(unix, not(test)))]
    fs::File::open(directory)?.sync_all()?;
    #[cfg(not(all(unix, not(test))))]
    let _ = directory;
    Ok(())
}
