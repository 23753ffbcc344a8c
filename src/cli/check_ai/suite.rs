//! `check-ai --suite`: a check at the games of a suite, and its scorecard.

use super::args::{CheckArgs, SuiteArgs};
use crate::any::{FAMILIES, game_of_rules};
use crate::check::suite::{Row, Scorecard, Suite};
use crate::check::{CheckOptions, Coverage, ListedPosition, html};
use crate::cli::output::{self, print_result};
use crate::cli::program::Answer;
use crate::cli::ui::grid::{Grid, output_width};
use crate::cli::ui::progress::Bar;
use crate::text::listed;
use anyhow::{anyhow, bail};
use std::io::Write;
use std::time::Instant;

/// Word in `--ai` that stands for the name of the game.
const GAME: &str = "{game}";

/// Checks an AI at the games of a suite and prints its scorecard.
pub(super) fn run(
    version: &str,
    chosen: &SuiteArgs,
    args: &CheckArgs,
    deadline: Option<Instant>,
) -> anyhow::Result<Answer> {
    let suite = Suite::of(version).map_err(|problem| anyhow!(problem))?;
    let names: Vec<&str> = suite.games.iter().map(|game| &*game.game).collect();
    let is_known = |game: &&String| names.contains(&game.as_str());
    if let Some(unknown) = chosen.game.iter().find(|game| !is_known(game)) {
        bail!(
            "suite {version} has no game \"{unknown}\"\ntip: it has {}",
            listed(&names, "and")
        );
    }
    let bar = Bar::new();
    let (mut rows, mut is_cut) = (Vec::new(), false);
    for of in &suite.games {
        if is_cut || !(chosen.game.is_empty() || chosen.game.contains(&of.game)) {
            continue;
        }
        let game = game_of_rules(&of.rules, FAMILIES).map_err(|error| anyhow!(error.0))?;
        let split = of.positions.iter().filter(|one| one.split == chosen.split);
        let lines = (1..).zip(split).map(|(line, one)| ListedPosition {
            line,
            text: one.position.clone(),
        });
        let listed: Vec<_> = lines.collect();
        let options = CheckOptions {
            max_faults: args.max_faults.unwrap_or(listed.len() + 1),
            coverage: Coverage::Suite(listed.into()),
            ..args.options(false, deadline)?
        };
        let oracle = game
            .with_scores(&of.positions)
            .map_err(|problem| anyhow!(problem))?;
        let ai = args.contender(&args.ai.replace(GAME, &of.game), bar.printer())?;
        let report = oracle.check(&ai, &options, None, &bar)?;
        is_cut = report.stopped_by.is_some();
        rows.push(Row::of(&of.game, &report));
    }
    bar.finish();
    let scorecard = Scorecard::new(version, &chosen.split, &args.ai, rows, is_cut);
    print(&scorecard, args)
}

/// Prints the scorecard, writes it as a page if that is wanted, and returns the exit code.
fn print(scorecard: &Scorecard, args: &CheckArgs) -> anyhow::Result<Answer> {
    if let Some(path) = &args.report {
        output::write(path, "report", &html::scorecard_page(scorecard))?;
    }
    print_result(args.json, scorecard, |out| {
        let rows = scorecard.rows().map(|row| (&row.game, row.cells()));
        let grid = Grid::filled(scorecard.title(), &Row::COLUMNS, rows);
        write!(out, "{}", grid.render(output_width()))?;
        writeln!(out, "\n{}", Scorecard::LEGEND)?;
        if let Some(path) = &args.report {
            writeln!(out, "Report: {}", path.display())?;
        }
        Ok(())
    })?;
    let all = &scorecard.all;
    Ok(match all.is_perfect() {
        _ if scorecard.is_cut || all.faults > 0 => Answer::Failed,
        true => Answer::Yes,
        false => Answer::No,
    })
}
