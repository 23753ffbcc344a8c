//! The calls by which a table comes to disk: all of the writer's go through here.
//!
//! What is here does what its namesake in `std::fs` does, and nothing else.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// [`fs::File`]
pub struct File(fs::File);

impl File {
    /// An empty file, to be read and written.
    pub fn create(path: &Path) -> io::Result<File> {
        let mut options = fs::File::options();
        options.read(true).write(true).create(true).truncate(true);
        options.open(path).map(File)
    }

    /// A file that is there, to be read and written.
    pub fn reopen(path: &Path) -> io::Result<File> {
        let mut options = fs::File::options();
        options.read(true).write(true).open(path).map(File)
    }

    /// [`fs::File::open`]
    pub fn open(path: &Path) -> io::Result<File> {
        fs::File::open(path).map(File)
    }

    /// How many bytes it has.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// [`fs::File::set_len`]
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    /// [`fs::File::sync_all`]
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// [`fs::File::sync_data`]
    pub fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    /// [`fs::File::try_clone`]
    pub fn try_clone(&self) -> io::Result<File> {
        self.0.try_clone().map(File)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Read for &File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Seek for &File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.0).seek(to)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// [`fs::create_dir`]
pub fn create_dir(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// [`fs::rename`]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Unlike a plain renaming this replaces nothing, whatever others do meanwhile.
pub fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
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

/// [`fs::remove_file`]
pub fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// [`fs::remove_dir`]
pub fn remove_dir(path: &Path) -> io::Result<()> {
    fs::remove_dir(path)
}

/// Makes the names in a directory last through a power cut, where the system can do that.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}
