//! The state of a long search, saved from time to time.

use super::disk::DiskError;
use super::folder::{Folder, damaged};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Least time between two saves.
const INTERVAL: Duration = Duration::from_secs(60);
/// Least time between two saves, relative to the time that the last one took.
const PAUSE: u32 = 50;
/// Name of the state's file.
const NAME: &str = "search";
/// The longest heading in bytes.
const MOST_HEADING: u64 = 1 << 12;

/// A directory that holds the last saved state of a search.
///
/// A state replaces the one before only when it is complete, so a kill loses at most the time since
/// the last save.
#[derive(Debug)]
pub struct SavedSearch {
    folder: Folder,
    interval: Duration,
    /// When it is time for the next save.
    next: Mutex<Instant>,
}

impl SavedSearch {
    /// Locks the directory, after creating it if need be.
    ///
    /// # Errors
    /// If it can't be created or locked.
    pub fn open(path: &Path) -> Result<SavedSearch, DiskError> {
        let mut folder = Folder::lock(path)?;
        folder.is_durable = true;
        Ok(SavedSearch {
            folder,
            interval: INTERVAL,
            next: Mutex::new(Instant::now() + INTERVAL),
        })
    }

    /// Saves at every opportunity, for tests.
    #[cfg(test)]
    pub(crate) fn at_once(mut self) -> SavedSearch {
        (self.interval, self.next) = (Duration::ZERO, Mutex::new(Instant::now()));
        self
    }

    /// Saves the output of `write` if it is time to save, or if `now`.
    ///
    /// `heading` is a line that says of what the state is. Other threads don't wait: they return at
    /// once, unless `now`.
    ///
    /// # Errors
    /// If the state can't be saved. The one before remains.
    pub fn save(
        &self,
        heading: &str,
        now: bool,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), DiskError> {
        let Some(mut next) = self.turn(now) else {
            return Ok(());
        };
        let began = Instant::now();
        let saved = self.folder.put(NAME, NAME, &mut |out| {
            writeln!(out, "{heading}")?;
            write(out)
        });
        *next = Instant::now() + self.interval.max(PAUSE * began.elapsed());
        saved.map(drop)
    }

    /// Returns the lock if it is this thread's turn to save: `None` if it isn't time, or another
    /// thread is saving.
    fn turn(&self, now: bool) -> Option<MutexGuard<'_, Instant>> {
        if now {
            return Some(self.next.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let next = self.next.try_lock().ok()?;
        (Instant::now() >= *next).then_some(next)
    }

    /// Reads the saved state with `read`, if there is one.
    ///
    /// # Errors
    /// If it can't be read, is damaged, or has another heading.
    pub fn resume(
        &self,
        heading: &str,
        read: &mut dyn FnMut(&mut dyn BufRead) -> io::Result<()>,
    ) -> Result<(), DiskError> {
        let Some(stored) = self.folder.get(NAME, NAME)? else {
            return Ok(());
        };
        let mut input = stored.read()?;
        let mut resume = || {
            let mut found = String::new();
            io::Read::take(&mut input, MOST_HEADING).read_line(&mut found)?;
            match found.strip_suffix('\n') {
                Some(found) if found == heading => read(&mut input),
                Some(found) => Err(io::Error::other(format!(
                    "it is a search of {found}, not of {heading}"
                ))),
                None => Err(damaged()),
            }
        };
        resume().map_err(DiskError::of(&self.folder.place(NAME), "resume from it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn saved(search: &SavedSearch, heading: &str) -> Result<String, DiskError> {
        let mut text = String::new();
        search.resume(heading, &mut |input| input.read_line(&mut text).map(drop))?;
        Ok(text)
    }

    #[test]
    fn the_last_state_is_resumed_if_it_is_intact_and_of_the_same_search() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("search");
        let search = SavedSearch::open(&path).unwrap();
        assert_eq!(saved(&search, "a game").unwrap(), "");
        let save = |search: &SavedSearch, now, state: &str| {
            search.save("a game", now, &mut |out| out.write_all(state.as_bytes()))
        };
        save(&search, true, "first").unwrap();
        // It isn't time yet.
        save(&search, false, "second").unwrap();
        assert_eq!(saved(&search, "a game").unwrap(), "first");
        let search = search.at_once();
        save(&search, false, "third").unwrap();
        assert_eq!(saved(&search, "a game").unwrap(), "third");
        // A state that can't be written doesn't replace the one before.
        let full = |_: &mut dyn Write| Err(io::ErrorKind::StorageFull.into());
        assert!(search.save("a game", true, &mut { full }).is_err());
        assert_eq!(saved(&search, "a game").unwrap(), "third");
        let error = saved(&search, "another").unwrap_err().to_string();
        assert!(
            error.ends_with("it is a search of a game, not of another"),
            "{error}"
        );
        // Another run can't use the directory.
        assert!(SavedSearch::open(&path).is_err());
        let file = path.join("search.piece");
        let mut bytes = fs::read(&file).unwrap();
        bytes[3] ^= 1;
        fs::write(&file, bytes).unwrap();
        assert!(saved(&search, "a game").is_err());
    }
}
