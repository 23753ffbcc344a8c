//! `query`: answers from a table, or by search.

use super::answer::{self, AnswerReport, ErrorReport};
use super::args::asking::AskingArgs;
use super::args::game::{family_of, game_of, with_games};
use super::args::resources::Resources;
use super::table::{self, FOLDER_HELP};
use super::ui::progress::{Bar, catch_interrupts};
use super::{Answer, Program, advice, arguments, folder};
use crate::any::{AnyFamily, AnyGame, AnyOracle};
use crate::game::{EndgameError, Progress, SearchError, SearchSetup, SolveOptions};
use crate::oracle::{self, AskError, OracleError, Question, Wanted};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Ask about a position, from a table or by search
///
/// `query TABLE` answers from a table, `query GAME` by a search of that one position; `query
/// GAME --help` says more. Without a QUESTION: the board, who wins by how much, every move with its
/// score, best first, and one line of best play to the end. With a QUESTION: yes or no, and why.
///
/// Scores are seen from the side to move and count the whole game; where the position leaves out
/// the stores, only the rest of it.
#[derive(Debug, Args)]
struct QueryArgs {
    /// The table to ask, if --table doesn't name it, and the question: "first-player win?",
    /// "second-player win?" or "draw?"
    #[arg(value_name = "TABLE] [QUESTION")]
    words: Vec<String>,

    /// The table to ask: a file, or the name of one in data/, such as kalah-6-2
    #[arg(long, value_name = "TABLE")]
    table: Option<PathBuf>,

    #[command(flatten)]
    asking: AskingArgs,

    /// Read the file piece by piece instead of mapping it into memory
    #[arg(long)]
    no_mmap: bool,
}

/// Options of a search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// "first-player win?", "second-player win?" or "draw?": answered without finding the exact
    /// score, which is quicker
    #[arg(value_name = "QUESTION")]
    question: Vec<String>,

    #[command(flatten)]
    asking: AskingArgs,

    #[command(flatten)]
    resources: Resources,
}

/// Options of a search that can begin above an endgame.
#[derive(Debug, Args)]
struct EndgameArgs {
    /// Take the endgame from this table (of `solve kalah --up-to N`) instead of building it
    #[arg(long, value_name = "FILE")]
    endgame: Option<PathBuf>,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    let command = QueryArgs::augment_args(command)
        .max_term_width(100)
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Games, searched instead of a table")
        .override_usage(format!(
            "{name} query [OPTIONS] <TABLE> [QUESTION]\n       {name} query <GAME> [QUESTION]"
        ))
        .after_help(program.examples(
            &format!(
                "Exit codes: 0 yes (or answered), 1 no, 2 an error (with --batch: in at least one \
                 line).\n\n{FOLDER_HELP}"
            ),
            &[
                "query kalah --seeds 4 \"first-player win?\"",
                "query data/kalah-6-2.bin",
                "query data/kalah-6-2.bin \"first-player win?\"",
                "query data/ttt.bin --position X...O....",
                "query data/kalah-6-2.bin --batch --json < positions.txt",
            ],
            &[
                "query GAME \"first-player win?\"",
                "query TABLE",
                "query TABLE --batch --json < positions.txt",
            ],
        ));
    let details = |family: &dyn AnyFamily| family.search_details();
    with_games(command, program.families, details, |family, command| {
        let command = SearchArgs::augment_args(command).after_help(
            "Exit codes: 0 yes (or answered), 1 no, 2 an error or interrupted (what was \
                 proven until then is said).",
        );
        if family.takes_endgames() {
            EndgameArgs::augment_args(command)
        } else {
            command
        }
    })
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    if let Some((name, matches)) = matches.subcommand() {
        return search(name, matches, program);
    }
    let args: QueryArgs = arguments(matches)?;
    let (path, question) = args.table_and_question(program)?;
    // Before the table is opened.
    let wanted = args.asking.wanted(question)?;
    let table = table::open_any(&path, args.no_mmap, program.families)?;
    answer(&*table, &args.asking, wanted, &Bar::new())
}

impl QueryArgs {
    /// The file of the table, and the words of the question.
    fn table_and_question(&self, program: &Program<'_>) -> anyhow::Result<(PathBuf, &[String])> {
        if let Some(table) = &self.table {
            return Ok((folder::find(table), &self.words));
        }
        if let [first, question @ ..] = &self.words[..] {
            if let Some(path) = folder::found(Path::new(first)) {
                return Ok((path, question));
            }
            if folder::is_table_name(first) {
                return Ok((first.into(), question));
            }
        }
        let words = self.words.join(" ");
        let what = if words.is_empty() || words.parse::<Question>().is_ok() {
            "nothing to ask".to_owned()
        } else {
            format!("\"{words}\" is neither a table nor a game nor a question")
        };
        let games: Vec<&str> = program.families.iter().map(|game| game.name()).collect();
        let (_, table) = super::args::game::example(program.families);
        bail!(
            "{what}: name a table, such as {table}, or a game to be searched without one: {}",
            games.join(", ")
        )
    }
}

fn search(name: &str, matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: SearchArgs = arguments(matches)?;
    let wanted = args.asking.wanted(&args.question)?;
    let game = game_of(name, matches, program.families, program.has_library_games)?;
    let family = family_of(name, program.families);
    let endgame = if family.takes_endgames() {
        arguments::<EndgameArgs>(matches)?.endgame
    } else {
        None
    };
    catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let options = args.resources.options_or(family.search_memory());
    let found = searcher(&*game, options, endgame.as_deref(), program, &bar)
        .and_then(|oracle| answer(&*oracle, &args.asking, wanted, &bar))
        .map_err(|error| with_advice(error, &*game, endgame.as_deref(), program));
    match found {
        Err(error) if args.asking.json && !args.asking.batch => {
            report_error(args.asking.position.as_deref(), &error)
        }
        found => found,
    }
}

fn searcher<'p>(
    game: &dyn AnyGame,
    options: SolveOptions,
    endgame: Option<&Path>,
    program: &Program<'_>,
    bar: &'p Bar,
) -> anyhow::Result<Box<dyn AnyOracle + 'p>> {
    let mut setup = SearchSetup {
        threads: options.threads,
        memory: options.memory,
        endgame: None,
    };
    if let Some(path) = endgame {
        let table = table::open_any(path, false, program.families)?;
        setup.endgame = Some(table.into_kept_scores());
    }
    Ok(game.search(&setup, bar)?)
}

/// What was wrong, with what to do about it on the command line.
fn with_advice(
    error: anyhow::Error,
    game: &dyn AnyGame,
    endgame: Option<&Path>,
    program: &Program<'_>,
) -> anyhow::Error {
    let search = match error.downcast_ref() {
        Some(AskError::Oracle(OracleError::Search(search))) => Some(&**search),
        _ => error.downcast_ref::<SearchError>(),
    };
    match search {
        Some(SearchError::Endgame(problem)) => {
            let file = endgame.unwrap_or(Path::new("the table")).display();
            let make = format!("`{} solve {}`", program.name, game.endgame_arguments());
            match problem {
                EndgameError::OtherRules { .. } => anyhow!(
                    "{file} can't serve as endgame: {problem}; the right endgame is made with {make}"
                ),
                EndgameError::OtherGame { .. } | EndgameError::FromStart { .. } => anyhow!(
                    "{file} can't serve as endgame: {problem}; an endgame is made with {make}"
                ),
                _ => anyhow!("{file} can't serve as endgame: {problem}"),
            }
        }
        Some(search) => match advice::for_searching(search) {
            Some(advice) => anyhow!("{search}{advice}"),
            None => error,
        },
        None => error,
    }
}

/// What can't be answered, as JSON.
fn report_error(position: Option<&str>, error: &anyhow::Error) -> anyhow::Result<Answer> {
    let position = position.unwrap_or_default();
    let error = format!("{error:#}");
    let line = serde_json::to_string(&ErrorReport { position, error })?;
    writeln!(anstream::stdout(), "{line}")?;
    Ok(Answer::Failed)
}

/// Asks an oracle, whatever it is, and prints what it says.
fn answer(
    oracle: &dyn AnyOracle,
    args: &AskingArgs,
    wanted: Wanted,
    bar: &Bar,
) -> anyhow::Result<Answer> {
    if args.batch {
        return batch(oracle, args.json, wanted, bar);
    }
    let position = args.position.as_deref();
    let answer = match oracle.ask(position, wanted) {
        Ok(answer) => answer,
        Err(AskError::NoStart { game, example }) => {
            let error = anyhow!(
                "{game} has no start: say which position with --position, such as --position \"{example}\""
            );
            return if args.json {
                report_error(position, &error)
            } else {
                Err(error)
            };
        }
        Err(error) if args.json && !matches!(error, AskError::Oracle(OracleError::Search(_))) => {
            return report_error(position, &error.into());
        }
        Err(error) => return Err(error.into()),
    };
    bar.finish();
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(
            out,
            "{}",
            serde_json::to_string(&AnswerReport::new(&answer))?
        )?;
    } else if answer.is_interrupted {
        let proven = answer::all_proven(&answer, oracle.move_noun());
        bail!("interrupted; proven so far: {proven}");
    } else if let Some(yes) = answer.yes {
        let noun = oracle.move_noun();
        answer::print_yes_or_no(&answer, yes, noun, wanted.moves, &mut out)?;
    } else {
        answer::print(&answer, oracle, &mut out)?;
    }
    Ok(match answer.yes {
        _ if answer.is_interrupted => Answer::Failed,
        Some(false) => Answer::No,
        _ => Answer::Yes,
    })
}

/// At most this many lines are answered together.
const BATCH: usize = 4096;

/// Answers a line of standard input each. What has come in is answered before more is waited for.
fn batch(oracle: &dyn AnyOracle, json: bool, wanted: Wanted, bar: &Bar) -> anyhow::Result<Answer> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut failed = false;
    loop {
        let lines = read_lines(&mut input).context("can't read standard input")?;
        if lines.is_empty() {
            break;
        }
        let positions: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        let answers = oracle.ask_many(&positions, wanted);
        for (position, answer) in positions.into_iter().zip(answers) {
            failed |= print_one(position, answer, json, &mut out)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        if bar.cancelled() {
            bail!("interrupted; the lines above are answered");
        }
    }
    bar.finish();
    Ok(if failed { Answer::Failed } else { Answer::Yes })
}

/// The next lines, as many as are there already but at least one; none at the end.
fn read_lines(input: &mut BufReader<impl io::Read>) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < BATCH && (lines.is_empty() || input.buffer().contains(&b'\n')) {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        lines.push(String::from_utf8_lossy(&line).into_owned());
    }
    Ok(lines)
}

/// One line of a batch without its end; says whether there was no answer.
fn print_one(
    position: &str,
    answer: Result<oracle::Answer, AskError>,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    match answer {
        Ok(answer) if !answer.is_interrupted || json => {
            if json {
                let report = AnswerReport::new(&answer);
                serde_json::to_writer(out, &report).map_err(io::Error::from)?;
            } else {
                answer::print_short(&answer, out)?;
            }
            Ok(answer.is_interrupted)
        }
        answer => {
            let error = match answer {
                Ok(_) => "interrupted".to_owned(),
                Err(error) => format!("{:#}", anyhow::Error::from(error)),
            };
            if json {
                let report = ErrorReport { position, error };
                serde_json::to_writer(out, &report).map_err(io::Error::from)?;
            } else {
                write!(out, "error: {error}")?;
            }
            Ok(true)
        }
    }
}
