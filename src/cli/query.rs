//! `query`: answers from a table, or by search.

use super::answer::{self, AnswerReport};
use super::args::game::with_games;
use super::args::resources::{Resources, cores};
use super::json::ReportedError;
use super::output::results;
use super::program::{Answer, Program, arguments};
use super::scores::{SearchedGame, search_options};
use super::table::{open_any, prefer_tables, table_or_game};
use super::ui::progress::{Bar, catch_interrupts};
use super::{batch, output, table_files};
use crate::any::{AnyFamily, AnyOracle};
use crate::oracle::{Question, Wanted};
use crate::pool::{STACK, in_pool};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// Ask about a position, from a table or by search
///
/// `query TABLE` reads the answer from a table, `query GAME` searches the position. Without a
/// question, the answer is the board, who wins by how much, every move with its score, best first,
/// and a line of best play. With a question, it is one sentence: yes or no and why, or who wins.
///
/// Scores are seen from the side to move. They count the whole game, or the rest of the game if the
/// position leaves out the stores.
#[derive(Debug, Args)]
struct QueryArgs {
    /// Table, and perhaps a question such as "draw?"
    ///
    /// The table is a file, or the name of one in data/, such as kalah-6-2. Questions are "who wins?",
    /// "best move?", "does the first player win?", "can X force a draw?" and the like.
    #[arg(value_name = "TABLE] [QUESTION")]
    words: Vec<OsString>,

    /// The same table, as an option
    ///
    /// A file, or the name of one in data/, such as kalah-6-2.
    #[arg(long, value_name = "TABLE", hide_short_help = true)]
    table: Option<PathBuf>,

    #[command(flatten)]
    asking: AskingArgs,

    /// Read the file in pieces instead of mapping it
    #[arg(long, help_heading = "Resources", hide_short_help = true)]
    no_mmap: bool,
}

/// Options of a search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// "who wins?", "does the first player win?", "draw?" and the like
    ///
    /// Answering a yes-or-no question is quicker than finding the exact score.
    #[arg(value_name = "QUESTION")]
    question: Vec<String>,

    #[command(flatten)]
    asking: AskingArgs,

    #[command(flatten)]
    resources: Resources,
}

const CODES: &str = "Exit codes: 0 yes (or answered), 1 no, 2 an error.";

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    let command = QueryArgs::augment_args(command)
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Games, searched instead of a table")
        .after_help(program.examples(
            CODES,
            &[
                "query GAME \"first-player win?\"",
                "query TABLE",
                "query TABLE --batch --json < positions.txt",
            ],
        ));
    let details = |family: &dyn AnyFamily| family.search_details();
    prefer_tables(with_games(
        command,
        program.game_names(),
        details,
        |family, command| {
            let command = SearchArgs::augment_args(command).after_help(CODES);
            search_options(family, command)
        },
    ))
    .override_usage(format!(
        "{name} query [OPTIONS] <TABLE> [QUESTION]\n       {name} query <GAME> [QUESTION]"
    ))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    if let Some((name, matches)) = matches.subcommand() {
        return search(name, matches, program);
    }
    let args: QueryArgs = arguments(matches)?;
    let (path, question) = args.table_and_question(program)?;
    let table = open_any(&path, args.no_mmap, program.families)?;
    let wanted = args.asking.wanted(&question, &table)?;
    let ask = || answer(&table, &args.asking, wanted, &Bar::new());
    if !args.asking.batch {
        return ask();
    }
    // `in_pool` makes do with fewer threads if the system doesn't provide all of them.
    in_pool(cores(), STACK, ask)
}

impl QueryArgs {
    /// Returns the path of the table, and the words of the question.
    fn table_and_question(&self, program: &Program<'_>) -> anyhow::Result<(PathBuf, Vec<String>)> {
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let words: Vec<String> = self.words.iter().map(text).collect();
        if let Some(table) = &self.table {
            return Ok((table_files::find(table), words));
        }
        let is_question = words.join(" ").parse::<Question>().is_ok();
        match &self.words[..] {
            // Only the table's name may be something other than text.
            [first, ..] if !is_question => {
                Ok((table_or_game(Some(first), program)?, words[1..].to_vec()))
            }
            _ => Ok((table_or_game(None, program)?, words)),
        }
    }
}

fn search(name: &str, matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: SearchArgs = arguments(matches)?;
    let searched = SearchedGame::new(name, matches, program)?;
    catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let options = args.resources.options_or(searched.family.search_memory());
    searched
        .searcher(options, &bar)
        .and_then(|oracle| {
            let wanted = args.asking.wanted(&args.question, &oracle)?;
            answer(&oracle, &args.asking, wanted, &bar)
        })
        .map_err(|error| searched.with_advice(error))
}

/// Asks an oracle, a table or a search, and prints its answer.
fn answer(
    oracle: &AnyOracle<'_>,
    args: &AskingArgs,
    wanted: Wanted,
    bar: &Bar,
) -> anyhow::Result<Answer> {
    if args.batch {
        return batch::answer_lines(oracle, args.json, wanted, bar);
    }
    if let Some(path) = &args.svg {
        output::drawable(path)?;
        let start = oracle.start();
        let view = oracle.view(args.position.as_deref().or(Some(&start)), &[])?;
        output::write(path, "picture", &view.svg())?;
    }
    let answer = oracle.ask(args.position.as_deref(), wanted, None)?;
    bar.finish();
    let mut out = results();
    let interrupted = || {
        let proven = answer::all_proven(&answer, oracle.move_noun());
        format!("interrupted; proven so far: {proven}")
    };
    if args.json {
        let report = serde_json::to_string(&AnswerReport::new(&answer))?;
        writeln!(out, "{report}")?;
        if answer.is_interrupted {
            return Err(ReportedError(interrupted()).into());
        }
    } else if answer.is_interrupted {
        bail!(interrupted());
    } else if wanted.question.is_some() {
        answer::print_in_short(&answer, oracle.move_noun(), wanted.moves, &mut out)?;
    } else {
        answer::print(&answer, oracle, &mut out)?;
    }
    Ok(match answer.yes {
        Some(false) => Answer::No,
        _ => Answer::Yes,
    })
}

/// Options that name a position and the data wanted about it.
#[derive(Debug, clap::Args)]
struct AskingArgs {
    /// Position to ask about [default: the start]
    ///
    /// In the game's notation, which `zermelo solve GAME --help` explains. A drawing of the board and
    /// moves from the start, such as "5 3 5", are read, too.
    #[arg(
        long,
        value_name = "P",
        conflicts_with = "batch",
        allow_hyphen_values = true,
        help_heading = "Which positions"
    )]
    position: Option<String>,

    /// Read positions from standard input, one per line
    ///
    /// Prints one answer per line: score, outcome and best moves, separated by tabs, or with --json
    /// an object. A line that can't be answered, or has more than 1 MB, gets an error line.
    #[arg(long, help_heading = "Which positions")]
    batch: bool,

    /// Find the score of every move
    ///
    /// A table always shows it.
    #[arg(long, help_heading = "Output")]
    moves: bool,

    /// Print the answer as one line of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Draw the board, too
    #[arg(
        long,
        value_name = "FILE.svg",
        hide_short_help = true,
        conflicts_with = "batch",
        help_heading = "Output"
    )]
    svg: Option<PathBuf>,

    /// Add a line of best play
    ///
    /// For --json and for questions; without them it is always shown.
    #[arg(long, help_heading = "Output")]
    line: bool,
}

impl AskingArgs {
    /// Returns the data wanted, if `words` are the question.
    ///
    /// The sides may have the names of the oracle's game.
    fn wanted(&self, words: &[String], oracle: &AnyOracle<'_>) -> anyhow::Result<Wanted> {
        let text = words.join(" ");
        let parse = || Question::parse(&text, |side| oracle.side_name(side));
        let question = (!words.is_empty()).then(parse).transpose();
        let question = question.map_err(|error| match oracle.view(Some(&text), &[]) {
            Ok(_) => anyhow!(
                "\"{text}\" is a position, not a question: name it with --position \"{text}\""
            ),
            Err(_) => error.into(),
        })?;
        let line = self.line || !self.json && !self.batch && question.is_none();
        Ok(Wanted {
            question,
            moves: self.moves,
            line: if line { usize::MAX } else { 0 },
            ..Wanted::default()
        })
    }
}
