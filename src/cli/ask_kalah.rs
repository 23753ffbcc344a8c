//! `query kalah`: Kalah's own search.

use super::Answer;
use super::ask::{self, KalahAskArgs, Oracle};
use super::output::{self, Bar};
use super::query::{self, Question};
use super::resources;
use crate::game::{Bounds, Notation, Progress, SearchError, SolveOptions};
use crate::games::AnyGame;
use crate::games::kalah::endgame::Endgame;
use crate::games::kalah::layout::segment_index;
use crate::games::kalah::search::{KalahSearch, MemoryPlan};
use crate::games::kalah::{Kalah, Move, Position, Rules};
use crate::table::TableFile;
use anyhow::{Context, anyhow, bail};
use std::path::Path;

struct ByKalahSearch<'a> {
    search: KalahSearch,
    bar: &'a Bar,
    threads: usize,
}

impl Oracle<Kalah> for ByKalahSearch<'_> {
    fn score(
        &self,
        position: &Position,
        guess: i32,
        each: &mut dyn FnMut(i32, i32),
    ) -> Result<i32, (i32, i32)> {
        let hear = |bounds: Bounds| each(bounds.lower, bounds.upper);
        let found = self.search.score(position, guess, self.bar, hear);
        found.score().ok_or((found.lower, found.upper))
    }

    fn bound(&self, position: &Position, wanted: i32) -> Option<i32> {
        self.search.bound(position, wanted, self.bar)
    }

    fn bounds(&self, position: &Position) -> (i32, i32) {
        let bounds = self.search.bounds(position);
        (bounds.lower, bounds.upper)
    }

    fn likely_best(&self, position: &Position) -> Option<Move> {
        self.search.likely_best(position)
    }

    fn nodes(&self) -> u64 {
        self.search.counters().nodes
    }

    fn depth(&self) -> Option<u32> {
        Some(self.search.counters().depth)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

/// Takes an endgame's scores from its table, as many as the plan for the memory allows.
fn search_from(
    path: &Path,
    game: &Kalah,
    seeds: usize,
    options: SolveOptions,
    bar: &Bar,
) -> anyhow::Result<KalahSearch> {
    let file = query::open(path, false)?;
    let cannot = || format!("{} can't serve as endgame", path.display());
    let up_to = up_to_of(&file, game).with_context(cannot)?;
    let Rules {
        pits,
        empty_capture,
        ..
    } = game.parameters();
    let plan = MemoryPlan::with_endgame(pits, seeds, options.memory, up_to)?;
    bar.phase("reading the endgame", "positions", 0);
    let kept = |mover: usize, opponent: usize, codes: &mut [u8]| -> anyhow::Result<bool> {
        Ok(file.codes_of_segment(segment_index(mover, opponent) as u32, codes)?)
    };
    let endgame = Endgame::from_kept(pits, plan.endgame_seeds, empty_capture, bar, &kept)?;
    Ok(KalahSearch::with_endgame(
        game,
        seeds,
        endgame,
        plan.table_bytes,
        options.threads,
    )?)
}

/// The most seeds on the board in a table of the game's endgame.
fn up_to_of(file: &TableFile, game: &Kalah) -> anyhow::Result<usize> {
    let Rules {
        pits,
        empty_capture,
        ..
    } = game.parameters();
    let variant = if empty_capture {
        " --empty-capture"
    } else {
        ""
    };
    let make = format!("zermelo solve kalah --pits {pits} --up-to 20{variant}");
    let AnyGame::Kalah(found) = AnyGame::from_rules(file.rules())? else {
        bail!(
            "it is a table of {}; an endgame is made with `{make}`",
            file.game_name()
        );
    };
    match found.up_to() {
        Some(up_to) if found == Kalah::endgame(pits, up_to, empty_capture)? => Ok(up_to),
        Some(_) => bail!(
            "{} has other rules than {}; the right endgame is made with `{make}`",
            found.name(),
            game.name()
        ),
        None => bail!(
            "{} holds only what can come up from its start; an endgame is made with `{make}`",
            found.name()
        ),
    }
}

pub fn run(args: &KalahAskArgs, question: Option<Question>) -> anyhow::Result<Answer> {
    let game = Kalah::new(Rules {
        pits: args.pits,
        seeds: args.seeds,
        empty_capture: args.empty_capture,
    })?;
    let position = ask::position_of(&game, &args.what)?;
    let seeds = position.seeds_on_board();
    let options = args.resources.options();
    let plan = MemoryPlan::new(args.pits, seeds, options.memory).map_err(|error| match error {
        SearchError::Memory { least, allowed, .. } => anyhow!(
            "searching with {seeds} seeds on the board needs at least {} of memory, and {} may be used; allow more with --memory",
            output::bytes_up(least),
            output::bytes(allowed)
        ),
        other => other.into(),
    })?;
    output::catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let pool = resources::pool(options.threads)?;
    let search = pool.install(|| match &args.endgame {
        Some(path) => search_from(path, &game, seeds, options, &bar),
        None => Ok(KalahSearch::new(&game, seeds, plan, options.threads, &bar)?),
    });
    let search = match search {
        // Nothing is lost but the endgame.
        Err(_) if bar.cancelled() => {
            bail!("interrupted before the search began; nothing is proven yet")
        }
        other => other?,
    };
    let oracle = ByKalahSearch {
        search,
        bar: &bar,
        threads: options.threads,
    };
    ask::answer(&game, &oracle, &position, &args.what, question, &bar)
}
