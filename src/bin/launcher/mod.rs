//! Runs the `zermelo` beside a program under that program's name.
//!
//! A launcher takes a few hundred kilobytes; each program that links the library takes megabytes.

use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs `zermelo NAME` with this process's arguments, and returns its exit code.
pub fn run(name: &str) -> ExitCode {
    let zermelo = format!("zermelo{EXE_SUFFIX}");
    // Not every system resolves links to the program.
    let itself = std::env::current_exe().and_then(std::fs::canonicalize);
    let result = itself.and_then(|path| {
        let path = path.with_file_name(&zermelo);
        become_program(&path, name).map_err(|error| {
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
fn become_program(path: &Path, name: &str) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(path);
    Err(command.arg0(name).args(std::env::args_os().skip(1)).exec())
}

/// Waits for a child; there is no way to give it this program's name.
#[cfg(not(unix))]
fn become_program(path: &Path, name: &str) -> io::Result<ExitCode> {
    let mut command = Command::new(path);
    let status = command
        .arg(name)
        .args(std::env::args_os().skip(1))
        .status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
