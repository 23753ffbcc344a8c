//! The calls by which a table comes to disk: all of the writer's go through here, so that tests can
//! let each of them fail, and see what a crash leaves of them.
//!
//! What is here does what its namesake in `std::fs` does, but for files only that are the writer's
//! own: a link could lead to somebody else's, and a pipe would wait for its other end.

#[cfg(test)]
pub mod faults;

use super::regular::open;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// [`fs::File`]
pub struct File {
    file: fs::File,
    #[cfg(test)]
    watched: faults::Watched,
}

impl File {
    fn new(path: &Path, options: &mut fs::OpenOptions) -> io::Result<File> {
        #[cfg(test)]
        let watched = faults::opened(path)?;
        Ok(File {
            file: open(path, options)?,
            #[cfg(test)]
            watched,
        })
    }

    /// An empty file, to be read and written.
    pub fn create(path: &Path) -> io::Result<File> {
        #[cfg(test)]
        faults::creating(path)?;
        let mut options = fs::File::options();
        File::new(
            path,
            options.read(true).write(true).create(true).truncate(true),
        )
    }

    /// A file that is there, to be read and written.
    pub fn reopen(path: &Path) -> io::Result<File> {
        File::new(path, fs::File::options().read(true).write(true))
    }

    /// [`fs::File::open`]
    pub fn open(path: &Path) -> io::Result<File> {
        File::new(path, fs::File::options().read(true))
    }

    /// The file, which no test watches any more.
    pub fn into_inner(self) -> fs::File {
        self.file
    }

    /// How many bytes it has.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// [`fs::File::set_len`]
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        #[cfg(test)]
        self.watched.set_len(length)?;
        self.file.set_len(length)
    }

    /// [`fs::File::sync_all`]
    pub fn sync_all(&self) -> io::Result<()> {
        #[cfg(test)]
        return self.watched.sync();
        #[cfg(not(test))]
        self.file.sync_all()
    }

    /// [`fs::File::sync_data`]
    pub fn sync_data(&self) -> io::Result<()> {
        #[cfg(test)]
        return self.watched.sync();
        #[cfg(not(test))]
        self.file.sync_data()
    }

    /// [`fs::File::try_clone`]
    pub fn try_clone(&self) -> io::Result<File> {
        Ok(File {
            file: self.file.try_clone()?,
            #[cfg(test)]
            watched: self.watched.clone(),
        })
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(test)]
        self.watched.read()?;
        self.file.read(buffer)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(test)]
        let bytes = self.watched.write(self.file.stream_position()?, bytes)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// [`fs::create_dir`]
pub fn create_dir(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::call("create_dir")?;
    fs::create_dir(path)
}

/// [`fs::rename`]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::renaming(from, to)?;
    fs::rename(from, to)
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

/// [`fs::remove_file`]
pub fn remove_file(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::removing(path)?;
    fs::remove_file(path)
}

/// [`fs::remove_dir`]
pub fn remove_dir(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::call("remove_dir")?;
    fs::remove_dir(path)
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
