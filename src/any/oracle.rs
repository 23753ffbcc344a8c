//! Oracles whose game's type is left open: asked and answering in text.

use super::batch::{ArrayShape, BatchError, Positions, ScoresOf};
use super::labels::{Labeller, LabelsWanted};
#[cfg(feature = "cli")]
use super::look::{Look, LookError};
#[cfg(doc)]
use crate::check::check_and_list;
use crate::check::{CheckError, CheckOptions, External, List, Report, TextAi};
use crate::game::{KeptScores, Outcome, Progress, SolveOptions};
use crate::oracle::{Answer, AskError, Wanted};
use crate::table::{CheckedFile, ReadError, Sample, Searched, Verdict, VerifyError, VerifyOptions};
#[cfg(doc)]
use crate::table::{verify_by_search, verify_sample};
use std::sync::Arc;

/// An oracle that is asked in text.
pub trait AnyOracle: Send + Sync {
    /// The game's name.
    fn name(&self) -> String;

    /// What a move names, for sentences: "pit".
    fn move_noun(&self) -> &'static str;

    /// What a player is called besides first or second, if anything: "X".
    #[cfg(feature = "cli")]
    fn side_name(&self, side: crate::game::Side) -> Option<&'static str>;

    /// The game with its parameters in plain words, for headings.
    fn title(&self) -> String;

    /// The position that the game starts from.
    fn start(&self) -> String;

    /// A drawing of a position for people, a few lines.
    ///
    /// # Errors
    /// If it is not a position of the game.
    fn board(&self, position: &str) -> Result<String, AskError>;

    /// The position after these moves from a position, or from the start, to be looked at.
    ///
    /// # Errors
    /// If there is no such position, or one of the moves is not legal.
    #[cfg(feature = "cli")]
    fn look(&self, from: Option<&str>, moves: &[&str]) -> Result<Look, LookError>;

    /// What is wanted about a position, or about the start.
    ///
    /// # Errors
    /// If it isn't an unfinished position of the game, or the oracle can't answer.
    fn ask(&self, position: Option<&str>, wanted: Wanted) -> Result<Answer, AskError>;

    /// The same for one asker of several: of a search, `progress` hears what it is doing for them,
    /// and can stop it; `tell` sees the unfinished answer whenever more of it is known.
    ///
    /// # Errors
    /// As [`AnyOracle::ask`].
    fn ask_telling(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        progress: &dyn Progress,
        tell: &mut dyn FnMut(&Answer),
    ) -> Result<Answer, AskError>;

    /// The same for many positions, in their order.
    fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>>;

    /// The score of a position, finished or not, seen from its side to move. Of a search,
    /// `progress` hears what it is doing, and can stop it.
    ///
    /// # Errors
    /// If it isn't a position of the game, or the oracle can't answer.
    fn score(&self, position: &str, progress: &dyn Progress) -> Result<i32, AskError>;

    /// Win, draw or loss for the side to move, without more than that; for a search much cheaper.
    ///
    /// # Errors
    /// As [`AnyOracle::score`].
    fn outcome(&self, position: &str, progress: &dyn Progress) -> Result<Outcome, AskError>;

    /// Every legal move with its score, best first; none if the position is finished.
    ///
    /// # Errors
    /// As [`AnyOracle::score`].
    fn move_scores(
        &self,
        position: &str,
        progress: &dyn Progress,
    ) -> Result<Vec<(String, i32)>, AskError>;

    /// A line of best play to the end; empty if the position is finished.
    ///
    /// # Errors
    /// As [`AnyOracle::score`].
    fn line(&self, position: &str, progress: &dyn Progress) -> Result<Vec<String>, AskError>;

    /// The position after a legal move.
    ///
    /// # Errors
    /// If there is no such position, or the move is not legal.
    fn play(&self, position: &str, mv: &str) -> Result<String, AskError>;

    /// What arrays of the game's positions and moves look like, if it has such.
    fn array_shape(&self) -> Option<ArrayShape>;

    /// The scores of many positions, or of their moves, on the threads of the pool that the caller is
    /// in: puts as many numbers into `out`. Positions that have no score get `missing`, if there is
    /// that.
    ///
    /// # Errors
    /// The first position that there is no score of, the wish to stop, or that the game has no list of
    /// moves.
    ///
    /// # Panics
    /// If `out` has not as many places as there are scores.
    fn scores(
        &self,
        positions: Positions<'_>,
        of: ScoresOf,
        missing: Option<i16>,
        out: &mut [i16],
        progress: &dyn Progress,
    ) -> Result<(), BatchError>;

    /// Positions as rows of an array, one after the other.
    ///
    /// # Errors
    /// The first that isn't a position of the game, or that the game has no arrays.
    fn rows(&self, positions: &[&str]) -> Result<Vec<u8>, BatchError>;

    /// Rows of an array in the game's notation.
    ///
    /// # Errors
    /// The first that isn't a position of the game, or that the game has no arrays.
    fn texts(&self, rows: &[u8]) -> Result<Vec<String>, BatchError>;

    /// Asks an AI and weighs its answers: [`check_and_list`].
    ///
    /// # Errors
    /// As there.
    fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError>;
}

/// An AI for a game whose type is left open.
pub enum AnyAi {
    /// One of those that come with the checker or the game, by its name.
    Builtin(String),
    /// A program.
    Program(External),
    /// One in this process that is asked in text.
    Text(Arc<dyn TextAi>),
}

/// A table of a game whose type is left open.
pub trait AnyTable: AnyOracle {
    /// The file.
    fn file(&self) -> &CheckedFile;

    /// Its scores, for a search to take its endgame from.
    fn into_kept_scores(self: Box<Self>) -> Arc<dyn KeptScores>;

    /// The same table, keeping at most this many bytes of what it decodes.
    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable>;

    /// Entries drawn at random, each as likely as any other, with the score of every move; as many
    /// as `each` asks for by returning true. The same seed draws the same ones.
    ///
    /// # Errors
    /// If the table can't be read.
    fn draw(&self, seed: u64, each: &mut dyn FnMut(Answer) -> bool) -> Result<(), AskError>;

    /// What gives the scores of all entries. If the decoded table takes no more than so many bytes
    /// of memory it is loaded first, which is much faster for all of it, and slower for some.
    ///
    /// # Errors
    /// If the table can't be read, or the caller wants it to stop.
    fn labeller<'t>(
        &'t self,
        wanted: LabelsWanted,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Labeller + 't>, ReadError>;

    /// The number of a position's slot, if the game's positions are numbered: those of the
    /// unfinished canonical positions, reachable or not, are the numbers below
    /// [`AnyTable::slots`]. Positions of one class have the same.
    ///
    /// # Errors
    /// If it isn't a position of the game.
    fn rank(&self, position: &str) -> Result<Option<u64>, AskError>;

    /// The canonical position of a slot.
    fn unrank(&self, rank: u64) -> Option<String>;

    /// How many slots there are, if the game's positions are numbered.
    fn slots(&self) -> Option<u64>;

    /// [`verify`](crate::table::verify)
    ///
    /// # Errors
    /// As there.
    fn verify(
        &self,
        options: &VerifyOptions,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError>;

    /// [`verify_sample`]
    ///
    /// # Errors
    /// As there.
    fn verify_sample(
        &self,
        sample: Sample,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError>;

    /// [`verify_by_search`]
    ///
    /// # Errors
    /// As there.
    fn verify_by_search(
        &self,
        sample: Option<Sample>,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Searched, VerifyError>;
}
