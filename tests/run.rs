//! Runs the commands as a user would, each in a directory of its own.
#![allow(dead_code, missing_docs)] // No test uses all of it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub const ZERMELO: &str = env!("CARGO_BIN_EXE_zermelo");

/// An empty directory that commands run in.
pub struct Home(TempDir);

/// What a command left behind.
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

    /// With the table of a game in `name`.
    pub fn with_table(name: &str, game: &[&str]) -> Home {
        let home = Home::new();
        let args = [&["solve"], game, &["--out", name]].concat();
        home.zermelo(&args).succeeds();
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of all files, hidden ones included.
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
        // A thread of its own, or both sides could wait for the other to read.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A command that refuses to start doesn't read.
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
    Done {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Done {
    /// Exit code 0 and not a byte on standard error; returns standard output.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        self.out
    }

    /// The same without the error on standard output, which has to be all that there is, if JSON
    /// was asked for.
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

    /// Exit code 2, one message on standard error and not a byte on standard output; returns the
    /// message.
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

    /// `is_refused`, and the message has these words.
    #[track_caller]
    pub fn assert_refused_with(self, words: &[&str]) {
        let message = self.assert_refused();
        for word in words {
            assert!(message.contains(word), "no \"{word}\" in: {message}");
        }
    }
}

/// Interrupts a command once it has come so far that `is_enough` of what it says; how long that
/// takes depends on the machine.
#[cfg(unix)]
pub fn interrupted_once(home: &Home, args: &[&str], is_enough: impl Fn(&Done) -> bool) -> Done {
    for milliseconds in [100, 300, 1000, 2000, 4000, 8000, 16_000, 32_000] {
        let child = home.command(ZERMELO, args).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let pid = child.id().to_string();
        let kill = Command::new("kill").args(["-s", "INT", &pid]).status();
        assert!(kill.unwrap().success());
        let done = done(child.wait_with_output().unwrap());
        if done.code.is_some() && is_enough(&done) {
            return done;
        }
    }
    panic!("it never came so far: {args:?}");
}

/// Tests that run in the background or under nohup inherit deafness to some signals, and what they
/// start would, too.
#[cfg(unix)]
fn hear_signals(command: &mut Command) {
    use nix::sys::signal::{SigHandler, Signal, signal};
    use std::os::unix::process::CommandExt;
    let hear = || {
        for deaf_to in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
            // SAFETY: no handler is set that could run.
            unsafe { signal(deaf_to, SigHandler::SigDfl) }?;
        }
        Ok(())
    };
    // SAFETY: after the fork nothing is called but `signal`, which is safe there.
    unsafe { command.pre_exec(hear) };
}
