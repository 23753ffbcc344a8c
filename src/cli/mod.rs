//! What a person types: one file a subcommand, each an args struct and a `run`.
//!
//! Results go to standard output, progress and messages to standard error. Exit codes: 0 for yes, 1 for no,
//! 2 for an error.

mod check_ai;
mod game;
mod info;
mod output;
mod query;
mod resources;
mod solve;
mod verify;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Strongly solve small two-player games and ask the resulting tables.
///
/// `zermelo solve` computes the exact score of every reachable position of a game and writes the scores to a table.
/// The other commands answer from such a table.
#[derive(Debug, Parser)]
#[command(
    name = "zermelo",
    bin_name = "zermelo",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXIT_CODES
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 yes (or done, or proved), 1 no (or refuted), 2 an error.

Examples:
  zermelo solve kalah --seeds 2
  zermelo query --table data/kalah-6-2.bin \"first-player win?\"
  zermelo verify --table data/kalah-6-2.bin";

/// Options of all subcommands.
#[derive(Debug, clap::Args)]
struct Global {
    /// When to colour the output; `auto` is when it goes to a terminal and NO_COLOR is not set
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        value_enum,
        display_order = 900
    )]
    color: Color,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::SolveArgs),
    Query(query::QueryArgs),
    Verify(verify::VerifyArgs),
    Info(info::InfoArgs),
    CheckAi(check_ai::CheckAiArgs),
}

/// Runs `zermelo` with these arguments, the program's name first.
pub fn zermelo(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    start(Cli::command(), arguments.collect())
}

/// Runs one subcommand under its own name, as if `zermelo NAME` had been typed.
pub fn subcommand(name: &'static str, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.collect();
    arguments.insert(arguments.len().min(1), name.into());
    // Usage lines show what was typed: the subcommand without the program before it.
    let command = Cli::command()
        .disable_help_subcommand(true)
        .mut_subcommand(name, |command| command.bin_name(name).display_name(name));
    start(command, arguments)
}

fn start(command: clap::Command, arguments: Vec<OsString>) -> ExitCode {
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Nothing can be done if even this can't be printed.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match cli.global.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    let result = match cli.command {
        Command::Solve(args) => solve::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Info(args) => info::run(&args),
        Command::CheckAi(args) => check_ai::run(&args),
    };
    match result {
        Ok(answer) => answer.into(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let style = output::ERROR;
            // Nothing can be done if even this can't be printed.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Who reads our output has seen enough: that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Done, proved, or the answer is yes.
    Yes,
    /// Refuted, or the answer is no.
    No,
    /// Some of the work could not be done; that has been said already.
    Failed,
}

impl From<Answer> for ExitCode {
    fn from(answer: Answer) -> ExitCode {
        ExitCode::from(match answer {
            Answer::Yes => 0,
            Answer::No => 1,
            Answer::Failed => 2,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
