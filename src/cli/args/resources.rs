//! Threads and memory: the amounts available, and those that a command may use.
//!
//! Slurm, systemd and containers limit memory by control groups. The limit can be set for the
//! process's own group or any group above it, in the hierarchy of version 1 or 2.

use super::numbers::parse;
use crate::any::AnyGame;
use crate::cli::processes::on_this_machine;
use crate::game::SolveOptions;
pub(crate) use crate::pool::cores;
use crate::solve::Method;
use crate::text::{bytes, bytes_up};
use anyhow::bail;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Options of commands that do heavy work.
#[derive(Debug, Default, clap::Args)]
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

/// Returns the bytes of memory that it takes to solve a game into a file, if that is known.
pub fn needed_for_file(
    game: &dyn AnyGame,
    method: Method,
    processes: usize,
    options: SolveOptions,
) -> Option<u64> {
    // In a browser, nothing is solved into a file.
    #[cfg(not(target_family = "wasm"))]
    if method == Method::Backward
        && let Some(forecast) = game.forecast(options)
    {
        return Some(forecast.memory_bytes);
    }
    game.memory_estimate(method, processes, options.threads)
}

/// Checks that the memory allowed suffices to solve a game, or this process's part of it.
///
/// That takes `needed` bytes, if the number is known.
pub fn check_memory(
    game: &dyn AnyGame,
    needed: Option<u64>,
    processes: usize,
    options: SolveOptions,
    advice: &str,
) -> anyhow::Result<()> {
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
    let options = Resources::default().options();
    needed_for_file(game, Method::Backward, 1, options)
        .is_none_or(|needed| needed <= options.memory)
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
    let limit = cgroup_memory(Path::new("/")).unwrap_or(u64::MAX);
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

/// Returns the peak resident memory of this process in bytes, or `None` if the system doesn't
/// report it.
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

/// The files and keys of one version.
struct Version {
    /// Type of the file system.
    kind: &'static str,
    /// Files with a limit in bytes; no number means no limit.
    limits: &'static [&'static str],
    /// File with the bytes that the group uses, including cached files.
    usage: &'static str,
    /// Keys of the group's cached files in `memory.stat`.
    ///
    /// The system reclaims their memory when it is needed. Shared memory isn't among them.
    cached: [&'static str; 2],
}

const VERSIONS: [Version; 2] = [
    Version {
        kind: "cgroup",
        limits: &["memory.limit_in_bytes"],
        usage: "memory.usage_in_bytes",
        cached: ["total_inactive_file ", "total_active_file "],
    },
    Version {
        kind: "cgroup2",
        // A group above `memory.high` isn't killed, but hardly runs.
        limits: &["memory.max", "memory.high"],
        usage: "memory.current",
        cached: ["inactive_file ", "active_file "],
    },
];

/// Returns the number of bytes that this process's groups may still use, or `None` if nothing
/// limits them.
///
/// The least of all its groups counts. `root` is the directory with `proc` and `sys`.
fn cgroup_memory(root: &Path) -> Option<u64> {
    let read = |path: &str| read_to_string(root.join(path)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    let groups = mounts.lines().filter_map(|mount| {
        let (version, group, top) = group(mount, &groups)?;
        let top = root.join(top.strip_prefix("/").ok()?);
        Some((version, top.join(group), top))
    });
    let rooms = groups.filter_map(|(version, group, top)| {
        let groups = group
            .ancestors()
            .take_while(|group| group.starts_with(&top));
        groups.filter_map(|group| room_of(version, group)).min()
    });
    rooms.min()
}

/// Returns the version that a line of `mountinfo` mounts, the process's group below it, and its
/// place.
fn group(mount: &str, groups: &str) -> Option<(&'static Version, PathBuf, PathBuf)> {
    let (mount, kind) = mount.split_once(" - ")?;
    let mut fields = mount.split(' ').skip(3);
    let (mounted, top) = (fields.next()?, unescaped(fields.next()?));
    let mut kind = kind.split(' ');
    let name = kind.next()?;
    let version = VERSIONS.iter().find(|version| version.kind == name)?;
    let options = kind.nth(1)?;
    if name == "cgroup" && !options.split(',').any(|option| option == "memory") {
        return None;
    }
    // A line of `groups` has a number, the controllers, which version 2 omits, and a path.
    let path = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let is_it = match name {
            "cgroup" => controllers.split(',').any(|one| one == "memory"),
            _ => controllers.is_empty(),
        };
        is_it.then_some(path)
    })?;
    // A container may see only a part of the hierarchy. Its own group is then at the top.
    let below = Path::new(path).strip_prefix(unescaped(mounted));
    Some((version, below.unwrap_or(Path::new("")).to_owned(), top))
}

/// Returns the path in a field of `mountinfo`, which writes blanks as `\040`.
fn unescaped(field: &str) -> PathBuf {
    field.replace("\\040", " ").into()
}

fn room_of(version: &Version, group: &Path) -> Option<u64> {
    let read = |name| read_to_string(group.join(name)).ok();
    let number = |name| read(name)?.trim().parse::<u64>().ok();
    let limit = version.limits.iter().copied().filter_map(number).min()?;
    let stat = read("memory.stat").unwrap_or_default();
    let cached = version.cached.iter().filter_map(|key| {
        let mut lines = stat.lines().filter_map(|line| line.strip_prefix(key));
        lines.next()?.trim().parse::<u64>().ok()
    });
    let used = number(version.usage)?.saturating_sub(cached.sum());
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::{Resources, parse_size, *};
    use std::fs;

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

    /// Returns a tree of these files, given by path and text.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    const V2: &str = "24 1 0:5 / /proc rw - proc proc rw\n\
                      38 31 0:41 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "35 31 0:35 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      32 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

    #[test]
    fn the_least_limit_of_the_own_group_and_those_above_counts() {
        let root = |own: &str, above: &str| {
            let group = "sys/fs/cgroup/a b.slice";
            tree(&[
                ("proc/self/cgroup", "0::/a b.slice/job.scope\n"),
                ("proc/self/mountinfo", V2),
                (&format!("{group}/memory.max"), above),
                (&format!("{group}/memory.current"), "500\n"),
                (&format!("{group}/job.scope/memory.max"), own),
                (&format!("{group}/job.scope/memory.current"), "300\n"),
                // Another group's limit doesn't matter.
                ("sys/fs/cgroup/other/memory.max", "1\n"),
                ("sys/fs/cgroup/other/memory.current", "0\n"),
            ])
        };
        let room = |own, above| cgroup_memory(root(own, above).path());
        assert_eq!(room("1000\n", "9000\n"), Some(700));
        assert_eq!(room("9000\n", "1000\n"), Some(500));
        assert_eq!(room("max\n", "1000\n"), Some(500));
        assert_eq!(room("max\n", "max\n"), None);
        assert_eq!(room("100\n", "max\n"), Some(0));
    }

    #[test]
    fn cached_files_do_not_count_as_used() {
        let stat = "anon 100\ninactive_file 40\nactive_file 250\nshmem 7\n";
        let root = tree(&[
            ("proc/self/cgroup", "1:name=systemd:/x\n0::/\n"),
            ("proc/self/mountinfo", V2),
            ("sys/fs/cgroup/memory.max", "1000\n"),
            ("sys/fs/cgroup/memory.high", "900\n"),
            ("sys/fs/cgroup/memory.current", "400\n"),
            ("sys/fs/cgroup/memory.stat", stat),
        ]);
        assert_eq!(cgroup_memory(root.path()), Some(900 - (400 - 290)));
    }

    #[test]
    fn limits_of_the_first_version_count() {
        let stat = "inactive_file 9\ntotal_inactive_file 40\ntotal_active_file 50\n";
        let group = "sys/fs/cgroup/memory/slurm/job_7";
        let root = tree(&[
            ("proc/self/cgroup", "5:cpu:/\n4:memory:/slurm/job_7\n0::/\n"),
            ("proc/self/mountinfo", V1),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n"),
            (&format!("{group}/memory.limit_in_bytes"), "1000\n"),
            (&format!("{group}/memory.usage_in_bytes"), "300\n"),
            (&format!("{group}/memory.stat"), stat),
        ]);
        assert_eq!(cgroup_memory(root.path()), Some(1000 - (300 - 90)));
    }

    #[test]
    fn a_container_that_sees_only_its_own_group_has_its_limit() {
        let mounts = |at: &str| V1.replace("0:32 /", &format!("0:32 {at}"));
        let files = |groups: &str, mounts: &str| {
            tree(&[
                ("proc/self/cgroup", groups),
                ("proc/self/mountinfo", mounts),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n"),
                ("sys/fs/cgroup/memory/memory.usage_in_bytes", "300\n"),
            ])
        };
        for (groups, at) in [
            ("4:cpu,memory:/docker/7\n", "/docker/7"),
            ("4:memory:/\n", "/docker/7"),
            ("4:memory:/../8\n", "/"),
        ] {
            let root = files(groups, &mounts(at));
            assert_eq!(cgroup_memory(root.path()), Some(700), "{groups} {at}");
        }
        assert_eq!(cgroup_memory(files("", "").path()), None);
        assert_eq!(cgroup_memory(&PathBuf::from("/nonexistent")), None);
    }
}
