//! `query`: answers from a table, or by search.

use super::Answer;
use super::advice;
use super::ask::{self, AskArgs};
use super::output;
use crate::game::{Notation, Outcome, Roots, Side, best_moves};
use crate::games::AnyGame;
use crate::table::{Access, Table, TableFile};
use crate::with_game;
use anyhow::{Context, anyhow, bail};
use clap::Subcommand;
use serde::Serialize;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Ask about a position: a table, or without one by search
///
/// `query --table FILE` answers from a table, `query GAME` by a search of that one position;
/// `query GAME --help` says more. Without a QUESTION: the board, who wins by how much, every move
/// with its score, best first, and one line of best play to the end. With a QUESTION: yes or no,
/// and why.
///
/// Scores are the side to move's, for the whole game; where the position leaves out the stores, for
/// the rest of the game.
#[derive(Debug, clap::Args)]
#[command(
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    override_usage = "zermelo query [OPTIONS] --table <FILE> [QUESTION]\n       zermelo query <GAME>",
    after_help = "\
Exit codes: 0 yes (or answered), 1 no, 2 an error (with --batch: in at least one line).

Examples:
  zermelo query kalah --seeds 4 \"first-player win?\"
  zermelo query --table data/kalah-6-2.bin
  zermelo query --table data/kalah-6-2.bin \"first-player win?\"
  zermelo query --table data/ttt.bin --position X...O....
  zermelo query --table data/kalah-6-2.bin --batch --json < positions.txt"
)]
pub struct QueryArgs {
    #[command(subcommand)]
    game: Option<AskArgs>,

    /// The table to ask
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    /// "first-player win?", "second-player win?" or "draw?"
    question: Option<String>,

    /// The position to ask about, in the game's notation [default: the start of the game]
    #[arg(
        long,
        value_name = "P",
        conflicts_with = "batch",
        allow_hyphen_values = true
    )]
    position: Option<String>,

    /// Read positions from standard input, one a line, and answer a line each: score, outcome and
    /// best moves, separated by tabs, or with --json an object; bad lines get an error line each
    #[arg(long)]
    batch: bool,

    /// Print the answer as one line of JSON
    #[arg(long)]
    json: bool,

    /// With --json: add a line of best play to the end of the game (people always see it)
    #[arg(long)]
    line: bool,

    /// Read the file piece by piece instead of mapping it into memory
    #[arg(long)]
    no_mmap: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    FirstPlayerWin,
    SecondPlayerWin,
    Draw,
}

impl Question {
    pub fn parse(text: &str) -> anyhow::Result<Question> {
        let words: Vec<String> = text
            .to_lowercase()
            .replace(['?', '-'], " ")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["first", "player", "win" | "wins"] => Ok(Question::FirstPlayerWin),
            ["second", "player", "win" | "wins"] => Ok(Question::SecondPlayerWin),
            ["draw"] => Ok(Question::Draw),
            _ => bail!(
                "\"{text}\" is not a question that can be answered; ask \"first-player win?\", \"second-player win?\" or \"draw?\""
            ),
        }
    }

    pub fn answer(self, first_player_score: i32) -> bool {
        let outcome = Outcome::of(first_player_score);
        match self {
            Question::FirstPlayerWin => outcome == Outcome::Win,
            Question::SecondPlayerWin => outcome == Outcome::Loss,
            Question::Draw => outcome == Outcome::Draw,
        }
    }
}

#[derive(Serialize)]
pub struct MoveReport {
    #[serde(rename = "move")]
    pub mv: String,
    pub score: i32,
}

#[derive(Serialize)]
struct Report {
    position: String,
    score: i32,
    outcome: &'static str,
    first_player_score: i32,
    moves: Vec<MoveReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<bool>,
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    position: &'a str,
    error: String,
}

pub fn run(args: &QueryArgs) -> anyhow::Result<Answer> {
    if let Some(game) = &args.game {
        return ask::run(game);
    }
    let Some(table) = args.table.as_deref() else {
        let games = AskArgs::augment_subcommands(clap::Command::new("query"));
        let games: Vec<&str> = games
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        let what = match &args.question {
            Some(text) if Question::parse(text).is_err() => {
                format!("\"{text}\" is neither a game nor a question")
            }
            _ => "neither a table nor a game to ask about".to_owned(),
        };
        bail!(
            "{what}: name a table, such as --table data/kalah-6-2.bin, or a game to be searched without one: {}",
            games.join(", ")
        );
    };
    let question = args.question.as_deref().map(Question::parse).transpose()?;
    let file = open(table, args.no_mmap)?;
    let game = game_of(&file, table)?;
    with_game!(game, game => {
        let asker = Asker::new(file, game, question, args.line)?;
        if args.batch {
            asker.batch(args.json)
        } else {
            asker.one(args.position.as_deref(), args.json)
        }
    })
}

/// What can't be answered, as JSON.
pub fn report_error(position: &str, error: &anyhow::Error) -> anyhow::Result<Answer> {
    let error = advice::with_advice(error);
    let line = serde_json::to_string(&ErrorReport { position, error })?;
    writeln!(anstream::stdout(), "{line}")?;
    Ok(Answer::Failed)
}

/// Opens a table file.
pub fn open(path: &Path, no_mmap: bool) -> anyhow::Result<TableFile> {
    let access = if no_mmap { Access::Plain } else { Access::Mmap };
    Ok(TableFile::open(path, access)?)
}

/// The game that a table says it is of.
pub fn game_of(file: &TableFile, path: &Path) -> anyhow::Result<AnyGame> {
    AnyGame::from_rules(file.rules()).with_context(|| format!("{} can't be used", path.display()))
}

/// "first player wins by 6", "draw"
pub fn who_wins(first_player_score: i32) -> String {
    match Outcome::of(first_player_score) {
        Outcome::Win => format!("first player wins by {first_player_score}"),
        Outcome::Draw => "a draw".to_owned(),
        Outcome::Loss => format!("second player wins by {}", -first_player_score),
    }
}

/// "first player wins by 6, with pit 5 alone"
pub fn who_wins_how<G: Notation>(
    game: &G,
    to_move: Side,
    first_player_score: i32,
    best_moves: &[String],
) -> String {
    let who = who_wins(first_player_score);
    let moves = list_moves(game, best_moves);
    let score = match to_move {
        Side::First => first_player_score,
        Side::Second => -first_player_score,
    };
    match Outcome::of(score) {
        Outcome::Win => format!("{who}, with {moves}"),
        Outcome::Draw => format!("{who}, kept with {moves}"),
        Outcome::Loss => format!("{who}; the {to_move} player loses least with {moves}"),
    }
}

/// "pit 5 alone", "cell a1, b1 or c1"
pub fn list_moves<G: Notation>(game: &G, moves: &[String]) -> String {
    let noun = game.move_noun();
    match moves {
        [] => "no move".to_owned(),
        [only] => format!("{noun} {only} alone"),
        [others @ .., last] => format!("{noun} {} or {last}", others.join(", ")),
    }
}

/// The moves with their scores, a line each.
pub fn describe_moves<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[(G::Move, i32)],
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "Moves of the {} player, best first:",
        game.side_to_move(position)
    )?;
    let names: Vec<String> = moves.iter().map(|&(mv, _)| game.format_move(mv)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for (name, &(_, score)) in names.iter().zip(moves) {
        let style = output::style_of(score);
        writeln!(
            out,
            "  {name:<width$}  {style}{:>4}{style:#}",
            output::signed(score)
        )?;
    }
    Ok(())
}

/// The outcome's name in JSON.
pub fn outcome_name(score: i32) -> &'static str {
    match Outcome::of(score) {
        Outcome::Win => "win",
        Outcome::Draw => "draw",
        Outcome::Loss => "loss",
    }
}

struct Asker<G: Notation> {
    table: Table<G>,
    game: G,
    question: Option<Question>,
    line: bool,
}

/// A position with all that a table says of it.
struct Found<G: Notation> {
    position: G::Position,
    score: i32,
    first_player_score: i32,
    moves: Vec<(G::Move, i32)>,
}

impl<G: Notation> Asker<G> {
    fn new(
        file: TableFile,
        game: G,
        question: Option<Question>,
        line: bool,
    ) -> anyhow::Result<Asker<G>> {
        Ok(Asker {
            table: Table::new(file, game.clone())?,
            game,
            question,
            line,
        })
    }

    fn find(&self, position: G::Position) -> anyhow::Result<Found<G>> {
        if let Some(score) = self.game.final_score(&position) {
            let first = self.game.seen_from(Side::First, &position, score);
            return Err(anyhow!(
                "the game is over in \"{}\": {}; ask about a position with a move to make, such as \"{}\"",
                self.game.format_position(&position),
                who_wins(first),
                self.game.format_position(&self.game.start())
            ));
        }
        // The position itself must be in the table; its moves alone would answer for some that are
        // not.
        let score = self.table.score(&position)?;
        let moves = self.table.play_scores(&position)?;
        Ok(Found {
            first_player_score: self.game.seen_from(Side::First, &position, score),
            position,
            score,
            moves,
        })
    }

    fn best_moves(&self, found: &Found<G>) -> Vec<String> {
        best_moves(&found.moves)
            .map(|mv| self.game.format_move(mv))
            .collect()
    }

    /// Best play to the end, always with the first of the best moves.
    fn best_line(&self, position: &G::Position) -> anyhow::Result<Vec<String>> {
        let mut line = Vec::new();
        let mut position = position.clone();
        while self.game.final_score(&position).is_none() {
            let moves = self.table.play_scores(&position)?;
            let (mv, _) = *moves.first().context("a position without moves")?;
            line.push(self.game.format_move(mv));
            position = self.game.play(&position, mv);
        }
        Ok(line)
    }

    fn report(&self, found: &Found<G>) -> anyhow::Result<Report> {
        Ok(Report {
            position: self.game.format_position(&found.position),
            score: found.score,
            outcome: outcome_name(found.score),
            first_player_score: found.first_player_score,
            moves: found
                .moves
                .iter()
                .map(|&(mv, score)| MoveReport {
                    mv: self.game.format_move(mv),
                    score,
                })
                .collect(),
            line: if self.line {
                Some(self.best_line(&found.position)?)
            } else {
                None
            },
            answer: self
                .question
                .map(|question| question.answer(found.first_player_score)),
        })
    }

    fn one(&self, position: Option<&str>, json: bool) -> anyhow::Result<Answer> {
        let mut out = anstream::stdout().lock();
        let found = position
            .map_or_else(
                || match self.game.capabilities().solving.roots() {
                    Roots::Start => Ok(self.game.start()),
                    Roots::Everywhere => Err(anyhow!(
                        "{} has no start: say which position with --position, such as --position \"{}\"",
                        self.game.name(),
                        self.game.format_position(&self.game.start())
                    )),
                },
                |text| Ok(self.game.parse_position(text)?),
            )
            .and_then(|position| self.find(position));
        let found = match found {
            Ok(found) => found,
            Err(error) if json => {
                drop(out);
                return report_error(position.unwrap_or_default(), &error);
            }
            Err(error) => return Err(error),
        };
        if json {
            writeln!(out, "{}", serde_json::to_string(&self.report(&found)?)?)?;
        } else if let Some(question) = self.question {
            let yes = question.answer(found.first_player_score);
            let style = if yes { output::GOOD } else { output::BAD };
            writeln!(
                out,
                "{style}{}{style:#}: {}",
                if yes { "yes" } else { "no" },
                self.reason(&found)
            )?;
        } else {
            self.describe(&found, &mut out)?;
        }
        Ok(match self.question {
            Some(question) if !question.answer(found.first_player_score) => Answer::No,
            _ => Answer::Yes,
        })
    }

    /// One sentence.
    fn reason(&self, found: &Found<G>) -> String {
        let to_move = self.game.side_to_move(&found.position);
        let first = found.first_player_score;
        let how = who_wins_how(&self.game, to_move, first, &self.best_moves(found));
        let the = if first == 0 { "" } else { "the " };
        let part = if self.game.is_whole(&found.position) {
            ""
        } else {
            ", counting only what is still to come,"
        };
        format!("with best play{part} {the}{how}.")
    }

    fn describe(&self, found: &Found<G>, out: &mut impl Write) -> anyhow::Result<()> {
        let strong = output::STRONG;
        let faint = output::FAINT;
        writeln!(
            out,
            "{strong}{}{strong:#}  {faint}{}{faint:#}",
            self.game.format_position(&found.position),
            self.game.name()
        )?;
        writeln!(out, "\n{}\n", self.game.board(&found.position))?;
        let style = output::style_of(found.score);
        writeln!(
            out,
            "{}: {style}{}{style:#}.",
            if self.game.is_whole(&found.position) {
                "With best play"
            } else {
                "With best play, counting only what is still to come"
            },
            who_wins(found.first_player_score)
        )?;
        describe_moves(&self.game, &found.position, &found.moves, out)?;
        let line = self.best_line(&found.position)?;
        writeln!(out, "Best play: {}", line.join(" "))?;
        Ok(())
    }

    fn batch(&self, json: bool) -> anyhow::Result<Answer> {
        let mut input = io::stdin().lock();
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let mut line = Vec::new();
        let mut failed = false;
        loop {
            line.clear();
            let read = input
                .read_until(b'\n', &mut line)
                .context("can't read standard input")?;
            if read == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            let found = self
                .game
                .parse_position(text)
                .map_err(anyhow::Error::from)
                .and_then(|position| self.find(position));
            match found {
                Ok(found) if json => {
                    serde_json::to_writer(&mut out, &self.report(&found)?)
                        .map_err(io::Error::from)?;
                }
                Ok(found) => self.batch_line(&found, &mut out)?,
                Err(error) => {
                    failed = true;
                    let error = format!("{error:#}");
                    if json {
                        let report = ErrorReport {
                            position: text,
                            error,
                        };
                        serde_json::to_writer(&mut out, &report).map_err(io::Error::from)?;
                    } else {
                        write!(out, "error: {error}")?;
                    }
                }
            }
            out.write_all(b"\n")?;
        }
        out.flush()?;
        Ok(if failed { Answer::Failed } else { Answer::Yes })
    }

    fn batch_line(&self, found: &Found<G>, out: &mut impl Write) -> io::Result<()> {
        if let Some(question) = self.question {
            let yes = question.answer(found.first_player_score);
            return out.write_all(if yes { b"yes" } else { b"no" });
        }
        write!(
            out,
            "{}\t{}\t{}",
            output::signed(found.score),
            Outcome::of(found.score),
            self.best_moves(found).join(" ")
        )
    }
}
