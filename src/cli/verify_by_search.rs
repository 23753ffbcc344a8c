//! `verify --by-search`: entries held against searches.

use super::args::resources::{self};
use super::proving::{Findings, REFUTED, VerifyArgs, parts};
use super::ui::numbers::count;
use super::ui::progress::Bar;
use crate::any::AnyTable;
use crate::table::{Searched, VerifyError};
use anyhow::bail;

/// What --by-search may use by default.
const SEARCH_MEMORY: u64 = 2 << 30;

/// So many examples are told to people.
const EXAMPLES: usize = 10;

pub(super) fn by_search(
    table: &dyn AnyTable,
    args: &VerifyArgs,
    bar: &Bar,
) -> anyhow::Result<Findings> {
    let memory = resources::available_share().min(SEARCH_MEMORY);
    let options = args.resources.options_or(Some(memory));
    let parts = parts(table.file(), args)?;
    let searched = table.verify_by_search(&parts, options, bar);
    let searched = searched.map_err(|error| match error {
        VerifyError::Search(error) => error.into(),
        other => anyhow::Error::from(other),
    })?;
    let (entries, all) = (searched.entries, table.file().entries());
    let path = table.file().path().display();
    if searched.is_interrupted && searched.wrong == 0 {
        bail!(
            "interrupted; {path} is neither proved nor refuted: {} entries were searched, and all of them agree",
            count(entries)
        );
    }
    let first = searched.examples.first();
    let verdict = first.map_or("search-agrees", |_| REFUTED);
    Ok(Findings {
        position: first.map(|example| example.position.clone()),
        reason: first.map(ToString::to_string),
        details: details(&searched),
        searched: Some(searched.clone()),
        ..Findings::new(table, verdict, entries, in_words(&searched, all))
    })
}

/// What searches have found in a table with so many entries.
fn in_words(searched: &Searched, all: u64) -> String {
    let entries = count(searched.entries);
    if searched.wrong == 0 {
        return format!(
            "All {entries} entries searched have the score that the search finds; {}.",
            if searched.entries < all {
                "the others were not looked at"
            } else {
                "that no class is missing was not looked at"
            }
        );
    }
    format!(
        "Refuted: {} of {entries} entries searched {} another score{}:",
        count(searched.wrong),
        if searched.wrong == 1 { "has" } else { "have" },
        if searched.is_interrupted {
            ", until it was interrupted"
        } else {
            ""
        },
    )
}

/// The first of the entries that a search contradicts.
fn details(searched: &Searched) -> Vec<String> {
    let examples = searched.examples.iter().take(EXAMPLES);
    let mut lines: Vec<String> = examples.map(ToString::to_string).collect();
    if searched.wrong > lines.len() as u64 {
        lines.push("...".to_owned());
    }
    lines
}
