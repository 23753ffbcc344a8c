//! What a person types: one file a subcommand, each an args struct and a `run`.
//!
//! Results go to standard output, progress and messages to standard error. Exit codes: 0 for yes, 1
//! for no, 2 for an error.

mod advice;
mod ask;
mod ask_kalah;
mod check_ai;
mod compare;
mod game;
mod grid;
mod info;
mod output;
mod query;
mod resources;
mod solve;
mod verify;

use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Strongly solve small two-player games and ask the resulting tables.
///
/// `zermelo solve` computes the exact score of every reachable position of a game and writes the
/// scores to a table. The other commands answer from such a table.
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
    Compare(compare::CompareArgs),
}

/// Runs `zermelo` with these arguments, the program's name first.
pub fn zermelo(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let command = Cli::command();
    start(command, &arguments, |matches| {
        Cli::from_arg_matches(matches)
    })
}

/// Runs `solve` or `check-ai` as a program of its own: the same as `zermelo NAME`, but help and
/// errors show what was typed.
///
/// # Panics
/// If there is no program of this name.
pub fn subcommand(name: &'static str, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    match name {
        "solve" => alone(name, Command::Solve, &arguments),
        "check-ai" => alone(name, Command::CheckAi, &arguments),
        _ => panic!("{name} is no program of its own"),
    }
}

fn alone<A: clap::Args>(
    name: &'static str,
    command_of: fn(A) -> Command,
    arguments: &[OsString],
) -> ExitCode {
    // The command's own arguments last: its description is to stay.
    let command = A::augment_args(Global::augment_args(clap::Command::new(name)))
        .bin_name(name)
        .version(env!("CARGO_PKG_VERSION"));
    let examples = command.get_after_help().map(ToString::to_string);
    let command = match examples {
        Some(text) => command.after_help(text.replace(&format!("zermelo {name}"), name)),
        None => command,
    };
    start(command, arguments, |matches| {
        Ok(Cli {
            global: Global::from_arg_matches(matches)?,
            command: command_of(A::from_arg_matches(matches)?),
        })
    })
}

/// What `--color` asks for, found before the rest is understood: it holds for help and errors, too.
fn color_of(arguments: &[OsString]) -> Option<Color> {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next()?.into_owned(),
            Some(rest) if rest.starts_with('=') => rest[1..].to_owned(),
            _ if word == "--" => return None,
            _ => continue,
        };
        return <Color as clap::ValueEnum>::from_str(&value, false).ok();
    }
    None
}

fn start(
    command: clap::Command,
    arguments: &[OsString],
    understand: impl FnOnce(&clap::ArgMatches) -> Result<Cli, clap::Error>,
) -> ExitCode {
    match color_of(arguments) {
        None | Some(Color::Auto) => {}
        Some(Color::Always) => anstream::ColorChoice::Always.write_global(),
        Some(Color::Never) => anstream::ColorChoice::Never.write_global(),
    }
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|matches| understand(&matches))
        .map_err(game::with_known_games);
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Nothing can be done if even this can't be printed.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let result = match cli.command {
        Command::Solve(args) => solve::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Info(args) => info::run(&args),
        Command::CheckAi(args) => check_ai::run(&args),
        Command::Compare(args) => compare::run(&args),
    };
    match result {
        Ok(answer) => answer.into(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let error = match error.downcast::<io::Error>() {
                // Whatever else can fail to be read or written says so itself.
                Ok(bare) => anyhow::Error::new(bare).context("can't write the answer"),
                Err(error) => error,
            };
            let style = output::ERROR;
            // Nothing can be done if even this can't be printed.
            let _ = writeln!(
                anstream::stderr(),
                "{style}error:{style:#} {}",
                advice::with_advice(&error)
            );
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
