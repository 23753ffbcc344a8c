//! Checks that all processes see the same directory.

use crate::game::{SolveError, Team};
use crate::work::folder::Folder;
use std::time::{Duration, Instant};

/// Longest wait for the first process's directory, as network disks have delays.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5000 });

/// Name of the piece by which processes recognise the first one's directory.
const TOKEN: &str = "token";

/// Checks that all processes see the directory in which the first one works.
pub fn check_shared(folder: &Folder, team: &Team<'_>) -> Result<(), SolveError> {
    if team.size() == 1 {
        return Ok(());
    }
    let made = || {
        let (process, now) = (std::process::id(), std::time::SystemTime::now());
        let token = format!("{process} {now:?} {}", folder.path().display());
        folder.put(TOKEN, &token, &mut |_| Ok(()))?;
        Ok(token.into_bytes())
    };
    let token = team.hear_first(made)?;
    let token = String::from_utf8_lossy(&token);
    let is_seen = || folder.find(TOKEN, &token).is_ok();
    let began = Instant::now();
    while !is_seen() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seen = team.tell(match is_seen() {
        true => Ok([]),
        false => Err(SolveError::NotShared {
            folder: folder.path().to_owned(),
        }),
    });
    if team.is_first() {
        // If it can't be removed, it goes with the directory.
        let _ = folder.remove(|name| name == TOKEN);
    }
    seen.map(|_| ())
}
