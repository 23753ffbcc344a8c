//! What a move does to each side by itself.
//!
//! All about a move but the capture depends on the mover's arrangement alone: where the last seed
//! lands, how many seeds go to the store, and how many are *dropped* on the opponent's pits, one by
//! one from the opponent's pit 1 on. The opponent's arrangement changes through the dropped seeds
//! and the capture, whatever the mover's was. So a move is a pair of steps, one on each axis of a
//! split's matrix, and steps are tabulated once for each arrangement instead of once for each
//! position.

use crate::games::kalah::Pits;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::sowing::{Order, Sowings, pits_of, seeds_at, sum_of, word};
use std::sync::Arc;

/// Where the last seed of a move lands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Landing {
    /// In the mover's store: the mover moves again.
    Store,
    /// In the mover's pit with this index, empty before: a capture, if the opposite pit allows it.
    Empty(usize),
    /// Anywhere else.
    Plain,
}

/// A kind of move, as far as the other side of the board has to know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Where the last seed lands.
    pub landing: Landing,
    /// Seeds dropped on the other side.
    pub dropped: usize,
    /// The mover's seeds after sowing, before any capture.
    pub seeds: usize,
}

/// The kind of the move from `pit`, which must hold seeds, and the mover's pits after sowing, before
/// any capture.
#[must_use]
pub fn own_step(pits_per_side: usize, own: &Pits, own_seeds: usize, pit: usize) -> (Kind, Pits) {
    let in_hand = own[pit];
    let sowing = Sowings::of(pits_per_side, Order::FromTheLeft, false).get(pit, in_hand);
    let pits = pits_of(word(own) - seeds_at(in_hand, pit) + sowing.own);
    let last = usize::from(sowing.last);
    let landing = if last == pits_per_side {
        Landing::Store
    } else if last < pits_per_side && pits[last] == 1 {
        Landing::Empty(last)
    } else {
        Landing::Plain
    };
    let dropped = sum_of(sowing.other) as usize;
    let seeds = own_seeds - usize::from(sowing.stored) - dropped;
    let kind = Kind {
        landing,
        dropped,
        seeds,
    };
    (kind, pits)
}

/// Adds seeds dropped by the opponent, one by one from the first pit on.
pub fn drop_on(pits_per_side: usize, pits: &mut Pits, dropped: usize) {
    let (rounds, rest) = (dropped / pits_per_side, dropped % pits_per_side);
    for (pit, seeds) in pits[..pits_per_side].iter_mut().enumerate() {
        *seeds += (rounds + usize::from(pit < rest)) as u8;
    }
}

/// What arrangements become when a pit of them is captured.
#[derive(Debug)]
pub struct Captures {
    /// For each arrangement.
    pub columns: Vec<Captured>,
    /// The arrangements with 0, 1, 2, … seeds in the pit, each with what it becomes.
    pub by_seeds: Vec<Vec<Pair>>,
}

/// What one arrangement becomes when a pit of it is captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured {
    /// The seeds that were in the captured pit.
    pub seeds: u8,
    /// The number of the arrangement with that pit emptied, among those of as many seeds as are
    /// left.
    pub index: u32,
}

/// The mover's half of one move of one arrangement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The number of its kind in [`Columns::kinds`].
    pub kind: u32,
    /// The number of the arrangement after sowing.
    pub index: u32,
    /// For [`Landing::Empty`]: its number after the last seed has been captured, too; otherwise as
    /// `index`.
    pub emptied: u32,
}

/// All moves of all arrangements of some number of seeds, with the arrangements along the columns.
#[derive(Debug, Default)]
pub struct Columns {
    /// The kinds of move that occur.
    pub kinds: Vec<Kind>,
    /// The moves of arrangement `i` are `steps[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// The moves.
    pub steps: Vec<Step>,
    /// The same moves by kind.
    pub by_kind: Vec<KindMoves>,
}

/// From which number to which.
pub type Pair = [u32; 2];

/// All moves of one kind, ordered by pit and then by arrangement: a loop that updates the
/// arrangement's entry for each move would otherwise wait for itself, many times over, where one
/// has several moves of the kind.
#[derive(Debug, Default)]
pub struct KindMoves {
    /// The arrangement and [`Step::index`].
    pub sown: Vec<Pair>,
    /// The arrangement and [`Step::emptied`]; none if the last seed can't capture.
    pub emptied: Vec<Pair>,
}

impl Columns {
    /// The moves of one arrangement.
    #[must_use]
    #[inline]
    pub fn steps_of(&self, index: usize) -> &[Step] {
        &self.steps[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

/// Tabulated steps for the poor side of every split of a board.
#[derive(Debug)]
pub struct Steps {
    /// The numbering of arrangements.
    pub arrangements: Arc<Arrangements>,
    /// Whether a last seed in an empty pit is captured even if the opposite pit is empty.
    pub empty_capture: bool,
    /// `dropped[poor][d]`: for each arrangement of `poor` seeds its number after `d` seeds were
    /// dropped on it.
    dropped: Vec<Vec<Vec<u32>>>,
    /// `captures[poor][laps][pit]`: the same for `laps` full rounds dropped and then the pit
    /// captured.
    captures: Vec<[Vec<Captures>; 2]>,
    /// `columns[poor]`: the moves of each arrangement of `poor` seeds.
    columns: Vec<Columns>,
}

impl Steps {
    /// Tabulates the steps of arrangements of up to half of `arrangements.max_seeds()` seeds.
    #[must_use]
    pub fn new(arrangements: Arc<Arrangements>, empty_capture: bool) -> Steps {
        let total = arrangements.max_seeds();
        let pits = arrangements.pits();
        let most_poor = total / 2;
        let mut steps = Steps {
            arrangements,
            empty_capture,
            dropped: Vec::new(),
            captures: Vec::new(),
            columns: Vec::new(),
        };
        for poor in 0..=most_poor {
            let all: Vec<Pits> = steps.arrangements.all(poor).collect();
            // The most that the other side, with the seeds that are left, can drop: all in its last
            // pit.
            let mut heap = [0; crate::games::kalah::MAX_PITS];
            heap[pits - 1] = (total - poor) as u8;
            let most = own_step(pits, &heap, total - poor, pits - 1).0.dropped;
            steps.dropped.push(
                (0..=most)
                    .map(|dropped| steps.dropped_on(&all, poor, dropped))
                    .collect(),
            );
            let lap = |laps: usize| {
                (0..pits)
                    .map(|pit| steps.captures_of(&all, poor, laps * pits, pit))
                    .collect()
            };
            // From the last pit round to the first takes a seed for the store, one for each
            // opposite pit, and one.
            let laps_possible = total - poor > pits + 1;
            let captures = [lap(0), if laps_possible { lap(1) } else { Vec::new() }];
            steps.captures.push(captures);
            let columns = steps.columns_of(&all, poor);
            steps.columns.push(columns);
        }
        steps
    }

    /// All arrangements of so many seeds after so many were dropped on them; none if these are more
    /// than there are.
    fn after_dropped<'a>(
        &self,
        all: &'a [Pits],
        seeds: usize,
        dropped: usize,
    ) -> impl Iterator<Item = Pits> + 'a {
        let pits = self.arrangements.pits();
        let is_possible = seeds + dropped <= self.arrangements.max_seeds();
        let all = if is_possible { all } else { &[] };
        all.iter().map(move |&arrangement| {
            let mut after = arrangement;
            drop_on(pits, &mut after, dropped);
            after
        })
    }

    fn dropped_on(&self, all: &[Pits], poor: usize, dropped: usize) -> Vec<u32> {
        let after = self.after_dropped(all, poor, dropped);
        let index = |after: Pits| self.arrangements.index(&after, poor + dropped) as u32;
        after.map(index).collect()
    }

    fn captures_of(&self, all: &[Pits], poor: usize, dropped: usize, pit: usize) -> Captures {
        let after = self.after_dropped(all, poor, dropped);
        let captured = after.map(|mut after| {
            let seeds = std::mem::take(&mut after[pit]);
            let left = poor + dropped - usize::from(seeds);
            let index = self.arrangements.index(&after, left) as u32;
            Captured { seeds, index }
        });
        let columns: Vec<Captured> = captured.collect();
        let most = columns.iter().map(|captured| captured.seeds).max();
        let mut by_seeds = vec![Vec::new(); most.map_or(0, |most| usize::from(most) + 1)];
        for (from, captured) in columns.iter().enumerate() {
            by_seeds[usize::from(captured.seeds)].push([from as u32, captured.index]);
        }
        Captures { columns, by_seeds }
    }

    fn columns_of(&self, all: &[Pits], poor: usize) -> Columns {
        let pits = self.arrangements.pits();
        let mut columns = Columns {
            starts: vec![0],
            ..Columns::default()
        };
        let mut by_pit = Vec::new();
        for (number, arrangement) in all.iter().enumerate() {
            for pit in (0..pits).filter(|&pit| arrangement[pit] > 0) {
                let (of, after) = own_step(pits, arrangement, poor, pit);
                let kind = columns
                    .kinds
                    .iter()
                    .position(|known| *known == of)
                    .unwrap_or_else(|| {
                        columns.kinds.push(of);
                        columns.by_kind.push(KindMoves::default());
                        columns.kinds.len() - 1
                    });
                let (index, emptied) = self.indexes(of, &after);
                let step = Step {
                    kind: kind as u32,
                    index,
                    emptied,
                };
                by_pit.push((pit, number as u32, step));
                columns.steps.push(step);
            }
            columns.starts.push(columns.steps.len() as u32);
        }
        by_pit.sort_by_key(|&(pit, _, _)| pit);
        for (_, from, step) in by_pit {
            let moves = &mut columns.by_kind[step.kind as usize];
            moves.sown.push([from, step.index]);
            if let Landing::Empty(_) = columns.kinds[step.kind as usize].landing {
                moves.emptied.push([from, step.emptied]);
            }
        }
        columns
    }

    /// The number of the mover's arrangement after a step, and after the capture of its last seed.
    #[must_use]
    pub fn indexes(&self, kind: Kind, after: &Pits) -> (u32, u32) {
        let index = self.arrangements.index(after, kind.seeds) as u32;
        let emptied = match kind.landing {
            Landing::Empty(pit) => {
                let mut emptied = *after;
                emptied[pit] = 0;
                self.arrangements.index(&emptied, kind.seeds - 1) as u32
            }
            _ => index,
        };
        (index, emptied)
    }

    /// For each arrangement of `poor` seeds its number after `dropped` seeds were dropped on it.
    #[must_use]
    pub fn dropped(&self, poor: usize, dropped: usize) -> &[u32] {
        &self.dropped[poor][dropped]
    }

    /// What arrangements of `poor` seeds become when `dropped` seeds (0 or one full round) are dropped
    /// on them and then `pit` is captured.
    #[must_use]
    pub fn captures(&self, poor: usize, dropped: usize, pit: usize) -> &Captures {
        &self.captures[poor][usize::from(dropped > 0)][pit]
    }

    /// The moves of arrangements of `poor` seeds.
    #[must_use]
    pub fn columns(&self, poor: usize) -> &Columns {
        &self.columns[poor]
    }
}
