//! A game whose type is left open.

use super::erased::Erased;
use super::in_text::InText;
use super::oracle::{AnyOracle, AnyTable};
use super::searches::{CompareSearchesError, compare_searches};
use crate::cluster::{Pace, SolveJob, SolveJobError, SolvedTable, Team, solve_to_table};
use crate::conformance::{self, Broken};
use crate::game::{
    Family, Forecast, Notation, Progress, Roots, SearchError, SearchSetup, SolveOptions,
};
use crate::oracle::BySearch;
use crate::search::{Compared, Comparison};
use crate::solve::{Method, memory_estimate, solve};
use crate::table::{ReadError, Table, TableFile, WriteOptions, write_to_vec};

/// A game with its family's help: named, solved, searched, and joined with its tables.
pub trait AnyGame: Send + Sync {
    /// [`Notation::family`]
    fn family(&self) -> String;
    /// [`Notation::name`]
    fn name(&self) -> String;
    /// [`Notation::rules`]
    fn rules(&self) -> String;
    /// [`Family::rules_in_words`]
    fn rules_in_words(&self) -> &'static str;
    /// [`Family::table_name`]
    fn table_name(&self) -> &str;
    /// [`Family::endgame_arguments`]
    fn endgame_arguments(&self) -> &str;

    /// Whether the positions of its tables are those that can come up from its start.
    fn has_start(&self) -> bool;

    /// [`conformance::check`], of this many positions at most.
    ///
    /// # Errors
    /// As there.
    fn conforms(&self, positions: usize) -> Result<(), Broken>;

    /// [`memory_estimate`]
    fn memory_estimate(&self, method: Method, processes: usize, threads: usize) -> Option<u64>;

    /// What solving it backwards will take, if there is a model of that.
    fn forecast(&self, options: SolveOptions) -> Option<Forecast>;

    /// Whether its solver can do with less memory and files.
    fn can_use_files(&self) -> bool;

    /// Solves it, together with the other processes of a team, and writes its table to a file; goes on
    /// where an earlier run was stopped. Only the first process gets what was written.
    ///
    /// # Errors
    /// In all processes, if it can't be solved or the file can't be written.
    fn solve_to_file(
        &self,
        job: &SolveJob<'_>,
        team: &Team<'_>,
    ) -> Result<Option<SolvedTable>, SolveJobError>;

    /// Solves it in memory.
    ///
    /// # Errors
    /// If it can't be solved.
    fn solve_in_memory(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Box<dyn AnyTable>, SolveJobError>;

    /// Joins it with a table of it.
    ///
    /// # Errors
    /// If the table is of another game.
    fn open(&self, file: TableFile) -> Result<Box<dyn AnyTable>, ReadError>;

    /// A search of its positions, by the game's own search if it has one.
    ///
    /// # Errors
    /// If it can't be set up.
    fn search<'p>(
        &self,
        setup: &SearchSetup,
        progress: &'p dyn Progress,
    ) -> Result<Box<dyn AnyOracle + 'p>, SearchError>;

    /// Searches a position, or the start, in several ways: [`crate::search::compare()`].
    ///
    /// # Errors
    /// If it isn't an unfinished position of the game, and as there.
    fn compare_searches(
        &self,
        position: Option<&str>,
        comparison: &Comparison,
        progress: &dyn Progress,
    ) -> Result<Compared, CompareSearchesError>;
}

/// A game whose type is known, and what its family says of it.
pub(super) struct Concrete<G: Notation> {
    game: G,
    rules_in_words: &'static str,
    table_name: String,
    endgame_arguments: String,
}

impl Concrete<Erased> {
    /// A game of any family, without its type.
    pub fn erased<F: Family>(family: &F, game: F::Game) -> Box<dyn AnyGame> {
        Concrete::with(family, &game, Erased::new(game.clone()))
    }
}

impl<G: Notation> Concrete<G> {
    pub fn of<F: Family<Game = G>>(family: &F, game: G) -> Box<dyn AnyGame> {
        Concrete::with(family, &game, game.clone())
    }

    fn with<F: Family>(family: &F, of: &F::Game, game: G) -> Box<dyn AnyGame> {
        Box::new(Concrete {
            rules_in_words: family.rules_in_words(),
            table_name: family.table_name(of),
            endgame_arguments: family.endgame_arguments(of),
            game,
        })
    }
}

impl<G: Notation> AnyGame for Concrete<G> {
    fn family(&self) -> String {
        self.game.family()
    }

    fn name(&self) -> String {
        self.game.name()
    }

    fn rules(&self) -> String {
        self.game.rules()
    }

    fn rules_in_words(&self) -> &'static str {
        self.rules_in_words
    }

    fn table_name(&self) -> &str {
        &self.table_name
    }

    fn endgame_arguments(&self) -> &str {
        &self.endgame_arguments
    }

    fn has_start(&self) -> bool {
        self.game.capabilities().solving.roots() == Roots::Start
    }

    fn conforms(&self, positions: usize) -> Result<(), Broken> {
        conformance::check(&self.game, positions)
    }

    fn memory_estimate(&self, method: Method, processes: usize, threads: usize) -> Option<u64> {
        memory_estimate(&self.game, method, processes, threads)
    }

    fn can_use_files(&self) -> bool {
        self.game.capabilities().solving.sweep().is_some()
    }

    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        self.game.capabilities().solving.sweep()?.forecast(options)
    }

    fn solve_to_file(
        &self,
        job: &SolveJob<'_>,
        team: &Team<'_>,
    ) -> Result<Option<SolvedTable>, SolveJobError> {
        solve_to_table(&self.game, job, Pace::default(), team)
    }

    fn solve_in_memory(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Box<dyn AnyTable>, SolveJobError> {
        let solved = solve(&self.game, Method::Backward, options, progress)?;
        let options = WriteOptions::default();
        let bytes = write_to_vec(&self.game, &solved.solution, options, progress)?;
        Ok(self.open(TableFile::from_bytes(bytes)?)?)
    }

    fn open(&self, file: TableFile) -> Result<Box<dyn AnyTable>, ReadError> {
        Ok(Box::new(InText::of(Table::new(file, self.game.clone())?)))
    }

    fn search<'p>(
        &self,
        setup: &SearchSetup,
        progress: &'p dyn Progress,
    ) -> Result<Box<dyn AnyOracle + 'p>, SearchError> {
        let search = BySearch::new(&self.game, setup, progress)?;
        Ok(Box::new(InText::of(search)))
    }
    fn compare_searches(
        &self,
        position: Option<&str>,
        comparison: &Comparison,
        progress: &dyn Progress,
    ) -> Result<Compared, CompareSearchesError> {
        compare_searches(&self.game, position, comparison, progress)
    }
}
