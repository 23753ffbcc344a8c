//! Membership without a score, and entries of one layer at random.

use super::format::{Damage, Plan};
use super::read::{Block, FilePart, ReadError};
use super::table::Table;
use crate::game::{Notation, Ranking, Segment, Slot};

impl<G: Notation> Table<G> {
    /// Whether a canonical position is in the table. Cheaper than [`Table::probe`] where scores are
    /// derived.
    ///
    /// # Errors
    /// If the table can't be read, or is damaged where its score would be.
    pub fn contains(&self, canonical: &G::Position) -> Result<bool, ReadError> {
        if let (Some(ranking), Plan::Ranked(plan)) = (self.ranking(), self.file().plan()) {
            let Some(slot) = ranking.slot(canonical) else {
                return Ok(false);
            };
            let Some(spot) = plan.spot(slot) else {
                return Ok(false);
            };
            return Ok(match &self.cell(plan, slot.segment, &spot)?.block {
                Block::Tile(tile) => tile.get(spot.index).is_some(),
                Block::Derived(tile) => tile.is_present(spot.index),
                Block::Keyed(_) => false,
            });
        }
        Ok(self.probe(canonical)?.is_some())
    }
}

/// Where there are more than this many slots to an entry, the entries are listed before any is
/// chosen.
const SPARSE: u64 = 64;

/// More entries are never listed: a small file can hold very many.
const MOST_LISTED: u64 = 1 << 24;

/// The entries of one layer, to choose from at random.
pub struct LayerEntries<'a, G: Notation> {
    table: &'a Table<G>,
    kind: Kind<G::Position>,
}

enum Kind<P> {
    /// All of them.
    Listed(Vec<P>),
    /// Those in these segments, with so many slots and entries in all.
    Slots {
        segments: Vec<u32>,
        slots: u64,
        entries: u64,
    },
    /// Those of all of a keyed table's that are of this layer, so many.
    Keys { layer: u32, entries: u64 },
}

impl<'a, G: Notation> LayerEntries<'a, G> {
    /// Gets ready to choose. Layers in which few slots have an entry, and those of keyed tables,
    /// are read in full.
    ///
    /// # Errors
    /// If the table can't be read, or has not as many as its counts say.
    pub fn new(table: &'a Table<G>, layer: u32) -> Result<LayerEntries<'a, G>, ReadError> {
        LayerEntries::listing(table, layer, MOST_LISTED)
    }

    fn listing(
        table: &'a Table<G>,
        layer: u32,
        most: u64,
    ) -> Result<LayerEntries<'a, G>, ReadError> {
        let game = table.game();
        let counts = table.file().layers();
        let claimed = counts
            .iter()
            .find(|count| count.layer == layer)
            .map_or(0, |count| count.outcomes.total());
        let listed = |listed: Vec<G::Position>| {
            if listed.len() as u64 != claimed {
                let damage = Damage::content(format!("{claimed} entries"), listed.len());
                return Err(table.file().damaged(FilePart::Layer { layer }, damage));
            }
            let kind = Kind::Listed(listed);
            Ok(LayerEntries { table, kind })
        };
        let (Some(ranking), Plan::Ranked(plan)) = (table.ranking(), table.file().plan()) else {
            if claimed > most {
                let entries = claimed;
                let kind = Kind::Keys { layer, entries };
                return Ok(LayerEntries { table, kind });
            }
            let mut found = Vec::new();
            for entry in table.entries() {
                let (position, _) = entry?;
                if game.layer(&position) == layer {
                    found.push(position);
                }
            }
            return listed(found);
        };
        let segments: Vec<u32> = (0..)
            .zip(ranking.segments())
            .filter(|(_, segment)| segment.layer == layer)
            .map(|(number, _)| number)
            .collect();
        let of = |number: u32| ranking.segments()[number as usize];
        let slots = segments.iter().map(|&number| of(number).slots()).sum();
        if slots / SPARSE <= claimed || claimed > most {
            let entries = claimed;
            let kind = Kind::Slots {
                segments,
                slots,
                entries,
            };
            return Ok(LayerEntries { table, kind });
        }
        let mut found = Vec::new();
        for number in segments {
            let first = plan.segments[number as usize].first_block;
            let end = plan
                .segments
                .get(number as usize + 1)
                .map_or(plan.blocks, |next| next.first_block);
            for block in first..end {
                if !table.file().is_empty(block)? {
                    let entries = table.block_entries(block)?.into_iter();
                    found.extend(entries.map(|entry| entry.0));
                }
            }
        }
        listed(found)
    }

    /// One of them, each as likely as any other; nothing if there are none.
    ///
    /// `random(n)` must give a random number below `n`.
    ///
    /// # Errors
    /// If the table can't be read, or has none where its counts say that there are some.
    pub fn choose(
        &self,
        mut random: impl FnMut(u64) -> u64,
    ) -> Result<Option<G::Position>, ReadError> {
        match &self.kind {
            Kind::Listed(listed) if listed.is_empty() => Ok(None),
            Kind::Listed(listed) => {
                let index = random(listed.len() as u64) as usize;
                Ok(Some(listed[index].clone()))
            }
            Kind::Slots {
                segments,
                slots,
                entries,
            } => {
                let Some(ranking) = self.table.ranking() else {
                    return Ok(None);
                };
                throw(self.table, *slots, *entries, || {
                    let position = nth_slot(ranking, segments.iter().copied(), random(*slots));
                    let is_there = self.table.contains(&position)?;
                    Ok(is_there.then_some(position))
                })
            }
            Kind::Keys { layer, entries } => {
                let table = self.table;
                throw(table, table.file().entries(), *entries, || {
                    let entry = random_entry(table, &mut random)?;
                    let position = entry.map(|(position, _)| position);
                    Ok(position.filter(|position| table.game().layer(position) == *layer))
                })
            }
        }
    }
}

/// One entry, each as likely as any other; nothing if the table has none.
///
/// `random(n)` must give a random number below `n`.
///
/// # Errors
/// If the table can't be read, or has none where its counts say that there are some.
pub fn random_entry<G: Notation>(
    table: &Table<G>,
    mut random: impl FnMut(u64) -> u64,
) -> Result<Option<(G::Position, i32)>, ReadError> {
    let entries = table.file().entries();
    if entries == 0 {
        return Ok(None);
    }
    let Some(ranking) = table.ranking() else {
        let entry = random(entries);
        let Plan::Keyed(plan) = table.file().plan() else {
            return Ok(None);
        };
        let entries = table.block_entries(entry / plan.block_entries)?;
        let index = (entry % plan.block_entries) as usize;
        return Ok(entries.into_iter().nth(index));
    };
    let segments = ranking.segments();
    let slots: u64 = segments.iter().map(Segment::slots).sum();
    throw(table, slots, entries, || {
        let position = nth_slot(ranking, 0..segments.len() as u32, random(slots));
        let score = table.probe(&position)?;
        Ok(score.map(|score| (position, score)))
    })
}

/// No table is known in which less than one slot in 65,536 has an entry; this is 64 times as many.
const MOST_THROWS: u64 = 1 << 22;

/// Throws the dice until they fall on an entry. That they miss so often that the table's counts
/// can't be true happens by chance once in e^64 times.
fn throw<G: Notation, T>(
    table: &Table<G>,
    slots: u64,
    entries: u64,
    mut once: impl FnMut() -> Result<Option<T>, ReadError>,
) -> Result<Option<T>, ReadError> {
    if entries == 0 {
        return Ok(None);
    }
    let patience = (64 * (slots / entries + 1)).min(MOST_THROWS);
    for _ in 0..patience {
        if let Some(found) = once()? {
            return Ok(Some(found));
        }
    }
    let expected = format!("an entry in one of {} slots", slots / entries + 1);
    let damage = Damage::content(expected, format!("none in {patience}"));
    Err(table.file().damaged(FilePart::Metadata, damage))
}

/// The position of the slot with this number, counted through these segments.
fn nth_slot<P>(
    ranking: &dyn Ranking<P>,
    segments: impl IntoIterator<Item = u32>,
    mut number: u64,
) -> P {
    let mut segments = segments.into_iter().map(|segment| {
        let shape: Segment = ranking.segments()[segment as usize];
        (segment, shape)
    });
    let (segment, shape) = segments
        .find(|(_, shape)| {
            let within = number < shape.slots();
            if !within {
                number -= shape.slots();
            }
            within
        })
        .expect("a number below that of all slots");
    let columns = u64::from(shape.columns);
    ranking.position(Slot {
        segment,
        row: (number / columns) as u32,
        column: (number % columns) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::eight::Eight;
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::tictactoe::TicTacToe;
    use crate::random::Random;
    use crate::table::testing::table_of;
    use rustc_hash::FxHashMap;

    /// Every entry of a layer comes up, about equally often, and nothing else does.
    fn choices_are_uniform<G: Notation>(game: &G, most: u64) {
        let table = table_of(game);
        let mut random = Random::new(7);
        for count in table.file().layers() {
            let entries = count.outcomes.total();
            if entries > 200 {
                continue;
            }
            let chooser = LayerEntries::listing(&table, count.layer, most).unwrap();
            let mut seen: FxHashMap<G::Position, u64> = FxHashMap::default();
            for _ in 0..200 * entries {
                let position = chooser.choose(|below| random.below(below)).unwrap();
                let position = position.unwrap();
                assert_eq!(game.layer(&position), count.layer);
                assert!(table.probe(&position).unwrap().is_some());
                assert!(table.contains(&position).unwrap());
                *seen.entry(position).or_default() += 1;
            }
            assert_eq!(seen.len() as u64, entries, "layer {}", count.layer);
            // Six standard deviations of a count of 200 on average.
            assert!(seen.values().all(|&times| (115..=285).contains(&times)));
        }
    }

    fn kalah(pits: usize, seeds: usize) -> Kalah {
        let rules = Rules {
            pits,
            seeds,
            empty_capture: false,
        };
        Kalah::new(rules).unwrap()
    }

    #[test]
    fn entries_of_a_layer_are_equally_likely() {
        choices_are_uniform(&TicTacToe::default(), MOST_LISTED);
        choices_are_uniform(&kalah(3, 2), MOST_LISTED);
        // And none is listed.
        choices_are_uniform(&Eight, 0);
        choices_are_uniform(&kalah(3, 2), 0);
    }

    /// Its first layers are sparse and are listed.
    #[test]
    #[ignore = "exhaustive: 1 s"]
    fn entries_of_a_layer_of_a_larger_game_are_equally_likely() {
        choices_are_uniform(&kalah(4, 2), MOST_LISTED);
    }

    #[test]
    fn what_is_not_reachable_or_finished_is_not_in_the_table() {
        let game = kalah(3, 2);
        let table = table_of(&game);
        for (text, is_there) in [
            ("2,2,2/2,2,2", true),
            ("0,3,3/2,2,2", false),
            ("0,0,12/0,0,0", false),
        ] {
            let position = game.parse_position(text).unwrap();
            assert_eq!(table.contains(&position).unwrap(), is_there, "{text}");
        }
    }
}
