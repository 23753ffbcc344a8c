//! `--json`: whether it was asked for, and what went wrong in the same form as the results.

use clap::ArgMatches;
use clap::error::{ContextKind, ErrorKind};
use serde::Serialize;
use std::ffi::OsString;

/// What went wrong, in JSON: a contract.
#[derive(Serialize)]
pub struct ErrorReport<'a> {
    /// As it was given, or empty for the start; only of commands that are asked about a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<&'a str>,
    pub error: String,
}

/// An error that the JSON on standard output has told already.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Told(pub String);

/// Whether the results are to be JSON: also where the words can't be understood.
pub fn is_wanted(arguments: &[OsString]) -> bool {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let words: Vec<_> = words.take_while(|word| word != "--").collect();
    let pair = |pair: &[std::borrow::Cow<'_, str>]| pair[0] == "--format" && pair[1] == "json";
    words
        .iter()
        .any(|word| word == "--json" || word == "--format=json")
        || words.windows(2).any(pair)
}

/// The position that `query` or `search` was asked about: empty if it is the start. Nothing of a
/// batch, and of other commands.
pub fn position(matches: &ArgMatches) -> Option<&str> {
    let (name, matches) = matches.subcommand()?;
    if !matches!(name, "query" | "search") {
        return None;
    }
    // The game's own arguments, if one is named.
    let matches = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let is_batch = matches!(matches.try_get_one::<bool>("batch"), Ok(Some(true)));
    let given = matches.try_get_one::<String>("position").ok().flatten();
    (!is_batch).then(|| given.map_or("", |position| position))
}

/// What was wrong with the words on the command line, in one line.
pub fn of_usage(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a subcommand or an argument is missing".to_owned();
    }
    let text = error.render().to_string();
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    // What follows is for people: how to use it, and how to get help.
    let usage = usage.as_deref().unwrap_or("Usage:").trim();
    let text = text.split(usage).next().unwrap_or(&text);
    let text = text.split("For more information").next().unwrap_or(text);
    let text = text.strip_prefix("error:").unwrap_or(text);
    let sentences = text.split("\n\n").map(|sentence| {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        words.join(" ")
    });
    let sentences: Vec<String> = sentences.filter(|words| !words.is_empty()).collect();
    sentences.join("; ")
}
