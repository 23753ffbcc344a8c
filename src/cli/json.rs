//! `--json`: detects the option, and formats errors as JSON.

use super::advice;
use clap::ArgMatches;
use clap::error::ErrorKind;
use serde::Serialize;
use std::ffi::OsString;

/// An error. Its JSON is a public interface.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ErrorReport {
    /// The position as it was given, empty for the start; only for commands that take a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    pub error: String,
    /// Advice on the error, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
}

impl ErrorReport {
    /// Returns the report of a message, whose tip is split off.
    pub fn new(position: Option<&str>, message: &str) -> ErrorReport {
        let (error, tip) = advice::parts(message);
        ErrorReport {
            position: position.map(str::to_owned),
            error: error.to_owned(),
            tip: tip.map(str::to_owned),
        }
    }
}

/// An error that the JSON on standard output has reported already.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReportedError(pub String);

/// Returns whether `--json` is among the arguments, which may be invalid otherwise.
pub fn is_wanted(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--");
    words.any(|word| word == "--json")
}

/// Returns the position that a command was given, empty for the start.
///
/// `None` for a batch, and for commands that don't take a position.
pub fn position(matches: &ArgMatches) -> Option<&str> {
    let (name, matches) = matches.subcommand()?;
    if !["query", "search"].contains(&name) {
        return None;
    }
    // If a game is named, its subcommand has the arguments.
    let matches = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let given = matches.try_get_one::<String>("position").ok()?;
    let is_batch = matches!(matches.try_get_one::<bool>("batch"), Ok(Some(true)));
    (!is_batch).then(|| given.map_or("", |position| position))
}

/// Returns the message of a usage error, followed by clap's tip if there is one.
pub fn of_usage(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a subcommand or an argument is missing".to_owned();
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error:").unwrap_or(&text);
    // The usage and the pointer to the help are for people only.
    let ends = ["Usage:", "For more information"];
    let text = ends
        .iter()
        .fold(text, |text, end| text.split(end).next().unwrap_or(text));
    let sentences = text.trim().split("\n\n");
    let sentences = sentences.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = sentences.collect::<Vec<_>>().join("; ");
    text.replace("; tip: ", "\ntip: ")
}
