//! Tips for errors of the library, which knows nothing of command-line options.

use crate::any::{SolveJobCause, SolveJobError};
use crate::check::builtin::Builtin;
use crate::check::{CheckError, StartError};
use crate::export::ExportError;
use crate::game::{Broken, SearchError, SolveError};
use crate::oracle::{AskError, OracleError};
use crate::table::{VerifyError, WriteError};
use std::io;
use std::path::Path;

/// The error with its causes, and a tip if there is one.
pub fn with_advice(error: &anyhow::Error) -> String {
    let advice = match error.downcast_ref() {
        Some(VerifyError::Memory { .. }) => {
            Some("\ntip: allow more with --memory, or verify only a part with --sample")
        }
        Some(VerifyError::Search(SearchError::Solve(SolveError::OnlyBySolving { .. }))) => {
            Some("\ntip: leave out --by-search for the full proof, which needs no search")
        }
        _ if error.downcast_ref().is_some_and(Broken::is_repetition) => Some(ENDLESS),
        _ if matches!(error.downcast_ref(), Some(AskError::NoStart { .. })) => {
            Some("\ntip: name it with --position")
        }
        _ if matches!(error.downcast_ref(), Some(ExportError::Exists { .. })) => {
            Some("\ntip: choose another directory with --out, or replace it with --force")
        }
        _ if matches!(error.downcast_ref(), Some(ExportError::Mixed { .. })) => Some(
            "\ntip: choose a new directory with --out, or write beside such files with --force",
        ),
        _ => (error.downcast_ref().and_then(for_solving))
            .or_else(|| of_search(error).and_then(for_searching)),
    };
    let advice = advice.map(str::to_owned);
    let advice = advice.or_else(|| error.downcast_ref().and_then(for_checking));
    let advice = advice.or_else(|| error.downcast_ref().and_then(for_starting));
    format!("{error:#}{}", advice.unwrap_or_default())
}

/// The tip for a game in which a position repeats although it promises that none can.
pub const ENDLESS: &str = "\ntip: if endless play is a draw, say so in the rules: \
    `const ENDLESS: Endless = Endless::Draw;` in `own::Rules`, or \
    `fn endless(&self) -> Endless { Endless::Draw }` in a `Game`, whose `score_range` must then be \
    `ScoreRange::PLIES`";

/// Splits a message into the error and its tip, if it has one.
pub fn parts(message: &str) -> (&str, Option<&str>) {
    let parts = message.split_once("\ntip: ");
    parts.map_or((message, None), |(error, tip)| (error, Some(tip)))
}

/// The search error in `error`, whichever command the search was for.
pub fn of_search(error: &anyhow::Error) -> Option<&SearchError> {
    if let Some(AskError::Oracle(OracleError::Search(search))) = error.downcast_ref() {
        return Some(search);
    }
    if let Some(CheckError::Oracle(OracleError::Search(search))) = error.downcast_ref() {
        return Some(search);
    }
    if let Some(VerifyError::Search(search)) = error.downcast_ref() {
        return Some(search);
    }
    error.downcast_ref()
}

fn for_solving(error: &SolveJobError) -> Option<&'static str> {
    use SolveJobCause::{Solve, Write};
    Some(match &*error.cause {
        Solve(SolveError::Room { .. }) => {
            "\ntip: free some disk space, allow more memory with --memory, or name a directory on another disk with \
             --scratch"
        }
        Solve(SolveError::Memory { .. }) => {
            "\ntip: allow more with --memory, or solve a smaller game"
        }
        Solve(SolveError::NoMemory { .. }) => {
            "\ntip: allow less with --memory: at most what the system provides (see `ulimit -v`)"
        }
        Solve(error) if error.is_repetition() => ENDLESS,
        Solve(SolveError::TooFar { .. }) => "\ntip: solve a smaller board of the same game",
        Solve(SolveError::TooLong { .. }) => "\ntip: solve it with --method backward",
        Write(WriteError::Exists { .. }) => {
            "\ntip: choose another name, or replace it with --force"
        }
        Write(WriteError::Disk(error)) if error.cause.kind() == io::ErrorKind::InvalidInput => {
            "\ntip: name a file, such as scores.bin"
        }
        Write(WriteError::Unfinished { .. }) => {
            "\ntip: finish it, choose another name, or discard it with --restart"
        }
        _ => return None,
    })
}

/// The tip for a search that is not possible, or exceeded its memory or depth.
pub fn for_searching(error: &SearchError) -> Option<&'static str> {
    Some(match error {
        SearchError::Memory { .. } => "\ntip: allow more with --memory",
        SearchError::Solve(SolveError::NoMemory { .. }) => "\ntip: allow less with --memory",
        SearchError::Solve(error) if error.is_repetition() => ENDLESS,
        SearchError::Solve(SolveError::OnlyBySolving { .. }) => {
            "\ntip: `solve` makes its table, which answers"
        }
        SearchError::Solve(SolveError::TooLong { .. }) => {
            "\ntip: `solve` works backward from the final positions: solve the game, then query its table"
        }
        _ => return None,
    })
}

fn for_checking(error: &CheckError) -> Option<String> {
    match error {
        CheckError::Start(error) => for_starting(error),
        CheckError::TooMany { .. } => Some("\ntip: allow more with --memory".to_owned()),
        CheckError::OutOfTime => Some("\ntip: allow more with --total-timeout".to_owned()),
        _ => None,
    }
}

/// The tip for an AI that can't be started.
fn for_starting(error: &StartError) -> Option<String> {
    let (command, cause) = match error {
        StartError::Spawn { command, cause } => (command, cause),
        StartError::Shell { command, .. } => {
            let line = command.replace('\'', r"'\''").replace('"', "\\\"");
            return Some(format!(
                "\ntip: to run it by a shell, write --ai \"sh -c '{line}'\""
            ));
        }
        _ => return None,
    };
    let word = command.split_whitespace().next().unwrap_or(command);
    let file = Path::new(word);
    let is_file = file.is_file();
    let script = is_python(file);
    Some(match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied if script && is_file => {
            format!("\ntip: write --ai \"{}\"", command_for(word))
        }
        io::ErrorKind::NotFound if is_file && file.components().count() == 1 => {
            let here = Path::new(".").join(file);
            format!(
                "\ntip: write {} for the file in this directory",
                here.display()
            )
        }
        io::ErrorKind::NotFound if word.starts_with("python") => {
            format!("\ntip: Python is usually called {PYTHON} here")
        }
        io::ErrorKind::NotFound if command.parse::<Builtin>().is_ok() => {
            format!("\ntip: write --ai builtin:{command} for the built-in AI")
        }
        io::ErrorKind::NotFound => {
            format!("\ntip: {word} is neither a file here nor a program on your PATH")
        }
        io::ErrorKind::PermissionDenied => {
            format!("\ntip: make it executable: chmod +x {word}")
        }
        _ => return None,
    })
}

fn is_python(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "py")
}

/// The command that starts the program in a file.
pub fn command_for(file: &str) -> String {
    let path = Path::new(file);
    match path.components().count() {
        _ if is_python(path) => format!("{PYTHON} {file}"),
        1 => format!("./{file}"),
        _ => file.to_owned(),
    }
}

/// Usual name of the Python interpreter.
const PYTHON: &str = if cfg!(windows) { "py" } else { "python3" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_a_shell_are_shown_as_one() {
        let advice = |command: &str| {
            let command = command.to_owned();
            with_advice(&StartError::Shell { command, sign: '|' }.into())
        };
        let found = advice("./ai | head");
        assert!(
            found.ends_with("write --ai \"sh -c './ai | head'\""),
            "{found}"
        );
        let found = advice("./'a b' \"c\" | head");
        let expected = r#"write --ai "sh -c './'\''a b'\'' \"c\" | head'""#;
        assert!(found.ends_with(expected), "{found}");
    }

    #[test]
    fn an_ai_that_is_built_in_is_named_as_one() {
        let advice = |command: &str| {
            let cause = io::ErrorKind::NotFound.into();
            let command = command.to_owned();
            for_starting(&StartError::Spawn { command, cause }).unwrap()
        };
        assert!(advice("random:7").contains("write --ai builtin:random:7"));
        assert!(advice("randomly").contains("randomly is neither a file here"));
    }
}
