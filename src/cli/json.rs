//! `--json`: whether it was asked for, and what went wrong in the same form as the results.

use super::advice;
use clap::ArgMatches;
use clap::error::ErrorKind;
use serde::Serialize;
use std::ffi::OsString;

/// What went wrong, in JSON: a contract.
#[derive(Serialize)]
pub struct ErrorReport<'a> {
    /// As it was given, or empty for the start; only of commands that are asked about a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<&'a str>,
    pub error: &'a str,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<&'a str>,
}

impl<'a> ErrorReport<'a> {
    /// A message with its tip apart.
    pub fn new(position: Option<&'a str>, message: &'a str) -> ErrorReport<'a> {
        let (error, tip) = advice::parts(message);
        ErrorReport {
            position,
            error,
            tip,
        }
    }
}

/// An error that the JSON on standard output has told already.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Told(pub String);

/// Whether the results are to be JSON: also where the words can't be understood.
pub fn is_wanted(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--");
    words.any(|word| word == "--json")
}

/// The position that a command was asked about: empty if it is the start. Nothing of a batch, and of
/// commands that are not asked about one.
pub fn position(matches: &ArgMatches) -> Option<&str> {
    let (_, matches) = matches.subcommand()?;
    // The game's own arguments, if one is named.
    let matches = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let given = matches.try_get_one::<String>("position").ok()?;
    let is_batch = matches!(matches.try_get_one::<bool>("batch"), Ok(Some(true)));
    (!is_batch).then(|| given.map_or("", |position| position))
}

/// What was wrong with the words on the command line, and a tip after it if clap has one.
pub fn of_usage(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a subcommand or an argument is missing".to_owned();
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error:").unwrap_or(&text);
    // What follows is for people: how to use it, and how to get help.
    let ends = ["Usage:", "For more information"];
    let text = ends
        .iter()
        .fold(text, |text, end| text.split(end).next().unwrap_or(text));
    let sentences = text.trim().split("\n\n");
    let sentences = sentences.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = sentences.collect::<Vec<_>>().join("; ");
    text.replace("; tip: ", "\ntip: ")
}
