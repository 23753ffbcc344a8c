//! Runs a subcommand of the `zermelo` in the same directory as the launcher.
//!
//! A launcher takes a few hundred kilobytes; each program that links the library takes megabytes.

#[cfg(windows)]
use dunce::canonicalize;
use std::env::consts::EXE_SUFFIX;
#[cfg(not(windows))]
use std::fs::canonicalize;
use std::io;
use std::process::{Command, ExitCode};

/// Runs `zermelo NAME` with this process's arguments, and returns its exit code.
pub fn run(name: &str) -> ExitCode {
    let zermelo = format!("zermelo{EXE_SUFFIX}");
    // Resolved here, because not every system resolves links in the path of a program.
    let itself = std::env::current_exe().and_then(canonicalize);
    let result = itself.and_then(|path| {
        let path = path.with_file_name(&zermelo);
        let mut command = Command::new(&path);
        command.arg(name).args(std::env::args_os().skip(1));
        become_program(command).map_err(|error| {
            let shown = path.display();
            io::Error::new(error.kind(), format!("can't start {shown}: {error}"))
        })
    });
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}\ntip: `{name}` needs `{zermelo}` in its own directory");
        ExitCode::from(2)
    })
}

/// Replaces this process, so that signals and exit codes need no translation.
#[cfg(unix)]
fn become_program(mut command: Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the command as a child process, and exits with its exit code.
///
/// Exit codes of Windows have 32 bits, which `ExitCode` can't hold. Ctrl-C reaches both processes;
/// the child decides what it means.
#[cfg(not(unix))]
fn become_program(mut command: Command) -> io::Result<ExitCode> {
    let ignored = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGINT, ignored)?;
    let code = command.status()?.code();
    std::process::exit(code.unwrap_or(2))
}
