//! Runs the commands as a user would, each in its own directory.
#![allow(dead_code, missing_docs)] // No test uses all of it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const ZERMELO: &str = env!("CARGO_BIN_EXE_zermelo");

/// The repository's root. Tests run in `program/`.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The table of tic-tac-toe in the repository.
pub const TTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/ttt.bin");

/// A limit in seconds for output that comes eventually.
///
/// It only ends a hang: even a busy machine doesn't reach it.
pub const PATIENT: &str = "60";

/// Waits until the condition holds.
///
/// Panics after five minutes, which only ends a hang.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(300),
            "waited for {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An empty directory in which commands run.
pub struct Home(TempDir);

/// The result of a command.
#[derive(Debug)]
pub struct Done {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Home {
    pub fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    /// Creates a directory with the table of a game in the file `name`.
    pub fn with_table(name: &str, game: &[&str]) -> Home {
        let home = Home::new();
        let args = [&["solve"], game, &["--out", name]].concat();
        home.zermelo(&args).succeeds();
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the names of all files, hidden ones included.
    pub fn files(&self) -> Vec<String> {
        names_in(self.0.path())
    }

    pub fn command(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("RUST_BACKTRACE", "0");
        for colour in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(colour);
        }
        #[cfg(unix)]
        hear_signals(&mut command);
        command
    }

    pub fn zermelo(&self, args: &[&str]) -> Done {
        done(self.command(ZERMELO, args).output().unwrap())
    }

    pub fn zermelo_reading(&self, args: &[&str], input: &[u8]) -> Done {
        let mut command = self.command(ZERMELO, args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // Write on another thread, because both sides could wait for the other to read.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A command that refuses to start doesn't read its input.
        let _ = writer.join().unwrap();
        done(output)
    }
}

pub fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub fn done(output: Output) -> Done {
    let err = String::from_utf8(output.stderr).unwrap();
    Done {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: err
            .split_inclusive('\n')
            .filter(|line| !is_of_progress(line))
            .collect(),
    }
}

/// Returns whether a line reports progress.
///
/// Commands do so after 30 seconds, which any may take on a busy machine.
fn is_of_progress(line: &str) -> bool {
    line.trim_end()
        .split(", ")
        .filter_map(|part| part.strip_suffix(" elapsed"))
        .any(|time| {
            time.contains(':')
                && time
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b':')
        })
}

impl Done {
    /// Asserts exit code 0 and an empty standard error; returns standard output.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        self.out
    }

    /// Removes the error from standard output if JSON was requested.
    ///
    /// The error must be the only output.
    #[track_caller]
    #[must_use]
    pub fn without_json(mut self, is_asked_for: bool) -> Done {
        if is_asked_for {
            let report: serde_json::Value = serde_json::from_str(&self.out).unwrap();
            assert!(report["error"].is_string(), "{self:?}");
            self.out.clear();
        }
        self
    }

    /// Asserts exit code 2, one message and an empty output; returns the message.
    #[track_caller]
    pub fn assert_refused(self) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        let message = self.err.strip_prefix("error: ").unwrap_or_else(|| {
            panic!("standard error should start with \"error: \": {self:?}");
        });
        assert!(!message.contains("panicked"), "{self:?}");
        assert!(!message.contains('\x1b'), "{self:?}");
        message.to_owned()
    }

    /// Asserts [`Done::assert_refused`], and these words in the message.
    #[track_caller]
    pub fn assert_refused_with(self, words: &[&str]) {
        let message = self.assert_refused();
        for word in words {
            assert!(message.contains(word), "no \"{word}\" in: {message}");
        }
    }
}

/// Sends a signal, such as `INT`, to a command that was not waited for.
#[cfg(unix)]
#[track_caller]
pub fn send(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-s", signal, &pid]).status();
    assert!(
        kill.is_ok_and(|status| status.success()),
        "kill -s {signal} {pid}"
    );
}

/// Waits until a command catches interrupts or has ended.
///
/// Before that, a signal would kill it.
#[cfg(unix)]
pub fn wait_until_it_catches_interrupts(child: &mut Child) {
    if cfg!(not(target_os = "linux")) {
        // Other systems don't show signal handlers.
        std::thread::sleep(Duration::from_secs(2));
        return;
    }
    let status = format!("/proc/{}/status", child.id());
    wait_until("a handler for interrupts", || {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let mut lines = status.lines();
        let caught = lines.find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let sigint = 1 << (2 - 1);
        caught.is_some_and(|mask| mask & sigint != 0) || child.try_wait().unwrap().is_some()
    });
}

/// Waits until a command has used some processor time or has ended.
///
/// The time is in hundredths of a second. By then the command is working, however busy the machine
/// is.
#[cfg(unix)]
pub fn wait_until_it_has_worked(child: &mut Child, hundredths: u64) {
    if cfg!(not(target_os = "linux")) {
        // Other systems don't show processor times.
        std::thread::sleep(Duration::from_secs(1));
        return;
    }
    let stat = format!("/proc/{}/stat", child.id());
    wait_until("some work", || {
        let stat = fs::read_to_string(&stat).unwrap_or_default();
        // The name, in parentheses, may contain spaces.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let fields = fields.split_whitespace();
        let ticks = fields
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok());
        ticks.sum::<u64>() >= hundredths || child.try_wait().unwrap().is_some()
    });
}

/// Interrupts a practically endless command once `is_enough` holds for its output.
///
/// The time for that depends on the machine, so each attempt waits longer.
#[cfg(unix)]
pub fn interrupted_once(home: &Home, args: &[&str], is_enough: impl Fn(&Done) -> bool) -> Done {
    for hundredths in (0..11).map(|attempt| 10 << attempt) {
        let mut child = home.command(ZERMELO, args).spawn().unwrap();
        wait_until_it_catches_interrupts(&mut child);
        wait_until_it_has_worked(&mut child, hundredths);
        send("INT", &child);
        let done = done(child.wait_with_output().unwrap());
        if done.code.is_some() && is_enough(&done) {
            return done;
        }
    }
    panic!("it never came so far: {args:?}");
}

/// Restores the default actions of signals that a background process may ignore.
///
/// Tests under nohup or in the background inherit these settings, and so would their children.
#[cfg(unix)]
fn hear_signals(command: &mut Command) {
    use nix::sys::signal::{SigHandler, Signal, signal};
    use std::os::unix::process::CommandExt;
    let hear = || {
        for deaf_to in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
            // SAFETY: no handler is installed that could run.
            unsafe { signal(deaf_to, SigHandler::SigDfl) }?;
        }
        Ok(())
    };
    // SAFETY: after the fork only `signal` is called, which is safe there.
    unsafe { command.pre_exec(hear) };
}
