//! Tables without the type of their game.

use super::erased_oracle::{erased, typed};
use super::labels::{self, Labeller, LabelsWanted};
use super::oracle::AnyOracle;
use crate::game::{KnownScores, Notation, Progress, SlotNumbers, SolveOptions};
use crate::oracle::{Answer, AskError, OracleError, Wanted, ask};
use crate::random::Random;
use crate::solve::{Searched, verify_by_search};
use crate::table::{
    CheckedFile, LayerEntries, ReadError, Sample, Table, Verdict, VerifyError, VerifyOptions,
    verify, verify_sample,
};
use std::ops::Deref;
use std::sync::Arc;

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

/// Only `any` implements the traits, so that methods can be added to them.
pub(super) trait Sealed {}

/// A table without the type of its game.
#[expect(private_bounds, reason = "sealed")]
pub trait AnyTable: Sealed + Deref<Target = AnyOracle<'static>> + Send + Sync {
    /// Returns the table's file.
    fn file(&self) -> &CheckedFile;

    /// Returns the table's scores, for use as the endgame of a search.
    fn into_known_scores(self: Box<Self>) -> Arc<dyn KnownScores>;

    /// Returns the same table with a cache of at most `bytes` bytes of decoded data.
    ///
    /// While a clone of its oracle is in use, the table keeps the cache that it has.
    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable>;

    /// Samples entries uniformly, with all moves' scores, until `each` returns false.
    ///
    /// The same seed gives the same sample.
    ///
    /// # Errors
    /// If the table can't be read.
    fn sample(&self, seed: u64, each: &mut dyn FnMut(Answer) -> bool) -> Result<(), AskError>;

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

/// A table whose game's type is known.
pub(super) struct TypedTable<G: Notation> {
    table: Arc<Table<G>>,
    oracle: AnyOracle<'static>,
}

impl<G: Notation> TypedTable<G> {
    pub fn of(table: Arc<Table<G>>) -> TypedTable<G> {
        TypedTable {
            oracle: AnyOracle::of(Arc::clone(&table) as _),
            table,
        }
    }

    fn numbers(&self) -> Option<SlotNumbers<G::Position>> {
        SlotNumbers::new(Arc::clone(self.table.ranking()?))
    }
}

impl<G: Notation> Sealed for TypedTable<G> {}

impl<G: Notation> Deref for TypedTable<G> {
    type Target = AnyOracle<'static>;

    fn deref(&self) -> &AnyOracle<'static> {
        &self.oracle
    }
}

impl<G: Notation> AnyTable for TypedTable<G> {
    fn file(&self) -> &CheckedFile {
        self.table.file()
    }

    fn into_known_scores(self: Box<Self>) -> Arc<dyn KnownScores> {
        self.table
    }

    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable> {
        let TypedTable { table, oracle } = *self;
        drop(oracle);
        let table = Arc::try_unwrap(table).map(|table| Arc::new(table.with_cache(bytes)));
        Box::new(TypedTable::of(table.unwrap_or_else(|table| table)))
    }

    fn sample(&self, seed: u64, each: &mut dyn FnMut(Answer) -> bool) -> Result<(), AskError> {
        let mut random = Random::new(seed);
        let wanted = Wanted {
            moves: true,
            ..Wanted::default()
        };
        let entries = LayerEntries::all(&self.table);
        let mut draw = || entries.choose(|limit| random.below(limit));
        let about = |position| ask(&*self.oracle.0, &erased::<G>(position), wanted, &mut |_| ());
        while let Some(position) = draw().map_err(OracleError::from)?
            && each(about(position)?)
        {}
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn labeller<'t>(
        &'t self,
        wanted: LabelsWanted,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Labeller + 't>, ReadError> {
        labels::labeller(&self.table, wanted, memory, progress)
    }

    fn rank(&self, position: &str) -> Result<Option<u64>, AskError> {
        let position = self.oracle.position(Some(position))?;
        let game = self.table.game();
        let canonical = game.canonical(typed::<G>(&position));
        if game.final_score(&canonical).is_some() {
            return Ok(None);
        }
        let numbers = self.numbers();
        Ok(numbers.and_then(|numbers| Some(numbers.of(&canonical)?.number)))
    }

    fn unrank(&self, rank: u64) -> Option<String> {
        let numbers = self.numbers().filter(|numbers| rank < numbers.count())?;
        let position = numbers.position(numbers.slot(rank));
        Some(self.table.game().format_position(&position))
    }

    fn slots(&self) -> Option<u64> {
        Some(self.numbers()?.count())
    }

    #[cfg(not(target_family = "wasm"))]
    fn verify(&self, by: VerifyBy<'_>, progress: &dyn Progress) -> Result<Verified, VerifyError> {
        let table = &self.table;
        Ok(match by {
            VerifyBy::Proof(options) => Verified::Compared(verify(table, options, progress)?),
            VerifyBy::Sample(sample) => Verified::Compared(verify_sample(table, sample, progress)?),
            VerifyBy::Search(sample, options) => {
                Verified::Searched(verify_by_search(table, sample, options, progress)?)
            }
        })
    }
}
