//! `check-ai`: compares an AI's moves with exact scores.

use super::args::game::suggest;
use super::json::ReportedError;
use super::output::print_result;
use super::program::{Answer, Program, arguments};
use super::scores::{self, LISTS, Scores};
use super::table::open_any;
use super::ui::progress::{self, Bar};
use super::{advice, output};
use crate::any::{AnyGame, AnyOracle, AnyTable, game_of_file};
use crate::check::{
    CheckError, CheckOptions, ListedMistake, Report, Scope, StoppedBy, Verdict, html,
};
use crate::game::{CancelScope, NoProgress, Progress};
use anyhow::{Context, anyhow};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command};
use std::time::Instant;

mod args;
mod baseline;
mod files;
mod suite;
mod text;

use args::{CheckAiArgs, CheckArgs, Positions};
use baseline::Baseline;
use files::MistakesFile;

/// Maximum size of the cache of decoded blocks, in bytes.
const DECODED: u64 = 256 << 20;

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    scores::describe(
        CheckAiArgs::augment_args(command),
        program,
        "--ai <COMMAND>",
        CheckArgs::augment_args,
        CODES,
        &["check-ai GAME --ai \"python3 my_ai.py\""],
    )
}

const CODES: &str = "Exit codes: 0 perfect, 1 imperfect, 2 faulty, unfinished or an error.";

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    if let Some((name, matches)) = matches.subcommand() {
        return check_game(name, matches, program);
    }
    let args: CheckAiArgs = arguments(matches)?;
    let (deadline, baseline) = args.check.begin()?;
    if let Some(version) = &args.suite.suite {
        return suite::run(version, &args.suite, &args.check, deadline);
    }
    let table = open_any(&args.table.path(program)?, args.no_mmap, program.families)?;
    let game = game_of_file(table.file(), program.families)?;
    let check = Check {
        args: &args.check,
        game: &*game,
        program,
        baseline,
    };
    check.with_table(table, deadline)
}

/// Checks an AI at a game that the command line names, without a table.
fn check_game(name: &str, matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: CheckArgs = arguments(matches)?;
    let (deadline, baseline) = args.begin()?;
    let scores = Scores::of(name, matches, program)?;
    scores.check()?;
    args.check_searched(&scores)?;
    let mut check = Check {
        args: &args,
        game: &*scores.searched.game,
        program,
        baseline,
    };
    if !scores.are_searched() {
        return check.with_table(scores.solve(args.memory, deadline)?, deadline);
    }
    let bar = Bar::new();
    let clock = CancelScope::with_deadline(&bar, deadline);
    let stop = || clock.cancelled();
    // The progress of each search is not shown, because there are too many.
    let unheard = CancelScope::new(&NoProgress, &stop);
    let oracle = scores.search(args.memory, &unheard)?;
    let mut options = args.options(false, deadline)?;
    options.memory /= LISTS;
    options.budget = scores.searching.budget;
    let asked = check
        .ask(&oracle, &options, &bar)
        .map_err(|error| scores.searched.with_advice(error))?;
    check.report(asked)
}

/// Adds a tip to the error about an extra word, which is often the AI.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    let is_ours = |usage: &ContextValue| usage.to_string().contains("check-ai");
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(word)), true) = (
        error.kind(),
        error.get(ContextKind::InvalidArg),
        error.get(ContextKind::Usage).is_some_and(is_ours),
    ) && !word.starts_with('-')
    {
        let tip = format!(
            "if {word} is the AI, write --ai \"{}\"",
            advice::command_for(word)
        );
        suggest(&mut error, tip);
    }
    error
}

impl CheckArgs {
    /// Checks the arguments before anything is opened or solved.
    ///
    /// Returns the deadline and the earlier report.
    fn begin(&self) -> anyhow::Result<(Option<Instant>, Option<Baseline>)> {
        let deadline = self.total_timeout.map(|time| Instant::now() + time);
        self.check_combination()?;
        progress::catch_interrupts().context("can't catch interrupts")?;
        if let Some(path) = &self.report {
            // Fails now rather than after a check that may take hours.
            output::reportable(path)?;
        }
        if let Some(path) = &self.mistakes {
            files::check_list(path)?;
        }
        let baseline = self.baseline.as_deref().map(Baseline::read);
        Ok((deadline, baseline.transpose()?))
    }
}

/// A check with the arguments of the command line.
struct Check<'a> {
    args: &'a CheckArgs,
    game: &'a dyn AnyGame,
    program: &'a Program<'a>,
    baseline: Option<Baseline>,
}

impl Check<'_> {
    fn with_table(
        mut self,
        table: Box<dyn AnyTable>,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Answer> {
        let mut options = self.args.options(true, deadline)?;
        // A larger cache doesn't make a sample faster, because its probes seldom share a block.
        let cache = (options.memory / 4).min(DECODED);
        options.memory -= cache;
        let table = table.with_cache(cache as usize);
        let asked = self.ask(&table, &options, &Bar::new())?;
        self.report(asked)
    }

    /// Prints and writes the report.
    ///
    /// If a file can't be written, the report is printed before the error.
    fn report(&self, (report, listed): (Report, anyhow::Result<()>)) -> anyhow::Result<Answer> {
        let (args, game) = (self.args, self.game);
        let page = args.report.as_deref();
        let written = page.map_or(Ok(()), |path| {
            output::write(path, "report", &html::page(&report))
        });
        let is_interrupted = report.stopped_by == Some(StoppedBy::Interrupt);
        print_result(args.json, &report, |out| {
            let is_listed = listed.is_ok() && !is_interrupted;
            let more = text::More {
                page: page.filter(|_| written.is_ok()),
                // An interrupted check has no list.
                mistakes: args.mistakes.as_deref().filter(|_| is_listed),
                help: &format!("{} check-ai {} --help", self.program.name, game.family()),
            };
            Ok(text::print(&report, &more, out)?)
        })?;
        let failures = [written, listed].map(|file| file.err().map(|error| format!("{error:#}")));
        let failures: Vec<String> = failures.into_iter().flatten().collect();
        if !failures.is_empty() {
            let failures = failures.join("; ");
            // The JSON of the report has been printed, and there is only one object per answer.
            return Err(if args.json {
                ReportedError(failures).into()
            } else {
                anyhow!(failures)
            });
        }
        if let Some(comparison) = &report.baseline {
            let is_worse = comparison.is_worse();
            return Ok(if is_worse { Answer::No } else { Answer::Yes });
        }
        Ok(match report.verdict {
            // A check that was stopped can't be compared.
            _ if is_interrupted || args.baseline.is_some() => Answer::Failed,
            Verdict::Perfect => Answer::Yes,
            Verdict::Imperfect => Answer::No,
            Verdict::Faulty | Verdict::Unfinished => Answer::Failed,
        })
    }

    /// Runs the check; returns its report, and the result of writing the list of mistakes.
    fn ask(
        &mut self,
        oracle: &AnyOracle<'_>,
        options: &CheckOptions,
        bar: &Bar,
    ) -> anyhow::Result<(Report, anyhow::Result<()>)> {
        let mut baseline = self.baseline.take();
        if let Some(baseline) = &baseline {
            baseline.check(&self.game.name(), options)?;
        }
        let contender = self.args.contender(&self.args.ai, bar.printer())?;
        let path = self.args.mistakes.as_deref();
        let mut file = path.map(MistakesFile::create).transpose()?;
        let wants_list = file.is_some() || baseline.is_some();
        let mut list = |mistake: &ListedMistake| {
            file.iter_mut().for_each(|file| file.add(mistake));
            baseline
                .iter_mut()
                .for_each(|baseline| baseline.add(mistake));
        };
        let list = wants_list.then_some(&mut list as _);
        let result = oracle.check(&contender, options, list, bar);
        bar.finish();
        // Nothing to print.
        let result = result.and_then(|report| match (report.stopped_by, report.asked) {
            (Some(StoppedBy::Interrupt), 0) => Err(CheckError::Interrupted),
            _ => Ok(report),
        });
        let mut report = result.map_err(|error| self.advise(error))?;
        // An interrupted check has no list.
        let file = file.filter(|_| report.stopped_by != Some(StoppedBy::Interrupt));
        let listed = file.map_or(Ok(()), MistakesFile::finish);
        report.baseline = baseline.and_then(|baseline| baseline.compare(&report));
        report.ai.clone_from(&self.args.ai);
        report.game_rules = self.game.rules_in_words().to_owned();
        Ok((report, listed))
    }

    /// Adds a tip about this command's options to an error.
    fn advise(&self, error: CheckError) -> anyhow::Error {
        let game = self.game.name();
        match &error {
            CheckError::TooMany { .. } if self.args.scope == Scope::All => anyhow!(
                "{error}\ntip: ask about a part of them with --sample 100000, or about one of each \
                 class with --canonical"
            ),
            CheckError::Listed { .. } | CheckError::NothingListed => {
                let file = match &self.args.positions {
                    Some(Positions::File(path)) => path.display().to_string(),
                    _ => "the positions".to_owned(),
                };
                anyhow::Error::from(error).context(file)
            }
            CheckError::NoStart(_) if self.args.scope == Scope::All => anyhow!(
                "{game} has no start from which games could begin\ntip: name positions of your own with \
                 --positions FILE"
            ),
            _ => error.into(),
        }
    }
}
