//! Comparison of a check with an earlier one of the same positions.

use crate::check::{
    CheckOptions, Comparison, Coverage, Criterion, ListedMistake, Playouts, Report,
};
use crate::cli::ui::progress::waiting;
use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Parts of a report in JSON that are compared.
#[derive(Deserialize)]
pub(super) struct Baseline {
    game: String,
    criterion: String,
    counts_plies: bool,
    selection: String,
    stopped_by: Option<String>,
    unresolved: u64,
    mistake_positions: Option<HashSet<String>>,
    fault_list: HashSet<Fault>,
    /// The positions of the current check's mistakes and faults.
    #[serde(skip)]
    found: HashSet<String>,
    #[serde(skip)]
    comparison: Comparison,
}

#[derive(PartialEq, Eq, Hash, Deserialize)]
struct Fault {
    position: String,
}

impl Baseline {
    /// Reads a report.
    ///
    /// # Errors
    /// If the file can't be read, or is no report about a whole check.
    pub fn read(path: &Path) -> anyhow::Result<Baseline> {
        let name = path.display();
        let text = waiting(|| fs::read_to_string(path));
        let text = text.with_context(|| format!("can't read the baseline {name}"))?;
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
            let tip = "write one with check-ai --json";
            anyhow!("{name} is not the report of a check ({error})\ntip: {tip}")
        })?;
        if baseline.stopped_by.is_some() || baseline.unresolved > 0 {
            bail!("the check of the baseline {name} did not cover all of its positions");
        }
        if baseline.mistake_positions.is_none() {
            bail!("the baseline {name} has too many mistakes to list their positions");
        }
        Ok(baseline)
    }

    /// Checks that a check with these options asks about the same positions.
    pub fn check(&self, game: &str, options: &CheckOptions) -> anyhow::Result<()> {
        if let Coverage::Playouts { kind, .. } = options.coverage
            && kind != Some(Playouts::Random)
        {
            bail!(
                "--baseline can't compare positions from the AI's own games, which differ from \
                 version to version\ntip: sample others with --positions random"
            );
        }
        let default = match self.counts_plies {
            true => Criterion::Outcome,
            false => Criterion::Score,
        };
        let criterion = options.criterion.unwrap_or(default).to_string();
        let selection = options.selection();
        for (what, earlier, now) in [
            ("game", &self.game, game),
            ("criterion", &self.criterion, &criterion),
            ("selection of positions", &self.selection, &selection),
        ] {
            if earlier != now {
                bail!("the baseline has another {what}: {earlier} instead of {now}");
            }
        }
        Ok(())
    }

    /// Compares a mistake.
    pub fn add(&mut self, mistake: &ListedMistake) {
        let position = mistake.position.clone();
        let is_known = |known: &HashSet<String>| known.contains(&position);
        let is_old = self.mistake_positions.as_ref().is_some_and(is_known);
        if self.found.insert(position.clone())
            && !is_old
            && !self.fault_list.contains(&Fault { position })
        {
            self.comparison.new += 1;
            let first = &mut self.comparison.first_new;
            first.get_or_insert_with(|| mistake.clone());
        }
    }

    /// Returns the result, unless the check doesn't cover all positions.
    pub fn compare(mut self, report: &Report) -> Option<Comparison> {
        for fault in &report.fault_list {
            let position = fault.position.clone();
            self.found.insert(position.clone());
            let is_new = !self.fault_list.contains(&Fault { position });
            self.comparison.new_faults += u64::from(is_new);
        }
        let before = self.mistake_positions.unwrap_or_default();
        self.comparison.fixed = before.difference(&self.found).count() as u64;
        let is_whole = report.stopped_by.is_none() && report.unresolved == 0;
        is_whole.then_some(self.comparison)
    }
}
