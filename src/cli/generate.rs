//! `generate`: shell completions and manual pages, made from clap's description of the commands.

use super::output::results;
use super::program::{Answer, Program, arguments};
use anyhow::Context;
use clap::{ArgMatches, Args, Command, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Generate shell completions and manual pages
#[derive(Debug, Args)]
struct GenerateArgs {
    #[command(subcommand)]
    target: GenerateTarget,
}

#[derive(Debug, Subcommand)]
enum GenerateTarget {
    /// Print a script that completes the command line in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one for each command into a folder
    Man {
        /// The folder, which is made if it isn't there
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    let examples = [
        &*format!("generate completions bash > ~/.local/share/bash-completion/completions/{name}"),
        &*format!("generate completions fish > ~/.config/fish/completions/{name}.fish"),
        "generate man ~/.local/share/man/man1",
    ];
    GenerateArgs::augment_args(command)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(program.examples("", &examples))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: GenerateArgs = arguments(matches)?;
    // The help lists games in one line, but each has a completion and a page.
    let shown = |command: Command| command.mut_subcommands(|game| game.hide(false));
    let mut command = super::command(program).mut_subcommands(shown);
    let mut text = Vec::new();
    match args.target {
        GenerateTarget::Completions { shell } => {
            clap_complete::generate(shell, &mut command, &program.name, &mut text);
        }
        GenerateTarget::Man { folder: None } => Man::new(command).render(&mut text)?,
        GenerateTarget::Man {
            folder: Some(folder),
        } => {
            let problem = || format!("can't write the manual pages into {}", folder.display());
            fs::create_dir_all(&folder).with_context(problem)?;
            clap_mangen::generate_to(command, &folder).with_context(problem)?;
        }
    }
    results().write_all(&text)?;
    Ok(Answer::Yes)
}
