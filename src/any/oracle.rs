//! Oracles without the type of their game, with questions and answers in text.

use super::batch::{ArrayShape, BatchError, Positions, ScoreNumbers, ScoresOf};
use super::graph::MoveGraph;
use super::labels::{Labeller, LabelsWanted};
use super::view::View;
use crate::check::builtin::Builtin;
use crate::check::tournament::{Tournament, TournamentOptions};
use crate::check::{CheckError, CheckOptions, External, Fault, InText, List, Report, Trace};
use crate::game::{KnownScores, Progress, Side, SolveError, SolveOptions};
use crate::oracle::{Answer, AskError, Wanted};
use crate::solve::Searched;
use crate::table::{CheckedFile, ReadError, Sample, Verdict, VerifyError, VerifyOptions};
use std::sync::Arc;

/// Only this module implements the traits, so that methods can be added to them.
pub(super) trait Sealed {}

/// Methods of an oracle that only the program calls.
pub(crate) trait Internal {
    /// Plays a tournament between AIs ([`crate::check::tournament::play`]).
    ///
    /// # Errors
    /// The errors of `play`.
    #[cfg(not(target_family = "wasm"))]
    fn tournament(
        &self,
        ais: &[AnyAi],
        options: &TournamentOptions,
        progress: &dyn Progress,
    ) -> Result<Tournament, CheckError>;

    /// Asks an AI for moves, one question after the other, until there are no more.
    ///
    /// A program is started at the first question, and again at the first one after a fault.
    #[cfg(not(target_family = "wasm"))]
    fn ask_ai(&self, ai: &AnyAi, questions: &mut dyn Iterator<Item = MoveQuestion>);
}

/// A question to an AI for its move.
pub(crate) struct MoveQuestion {
    /// An unfinished position.
    pub position: String,
    /// The moves that lead to it from the start, if known.
    pub moves: Option<Vec<String>>,
    /// Receives the reply.
    pub reply: Box<dyn FnOnce(MoveReply)>,
}

/// A move, with the end of what a program wrote to standard error meanwhile, or a fault.
pub(crate) type MoveReply = Result<(String, String), Fault>;

/// An oracle with text as interface.
#[expect(private_bounds, reason = "sealed")]
pub trait AnyOracle: Internal + Send + Sync {
    /// Returns the name of the game.
    fn name(&self) -> String;

    /// Returns the noun for the thing that a move names, for sentences: "pit".
    fn move_noun(&self) -> &'static str;

    /// Returns a player's name besides "first" or "second", if there is one: "X".
    fn side_name(&self, side: Side) -> Option<&'static str>;

    /// Returns whether scores are outcomes with distances in plies.
    fn counts_plies(&self) -> bool;

    /// Returns the number of decimals of points ([`InWords::decimals`](crate::game::InWords)).
    fn decimals(&self) -> Option<u32>;

    /// Returns the numbers of arrays of scores.
    fn score_numbers(&self) -> ScoreNumbers;

    /// Returns the game and its parameters in plain words, for headings.
    fn title(&self) -> String;

    /// Returns the start of the game.
    fn start(&self) -> String;

    /// Returns the position after these moves from a position, or from the start.
    ///
    /// # Errors
    /// If there is no such position, or one of the moves is not legal.
    fn view(&self, from: Option<&str>, moves: &[&str]) -> Result<View, AskError>;

    /// Answers a question about a position, or about the start.
    ///
    /// A search reports to the client, if there is one, instead of to the progress that it was made
    /// with.
    ///
    /// # Errors
    /// If it isn't a position of the game, it is finished and more than its score is wanted, or the
    /// oracle can't answer.
    fn ask(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        client: Option<Client<'_>>,
    ) -> Result<Answer, AskError>;

    /// Returns the answers about many positions, in their order.
    fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>>;

    /// Returns a built-in AI's move in an unfinished position.
    ///
    /// # Errors
    /// If there is no such position, or it is finished.
    fn choose(&self, ai: Builtin, position: &str) -> Result<String, AskError>;

    /// Returns the canonical position of a position's class, and its layer.
    ///
    /// # Errors
    /// If there is no such position.
    fn canonical(&self, position: &str) -> Result<(String, u32), AskError>;

    /// Returns the images of a position under the game's symmetries, itself first. All have its
    /// score.
    ///
    /// # Errors
    /// If there is no such position.
    fn symmetries(&self, position: &str) -> Result<Vec<String>, AskError>;

    /// Returns the unfinished positions reachable from the start, or one of each class.
    ///
    /// # Errors
    /// If they don't fit into `memory` bytes, or the caller cancels.
    #[cfg(not(target_family = "wasm"))]
    fn graph(
        &self,
        by_class: bool,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<MoveGraph, SolveError>;

    /// Returns the columns of the game's arrays, if it supports them.
    fn array_shape(&self) -> Option<ArrayShape>;

    /// Puts the scores of many positions, or of their moves, into `out`.
    ///
    /// Runs on the threads of the caller's pool. If `missing` is given, it stands for the scores of
    /// positions that have none.
    ///
    /// # Errors
    /// If a position has no score (the first one is named), the caller cancels, or the game has no
    /// list of moves.
    ///
    /// # Panics
    /// If the length of `out` is not the number of scores.
    #[cfg(not(target_family = "wasm"))]
    fn scores(
        &self,
        positions: Positions<'_>,
        of: ScoresOf,
        missing: Option<i32>,
        out: &mut [i32],
        progress: &dyn Progress,
    ) -> Result<(), BatchError>;

    /// Converts positions to rows of an array, one after the other.
    ///
    /// # Errors
    /// If one isn't a position of the game (the first one is named), or the game has no arrays.
    #[cfg(not(target_family = "wasm"))]
    fn rows(&self, positions: &[&str]) -> Result<Vec<u8>, BatchError>;

    /// Converts rows of an array to text.
    ///
    /// # Errors
    /// If one isn't a position of the game (the first one is named), or the game has no arrays.
    #[cfg(not(target_family = "wasm"))]
    fn texts(&self, rows: &[u8]) -> Result<Vec<String>, BatchError>;

    /// Asks an AI and grades its answers ([`crate::check::check`]).
    ///
    /// # Errors
    /// The errors of [`crate::check::check`].
    #[cfg(not(target_family = "wasm"))]
    fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError>;
}

/// One of several clients of an oracle.
pub struct Client<'a> {
    /// Receives reports of the search for this client, and may cancel it.
    pub progress: &'a dyn Progress,
    /// Receives the partial answer whenever more is known.
    pub report: &'a mut dyn FnMut(&Answer),
}

/// The way to verify a table.
#[derive(Debug)]
pub enum VerifyBy<'a> {
    /// Proves the whole table ([`verify`](crate::table::verify())).
    Proof(&'a VerifyOptions),
    /// Compares a sample of the entries with their moves
    /// ([`verify_sample`](crate::table::verify_sample())).
    Sample(Sample),
    /// Searches a sample of the entries, or all
    /// ([`verify_by_search`](crate::solve::verify_by_search)).
    Search(Option<Sample>, SolveOptions),
}

/// The findings about a table.
#[derive(Debug)]
pub enum Verified {
    /// The verdict of comparing entries with their moves.
    Compared(Verdict),
    /// The entries for which a search finds another score.
    Searched(Searched),
}

/// An AI for a game whose type is not known.
pub enum AnyAi {
    /// A built-in AI of the checker or the game, by its name.
    Builtin(String),
    /// An external program.
    Program(External),
    /// An AI in this process, with text as interface.
    Text(InText),
    /// A built-in AI whose positions and moves are passed on.
    Traced(String, Trace),
}

/// A table without the type of its game.
pub trait AnyTable: AnyOracle {
    /// Returns the table's file.
    fn file(&self) -> &CheckedFile;

    /// Returns the table's scores, for use as the endgame of a search.
    fn into_known_scores(self: Box<Self>) -> Arc<dyn KnownScores>;

    /// Returns the same table with a cache of at most `bytes` bytes of decoded data.
    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable>;

    /// Samples entries uniformly, with all moves' scores, until `each` returns false.
    ///
    /// The same seed gives the same sample.
    ///
    /// # Errors
    /// If the table can't be read.
    fn sample(&self, seed: u64, each: &mut dyn FnMut(Answer) -> bool) -> Result<(), AskError>;

    /// Returns the key of a position's class ([`Game::key`](crate::game::Game::key)).
    ///
    /// # Errors
    /// If there is no such position.
    fn key(&self, position: &str) -> Result<u128, AskError>;

    /// Returns the canonical unfinished position with this key, if there is one.
    fn position_of_key(&self, key: u128) -> Option<String>;

    /// Returns a reader of the scores of all entries.
    ///
    /// If the decoded table fits in `memory` bytes, it is loaded first, which is much faster for
    /// all entries and slower for a few.
    ///
    /// # Errors
    /// If the table can't be read, or the caller cancels.
    #[cfg(not(target_family = "wasm"))]
    fn labeller<'t>(
        &'t self,
        wanted: LabelsWanted,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Labeller + 't>, ReadError>;

    /// Returns the number of a position's slot, if the game's positions are numbered.
    ///
    /// Canonical unfinished positions, reachable or not, have numbers less than
    /// [`AnyTable::slots`]. All positions of a class have the same number.
    ///
    /// # Errors
    /// If it isn't a position of the game.
    fn rank(&self, position: &str) -> Result<Option<u64>, AskError>;

    /// Returns the canonical position of a slot.
    fn unrank(&self, rank: u64) -> Option<String>;

    /// Returns the number of slots, if the game's positions are numbered.
    fn slots(&self) -> Option<u64>;

    /// Verifies the table.
    ///
    /// # Errors
    /// The errors of [`verify`](crate::table::verify()),
    /// [`verify_sample`](crate::table::verify_sample()) or
    /// [`verify_by_search`](crate::solve::verify_by_search).
    #[cfg(not(target_family = "wasm"))]
    fn verify(&self, by: VerifyBy<'_>, progress: &dyn Progress) -> Result<Verified, VerifyError>;
}
