//! Memory limits of the control groups that Linux puts processes in.
//!
//! Slurm, systemd and containers limit memory this way. The limit can be set for the process's own
//! group or any group above it, in the hierarchy of version 1 or 2.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

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
pub fn room(root: &Path) -> Option<u64> {
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
    use super::*;
    use std::fs;

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
        let room = |own, above| room(root(own, above).path());
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
        assert_eq!(room(root.path()), Some(900 - (400 - 290)));
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
        assert_eq!(room(root.path()), Some(1000 - (300 - 90)));
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
            assert_eq!(room(root.path()), Some(700), "{groups} {at}");
        }
        assert_eq!(room(files("", "").path()), None);
        assert_eq!(room(&PathBuf::from("/nonexistent")), None);
    }
}
