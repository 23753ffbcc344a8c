//! Tips for errors of the library, which knows nothing of command-line options.

use crate::any::{SolveJobCause, SolveJobError};
use crate::check::builtin::Builtin;
use crate::check::{CheckError, StartError};
use crate::export::ExportError;
use crate::game::{Broken, SearchError, SolveError};
use crate::oracle::{AskError, OracleError};
use crate::table::{VerifyError, WriteError};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// Formats an error with its causes, and a tip if there is one.
pub fn with_advice(error: &anyhow::Error) -> String {
    let tip = tip_for(error).map(str::to_owned);
    let tip = tip.or_else(|| error.downcast_ref().and_then(AskError::tip));
    let tip = tip.or_else(|| error.downcast_ref().and_then(for_checking));
    let tip = tip.or_else(|| error.downcast_ref().and_then(for_starting));
    with_tip(format!("{error:#}"), tip)
}

/// Adds a tip, if there is one, to a message.
pub fn with_tip(message: String, tip: Option<impl Display>) -> String {
    match tip {
        Some(tip) => format!("{message}\ntip: {tip}"),
        None => message,
    }
}

fn tip_for(error: &anyhow::Error) -> Option<&'static str> {
    Some(match error.downcast_ref() {
        Some(VerifyError::Memory { .. }) => {
            "allow more with --memory, or verify only a part with --sample"
        }
        Some(VerifyError::Search(SearchError::Solve(SolveError::OnlyBySolving { .. }))) => {
            "leave out --by-search for the full proof, which needs no search"
        }
        _ if error.downcast_ref().is_some_and(Broken::is_repetition) => ENDLESS,
        _ if matches!(error.downcast_ref(), Some(AskError::NoStart { .. })) => {
            "name it with --position"
        }
        _ if matches!(error.downcast_ref(), Some(ExportError::Exists { .. })) => {
            "choose another directory with --out, or replace it with --force"
        }
        _ if matches!(error.downcast_ref(), Some(ExportError::Mixed { .. })) => {
            "choose a new directory with --out, or write beside such files with --force"
        }
        _ => {
            let tip = error.downcast_ref().and_then(for_solving);
            return tip.or_else(|| of_search(error).and_then(for_searching));
        }
    })
}

/// The tip for a game in which a position repeats although it promises that none can.
pub const ENDLESS: &str = "if endless play is a draw, say so in the rules: \
    `const ENDLESS: Endless = Endless::Draw;` in `own::Rules`, or \
    `fn endless(&self) -> Endless { Endless::Draw }` in a `Game`, whose `score_range` must then be \
    `ScoreRange::PLIES`";

/// Splits a message into the error and its tip, if it has one.
pub fn parts(message: &str) -> (&str, Option<&str>) {
    let parts = message.split_once("\ntip: ");
    parts.map_or((message, None), |(error, tip)| (error, Some(tip)))
}

/// Returns the search error in `error`, whichever command the search was for.
pub fn of_search(error: &anyhow::Error) -> Option<&SearchError> {
    match (
        error.downcast_ref(),
        error.downcast_ref(),
        error.downcast_ref(),
    ) {
        (Some(AskError::Oracle(OracleError::Search(search))), _, _)
        | (_, Some(CheckError::Oracle(OracleError::Search(search))), _) => Some(search),
        (_, _, Some(VerifyError::Search(search))) => Some(search),
        _ => error.downcast_ref(),
    }
}

fn for_solving(error: &SolveJobError) -> Option<&'static str> {
    use SolveJobCause::{Solve, Write};
    Some(match &*error.cause {
        Solve(SolveError::Room { .. }) => {
            "free some disk space, allow more memory with --memory, or name a directory on another disk with \
             --scratch"
        }
        Solve(SolveError::Memory { .. }) => "allow more with --memory, or solve a smaller game",
        Solve(SolveError::NoMemory { .. }) => {
            "allow less with --memory: at most what the system provides (see `ulimit -v`)"
        }
        Solve(error) if error.is_repetition() => ENDLESS,
        Solve(SolveError::TooFar { .. }) => "solve a smaller board of the same game",
        Solve(SolveError::TooLong { .. }) => "solve it with --method backward",
        Write(WriteError::Exists { .. }) => "choose another name, or replace it with --force",
        Write(WriteError::Disk(error)) if error.cause.kind() == io::ErrorKind::InvalidInput => {
            "name a file, such as scores.bin"
        }
        Write(WriteError::Unfinished { .. }) => {
            "finish it, choose another name, or discard it with --restart"
        }
        _ => return None,
    })
}

/// Returns the tip for a search that is not possible, or exceeded its memory or depth.
pub fn for_searching(error: &SearchError) -> Option<&'static str> {
    Some(match error {
        SearchError::Memory { .. } | SearchError::Solve(SolveError::NoMemory { .. })
            if cfg!(target_family = "wasm") =>
        {
            "close other tabs, or ask `zermelo serve`, which has the memory of the whole machine"
        }
        SearchError::Memory { .. } => "allow more with --memory",
        SearchError::Solve(SolveError::NoMemory { .. }) => "allow less with --memory",
        SearchError::Solve(error) if error.is_repetition() => ENDLESS,
        SearchError::Solve(SolveError::OnlyBySolving { .. }) => {
            "`solve` makes its table, which answers"
        }
        SearchError::Solve(SolveError::TooLong { .. }) => {
            "`solve` works backward from the final positions: solve the game, then query its table"
        }
        _ => return None,
    })
}

fn for_checking(error: &CheckError) -> Option<String> {
    match error {
        CheckError::Start(error) => for_starting(error),
        CheckError::Listed { tip, .. } => tip.clone(),
        CheckError::TooMany { .. } => Some("allow more with --memory".to_owned()),
        CheckError::OutOfTime => Some("allow more with --total-timeout".to_owned()),
        _ => None,
    }
}

/// Returns the tip for an AI that can't be started.
fn for_starting(error: &StartError) -> Option<String> {
    let (command, cause) = match error {
        StartError::Spawn { command, cause } => (command, cause),
        StartError::Shell { command, .. } => {
            let line = command.replace('\'', r"'\''").replace('"', "\\\"");
            return Some(format!(
                "to run it by a shell, write --ai \"sh -c '{line}'\""
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
            format!("write --ai \"{}\"", command_for(word))
        }
        io::ErrorKind::NotFound if is_file && file.components().count() == 1 => {
            let here = Path::new(".").join(file);
            format!("write {} for the file in this directory", here.display())
        }
        io::ErrorKind::NotFound if word.starts_with("python") => {
            format!("Python is usually called {PYTHON} here")
        }
        io::ErrorKind::NotFound if command.parse::<Builtin>().is_ok() => {
            format!("write --ai builtin:{command} for the built-in AI")
        }
        io::ErrorKind::NotFound => {
            format!("{word} is neither a file here nor a program on your PATH")
        }
        io::ErrorKind::PermissionDenied => {
            format!("make it executable: chmod +x {word}")
        }
        _ => return None,
    })
}

fn is_python(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "py")
}

/// Returns the command that starts the program in a file.
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
