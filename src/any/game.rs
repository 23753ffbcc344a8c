//! A game without its type.

use super::erased::Erased;
use super::erased_oracle::typed;
use super::oracle::AnyOracle;
use super::table::{AnyTable, Sealed, TypedTable};
use super::view::position_of;
#[cfg(not(target_family = "wasm"))]
use crate::check::suite::ScoredMoves;
use crate::conformance::{Broken, check_untested};
use crate::game::{
    EndgameError, Endless, Family, Forecast, Notation, OpeningTable, Progress, Roots, SearchError,
    SearchSetup, SolveError, SolveOptions, Team,
};
#[cfg(not(target_family = "wasm"))]
use crate::oracle::Known;
use crate::oracle::{BySearch, WithoutScores};
use crate::oracle::{CompareError, Compared, Comparison, compare};
use crate::solve::{
    Method, SolveJob, SolveJobCause, SolveJobError, SolvedTable, memory_estimate, solve,
    solve_to_file_in_team,
};
use crate::table::{ReadError, Table, TableFile, WriteOptions, write_to_vec};
use std::sync::Arc;

/// Maximum memory to solve a game instead of searching it, in bytes.
const SMALL: u64 = 1_000_000_000;

/// A game whose type is known only at run time, with its family's texts.
#[expect(private_bounds, reason = "sealed")]
pub trait AnyGame: Sealed + Send + Sync {
    /// Returns [`Notation::family`].
    fn family(&self) -> String;
    /// Returns [`Notation::name`].
    fn name(&self) -> String;
    /// Returns [`Notation::rules`].
    fn rules(&self) -> String;
    /// Returns [`Family::rules_in_words`], or those of a listed game.
    fn rules_in_words(&self) -> &str;
    /// Returns [`Family::table_name`].
    fn table_name(&self) -> &str;

    /// Returns [`Solving::roots`](crate::game::Solving::roots).
    fn roots(&self) -> Roots;
    /// Returns whether its tables contain the positions reachable from its start.
    fn has_start(&self) -> bool {
        self.roots() == Roots::Start
    }
    /// Returns [`Game::endless`](crate::game::Game::endless).
    fn endless(&self) -> Endless;

    /// Checks up to `positions` positions of the game, unless it is one of the library's
    /// ([`crate::conformance::check`]).
    ///
    /// # Errors
    /// The first promise that the game breaks.
    #[cfg(not(target_family = "wasm"))]
    fn check_untested(&self, positions: usize) -> Result<(), Broken>;

    /// Returns the estimated memory of a method, in bytes ([`memory_estimate`]).
    fn memory_estimate(&self, method: Method, processes: usize, threads: usize) -> Option<u64>;

    /// Returns the estimated resources of its retrograde solver, if there is a model.
    #[cfg(not(target_family = "wasm"))]
    fn forecast(&self, options: SolveOptions) -> Option<Forecast>;

    /// Solves the game with the processes of a team and writes its table to a file.
    ///
    /// Resumes from a checkpoint if there is one. Only the first process receives the result.
    ///
    /// # Errors
    /// In all processes, if the game can't be solved or the file can't be written.
    #[cfg(not(target_family = "wasm"))]
    fn solve_to_file(
        &self,
        job: &SolveJob<'_>,
        team: &Team<'_>,
    ) -> Result<Option<SolvedTable>, SolveJobError>;

    /// Solves the game and returns the bytes of its table.
    ///
    /// # Errors
    /// If it can't be solved.
    fn solve_to_bytes(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, SolveJobError>;

    /// Solves the game and returns the table in memory.
    ///
    /// # Errors
    /// If it can't be solved.
    fn solve_in_memory(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Box<dyn AnyTable>, SolveJobError> {
        let bytes = self.solve_to_bytes(options, progress)?;
        Ok(self.open(TableFile::from_bytes(bytes)?)?)
    }

    /// Opens a table of the game.
    ///
    /// # Errors
    /// If the table is of another game.
    fn open(&self, file: TableFile) -> Result<Box<dyn AnyTable>, ReadError>;

    /// Returns a search of its positions, by the game's own searcher if it has one.
    ///
    /// A game in which positions can repeat is solved in memory instead, if it is small.
    ///
    /// # Errors
    /// If it can't be set up.
    fn search<'p>(
        &self,
        setup: &SearchSetup,
        progress: &'p dyn Progress,
    ) -> Result<AnyOracle<'p>, SearchError>;

    /// Returns an oracle that knows only final scores, for playing any game.
    fn without_scores(&self) -> AnyOracle<'static>;

    /// Returns an oracle of the moves of some positions, with their scores.
    ///
    /// # Errors
    /// A position or a move that is wrong or missing, in words.
    #[cfg(not(target_family = "wasm"))]
    fn with_scores(&self, positions: &[ScoredMoves]) -> Result<AnyOracle<'static>, String>;

    /// Compares searches of a position, or of the start ([`crate::oracle::compare()`]).
    ///
    /// # Errors
    /// If the text is no position of the game, and those of `compare`.
    fn compare_searches(
        &self,
        position: Option<&str>,
        comparison: &Comparison,
        progress: &dyn Progress,
    ) -> Result<Compared, CompareError>;
}

/// A game whose type is known, with its family's texts.
pub(super) struct Concrete<G: Notation> {
    game: G,
    pub rules_in_words: String,
    table_name: String,
    /// The game and the table of its opening book.
    opening: Option<(G, OpeningTable)>,
}

impl<G: Notation> Concrete<G> {
    /// Returns the family's game, whose type `as_type` keeps or [erases](super::Erased::new).
    pub fn of<F: Family>(family: &F, game: F::Game, as_type: fn(F::Game) -> G) -> Concrete<G> {
        Concrete {
            rules_in_words: family.rules_in_words().to_owned(),
            table_name: family.table_name(&game),
            opening: family
                .own_opening(&game)
                .map(|(game, table)| (as_type(game), table)),
            game: as_type(game),
        }
    }

    /// Returns an oracle of a game whose single positions can't be searched.
    fn solve_small(
        &self,
        setup: &SearchSetup,
        progress: &dyn Progress,
    ) -> Result<AnyOracle<'static>, SearchError> {
        let game = self.game.name();
        let needed = self.memory_estimate(Method::Backward, 1, setup.threads);
        let options = SolveOptions {
            threads: setup.threads,
            memory: setup.memory.min(SMALL),
        };
        if needed.is_some_and(|needed| needed > options.memory) {
            return Err(SolveError::OnlyBySolving { game }.into());
        }
        let solved = self.solve_in_memory(options, progress);
        let table = solved.map_err(|error| match *error.cause {
            SolveJobCause::Solve(SolveError::Memory { .. }) => SolveError::OnlyBySolving { game },
            SolveJobCause::Solve(error) => error,
            error => SolveError::Checkpoints(error.into()),
        })?;
        Ok(AnyOracle::clone(&table))
    }
}

impl<G: Notation> Sealed for Concrete<G> {}

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

    fn rules_in_words(&self) -> &str {
        &self.rules_in_words
    }

    fn table_name(&self) -> &str {
        &self.table_name
    }

    fn roots(&self) -> Roots {
        self.game.capabilities().solving.roots()
    }

    fn endless(&self) -> Endless {
        self.game.endless()
    }

    #[cfg(not(target_family = "wasm"))]
    fn check_untested(&self, positions: usize) -> Result<(), Broken> {
        check_untested(&self.game, positions)
    }

    fn memory_estimate(&self, method: Method, processes: usize, threads: usize) -> Option<u64> {
        memory_estimate(&self.game, method, processes, threads)
    }

    #[cfg(not(target_family = "wasm"))]
    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        self.game
            .capabilities()
            .solving
            .own_solver()?
            .forecast(options)
    }

    #[cfg(not(target_family = "wasm"))]
    fn solve_to_file(
        &self,
        job: &SolveJob<'_>,
        team: &Team<'_>,
    ) -> Result<Option<SolvedTable>, SolveJobError> {
        solve_to_file_in_team(&self.game, job, team)
    }

    fn solve_to_bytes(
        &self,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, SolveJobError> {
        let solved = solve(&self.game, Method::Backward, options, progress)?;
        let options = WriteOptions::default();
        Ok(write_to_vec(
            &self.game,
            &solved.solution,
            options,
            progress,
        )?)
    }

    fn open(&self, file: TableFile) -> Result<Box<dyn AnyTable>, ReadError> {
        let table = Table::new(file, self.game.clone())?;
        Ok(Box::new(TypedTable::of(Arc::new(table))))
    }

    fn search<'p>(
        &self,
        setup: &SearchSetup,
        progress: &'p dyn Progress,
    ) -> Result<AnyOracle<'p>, SearchError> {
        if self.game.endless() == Endless::Draw {
            return self.solve_small(setup, progress);
        }
        let mut setup = setup.clone();
        if let Some((game, table)) = &self.opening
            && setup.known.is_none()
            && setup.own_opening
            && let Some(bytes) = table()
        {
            let table =
                TableFile::from_bytes(bytes).and_then(|file| Table::new(file, game.clone()));
            setup.known = Some(Arc::new(
                table.map_err(|error| EndgameError::Read(error.into()))?,
            ));
        }
        let search = BySearch::new(&self.game, &setup, progress)?;
        Ok(AnyOracle::of(Arc::new(search)))
    }

    fn without_scores(&self) -> AnyOracle<'static> {
        AnyOracle::of(Arc::new(WithoutScores(Erased::new(self.game.clone()))))
    }

    #[cfg(not(target_family = "wasm"))]
    fn with_scores(&self, positions: &[ScoredMoves]) -> Result<AnyOracle<'static>, String> {
        let mut known = Known::new(Erased::new(self.game.clone()));
        for of in positions {
            known.add(&of.position, &of.moves)?;
        }
        Ok(AnyOracle::of(Arc::new(known)))
    }

    fn compare_searches(
        &self,
        position: Option<&str>,
        comparison: &Comparison,
        progress: &dyn Progress,
    ) -> Result<Compared, CompareError> {
        let position = position_of(&Erased::new(self.game.clone()), position)?;
        compare(&self.game, typed::<G>(&position), comparison, progress)
    }
}
