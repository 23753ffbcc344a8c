//! `new-ai`: writes a program that plays random legal moves, as the beginning of an AI.
//!
//! The programs are put together from `templates/`: a frame per language, and the rules of each game.

use super::advice::command_for;
use super::args::game::{game_of, with_games, words_of};
use super::output::{plain_results, results, write};
use super::program::{Answer, Program, arguments};
use super::scores::is_large;
use crate::any::AnyFamily;
use anyhow::bail;
use clap::{ArgMatches, Args, Command, ValueEnum};
use std::env::consts::EXE_SUFFIX;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The end of a game's help.
const DETAILS: &str = "\
The program reads a position per line and answers each with a random legal move. Your own idea goes \
into its function `choose`. It needs no packages.";

/// Options for every game.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct NewAiArgs {
    /// Language of the program
    #[arg(
        long,
        value_name = "NAME",
        value_enum,
        default_value = "python",
        global = true
    )]
    language: Language,

    /// File to write, - for standard output [default: GAME_ai.py, .rs, .c or .js]
    #[arg(long, value_name = "FILE", global = true)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    #[value(alias = "py")]
    Python,
    #[value(alias = "rs")]
    Rust,
    C,
    #[value(alias = "js")]
    Javascript,
}

/// Returns a file of `templates/` in each language, in the order of [`Language`].
macro_rules! in_each_language {
    ($name:expr) => {
        [
            include_str!(concat!("../../templates/python/", $name, ".py")),
            include_str!(concat!("../../templates/rust/", $name, ".rs")),
            include_str!(concat!("../../templates/c/", $name, ".c")),
            include_str!(concat!("../../templates/javascript/", $name, ".js")),
        ]
    };
}

const FRAMES: [&str; 4] = in_each_language!("program");

/// The rules of each game, by its name.
const RULES: [(&str, [&str; 4]); 12] = [
    ("connect4", in_each_language!("connect4")),
    ("dobutsu", in_each_language!("dobutsu")),
    ("dots-and-boxes", in_each_language!("dots")),
    ("eight", in_each_language!("eight")),
    ("kalah", in_each_language!("kalah")),
    ("lgame", in_each_language!("lgame")),
    ("morris3", in_each_language!("morris")),
    ("oware", in_each_language!("oware")),
    ("reversi4", in_each_language!("reversi")),
    ("reversi24", in_each_language!("reversi")),
    ("teeko", in_each_language!("teeko")),
    ("tictactoe", in_each_language!("tictactoe")),
];

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let command = NewAiArgs::augment_args(command)
        .about("Write a small AI in Python, Rust, C or JavaScript, to begin with")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .after_help(program.examples("", &["new-ai GAME", "new-ai GAME --language c"]));
    let details = |_: &dyn AnyFamily| DETAILS;
    with_games(command, program.game_names(), details, |_, command| command)
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let (name, matches) = matches.subcommand().expect("a game is required");
    let args: NewAiArgs = arguments(matches)?;
    let Some((_, rules)) = RULES.iter().find(|(game, _)| *game == name) else {
        bail!(
            "there is no program for {name}\ntip: write one that reads a position per line, and \
             answers each with a move"
        );
    };
    let game = game_of(name, matches, program.families, program.has_library_games)?;
    let index = args.language as usize;
    let (stem, ending) = (name.replace('-', "_"), ["py", "rs", "c", "js"][index]);
    let default = PathBuf::from(format!("{stem}_ai.{ending}"));
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let path = args.output.filter(|_| !to_stdout).unwrap_or(default);
    let (compile, start) = commands(args.language, &path);
    let words = words_of(name, matches, program.families);
    let sample = ["", " --sample 300"][usize::from(is_large(&*game, 1))];
    let check = format!("{} check-ai {words} --ai \"{start}\"{sample}", program.name);

    let mut rules = rules[index].to_owned();
    // Positions don't show this option of Three Men's Morris.
    if let Ok(Some(steps)) = matches.try_get_one::<String>("steps") {
        rules = rules.replace("\"orthogonal\"", &format!("{steps:?}"));
    }
    let text = FRAMES[index]
        .replace("GAME", name)
        .replace("COMPILE", compile.as_deref().unwrap_or_default())
        .replace("CHECK", &check)
        .replace(["# RULES\n", "// RULES\n"][usize::from(index > 0)], &rules);
    if to_stdout {
        plain_results().write_all(text.as_bytes())?;
        return Ok(Answer::Yes);
    }
    let file = path.display();
    if path.exists() {
        bail!("{file} exists already\ntip: name another file with --output");
    }
    write(&path, "program", &text)?;
    let mut out = results();
    writeln!(
        out,
        "{file} plays random moves. Your own idea goes into its function choose."
    )?;
    if let Some(compile) = compile {
        writeln!(out, "Compile it:  {compile}")?;
    }
    writeln!(out, "Check it:    {check}")?;
    Ok(Answer::Yes)
}

/// Returns the commands that compile a program, if it needs that, and start it.
fn commands(language: Language, path: &Path) -> (Option<String>, String) {
    let file = path.display().to_string();
    let binary = format!("{}{EXE_SUFFIX}", path.with_extension("").display());
    let (compiler, start) = match language {
        Language::Python => (None, command_for(&file)),
        Language::Javascript => (None, format!("node {file}")),
        Language::Rust => (Some("rustc --edition 2021 -O -o"), command_for(&binary)),
        Language::C => (Some("cc -O2 -o"), command_for(&binary)),
    };
    let compile = compiler.map(|compiler| format!("{compiler} {binary} {file}"));
    (compile, start)
}
