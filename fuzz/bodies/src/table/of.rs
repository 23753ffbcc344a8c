//! A table of a known game type, and its true answers.

use super::file::Parts;
use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;
use zermelo::game::{Notation, Slot, Solution};
use zermelo::table::{CheckedFile, Outcomes, Table, WriteOptions};

/// The statistics of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    pub name: String,
    pub family: String,
    pub layer_name: String,
    pub entries: u64,
    pub outcomes: Outcomes,
    pub histogram: Vec<(i32, u64)>,
    pub layers: BTreeMap<u32, Outcomes>,
    /// The slots, unless the index is unreadable.
    pub slots: Option<Vec<(u32, u64)>>,
}

/// A table of a known game type.
pub struct Of<G: Notation> {
    pub game: G,
    pub options: WriteOptions,
    pub solution: Solution,
    pub bytes: Vec<u8>,
    pub parts: Parts,
    pub statistics: Statistics,
    /// Canonical positions, with and without an entry, and the result of a probe.
    pub probes: Vec<(G::Position, Option<i32>)>,
    /// The codes of each segment, from [`CheckedFile`].
    pub codes: Vec<Option<Vec<u8>>>,
    /// False tables, written when first needed.
    pub(super) lies: [OnceLock<Option<Vec<u8>>>; 6],
    /// The whole table is verified once in this number of runs.
    pub seldom: u32,
}

/// Returns all entries, vacant slots and finished positions with their probes.
pub(super) fn probes<G: Notation>(game: &G, table: &Table<G>) -> Vec<(G::Position, Option<i32>)> {
    let mut positions: Vec<G::Position> = Vec::new();
    if let Some(ranking) = game.capabilities().solving.ranking() {
        for (segment, shape) in (0..).zip(ranking.segments()) {
            let rows = (0..shape.rows).flat_map(|row| (0..shape.columns).map(move |c| (row, c)));
            positions.extend(rows.map(|(row, column)| {
                ranking.position(Slot {
                    segment,
                    row,
                    column,
                })
            }));
        }
    } else {
        let start = game.canonical(&game.start());
        let mut known = HashSet::from([start.clone()]);
        positions.push(start);
        let mut next = 0;
        while next < positions.len() {
            for mv in game.legal_moves(&positions[next]) {
                let child = game.canonical(&game.play(&positions[next], mv));
                if known.insert(child.clone()) {
                    positions.push(child);
                }
            }
            next += 1;
        }
    }
    let answer = |position: &G::Position| table.probe(position).expect("it is undamaged");
    let probes: Vec<_> = positions
        .into_iter()
        .map(|position| {
            let answer = answer(&position);
            (position, answer)
        })
        .collect();
    let entries = probes.iter().filter(|probe| probe.1.is_some()).count();
    assert_eq!(entries as u64, table.file().entries(), "{}", game.name());
    probes
}

impl Statistics {
    pub fn of(file: &CheckedFile) -> Statistics {
        let sizes = file.layer_sizes();
        let slots = sizes.map(|sizes| sizes.iter().map(|(&layer, s)| (layer, s.slots)).collect());
        Statistics {
            name: file.game_name().into(),
            family: file.family().into(),
            layer_name: file.layer_name().into(),
            entries: file.entries(),
            outcomes: file.outcomes(),
            histogram: file.histogram(),
            layers: file.layers(),
            slots: slots.ok(),
        }
    }

    /// Checks that the answers are the true ones.
    ///
    /// # Panics
    /// If the answers differ from the truth.
    pub fn agree(&self, truth: &Statistics) {
        assert_eq!(self.entries, truth.entries, "entries");
        assert_eq!(self.outcomes, truth.outcomes, "outcomes");
        assert_eq!(self.histogram, truth.histogram, "scores");
        if self.slots.is_some() {
            assert_eq!(self.slots, truth.slots, "slots");
        }
        assert_eq!(self.name, truth.name, "name");
        assert_eq!(self.family, truth.family, "family");
        assert_eq!(self.layer_name, truth.layer_name, "name of layers");
        assert_eq!(self.layers, truth.layers, "layers");
    }
}
