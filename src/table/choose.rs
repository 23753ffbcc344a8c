//! Choosing random entries of a table, or of some layers.

use super::format::Difference;
use super::read::ReadError;
use super::table::Table;
use crate::game::{Notation, Progress, Segment, Slot};
use crate::pool::try_map;

/// Slots per entry above which the entries of layers are listed before choosing.
const SPARSE: u64 = 64;

/// Limit of entries to list, because a small file can claim very many.
const MOST_LISTED: u64 = 1 << 24;

/// The entries of a table or of some of its layers, for choosing at random.
///
/// An entry is found by trying random *places*: the slots of a table with ranks, the numbers of the
/// entries in a table with keys, or the numbers of the listed entries.
pub struct LayerEntries<'a, G: Notation> {
    table: &'a Table<G>,
    /// The layers; `None` for all.
    layers: Option<Vec<u32>>,
    /// Segments with the places.
    segments: Vec<u32>,
    places: u64,
    entries: u64,
    /// All entries, if only few places have one.
    listed: Option<Vec<G::Position>>,
}

impl<'a, G: Notation> LayerEntries<'a, G> {
    /// Prepares the choice from layers.
    ///
    /// Layers with entries in few of their slots, and any of a keyed table, are read in full.
    ///
    /// # Errors
    /// If the table can't be read, or its counts differ from its entries.
    pub fn new(table: &'a Table<G>, layers: &[u32]) -> Result<LayerEntries<'a, G>, ReadError> {
        let file = table.file();
        let mut all = LayerEntries::of(table, Some(layers));
        let is_dense = file.plan().listing.is_none() && all.places / SPARSE <= all.entries;
        if !is_dense && all.entries <= MOST_LISTED {
            let mut found = Vec::new();
            for block in file.blocks_with_entries(Some(layers)) {
                let positions = table.block_positions(block)?.into_iter();
                found.extend(positions.filter(|position| all.has_layer_of(position)));
            }
            if found.len() as u64 != all.entries {
                let damage = Difference::new(format!("{} entries", all.entries), found.len());
                return Err(file.damaged(format!("counts of layers {layers:?}"), damage));
            }
            all.places = all.entries;
            all.listed = Some(found);
        }
        Ok(all)
    }

    /// Prepares the choice from all layers, which reads nothing.
    #[must_use]
    pub fn all(table: &'a Table<G>) -> LayerEntries<'a, G> {
        LayerEntries::of(table, None)
    }

    /// Returns the table.
    #[must_use]
    pub fn table(&self) -> &'a Table<G> {
        self.table
    }

    /// Selects layers, or all for `None`, without listing the entries.
    fn of(table: &'a Table<G>, layers: Option<&[u32]>) -> LayerEntries<'a, G> {
        let file = table.file();
        let layout = &file.metadata().layout;
        let is_wanted = |layer: u32| layers.is_none_or(|layers| layers.contains(&layer));
        let segments = 0..file.plan().segments.len() as u32;
        let segments: Vec<u32> = segments
            .filter(|&segment| layout.layer(segment).is_none_or(is_wanted))
            .collect();
        let places = match table.ranking() {
            Some(ranking) => {
                let shapes = segments.iter().map(|&it| ranking.segments()[it as usize]);
                shapes.map(|shape| shape.slots()).sum()
            }
            None => file.entries(),
        };
        let all = file.layers().into_iter();
        let wanted = all.filter(|&(layer, _)| is_wanted(layer));
        LayerEntries {
            table,
            entries: wanted.map(|(_, outcomes)| outcomes.total()).sum(),
            layers: layers.map(<[u32]>::to_vec),
            segments,
            places,
            listed: None,
        }
    }

    fn has_layer_of(&self, position: &G::Position) -> bool {
        let layers = self.layers.as_ref();
        layers.is_none_or(|layers| layers.contains(&self.table.game().layer(position)))
    }

    /// Returns the position of the entry at a place, if there is one of the layers.
    ///
    /// `has` returns whether a slot has an entry.
    fn at(
        &self,
        place: u64,
        has: &dyn Fn(Slot) -> Result<bool, ReadError>,
    ) -> Result<Option<G::Position>, ReadError> {
        if let Some(listed) = &self.listed {
            return Ok(Some(listed[place as usize].clone()));
        }
        let found = match &self.table.file().plan().listing {
            Some(listing) => {
                let block = place / listing.block_entries;
                let keys = &self.table.block(block)?.block.keys;
                let key = keys[(place % listing.block_entries) as usize];
                Some(self.table.position_of_key(block, key)?)
            }
            None => {
                let ranking = self.table.ranking().expect("slots, so ranks");
                let slot = self.slot(place, ranking.segments());
                has(slot)?.then(|| ranking.position(slot))
            }
        };
        Ok(found.filter(|position| self.has_layer_of(position)))
    }

    fn slot(&self, mut place: u64, shapes: &[Segment]) -> Slot {
        for &segment in &self.segments {
            let shape = shapes[segment as usize];
            if place < shape.slots() {
                return shape.slot(segment, place);
            }
            place -= shape.slots();
        }
        unreachable!("a number below that of all places")
    }

    /// Chooses an entry with equal probabilities; returns `None` if there are none.
    ///
    /// `random(n)` must return a random number below `n`.
    ///
    /// # Errors
    /// If the table can't be read, or has no entries where its counts claim some.
    pub fn choose(
        &self,
        mut random: impl FnMut(u64) -> u64,
    ) -> Result<Option<G::Position>, ReadError> {
        if self.entries == 0 {
            return Ok(None);
        }
        // Try random places until one has an entry.
        for _ in 0..self.patience() {
            let place = random(self.places);
            let found = self.at(place, &|slot| self.table.contains_slot(slot))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Err(self.missed())
    }

    /// Returns the number of misses after which the counts are taken for wrong.
    ///
    /// If the counts are right, this happens with a probability of e^-64.
    fn patience(&self) -> u64 {
        (64 * (self.places / self.entries + 1)).min(MOST_THROWS)
    }

    fn missed(&self) -> ReadError {
        let expected = format!(
            "an entry in one of {} slots",
            self.places / self.entries + 1
        );
        let damage = Difference::new(expected, format!("none in {}", self.patience()));
        self.table.file().damaged("metadata", damage)
    }
}

/// Limit of tries: 64 times the 65,536 slots per entry of the sparsest known table.
const MOST_THROWS: u64 = 1 << 22;

/// Most tries in one batch.
const MOST_TOGETHER: u64 = 1 << 18;

/// Number of tries that are one unit of work for a thread.
const CHUNK: usize = 256;

/// Returns the positions that `count` calls of [`LayerEntries::choose`] would choose.
///
/// There are fewer if there are no entries or the caller cancels. This is faster than single calls:
/// it makes batches of tries and reads them in the order of the table, on the caller's thread pool.
/// `has` returns whether a slot has an entry.
///
/// # Errors
/// If the table can't be read, or has no entries where its counts claim some.
pub fn random_entries<G: Notation>(
    all: &LayerEntries<'_, G>,
    count: usize,
    mut random: impl FnMut(u64) -> u64,
    has: impl Fn(Slot) -> Result<bool, ReadError> + Sync,
    progress: &dyn Progress,
) -> Result<Vec<G::Position>, ReadError> {
    let mut found = Vec::new();
    let mut misses = 0;
    while found.len() < count && all.entries > 0 && !progress.cancelled() {
        let missing = (count - found.len()) as u64;
        let likely = missing.saturating_mul(all.places / all.entries + 1);
        let mut throws: Vec<(u64, u64)> = (0..likely.min(MOST_TOGETHER))
            .map(|throw| (random(all.places), throw))
            .collect();
        // Read the places in the table's order, which suits the cache.
        throws.sort_unstable();
        let chunks: Vec<&[(u64, u64)]> = throws.chunks(CHUNK).collect();
        let hits = try_map(chunks.len(), |chunk| {
            let mut hits = Vec::new();
            for &(place, throw) in chunks[chunk] {
                hits.extend(all.at(place, &has)?.map(|position| (throw, position)));
            }
            Ok::<_, ReadError>(hits)
        })?;
        let mut hits: Vec<_> = hits.into_iter().flatten().collect();
        misses = match hits.is_empty() {
            true => misses + throws.len() as u64,
            false => 0,
        };
        if misses > all.patience() {
            return Err(all.missed());
        }
        // Restore the order of the tries, which is that of single calls.
        hits.sort_by_cached_key(|&(throw, _)| throw);
        let positions = hits.into_iter().map(|(_, position)| position);
        found.extend(positions.take(missing as usize));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::eight::Eight;
    use crate::games::tictactoe::TicTacToe;
    use crate::random::Random;
    use crate::testing::tables::{kalah, table_of};
    use rustc_hash::FxHashMap;

    /// Checks that each entry of a layer is chosen about equally often.
    fn choices_are_uniform<G: Notation>(game: &G, is_listed: bool) {
        let table = table_of(game);
        let mut random = Random::new(7);
        for (layer, outcomes) in table.file().layers() {
            let entries = outcomes.total();
            if entries > 200 {
                continue;
            }
            let chooser = match is_listed {
                true => LayerEntries::new(&table, &[layer]).unwrap(),
                false => LayerEntries::of(&table, Some(&[layer])),
            };
            let mut seen: FxHashMap<G::Position, u64> = FxHashMap::default();
            for _ in 0..200 * entries {
                let position = chooser.choose(|below| random.below(below)).unwrap();
                let position = position.unwrap();
                assert_eq!(game.layer(&position), layer);
                assert!(table.probe(&position).unwrap().is_some());
                assert!(table.contains(&position).unwrap());
                *seen.entry(position).or_default() += 1;
            }
            assert_eq!(seen.len() as u64, entries, "layer {layer}");
            // Six standard deviations of a count of 200 on average.
            assert!(seen.values().all(|&times| (115..=285).contains(&times)));
        }
    }

    #[test]
    fn entries_of_a_layer_are_equally_likely() {
        choices_are_uniform(&TicTacToe::default(), true);
        choices_are_uniform(&kalah(3, 2), true);
        // Without lists.
        choices_are_uniform(&Eight, false);
        choices_are_uniform(&kalah(3, 2), false);
    }

    /// The first layers are sparse and are listed.
    #[test]
    #[ignore = "exhaustive: 1 s"]
    fn entries_of_a_layer_of_a_larger_game_are_equally_likely() {
        choices_are_uniform(&kalah(4, 2), true);
    }

    #[test]
    fn unreachable_and_finished_positions_are_not_in_the_table() {
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
