//! Table files that were checked against their game.
//!
//! Only these give scores and statistics.

use super::error::ReadError;
use super::file::TableFile;
use crate::game::{Notation, Ranking, Roots};
use crate::table::format::{Difference, Layout, Metadata, Sections};
use std::ops::Deref;
use std::sync::Arc;

/// A table file whose description of itself agrees with its game.
///
/// The counts are not checked; [`crate::table::verify`] proves them. Only
/// [`crate::table::Table::new`] creates a checked file.
#[derive(Debug)]
pub struct CheckedFile(TableFile);

impl Deref for CheckedFile {
    type Target = TableFile;

    fn deref(&self) -> &TableFile {
        &self.0
    }
}

/// The numbering of a game's positions, for a table with ranks.
type Numbering<G> = Option<Arc<dyn Ranking<<G as crate::game::Game>::Position>>>;

impl CheckedFile {
    /// Checks a file against a game; returns the game's ranking if the table has ranks.
    pub(in crate::table) fn new<G: Notation>(
        file: TableFile,
        game: &G,
    ) -> Result<(CheckedFile, Numbering<G>), ReadError> {
        check_names(&file.metadata, game)
            .and_then(|()| check_layout(&file.metadata, game))
            .map_err(|difference| ReadError::OtherGame {
                path: file.path.clone(),
                difference,
            })
            .and_then(|ranking| {
                check_counts(&file, game)?;
                Ok((CheckedFile(file), ranking))
            })
    }

    /// Returns the name of the game, such as `kalah(6,2)`.
    #[must_use]
    pub fn game_name(&self) -> &str {
        &self.metadata.name
    }

    /// Returns the family of the game, such as `kalah`.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.metadata.family
    }

    /// Returns the number of entries: reachable classes that are not finished.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.header.entries
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.header.block_count
    }

    /// Returns the unit that layers count, such as seeds.
    #[must_use]
    pub fn layer_name(&self) -> &str {
        &self.metadata.layer_name
    }

    /// Returns the table's description of itself.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the size of each part of the file in bytes.
    #[must_use]
    pub fn sections(&self) -> Sections {
        self.header.sections()
    }
}

fn check_names<G: Notation>(metadata: &Metadata, game: &G) -> Result<(), Difference> {
    let layer_name = game.layer_name().to_owned();
    for (what, expected, found) in [
        ("", game.rules(), &metadata.rules),
        ("the name ", game.name(), &metadata.name),
        ("the family ", game.family(), &metadata.family),
        ("the name of the layers ", layer_name, &metadata.layer_name),
    ] {
        Difference::check(&expected, found, |name| format!("{what}{name:?}"))?;
    }
    Ok(())
}

fn check_layout<G: Notation>(metadata: &Metadata, game: &G) -> Result<Numbering<G>, Difference> {
    match &metadata.layout {
        Layout::Ranked(layout) => {
            let Some(ranking) = game.capabilities().solving.ranking() else {
                return Err(Difference::new("a table with keys", "one with ranks"));
            };
            let expected = ranking.segments();
            Difference::check(expected.len(), layout.segments.len(), |count| {
                format!("{count} segments")
            })?;
            let mut derived = layout.derived.iter().peekable();
            for (number, (expected, record)) in (0..).zip(expected.iter().zip(&layout.segments)) {
                let is_derived = derived.next_if_eq(&&number).is_some();
                Difference::check(expected, &record.segment(is_derived), |segment| {
                    format!("segment {number} to be {segment:?}")
                })?;
            }
            Ok(Some(ranking))
        }
        Layout::Keyed(layout) => {
            let (expected, found) = (game.key_bits().div_ceil(8), u32::from(layout.key_bytes));
            Difference::check(expected, found, |length| format!("keys of {length} bytes"))?;
            Difference::check(game.score_range(), layout.scores, |scores| {
                scores.to_string()
            })?;
            Ok(None)
        }
    }
}

/// Checks that no segment has more entries than slots.
///
/// Where all positions are reachable, a segment must not have fewer entries either.
fn check_counts<G: Notation>(file: &TableFile, game: &G) -> Result<(), ReadError> {
    let Some(layout) = file.metadata.layout.ranked() else {
        return Ok(());
    };
    let is_full = game.capabilities().solving.roots() == Roots::Everywhere;
    for (part, record) in layout.segments.iter().enumerate() {
        let slots = record.slots();
        // This sum can't overflow: the total of all segments has been computed without overflow.
        let entries: u64 = record.counts.iter().sum();
        if entries > slots || is_full && entries < slots {
            let most = if is_full { "" } else { "at most " };
            let damage = Difference::new(format!("{most}{slots} entries"), entries);
            return Err(file.damaged(format!("counts of part {part}"), damage));
        }
    }
    Ok(())
}
