//! Checking a table's scores by searching entries without the table.
//!
//! The results don't depend on other entries, which may be wrong. The searcher shares no arithmetic
//! with a game's own solver: it is the game's [`Searching::witness`], on top of an endgame solved
//! by alpha-beta, or otherwise the generic search.
//!
//! [`Searching::witness`]: crate::game::Searching::witness

use super::by_search::STACK;
use super::{Method, solve};
use crate::game::{
    Bounds, CancelScope, KnownScores, NoProgress, Notation, Progress, Ranking, Scores, SearchError,
    SearchSetup, Searcher, Solution, SolveOptions, Tile,
};
use crate::pool::{in_pool, try_map_of};
use crate::search::{GenericSearcher, TranspositionTable, check_searchable};
use crate::table::{Sample, ScoredEntry, Table, VerifyError, for_each_batch, judge};
use std::error::Error;
use std::sync::Arc;

/// The result of checking entries by search.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Searched {
    /// Number of entries searched.
    #[serde(skip)]
    pub entries: u64,
    /// Number of entries with a score other than the search's.
    pub wrong: u64,
    /// First of the wrong entries, at most 100.
    pub examples: Vec<Disagreement>,
    /// Number of positions visited.
    pub nodes: u64,
}

/// An entry that a search contradicts, with scores for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, serde::Serialize)]
#[error("the table has the score {stored} for {position}, but a search finds {found}")]
pub struct Disagreement {
    /// Position in the game's notation.
    pub position: String,
    /// Score in the table.
    pub stored: i32,
    /// Score found by the search.
    pub found: i32,
}

/// Largest number of examples.
const EXAMPLES: usize = 100;

/// Compares all entries of a table, or a sample of them, with searches.
///
/// It uses about `options.memory` bytes at most.
///
/// # Errors
/// If the table is damaged, its positions can't be searched, or the caller cancels.
pub fn verify_by_search<G: Notation>(
    table: &Table<G>,
    sample: Option<Sample>,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Searched, VerifyError> {
    let entries = table.file().entries();
    let sample = sample.unwrap_or(Sample {
        count: entries,
        seed: 0,
    });
    in_pool(options.threads, STACK, || {
        let witness = witness(table, sample.count.min(entries), options, progress);
        let witness = witness.map_err(|error| match error {
            SearchError::Interrupted => table.file().interrupted(),
            error => VerifyError::Search(error),
        })?;
        let mut done = Searched::default();
        for_each_batch(table, sample, "searching", progress, |batch| {
            search(table, &*witness, batch, progress, &mut done)
        })?;
        done.nodes = witness.nodes();
        Ok(done)
    })
}

/// Returns the searcher with which the entries are compared.
fn witness<G: Notation>(
    table: &Table<G>,
    questions: u64,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Searcher<G>>, SearchError> {
    let game = table.game();
    check_searchable(game)?;
    let searching = game.capabilities().searching;
    let endgame = searching.witness_endgame(questions, options.memory);
    let endgame = match endgame {
        Some(endgame) => SolvedScores::of(&endgame, options, progress)?,
        None => None,
    };
    let setup = SearchSetup {
        known: endgame.map(|endgame| Arc::new(endgame) as _),
        ..SearchSetup::new(1, options.memory)
    };
    match searching.witness(&setup) {
        Some(witness) => witness,
        None => {
            // The search visits only entries, so a larger hash table is of no use.
            let most = TranspositionTable::bytes_for(table.file().entries());
            let memory = options.memory.min(most);
            Ok(Box::new(GenericSearcher::new(game, memory)?))
        }
    }
}

/// The scores of an endgame that was solved by search.
struct SolvedScores<P> {
    rules: String,
    name: String,
    ranking: Arc<dyn Ranking<P>>,
    scores: Box<dyn Scores>,
}

impl<P> SolvedScores<P> {
    /// Solves a game by search, or returns `None` if it has no ranking.
    fn of<G: Notation<Position = P>>(
        game: &G,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Option<SolvedScores<P>>, SearchError> {
        let solved = solve(game, Method::Search, options, progress)?;
        let ranking = game.capabilities().solving.ranking();
        let (Some(ranking), Solution::Ranked(scores)) = (ranking, solved.solution) else {
            return Ok(None);
        };
        Ok(Some(SolvedScores {
            rules: game.rules(),
            name: game.name(),
            ranking,
            scores,
        }))
    }
}

impl<P> KnownScores for SolvedScores<P> {
    fn rules(&self) -> &str {
        &self.rules
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn codes_of_segment(
        &self,
        segment: u32,
        codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let shape = self.ranking.segments()[segment as usize];
        let mut tile = Tile::default();
        for (row, codes) in (0..).zip(codes.chunks_exact_mut(shape.columns as usize)) {
            let columns = 0..shape.columns;
            self.scores.tile(segment, row..row + 1, columns, &mut tile);
            if tile.count() != u64::from(shape.columns) {
                return Ok(false);
            }
            codes.copy_from_slice(&tile.codes);
        }
        Ok(true)
    }
}

/// Searches these entries and adds the results to `done`.
fn search<G: Notation>(
    table: &Table<G>,
    witness: &dyn Searcher<G>,
    entries: &[ScoredEntry<G>],
    progress: &dyn Progress,
    done: &mut Searched,
) -> Result<(), VerifyError> {
    // Don't report the progress of single searches.
    let is_over = || progress.cancelled();
    let asking = CancelScope::new(&NoProgress, &is_over);
    let found = try_map_of(entries, |(position, stored)| {
        table.file().check_stop(progress)?;
        // The stored score is the first guess: if it is right, two bounds confirm it.
        let found = witness.score(position, *stored, &asking, &mut |_| ());
        let score = found.map(Bounds::score).map_err(VerifyError::Search)?;
        progress.advance(u64::from(score.is_some()));
        score.ok_or_else(|| table.file().interrupted())
    })?;
    done.entries += entries.len() as u64;
    for ((position, stored), found) in entries.iter().zip(found) {
        if judge::is_best(*stored, Some(found)) {
            continue;
        }
        done.wrong += 1;
        if done.examples.len() < EXAMPLES {
            done.examples.push(Disagreement {
                position: table.game().format_position(position),
                stored: *stored,
                found,
            });
        }
    }
    Ok(())
}
