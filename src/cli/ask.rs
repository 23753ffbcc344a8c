//! `query GAME`: answers without a table, by search.

use super::game::{ScoringArg, StartArg, number_of};
use super::output::{self, Bar};
use super::query::{self, MoveReport, Question, outcome_name, who_wins};
use super::resources::{self, Resources};
use super::{Answer, ask_kalah};
use crate::game::{Notation, Progress, Side};
use crate::games::eight::Eight;
use crate::games::reversi::{Board, Reversi};
use crate::games::tictactoe::{Scoring, TicTacToe};
use crate::search::{Algorithm, Counters, Search, TranspositionTable, Window};
use anyhow::{Context, anyhow};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A game to be asked about without a table.
#[derive(Debug, clap::Subcommand)]
#[command(
    subcommand_value_name = "GAME",
    subcommand_help_heading = "Games, to be searched without a table"
)]
pub enum AskArgs {
    /// Kalah, from any position, by a parallel search over an endgame made in memory
    ///
    /// Memory: 64 MB do for small boards; with 6 pits, 4 seeds use up to 1 GB and 5 seeds up to 13
    /// GB. With less it takes longer; the least that works is about 34 MB.
    #[command(
        max_term_width = 100,
        after_help = "\
Exit codes: 0 yes (or answered), 1 no, 2 an error or interrupted (what was proven until then is said).

Examples:
  zermelo query kalah --seeds 4 \"first-player win?\"
  zermelo query kalah --seeds 3 --moves
  zermelo query kalah --seeds 4 --position \"4,4,0,5,5,5:1/4,4,4,4,4,4:0 first\"
  zermelo query kalah --pits 5 --seeds 5 --empty-capture --json"
    )]
    Kalah(KalahAskArgs),
    /// Tic-tac-toe
    #[command(name = "tictactoe", visible_alias = "ttt", max_term_width = 100)]
    TicTacToe {
        /// What counts
        #[arg(long, value_name = "SCORING", default_value = "shortest", value_enum)]
        scoring: ScoringArg,

        #[command(flatten)]
        what: What,

        #[command(flatten)]
        memory: Memory,
    },
    /// Reversi on a board of 4×4 cells
    #[command(max_term_width = 100)]
    Reversi4 {
        #[command(flatten)]
        start: StartOption,

        #[command(flatten)]
        what: What,

        #[command(flatten)]
        memory: Memory,
    },
    /// Reversi on an octagon of 24 cells: rows of 2, 4, 6, 6, 4 and 2
    #[command(max_term_width = 100)]
    Reversi24 {
        #[command(flatten)]
        start: StartOption,

        #[command(flatten)]
        what: What,

        #[command(flatten)]
        memory: Memory,
    },
    /// Eight: name 1, 2 or 3 in turn, never what was just named; who reaches 8 wins, who exceeds it
    /// loses
    #[command(max_term_width = 100)]
    Eight {
        #[command(flatten)]
        what: What,

        #[command(flatten)]
        memory: Memory,
    },
}

/// Kalah's options.
#[derive(Debug, clap::Args)]
pub struct KalahAskArgs {
    /// Pits a side, 1 to 6
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = number_of("pits", 6), allow_negative_numbers = true)]
    pub pits: usize,

    /// Seeds in each pit at the start
    #[arg(long, value_name = "N", value_parser = number_of("seeds", 4), allow_negative_numbers = true)]
    pub seeds: usize,

    /// A last seed in an empty own pit is captured even if the opposite pit is empty
    #[arg(long)]
    pub empty_capture: bool,

    /// Take the endgame from this table (of `solve kalah --up-to N`) instead of making it
    #[arg(long, value_name = "FILE")]
    pub endgame: Option<PathBuf>,

    #[command(flatten)]
    pub what: What,

    #[command(flatten)]
    pub resources: Resources,
}

/// How the discs in the middle lie at the start of Reversi.
#[derive(Debug, clap::Args)]
pub struct StartOption {
    /// How the four discs in the middle lie at the start
    #[arg(long, value_name = "START", default_value = "cross", value_enum)]
    start: StartArg,
}

/// What is asked.
#[derive(Debug, clap::Args)]
pub struct What {
    /// "first-player win?", "second-player win?" or "draw?": answered without finding the exact
    /// score, which is quicker
    pub question: Option<String>,

    /// The position to ask about, in the game's notation [default: the start of the game]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub position: Option<String>,

    /// Find the score of every move
    #[arg(long)]
    pub moves: bool,

    /// Print the answer as one line of JSON
    #[arg(long)]
    pub json: bool,

    /// With --json or a question: add a line of best play to the end of the game (else it is always
    /// shown)
    #[arg(long)]
    pub line: bool,
}

/// How much the transposition table may take.
#[derive(Debug, clap::Args)]
pub struct Memory {
    /// The most memory to use for the transposition table, such as 500M
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = resources::parse_size)]
    memory: u64,
}

impl AskArgs {
    fn what(&self) -> &What {
        match self {
            AskArgs::Kalah(args) => &args.what,
            AskArgs::TicTacToe { what, .. }
            | AskArgs::Reversi4 { what, .. }
            | AskArgs::Reversi24 { what, .. }
            | AskArgs::Eight { what, .. } => what,
        }
    }
}

pub fn run(args: &AskArgs) -> anyhow::Result<Answer> {
    let what = args.what();
    let question = what.question.as_deref().map(Question::parse).transpose()?;
    match search(args, question) {
        Err(error) if what.json => {
            query::report_error(what.position.as_deref().unwrap_or_default(), &error)
        }
        other => other,
    }
}

fn search(args: &AskArgs, question: Option<Question>) -> anyhow::Result<Answer> {
    match args {
        AskArgs::Kalah(args) => ask_kalah::run(args, question),
        AskArgs::TicTacToe {
            scoring,
            what,
            memory,
        } => {
            let scoring = match scoring {
                ScoringArg::Shortest => Scoring::Shortest,
                ScoringArg::Outcome => Scoring::Outcome,
            };
            by_search(&TicTacToe { scoring }, what, question, memory)
        }
        AskArgs::Reversi4 {
            start,
            what,
            memory,
        } => by_search(&reversi(Board::FourByFour, start), what, question, memory),
        AskArgs::Reversi24 {
            start,
            what,
            memory,
        } => by_search(&reversi(Board::Octagon, start), what, question, memory),
        AskArgs::Eight { what, memory } => by_search(&Eight, what, question, memory),
    }
}

fn reversi(board: Board, start: &StartOption) -> Reversi {
    Reversi {
        board,
        start: start.start.into(),
    }
}

/// Knows bounds of scores, at a price.
pub trait Oracle<G: Notation> {
    /// The score, seen from the side to move; if interrupted, its bounds. `each` hears bounds as
    /// they get closer.
    fn score(
        &self,
        position: &G::Position,
        guess: i32,
        each: &mut dyn FnMut(i32, i32),
    ) -> Result<i32, (i32, i32)>;

    /// A bound of the score: a lower one if it is `wanted` or more, otherwise an upper one. None if
    /// interrupted.
    fn bound(&self, position: &G::Position, wanted: i32) -> Option<i32>;

    /// What the score can be, before anything is searched.
    fn bounds(&self, position: &G::Position) -> (i32, i32);

    /// The first move to try.
    fn likely_best(&self, _position: &G::Position) -> Option<G::Move> {
        None
    }

    /// Positions visited so far.
    fn nodes(&self) -> u64;

    /// Moves to the farthest position visited so far, if that is counted.
    fn depth(&self) -> Option<u32> {
        None
    }

    /// How many threads search.
    fn threads(&self) -> usize {
        1
    }
}

/// Any game's search: MTD(f) over alpha-beta.
struct Generic<'a, G> {
    game: &'a G,
    table: TranspositionTable,
    bar: &'a Bar,
    nodes: AtomicU64,
    /// As many of them as the bar knows of.
    told: AtomicU64,
}

impl Counters for &AtomicU64 {
    fn node(&mut self) {
        self.fetch_add(1, Relaxed);
    }
}

impl<G: Notation> Oracle<G> for Generic<'_, G> {
    fn score(
        &self,
        position: &G::Position,
        guess: i32,
        each: &mut dyn FnMut(i32, i32),
    ) -> Result<i32, (i32, i32)> {
        let (mut lower, mut upper) = self.bounds(position);
        let mut guess = guess.clamp(lower, upper);
        while lower < upper {
            let wanted = guess.max(lower + 1);
            let found = self.bound(position, wanted).ok_or((lower, upper))?;
            if found >= wanted {
                lower = lower.max(found);
            } else {
                upper = upper.min(found);
            }
            guess = found.clamp(lower, upper);
            each(lower, upper);
        }
        Ok(lower)
    }

    fn bound(&self, position: &G::Position, wanted: i32) -> Option<i32> {
        let stop = || {
            let nodes = self.nodes();
            self.bar.advance(nodes - self.told.swap(nodes, Relaxed));
            self.bar.cancelled()
        };
        let found = Search::new(self.game)
            .with_table(&self.table)
            .stop_when(&stop)
            .counting(&self.nodes)
            .in_window(Algorithm::AlphaBeta, position, Window::at_least(wanted));
        found.ok()
    }

    fn bounds(&self, position: &G::Position) -> (i32, i32) {
        if let Some(score) = self.game.final_score(position) {
            return (score, score);
        }
        let (range, banked) = (self.game.score_range(), self.game.banked(position));
        (banked + range.lowest, banked + range.highest)
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }
}

fn by_search<G: Notation>(
    game: &G,
    what: &What,
    question: Option<Question>,
    memory: &Memory,
) -> anyhow::Result<Answer> {
    let position = position_of(game, what)?;
    output::catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let table = TranspositionTable::try_new(memory.memory).map_err(|_| {
        anyhow!(
            "can't get {} of memory for the transposition table; allow less with --memory",
            output::bytes(memory.memory)
        )
    })?;
    let oracle = Generic {
        game,
        table,
        bar: &bar,
        nodes: AtomicU64::new(0),
        told: AtomicU64::new(0),
    };
    answer(game, &oracle, &position, what, question, &bar)
}

/// The position asked about; the game must not be over in it.
pub fn position_of<G: Notation>(game: &G, what: &What) -> anyhow::Result<G::Position> {
    let position = match &what.position {
        Some(text) => game.parse_position(text)?,
        None => game.start(),
    };
    match game.final_score(&position) {
        None => Ok(position),
        Some(score) => Err(anyhow!(
            "the game is over in \"{}\": {}; ask about a position with a move to make, such as \"{}\"",
            game.format_position(&position),
            who_wins(game.seen_from(Side::First, &position, score)),
            game.format_position(&game.start())
        )),
    }
}

#[derive(Serialize)]
struct Report<'a> {
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_most: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_player_score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_move: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    nodes: u64,
    seconds: f64,
}

/// Ctrl-C came. What is known of the position's score is in [`Found`].
struct Interrupted;

struct Asking<'a, G: Notation> {
    game: &'a G,
    oracle: &'a dyn Oracle<G>,
    bar: &'a Bar,
    position: &'a G::Position,
    found: Found<G>,
}

/// What has been found out so far; scores are seen from the side to move.
struct Found<G: Notation> {
    lower: i32,
    upper: i32,
    moves: Vec<(G::Move, i32)>,
    best_move: Option<G::Move>,
    line: Vec<String>,
    answer: Option<bool>,
}

/// Answers what is asked about a position.
pub fn answer<G: Notation>(
    game: &G,
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    what: &What,
    question: Option<Question>,
    bar: &Bar,
) -> anyhow::Result<Answer> {
    let began = Instant::now();
    let (lower, upper) = oracle.bounds(position);
    let mut asking = Asking {
        game,
        oracle,
        bar,
        position,
        found: Found {
            lower,
            upper,
            moves: Vec::new(),
            best_move: None,
            line: Vec::new(),
            answer: None,
        },
    };
    let outcome = asking.find_out(question, what);
    bar.finish();
    let seconds = began.elapsed().as_secs_f64();
    let mut out = anstream::stdout().lock();
    if what.json {
        let error = outcome.is_err().then(|| "interrupted".to_owned());
        let report = asking.report(error, what, seconds);
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else if outcome.is_err() {
        return Err(anyhow!(
            "interrupted; proven so far: {}",
            asking.all_proven()
        ));
    } else if let Some(yes) = asking.found.answer {
        let style = if yes { output::GOOD } else { output::BAD };
        let word = if yes { "yes" } else { "no" };
        writeln!(out, "{style}{word}{style:#}: {}", asking.reason())?;
        if what.moves {
            query::describe_moves(game, position, &asking.found.moves, &mut out)?;
        }
        if what.line {
            writeln!(out, "Best play: {}", asking.found.line.join(" "))?;
        }
    }
    if !what.json && question.is_none() {
        asking.describe(what, seconds, &mut out)?;
    }
    Ok(match (outcome, asking.found.answer) {
        (Err(Interrupted), _) => Answer::Failed,
        (Ok(()), Some(false)) => Answer::No,
        (Ok(()), _) => Answer::Yes,
    })
}

impl<G: Notation> Asking<'_, G> {
    fn find_out(&mut self, question: Option<Question>, what: &What) -> Result<(), Interrupted> {
        match question {
            Some(question) if !what.moves && !what.line => {
                self.decide(question)?;
            }
            _ => {
                let score = self.score(self.position.clone(), None)?;
                if what.moves {
                    self.score_moves(score)?;
                    self.found.best_move = Some(self.found.moves[0].0);
                } else {
                    self.found.best_move = Some(self.best_move(self.position, score)?);
                }
                if what.line || !what.json && question.is_none() {
                    self.find_line(score)?;
                }
                let first = self.game.seen_from(Side::First, self.position, score);
                self.found.answer = question.map(|question| question.answer(first));
            }
        }
        Ok(())
    }

    /// Announces a search on the bar.
    fn announce(&self, what: &str, lower: i32, upper: i32) {
        let depth = self
            .oracle
            .depth()
            .filter(|&depth| depth > 0)
            .map_or_else(String::new, |depth| format!(", depth {depth}"));
        let (lower, upper) = (output::signed(lower), output::signed(upper));
        let name = format!("{what}{lower} to {upper}{depth}");
        self.bar.phase(&name, "positions", 0);
    }

    /// A position's score: that of the position asked about, or after a move of it.
    fn score(&mut self, position: G::Position, mv: Option<G::Move>) -> Result<i32, Interrupted> {
        let what = match mv {
            None => "score ".to_owned(),
            Some(mv) => format!("after {}: ", self.game.format_move(mv)),
        };
        let (lower, upper) = self.oracle.bounds(&position);
        self.announce(&what, lower, upper);
        let guess = self.game.banked(&position);
        let found = self.oracle.score(&position, guess, &mut |lower, upper| {
            self.announce(&what, lower, upper);
        });
        if mv.is_none() {
            let (lower, upper) = found.map_or_else(|bounds| bounds, |score| (score, score));
            (self.found.lower, self.found.upper) = (lower, upper);
        }
        found.map_err(|_| Interrupted)
    }

    /// Whether the score of the position asked about is so high; no closer look than that.
    fn at_least(&mut self, wanted: i32) -> Result<bool, Interrupted> {
        if self.found.lower >= wanted {
            return Ok(true);
        }
        if self.found.upper < wanted {
            return Ok(false);
        }
        self.announce("score ", self.found.lower, self.found.upper);
        let found = self
            .oracle
            .bound(self.position, wanted)
            .ok_or(Interrupted)?;
        if found >= wanted {
            self.found.lower = self.found.lower.max(found);
        } else {
            self.found.upper = self.found.upper.min(found);
        }
        Ok(found >= wanted)
    }

    fn decide(&mut self, question: Question) -> Result<(), Interrupted> {
        let first = self.game.side_to_move(self.position) == Side::First;
        let answer = match question {
            Question::Draw => self.at_least(0)? && !self.at_least(1)?,
            Question::FirstPlayerWin if first => self.at_least(1)?,
            Question::SecondPlayerWin if !first => self.at_least(1)?,
            Question::FirstPlayerWin | Question::SecondPlayerWin => !self.at_least(0)?,
        };
        self.found.answer = Some(answer);
        // Only where the side to move has something to keep is there a move that keeps it.
        if self.found.lower >= 0 {
            let position = self.position.clone();
            self.found.best_move = Some(self.best_move(&position, self.found.lower)?);
        }
        Ok(())
    }

    /// Whether a move scores so much for who makes it.
    fn keeps(&self, position: &G::Position, mv: G::Move, score: i32) -> Result<bool, Interrupted> {
        let child = self.game.play(position, mv);
        let same = self.game.side_to_move(&child) == self.game.side_to_move(position);
        let wanted = if same { score } else { 1 - score };
        let reached = match self.game.final_score(&child) {
            Some(score) => score >= wanted,
            None => self.oracle.bound(&child, wanted).ok_or(Interrupted)? >= wanted,
        };
        Ok(reached == same)
    }

    /// A move that scores so much; there must be one.
    fn best_move(&self, position: &G::Position, score: i32) -> Result<G::Move, Interrupted> {
        let moves = self.game.legal_moves(position);
        let likely = self.oracle.likely_best(position);
        let mut last = None;
        for mv in likely.into_iter().chain(moves) {
            last = Some(mv);
            if self.keeps(position, mv, score)? {
                break;
            }
        }
        Ok(last.expect("a move of an unfinished position"))
    }

    fn score_moves(&mut self, score: i32) -> Result<(), Interrupted> {
        let side = self.game.side_to_move(self.position);
        for mv in self.game.legal_moves(self.position) {
            let child = self.game.play(self.position, mv);
            let found = match self.game.final_score(&child) {
                Some(score) => score,
                None => self.score(child.clone(), Some(mv))?,
            };
            let score = self.game.seen_from(side, &child, found);
            self.found.moves.push((mv, score));
        }
        self.found
            .moves
            .sort_by_key(|&(_, score)| std::cmp::Reverse(score));
        debug_assert_eq!(self.found.moves[0].1, score);
        Ok(())
    }

    /// Best play to the end.
    fn find_line(&mut self, mut score: i32) -> Result<(), Interrupted> {
        let mut position = self.position.clone();
        while self.game.final_score(&position).is_none() {
            let mv = self.best_move(&position, score)?;
            self.found.line.push(self.game.format_move(mv));
            let child = self.game.play(&position, mv);
            if self.game.side_to_move(&child) != self.game.side_to_move(&position) {
                score = -score;
            }
            position = child;
        }
        Ok(())
    }

    /// Bounds of the first player's score.
    fn first_bounds(&self) -> (i32, i32) {
        let Found { lower, upper, .. } = self.found;
        match self.game.side_to_move(self.position) {
            Side::First => (lower, upper),
            Side::Second => (-upper, -lower),
        }
    }

    /// "the first player wins by 2 or more"
    fn proven(&self) -> String {
        let (lower, upper) = self.first_bounds();
        match (lower, upper) {
            _ if lower == upper && lower != 0 => format!("the {}", who_wins(lower)),
            _ if lower == upper => who_wins(lower),
            (1.., _) => format!("the first player wins by {lower} or more"),
            (_, ..=-1) => format!("the second player wins by {} or more", -upper),
            (0, _) => "the first player gets a draw or better".to_owned(),
            (_, 0) => "the second player gets a draw or better".to_owned(),
            _ => format!(
                "the first player's score is from {} to {}",
                output::signed(lower),
                output::signed(upper)
            ),
        }
    }

    /// Together with the moves' scores that are known already.
    fn all_proven(&self) -> String {
        let moves = self.found.moves.iter().map(|&(mv, score)| {
            let (noun, mv) = (self.game.move_noun(), self.game.format_move(mv));
            format!("; {noun} {mv} scores {}", output::signed(score))
        });
        std::iter::once(self.proven()).chain(moves).collect()
    }

    /// One sentence.
    fn reason(&self) -> String {
        let part = if self.game.is_whole(self.position) {
            ""
        } else {
            ", counting only what is still to come,"
        };
        let with = match self.found.best_move {
            Some(mv) if self.found.lower >= 0 => {
                format!(
                    ", with {} {}",
                    self.game.move_noun(),
                    self.game.format_move(mv)
                )
            }
            _ => String::new(),
        };
        format!("with best play{part} {}{with}.", self.proven())
    }

    fn report(&self, error: Option<String>, what: &What, seconds: f64) -> Report<'_> {
        let Found { lower, upper, .. } = self.found;
        let exact = lower == upper;
        let format = |mv: G::Move| self.game.format_move(mv);
        let moves = self.found.moves.iter().map(|&(mv, score)| MoveReport {
            mv: format(mv),
            score,
        });
        Report {
            position: self.game.format_position(self.position),
            score: exact.then_some(lower),
            score_at_least: (!exact).then_some(lower),
            score_at_most: (!exact).then_some(upper),
            outcome: (exact || lower > 0 || upper < 0)
                .then(|| outcome_name(if lower > 0 { lower } else { upper })),
            first_player_score: exact.then(|| self.first_bounds().0),
            best_move: self.found.best_move.map(format),
            moves: what.moves.then(|| moves.collect()),
            line: what.line.then_some(&self.found.line),
            answer: self.found.answer,
            error,
            nodes: self.oracle.nodes(),
            seconds,
        }
    }

    fn describe(&self, what: &What, seconds: f64, out: &mut impl Write) -> anyhow::Result<()> {
        let (strong, faint) = (output::STRONG, output::FAINT);
        writeln!(
            out,
            "{strong}{}{strong:#}  {faint}{}{faint:#}",
            self.game.format_position(self.position),
            self.game.name()
        )?;
        writeln!(out, "\n{}\n", self.game.board(self.position))?;
        let score = self.found.lower;
        let style = output::style_of(score);
        let part = if self.game.is_whole(self.position) {
            ""
        } else {
            ", counting only what is still to come"
        };
        writeln!(
            out,
            "With best play{part}: {style}{}{style:#}.",
            who_wins(self.first_bounds().0)
        )?;
        if what.moves {
            query::describe_moves(self.game, self.position, &self.found.moves, out)?;
        }
        writeln!(out, "Best play: {}", self.found.line.join(" "))?;
        writeln!(
            out,
            "{faint}{} positions searched in {seconds:.1} s ({}).{faint:#}",
            output::count(self.oracle.nodes()),
            match self.oracle.threads() {
                1 => "1 thread".to_owned(),
                threads => format!("{threads} threads"),
            }
        )?;
        Ok(())
    }
}
