//! Threads and memory: the amounts available, and those that a command may use.

use super::cgroup;
use super::numbers::parse;
use crate::any::AnyGame;
use crate::cli::processes::on_this_machine;
use crate::game::SolveOptions;
pub(crate) use crate::pool::cores;
use crate::solve::Method;
use crate::text::{bytes, bytes_up};
use anyhow::bail;
use std::path::Path;

/// Options of commands that do heavy work.
#[derive(Debug, clap::Args)]
pub struct Resources {
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = parse_threads, allow_negative_numbers = true, global = true, help_heading = "Resources")]
    pub threads: Option<usize>,

    /// Memory limit, such as 8G
    ///
    /// Bytes, or a number with K, M, G or T. The default is nine tenths of what is available.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, global = true, help_heading = "Resources")]
    pub memory: Option<u64>,
}

impl Resources {
    pub fn options(&self) -> SolveOptions {
        self.options_or(None)
    }

    /// Returns the options, by default with at most `memory` bytes.
    pub fn options_or(&self, memory: Option<u64>) -> SolveOptions {
        // All processes of the job on this machine share its cores and memory.
        let processes = on_this_machine();
        let threads = self.threads.unwrap_or_else(|| (cores() / processes).max(1));
        let usual = memory.filter(|_| self.memory.is_none());
        let memory = allowed_memory(self.memory).min(usual.unwrap_or(u64::MAX));
        SolveOptions { threads, memory }
    }
}

/// Checks that the memory suffices to solve a game, or this process's part of it.
pub fn check_memory(
    game: &dyn AnyGame,
    method: Method,
    processes: usize,
    options: SolveOptions,
    advice: &str,
) -> anyhow::Result<()> {
    let needed = game.memory_estimate(method, processes, options.threads);
    if let Some(needed) = needed.filter(|&needed| needed > options.memory) {
        let part = if processes > 1 { "its part of " } else { "" };
        bail!(
            "solving {part}{} needs about {} of memory, and {} may be used\ntip: {advice}",
            game.name(),
            bytes_up(needed),
            bytes(options.memory)
        );
    }
    Ok(())
}

/// Returns whether `solve` without options has enough memory for a game.
pub fn can_be_solved(game: &dyn AnyGame) -> bool {
    let usual = Resources {
        threads: None,
        memory: None,
    };
    check_memory(game, Method::Backward, 1, usual.options(), "").is_ok()
}

/// Returns the number of bytes that this process may use, given the limit `wanted`.
///
/// By default the processes of a job on this machine share nine tenths of its available memory.
pub fn allowed_memory(wanted: Option<u64>) -> u64 {
    // The system refuses more than the address space allows, whatever the limit.
    let share = || available_share() / on_this_machine() as u64;
    wanted.unwrap_or_else(share).min(address_space())
}

/// Returns the default memory limit in bytes: nine tenths of the available memory.
pub fn available_share() -> u64 {
    available_memory() / 10 * 9
}

fn available_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let limit = cgroup::room(Path::new("/")).unwrap_or(u64::MAX);
    system.available_memory().min(limit).min(address_space())
}

/// Returns the number of bytes that this process may still use of its address space, if that is
/// limited.
///
/// At most half of the limit, because some memory is mapped but hardly used, such as stacks.
fn address_space() -> u64 {
    #[cfg(unix)]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        if let Ok((limit, _)) = getrlimit(Resource::RLIMIT_AS)
            && limit != RLIM_INFINITY
        {
            return (limit / 2).min(limit.saturating_sub(mapped()));
        }
    }
    u64::MAX
}

/// Returns the number of bytes that this process has mapped, 0 if the system doesn't report it.
///
/// Within another program, such as Python, that may be most of the limit.
#[cfg(unix)]
fn mapped() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    // No system has smaller pages.
    4096 * pages.unwrap_or(0)
}

/// Returns the resident memory of this process in bytes, or `None` if the system doesn't report it.
pub fn memory_taken() -> Option<u64> {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid};
    let process = get_current_pid().ok()?;
    let mut system = System::new();
    let wanted = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, wanted);
    Some(system.process(process)?.memory())
}

/// Peak resident memory of this process in bytes, or `None` if the system doesn't report it.
pub fn peak_memory() -> Option<u64> {
    // `VmHWM` counts this program only. `getrusage` would include the peak of the program that
    // started it, because the process existed before it loaded this one.
    #[cfg(target_os = "linux")]
    if let Ok(status) = std::fs::read_to_string("/proc/self/status")
        && let Some(peak) = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))
        && let Ok(kibibytes) = peak.trim().trim_end_matches(" kB").parse::<u64>()
    {
        return Some(kibibytes * 1024);
    }
    None
}

pub fn parse_threads(text: &str) -> Result<usize, String> {
    let what = "that is not a number of threads: write a whole number from 1 to 1024, such as 2";
    parse(text, 1..=1024, what)
}

pub fn parse_size(text: &str) -> Result<u64, String> {
    let problem =
        || "that is not a size: write a number with K, M, G or T, such as 8G or 500M".to_owned();
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let unit = unit.to_ascii_uppercase();
    let unit = unit.trim_end_matches('B');
    let (unit, base) = match unit.strip_suffix('I') {
        Some(unit) => (unit, 1024_f64),
        None => (unit, 1000.0),
    };
    let power = ["", "K", "M", "G", "T"]
        .iter()
        .position(|&known| known == unit);
    let factor = base.powi(power.ok_or_else(problem)? as i32);
    match number.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 && factor == 1.0 && number < 1e6 => Err(
            format!("that is {number} bytes: write a number with K, M, G or T, such as {number}G"),
        ),
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * factor) as u64),
        _ => Err(problem()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Resources, parse_size};

    #[test]
    fn default_memory_is_never_more_than_is_available() {
        let memory = |memory, usual| {
            let threads = Some(1);
            Resources { threads, memory }.options_or(usual).memory
        };
        assert_eq!(memory(None, Some(1 << 20)), 1 << 20);
        assert!(memory(None, Some(u64::MAX)) < 1 << 60);
        // The user's own limit replaces the usual one.
        assert_eq!(memory(Some(1 << 21), Some(1 << 20)), 1 << 21);
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("8G"), Ok(8_000_000_000));
        assert_eq!(parse_size("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(parse_size("500MB"), Ok(500_000_000));
        assert_eq!(parse_size("77000000"), Ok(77_000_000));
        assert!(parse_size("8").unwrap_err().contains("such as 8G"));
        for wrong in ["", "G", "-1G", "1X", "lots", "nan"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
