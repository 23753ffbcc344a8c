//! A table's scores against searches: each entry that is looked at is searched as if there were no
//! table.
//!
//! What is found doesn't depend on other entries, right or wrong. The search shares no arithmetic
//! with a game's own solver: it is the game's [`Searching::witness`], above an endgame that is
//! solved by alpha-beta, or else the generic search.
//!
//! [`Searching::witness`]: crate::game::Searching::witness

use super::error::VerifyError;
use super::part::Part;
use crate::game::{
    Bounds, KeptScores, Notation, Progress, Ranking, Scores, SearchError, SearchSetup, Searcher,
    Solution, SolveOptions, Tile,
};
use crate::pool::in_pool;
use crate::pool::{try_map, try_map_of};
use crate::random::Random;
use crate::search::{GenericSearcher, TranspositionTable};
use crate::solve::{Method, SEARCH_STACK, solve};
use crate::table::choose::random_entry;
use crate::table::format::Difference;
use crate::table::read::{FilePart, ReadError};
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use std::error::Error;
use std::sync::Arc;

/// What came out of holding entries against searches.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Searched {
    /// Told to stop before all entries were searched.
    #[serde(rename = "interrupted")]
    pub is_interrupted: bool,
    /// Entries that were searched to the end.
    #[serde(skip)]
    pub entries: u64,
    /// How many of them have another score than the search found.
    pub wrong: u64,
    /// The first of those.
    pub examples: Vec<Disagreement>,
    /// Positions visited.
    pub nodes: u64,
}

/// An entry that a search contradicts. Scores are seen from the side to move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, serde::Serialize)]
#[error("the table has the score {stored} for {position}, but a search finds {found}")]
pub struct Disagreement {
    /// The position, in the game's notation.
    pub position: String,
    /// What the table says.
    pub stored: i32,
    /// What the search says.
    pub found: i32,
}

/// So many examples are kept.
const EXAMPLES: usize = 100;
/// Entries that are searched before it is said what came out.
const BATCH: usize = 1 << 14;
/// Entries drawn by one task.
const TASK: u64 = 256;
/// A sample is drawn entry by entry if it is no more than this, and no more than one in so many;
/// otherwise the whole table is read and each entry taken or not.
const MOST_DRAWN: u64 = 1 << 20;
const RARE: u64 = 16;
/// Blocks read at a time.
const BLOCKS: u64 = 64;

type Entry<G> = (<G as crate::game::Game>::Position, i32);

/// Holds parts of a table against searches, or all of it if no part is named, in at most about
/// `options.memory` bytes. Of a random part no entry is looked at twice; if it is as large as the
/// table or larger, it is the table.
///
/// # Errors
/// If the table is damaged, its positions can't be searched, or the wish to stop came before the
/// first entry was searched.
pub fn verify_by_search<G: Notation>(
    table: &Table<G>,
    parts: &[Part],
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Searched, VerifyError> {
    let all = [Part::Random {
        count: table.file().entries(),
        seed: 0,
    }];
    let parts = if parts.is_empty() { &all } else { parts };
    in_pool(options.threads, SEARCH_STACK, || {
        let witness = witness(table, questions(table, parts), options, progress);
        let witness = witness.map_err(|error| match error {
            SearchError::Interrupted => table.file().interrupted(),
            error => VerifyError::Search(error),
        })?;
        let mut work = Work {
            table,
            witness: &*witness,
            progress,
            done: Searched::default(),
        };
        for part in parts {
            if !work.done.is_interrupted {
                work.part(part)?;
            }
        }
        work.done.nodes = witness.nodes();
        Ok(work.done)
    })
}

/// At most how many entries these parts have.
fn questions<G: Notation>(table: &Table<G>, parts: &[Part]) -> u64 {
    let of = |part: &Part| match part {
        Part::Random { count, .. } => (*count).min(table.file().entries()),
        Part::Layers(layers) => {
            let counts = table.file().layers();
            let wanted = counts.iter().filter(|count| layers.contains(&count.layer));
            wanted.map(|count| count.outcomes.total()).sum()
        }
    };
    parts.iter().map(of).fold(0, u64::saturating_add)
}

/// What the entries are held against.
fn witness<G: Notation>(
    table: &Table<G>,
    questions: u64,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Searcher<G>>, SearchError> {
    let game = table.game();
    let searching = game.capabilities().searching;
    let endgame = searching.witness_endgame(questions, options.memory);
    let endgame = match endgame {
        Some(endgame) => SolvedScores::of(&endgame, options, progress)?,
        None => None,
    };
    let setup = SearchSetup {
        threads: 1,
        memory: options.memory,
        endgame: endgame.map(|endgame| Arc::new(endgame) as _),
    };
    match searching.witness(&setup) {
        Some(witness) => witness,
        None => {
            // Whatever it meets is an entry.
            let most = TranspositionTable::bytes_for(table.file().entries());
            let memory = options.memory.min(most);
            Ok(Box::new(GenericSearcher::new(game, memory)?))
        }
    }
}

/// An endgame that was solved by search.
struct SolvedScores<P> {
    rules: String,
    name: String,
    ranking: Arc<dyn Ranking<P>>,
    scores: Box<dyn Scores>,
}

impl<P> SolvedScores<P> {
    /// Nothing if the game doesn't number its positions.
    fn of<G: Notation<Position = P>>(
        game: &G,
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Option<SolvedScores<P>>, SearchError> {
        let Some(ranking) = game.capabilities().solving.ranking() else {
            return Ok(None);
        };
        let solved = solve(game, Method::Search, options, progress)?;
        Ok(match solved.solution {
            Solution::Ranked(scores) => Some(SolvedScores {
                rules: game.rules(),
                name: game.name(),
                ranking,
                scores,
            }),
            Solution::Keyed(_) => None,
        })
    }
}

impl<P> KeptScores for SolvedScores<P> {
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

/// Hears the wish to stop, and tells nothing: single positions are no progress worth telling.
struct Asking<'a>(&'a dyn Progress);

impl Progress for Asking<'_> {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

struct Work<'a, G: Notation> {
    table: &'a Table<G>,
    witness: &'a dyn Searcher<G>,
    progress: &'a dyn Progress,
    done: Searched,
}

impl<G: Notation> Work<'_, G> {
    fn part(&mut self, part: &Part) -> Result<(), VerifyError> {
        let entries = self.table.file().entries();
        match part {
            Part::Random { count, seed } => {
                let count = (*count).min(entries);
                if count <= MOST_DRAWN && count <= entries / RARE {
                    self.progress.phase("drawing", "entries", count);
                    let mut drawn = self.draw(count, *seed)?;
                    self.progress.phase("searching", "entries", count);
                    // What is learnt about few seeds or empty cells serves those before.
                    let game = self.table.game();
                    drawn.sort_by_key(|(position, _)| game.layer(position));
                    return drawn.chunks(BATCH).try_for_each(|batch| self.hold(batch));
                }
                self.progress.phase("searching", "entries", count);
                let (mut read, mut wanted) = (0, count);
                let mut random = Random::new(*seed);
                // Each entry with the same likelihood, and as many as wanted in all.
                let choose = |_: &G::Position| {
                    let is_chosen = read < entries && random.below(entries - read) < wanted;
                    read += 1;
                    wanted -= u64::from(is_chosen);
                    is_chosen
                };
                self.read((0..self.table.file().blocks()).collect(), choose)?;
                self.as_many(entries, read)
            }
            Part::Layers(layers) => {
                let game = self.table.game();
                let total = questions(self.table, std::slice::from_ref(part));
                self.progress.phase("searching", "entries", total);
                let blocks = self.table.file().blocks_of_layers(layers);
                let mut read = 0;
                self.read(blocks, |position| {
                    let is_chosen = layers.contains(&game.layer(position));
                    read += u64::from(is_chosen);
                    is_chosen
                })?;
                self.as_many(total, read)
            }
        }
    }

    /// Whether there are as many entries as the table says, unless not all were read.
    fn as_many(&self, expected: u64, found: u64) -> Result<(), VerifyError> {
        if self.done.is_interrupted || expected == found {
            return Ok(());
        }
        let damage = Difference::new(format!("{expected} entries"), found);
        Err(self.table.file().damaged(FilePart::Metadata, damage).into())
    }

    /// So many different entries, each as likely as any other: far fewer than there are.
    fn draw(&self, count: u64, seed: u64) -> Result<Vec<Entry<G>>, VerifyError> {
        let (table, progress) = (self.table, self.progress);
        let mut seen = FxHashSet::default();
        let mut drawn = Vec::new();
        let mut task = 0;
        // Far more than it can take if the table has as many entries as it says.
        let most_tasks = 16 + 4 * count.div_ceil(TASK);
        while (drawn.len() as u64) < count {
            if task > most_tasks {
                let entries = table.file().entries();
                let found = format!("{} in {} draws", seen.len(), task * TASK);
                let damage = Difference::new(format!("{entries} entries"), found);
                return Err(table.file().damaged(FilePart::Metadata, damage).into());
            }
            let tasks = (count - drawn.len() as u64).div_ceil(TASK).min(64);
            let by_task = try_map(tasks as usize, |number| {
                // Not the next seed, which may be the next sample's.
                let number = task + number as u64;
                let mut random = Random::new(Random::new(seed).bits().wrapping_add(number));
                let mut entries: Vec<Entry<G>> = Vec::new();
                for _ in 0..TASK {
                    if progress.cancelled() {
                        break;
                    }
                    entries.extend(random_entry(table, |below| random.below(below))?);
                }
                Ok::<_, ReadError>(entries)
            })?;
            if progress.cancelled() {
                return Err(table.file().interrupted());
            }
            task += tasks;
            for (position, score) in by_task.into_iter().flatten() {
                let new = seen.insert(table.game().key(&position));
                if new && (drawn.len() as u64) < count {
                    drawn.push((position, score));
                    progress.advance(1);
                }
            }
        }
        Ok(drawn)
    }

    /// Reads blocks of the table and searches those of its entries that are chosen.
    fn read(
        &mut self,
        blocks: Vec<u64>,
        mut choose: impl FnMut(&G::Position) -> bool,
    ) -> Result<(), VerifyError> {
        let table = self.table;
        let mut waiting: Vec<Entry<G>> = Vec::new();
        for blocks in blocks.chunks(BLOCKS as usize) {
            if self.done.is_interrupted {
                return Ok(());
            }
            let read = try_map_of(blocks, |&block| table.block_entries(block))?;
            let entries = read.into_iter().flatten();
            waiting.extend(entries.filter(|(position, _)| choose(position)));
            if waiting.len() >= BATCH {
                self.hold(&waiting)?;
                waiting.clear();
            }
        }
        self.hold(&waiting)
    }

    /// Searches these entries.
    fn hold(&mut self, entries: &[Entry<G>]) -> Result<(), VerifyError> {
        let (witness, progress) = (self.witness, self.progress);
        let asking = Asking(progress);
        let found = try_map_of(entries, |(position, stored)| {
            if progress.cancelled() {
                return Ok(None);
            }
            // Two questions settle a score that is right.
            let found = witness.score(position, *stored, &asking, &mut |_| ());
            let score = found.map(Bounds::score).map_err(VerifyError::Search)?;
            progress.advance(u64::from(score.is_some()));
            Ok::<_, VerifyError>(score)
        })?;
        for ((position, stored), found) in entries.iter().zip(found) {
            let Some(found) = found else {
                self.done.is_interrupted = true;
                continue;
            };
            self.done.entries += 1;
            if found == *stored {
                continue;
            }
            self.done.wrong += 1;
            if self.done.examples.len() < EXAMPLES {
                self.done.examples.push(Disagreement {
                    position: self.table.game().format_position(position),
                    stored: *stored,
                    found,
                });
            }
        }
        Ok(())
    }
}
