//! This process among those of an MPI job that solve a game together.
//!
//! Only process 0 prints anything. It also reports the errors of the other processes.

#[cfg(feature = "mpi")]
use crate::game::Transport;
use crate::game::{Progress, SolveError, Team};

#[cfg(feature = "mpi")]
pub use started::{begin, end};

/// Returns the number of processes of the job on this machine.
pub fn on_this_machine() -> usize {
    #[cfg(feature = "mpi")]
    if let Some(process) = started::process() {
        return process.on_this_machine();
    }
    1
}

/// Returns whether this process prints: it is the only one, or process 0.
pub fn speaks() -> bool {
    #[cfg(feature = "mpi")]
    if let Some(process) = started::process() {
        return process.rank() == 0;
    }
    true
}

/// Returns the processes of the job: only this one unless MPI started it.
pub fn team(progress: &dyn Progress) -> Team<'_> {
    #[cfg(feature = "mpi")]
    if let Some(process) = started::process() {
        return Team::new(process, progress);
    }
    Team::alone(progress)
}

/// Returns an error in every process if any process has one.
pub fn agree<T>(team: &Team<'_>, result: anyhow::Result<T>) -> anyhow::Result<T> {
    let text = match &result {
        Ok(_) => Ok(()),
        Err(error) => Err(SolveError::Checkpoints(format!("{error:#}").into())),
    };
    // A process with an error of its own returns that, with its type.
    match (team.agree(text), result) {
        (Ok(()), result) => result,
        (Err(SolveError::Checkpoints(_)), Err(error)) => Err(error),
        (Err(error), _) => Err(error.into()),
    }
}

#[cfg(feature = "mpi")]
mod started {
    use crate::cli::ui::progress::{be_quiet, is_interrupted};
    use crate::game::{NoProgress, Team, Transport};
    use crate::solve::mpi::{MpiProcess, is_started_by_mpi};
    use anyhow::bail;
    use std::ffi::OsString;
    use std::sync::OnceLock;

    static PROCESS: OnceLock<MpiProcess> = OnceLock::new();

    /// Joins the MPI job, if there is one.
    ///
    /// Fails unless all processes have the same `version` and arguments.
    pub fn begin(version: &str, arguments: &[OsString]) -> anyhow::Result<()> {
        if !is_started_by_mpi() {
            return Ok(());
        }
        let process = MpiProcess::begin(is_interrupted)?;
        let process = PROCESS.get_or_init(|| process);
        if process.rank() > 0 {
            be_quiet();
        }
        let words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
        let words = words.collect::<Vec<_>>().join(" ");
        let team = Team::new(process, &NoProgress);
        let said = team.all_gather_bytes(Ok(format!("{words}\n{version}").into()))?;
        let said: Vec<_> = said
            .iter()
            .map(|text| String::from_utf8_lossy(text))
            .collect();
        if let Some(other) = said.iter().position(|other| *other != said[0]) {
            let of = |process: usize| said[process].split_once('\n').unwrap_or_default();
            let [(words, version), (other_words, other_version)] = [of(0), of(other)];
            if words != other_words {
                bail!(
                    "process {other} was started with different arguments from process 0: expected \
                     \"{words}\", found \"{other_words}\"; all processes need the same arguments"
                );
            }
            bail!(
                "process {other} is a different program from process 0: expected version {version}, \
                 found {other_version}; all processes need the same version"
            );
        }
        Ok(())
    }

    /// Ends the job once all processes call this, or at once if one is lost.
    pub fn end(code: u8) {
        match PROCESS.get() {
            Some(process) if process.is_lost() => process.abort(code),
            Some(process) => process.end(),
            None => {}
        }
    }

    /// Returns this process, or `None` if MPI didn't start it.
    pub fn process() -> Option<&'static MpiProcess> {
        PROCESS.get()
    }
}
