//! Whether all processes work in the same folder.

use crate::game::{SolveError, Team};
use crate::work::folder::Folder;
use std::time::{Duration, Instant};

/// How long a process waits until it sees the first one's folder: network file systems take a while.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5000 });

/// By the title of this piece the others know the folder of the first.
const TOKEN: &str = "token";

/// An error unless all processes see the folder that the first one works in.
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
    let token = team.hear_first(match team.is_first() {
        true => made(),
        false => Ok(Vec::new()),
    })?;
    let token = String::from_utf8_lossy(&token);
    let is_seen = || folder.find(TOKEN, &token).is_ok();
    let began = Instant::now();
    while !is_seen() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seen = team.tell(match is_seen() {
        true => Ok([]),
        false => Err(SolveError::NotShared {
            process: team.rank(),
            folder: folder.path().to_owned(),
        }),
    });
    if team.is_first() {
        // What can't be removed goes with the folder.
        let _ = folder.remove(|name| name == TOKEN);
    }
    seen.map(|_| ())
}
