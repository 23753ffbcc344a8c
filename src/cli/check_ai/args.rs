//! The arguments of `check-ai`, and the check that they describe.

use crate::any::AnyAi;
use crate::check::suite::SPLITS;
use crate::check::{CheckOptions, Coverage, Criterion, ListedPosition, Playouts, Scope, Trace};
use crate::cli::args::ai::{AiArgs, JobsArgs};
use crate::cli::args::numbers::{parse_count, parse_faults, parse_seconds, parse_seed};
use crate::cli::args::resources;
use crate::cli::batch::{InputLine, Lines, too_long};
use crate::cli::scores::Scores;
use crate::cli::table::TableOrGameArgs;
use crate::cli::ui::progress::waiting;
use crate::text::{bytes, harmless};
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The value of `--positions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    /// The classes of a table, with equal probability.
    Uniform,
    /// Positions from playouts of one kind, or of all kinds if `None`.
    Playouts(Option<Playouts>),
    /// The positions in a file.
    File(PathBuf),
}

/// Name of a sample with half of its positions from each kind of playouts.
const MIXTURE: &str = "mixture";

const UNIFORM: &str = "uniform";

/// Maximum size of a list of positions, in bytes.
const LARGEST: u64 = 256 << 20;

impl From<OsString> for Positions {
    /// Any other word is the name of a file.
    fn from(text: OsString) -> Positions {
        let is_of = |kind: &&Playouts| text == *kind.to_string();
        if text == UNIFORM {
            Positions::Uniform
        } else if text == MIXTURE {
            Positions::Playouts(None)
        } else if let Some(&kind) = Playouts::ALL.iter().find(is_of) {
            Positions::Playouts(Some(kind))
        } else {
            Positions::File(text.into())
        }
    }
}

/// Check every move of an AI against exact scores
///
/// Asks the AI for its move in every reachable position, in a sample, or along every line of play
/// (--scope play), and compares each answer with the exact scores of a table, of a small game solved
/// in memory, or of a search. By default the AI reads one position per line from its standard input
/// and writes one move per line to its standard output.
///
/// Where all positions are listed, that takes about 0.1 KB for each. A list that doesn't fit into
/// --memory is refused before the check.
#[derive(Debug, Args)]
pub(super) struct CheckAiArgs {
    #[command(flatten)]
    pub(super) table: TableOrGameArgs,

    #[command(flatten)]
    pub(super) check: CheckArgs,

    #[command(flatten)]
    pub(super) suite: SuiteArgs,

    /// Read the table in pieces instead of mapping it
    #[arg(long, help_heading = "Resources", hide_short_help = true)]
    pub(super) no_mmap: bool,
}

/// The suite, and the part of it to ask about.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which positions")]
pub(super) struct SuiteArgs {
    /// Ask about a suite of 13 games, without a table
    ///
    /// Suite 1 is part of the program. An AI is started once for each game; `{game}` in --ai stands
    /// for the game's name, such as kalah-6-4.
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["place", "table", "canonical", "sample", "positions", "scope", "criterion", "baseline", "mistakes"])]
    pub(super) suite: Option<String>,

    /// Split of the suite: test, validation or train
    #[arg(long, value_name = "NAME", requires = "suite", default_value = "test", value_parser = SPLITS, hide_short_help = true, hide_possible_values = true)]
    pub(super) split: String,

    /// Ask only about this game of the suite; may be repeated
    #[arg(long, value_name = "NAME", requires = "suite", hide_short_help = true)]
    pub(super) game: Vec<String>,
}

/// How to check.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct CheckArgs {
    /// Command that starts the AI, or builtin:NAME
    ///
    /// `ugi:COMMAND` starts an engine that speaks the Universal Game Interface.
    ///
    /// Built in are level:1 (a beginner) to level:10 (perfect), perfect, random, first, greedy,
    /// minimax:DEPTH, negamax:DEPTH, alphabeta:DEPTH, negascout:DEPTH and mtdf:DEPTH,
    /// softmax:TEMPERATURE and error:PROBABILITY. A seed may follow: random:7.
    #[arg(long, value_name = "COMMAND", help_heading = "AI")]
    pub(super) ai: String,

    #[command(flatten)]
    pub(super) ais: AiArgs,

    #[command(flatten)]
    pub(super) copies: JobsArgs,

    /// Seconds for the whole check
    ///
    /// Solving the game counts, too. The report covers what was answered until then.
    #[arg(long, value_name = "S", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "AI", hide_short_help = true)]
    pub(super) total_timeout: Option<Duration>,

    /// All positions, or lines of play
    ///
    /// `all`: is the AI's move best in every position? `play`: does it preserve the game's value in
    /// every line that can arise while it plays one side?
    #[arg(
        long,
        value_name = "SCOPE",
        default_value = "all",
        value_enum,
        help_heading = "Which positions",
        hide_possible_values = true
    )]
    pub(super) scope: Scope,

    /// Side that the AI plays, with --scope play
    #[arg(long, value_name = "SIDE", default_value = "both", value_parser = ["first", "second", "both"], help_heading = "Which positions", hide_short_help = true, hide_possible_values = true)]
    pub(super) side: String,

    /// What counts as a mistake: loss of `score` or of `outcome`
    ///
    /// With `outcome`, a mistake is only a move that turns a win into a draw or a loss, or a draw
    /// into a loss. The default is `outcome` in games that count plies, and `score` in others.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        help_heading = "Which positions",
        hide_short_help = true,
        hide_possible_values = true
    )]
    pub(super) criterion: Option<Criterion>,

    /// Ask about one position of each class, without stores
    #[arg(long, help_heading = "Which positions", hide_short_help = true)]
    pub(super) canonical: bool,

    /// Ask about N random positions
    #[arg(long, value_name = "N", conflicts_with = "canonical", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Which positions")]
    pub(super) sample: Option<u64>,

    /// How to sample, or a file of positions
    ///
    /// `uniform`: over the classes of a table. From games, evenly over the layers, none twice:
    /// `random` ones, of the AI against itself (`self`), or half of each (`mixture`). Or a file
    /// with a position per line. The default is uniform for a table, and mixture for a search.
    #[arg(long, value_name = "HOW|FILE", hide_short_help = true, value_parser = OsStringValueParser::new().map(Positions::from), help_heading = "Which positions")]
    pub(super) positions: Option<Positions>,

    /// Seed of the sample
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true, help_heading = "Which positions", hide_short_help = true)]
    pub(super) seed: u64,

    /// Stop after N faults, 10 by default, or never with --suite
    #[arg(long, value_name = "N", value_parser = parse_faults, help_heading = "AI", hide_short_help = true)]
    pub(super) max_faults: Option<usize>,

    /// Print the first N lines that the AI is sent, and the first N that it writes
    ///
    /// They appear on standard error, after `>` and `<`.
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true, help_heading = "AI", hide_short_help = true)]
    pub(super) trace: Option<u64>,

    /// Print the report as one line of JSON
    #[arg(long)]
    pub(super) json: bool,

    /// Write the report as a page, too
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,

    /// Compare with the report that an earlier check printed with --json
    ///
    /// Both must ask about the same positions. The exit code is then 0 if there is no new mistake
    /// and no new fault, and 1 otherwise.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) baseline: Option<PathBuf>,

    /// Write every mistake to a CSV or JSONL file
    ///
    /// CSV if the name ends in .csv, otherwise an object per line.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) mistakes: Option<PathBuf>,

    /// Memory limit, such as 8G
    ///
    /// Bytes, or a number with K, M, G or T. The default is nine tenths of what is available.
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size, help_heading = "Resources", hide_short_help = true)]
    pub(super) memory: Option<u64>,
}

impl CheckArgs {
    pub(super) fn check_combination(&self) -> anyhow::Result<()> {
        if self.scope == Scope::Play && (self.sample.is_some() || self.canonical) {
            bail!(
                "--sample and --canonical choose from all positions, so they can't be combined with --scope play, which \
                 follows lines of play; limit its time with --total-timeout"
            );
        }
        self.ais.check(&[&self.ai])?;
        if self.scope == Scope::All && self.side != "both" {
            bail!(
                "--side works only with --scope play; --scope all asks about positions of both sides"
            );
        }
        self.check_positions()
    }

    /// Checks that no option needs a list of all positions if the game is searched.
    pub(super) fn check_searched(&self, scores: &Scores<'_>) -> anyhow::Result<()> {
        if !scores.are_searched() {
            return Ok(());
        }
        let game = scores.searched.game.name();
        let searched = format!("{game} is searched, and a search can't list all positions");
        if self.canonical {
            bail!("--canonical needs a table: {searched}\ntip: sample some with --sample 300");
        }
        if self.positions == Some(Positions::Uniform) {
            bail!(
                "--positions uniform needs a table: {searched}\ntip: leave it out to sample positions from \
                 games, evenly over the layers"
            );
        }
        if scores.is_large()
            && self.scope == Scope::All
            && self.sample.is_none()
            && self.positions.is_none()
        {
            bail!(
                "{game} has too many positions to ask about all of them: say how many with --sample \
                 300, or which with --positions FILE"
            );
        }
        Ok(())
    }

    /// Returns the options of a check that ends by `deadline`.
    ///
    /// `lists` says whether the source of the scores can list all positions.
    pub(super) fn options(
        &self,
        lists: bool,
        deadline: Option<Instant>,
    ) -> anyhow::Result<CheckOptions> {
        let memory = self.memory.unwrap_or_else(resources::available_share);
        let defaults = CheckOptions::default();
        Ok(CheckOptions {
            scope: self.scope,
            coverage: self.coverage(lists)?,
            // "both" is not a side, so it becomes `None`.
            side: self.side.parse().ok(),
            criterion: self.criterion,
            jobs: self.copies.jobs,
            max_faults: self.max_faults.unwrap_or(defaults.max_faults),
            memory,
            deadline,
            ..defaults
        })
    }

    /// Checks that the options about positions fit together, before anything is opened.
    fn check_positions(&self) -> anyhow::Result<()> {
        let Some(positions) = &self.positions else {
            return Ok(());
        };
        if self.scope == Scope::Play || self.canonical {
            bail!(
                "--positions can't be combined with --scope play or --canonical, which select positions, \
                 too; leave out one"
            );
        }
        match positions {
            Positions::File(path) => {
                // A misspelt word is taken for a file, which doesn't exist.
                check_file(path)?;
                if self.sample.is_some() {
                    bail!(
                        "--sample can't be combined with {}, which is asked in full; leave out one of \
                         the two",
                        path.display()
                    );
                }
                Ok(())
            }
            Positions::Uniform | Positions::Playouts(_) => {
                if self.sample.is_none() {
                    bail!("--positions needs the size of the sample, such as --sample 300");
                }
                Ok(())
            }
        }
    }

    /// Returns the positions to ask about.
    ///
    /// `lists` says whether the source of the scores can list all positions.
    fn coverage(&self, lists: bool) -> anyhow::Result<Coverage> {
        let seed = self.seed;
        let positions = match (&self.positions, lists) {
            (Some(positions), _) => positions.clone(),
            (None, true) => Positions::Uniform,
            (None, false) => Positions::Playouts(None),
        };
        Ok(match (positions, self.sample) {
            (Positions::File(path), _) => Coverage::Listed(read(&path)?),
            (_, None) if self.canonical => Coverage::Canonical,
            (_, None) => Coverage::Every,
            (Positions::Playouts(kind), Some(count)) => Coverage::Playouts { count, seed, kind },
            (Positions::Uniform, Some(count)) => Coverage::Sample { count, seed },
        })
    }

    /// Returns the AI that `ai` names; `print` prints a line of the trace.
    pub(super) fn contender(
        &self,
        ai: &str,
        print: impl Fn(&str) + Send + Sync + 'static,
    ) -> anyhow::Result<AnyAi> {
        // Limits each wait, too, because some waits don't check the deadline, such as the first.
        let most = self.total_timeout.unwrap_or(Duration::MAX);
        let ai = self.ais.contender(ai, most)?;
        let Some(lines) = self.trace else {
            return Ok(ai);
        };
        let left = [lines, lines].map(AtomicU64::new);
        let trace: Trace = Arc::new(move |sign, line| {
            let left = &left[usize::from(sign == '<')];
            if left
                .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
                .is_ok()
            {
                print(&format!("{sign} {}", harmless(line)));
            }
        });
        Ok(match ai {
            AnyAi::Program(program) => AnyAi::Program(program.with_trace(trace)),
            AnyAi::Builtin(name) => AnyAi::Traced(name, trace),
            other => other,
        })
    }
}

fn check_file(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut names = vec![UNIFORM.to_owned()];
    names.extend(Playouts::ALL.map(|kind| kind.to_string()));
    names.push(MIXTURE.to_owned());
    bail!(
        "there is no file {}: --positions takes a file with one position per line, or one of {}",
        path.display(),
        names.join(", ")
    )
}

/// Reads the positions of a file, one per line, without empty lines and comments.
fn read(path: &Path) -> anyhow::Result<Arc<[ListedPosition]>> {
    let problem = || format!("can't read {}", path.display());
    // It may be a pipe, which blocks until another program opens it, or has no end.
    let file = waiting(|| File::open(path)).with_context(problem)?;
    let mut input = file.take(LARGEST);
    let mut lines = Lines::new(&mut input);
    let mut listed = Vec::new();
    let mut line = 0;
    loop {
        let more = lines.next_ones().with_context(problem)?;
        if more.is_empty() {
            break;
        }
        for one in more {
            line += 1;
            let text = match one {
                InputLine::Position(text) => text,
                InputLine::TooLong(_, length) => {
                    bail!("{}: line {line}: {}", path.display(), too_long(length))
                }
            };
            let text = text.trim();
            // A position may begin with `#`, but a comment has a blank after it.
            if !text.is_empty() && text != "#" && !text.starts_with("# ") {
                let text = text.to_owned();
                listed.push(ListedPosition { line, text });
            }
        }
    }
    if input.limit() == 0 {
        let (path, most) = (path.display(), bytes(LARGEST));
        bail!("{path} has {most} or more, but a list of positions may have at most that");
    }
    Ok(listed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_files() {
        let of = |text: &str| Positions::from(OsString::from(text));
        assert_eq!(of("uniform"), Positions::Uniform);
        assert_eq!(of("mixture"), Positions::Playouts(None));
        assert_eq!(of("self"), Positions::Playouts(Some(Playouts::OwnPlay)));
        assert_eq!(of("./self"), Positions::File("./self".into()));
        assert_eq!(of("Random"), Positions::File("Random".into()));
    }
}
