//! The walk from the start, for a table in which something is wrong: which entries can be reached?

use super::layer::{FLAG, LayerTile, MARK, NONE, VALUE, is_vacant, set};
use super::plan::Far;
use super::state::Layered;
use super::sweep::{Fault, First, order};
use crate::game::{Notation, Slot};
use crate::table::verify::error::VerifyError;
use crate::table::verify::verdict::Refutation;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub enum Walked {
    /// A class that can be reached has no entry, or an entry belongs to none.
    Refuted(Refutation),
    /// All entries can be reached, and no class is missing.
    AllReached,
    /// A move leads to a layer above.
    Unsuited,
}

/// What one look at a layer has shown.
#[derive(Default)]
struct Seen {
    is_new: AtomicBool,
    is_unsuited: AtomicBool,
}

impl<G: Notation> Layered<'_, G> {
    /// Walks from the start, from the highest layer downwards. Of a layer in memory a mark says
    /// that an entry can be reached, and a flag that its moves have been looked at.
    pub fn walk(&mut self) -> Result<Walked, VerifyError> {
        self.held.forget_codes();
        let layers = self.held.outlines.len();
        self.progress
            .phase("walking from the start", "layers", layers as u64);
        for layer in (0..layers).rev() {
            let group = layer..layer + 1;
            let (main, far) = self.windows(&group);
            self.have(&[main.clone(), group.clone()])?;
            if let Some(missing) = self.mark_roots(&group) {
                return Ok(Walked::Refuted(missing));
            }
            let first = First::new();
            let seen = Seen::default();
            self.want(&[main.clone(), group.clone()]);
            loop {
                seen.is_new.store(false, Relaxed);
                self.look(layer, FLAG, &first, &seen);
                self.check_stop()?;
                if !seen.is_new.load(Relaxed) {
                    break;
                }
            }
            for Far { window, others } in far {
                self.have(&[window.clone(), others, group.clone()])?;
                self.want(&[window]);
                self.look(layer, 0, &first, &seen);
                self.check_stop()?;
            }
            if seen.is_unsuited.into_inner() {
                return Ok(Walked::Unsuited);
            }
            if let Some(Fault::Named(missing)) = first.into_inner() {
                return Ok(Walked::Refuted(*missing));
            }
            self.have(&[main])?;
            self.progress.advance(1);
        }
        Ok(match self.first_unreached()? {
            Some((slot, byte)) => Walked::Refuted(self.extra(slot, byte)),
            None => Walked::AllReached,
        })
    }

    /// Marks what the moves of a layer's marked entries lead to, of those without the flag, which
    /// they get.
    fn look(&self, layer: usize, flag: u8, first: &First, seen: &Seen) {
        let held = &self.held;
        let segments = held.outlines[layer].segments.iter();
        let tiles: Vec<(u64, &LayerTile)> = segments
            .flat_map(|&segment| held.tiles_of(segment))
            .filter(|(_, tile)| !tile.is_empty())
            .collect();
        tiles.par_iter().for_each(|&(block, tile)| {
            if self.progress.cancelled() {
                return;
            }
            let shape = held.plan.tile(block);
            tile.for_each(|index, byte| {
                if byte.load(Relaxed) & MARK == 0 || flag != 0 && !set(byte, flag) {
                    return;
                }
                if let Err(refutation) = self.follow(layer, shape.slot(index), seen) {
                    first.put(order(block, index), Fault::Named(refutation));
                }
            });
        });
    }

    /// Marks what the moves of an entry lead to, in the layers that are wanted.
    fn follow(&self, layer: usize, slot: Slot, seen: &Seen) -> Result<(), Box<Refutation>> {
        let (game, held) = (self.game, &self.held);
        let position = self.ranking.position(slot);
        let mut class = position.clone();
        for mv in game.legal_moves(&position) {
            if game.follow(&position, mv, &mut class).is_finished {
                continue;
            }
            let to = self.ranking.slot(&class);
            if let Some(to) = to {
                let below = held.layer_of(to.segment);
                if below > layer {
                    seen.is_unsuited.store(true, Relaxed);
                    return Ok(());
                }
                if !self.wanted[below] {
                    continue;
                }
            }
            let byte = to.and_then(|to| {
                let (tile, index) = held.tile(to)?;
                let byte = tile.byte(index)?;
                Some((held.layer_of(to.segment), byte))
            });
            let Some((to, byte)) = byte.filter(|(_, byte)| !is_vacant(byte.load(Relaxed))) else {
                return Err(Box::new(self.missing(&position, mv)));
            };
            if set(byte, MARK) && to == layer {
                seen.is_new.store(true, Relaxed);
            }
        }
        Ok(())
    }

    /// The first entry of the file that no walk comes to.
    fn first_unreached(&mut self) -> Result<Option<(Slot, u8)>, VerifyError> {
        let mut first: Option<(u64, Slot, u8)> = None;
        self.have(&[])?;
        for layer in 0..self.held.outlines.len() {
            let Some(number) = self.held.marks[layer].first_clear() else {
                continue;
            };
            let alone = layer..layer + 1;
            self.have(&[alone])?;
            let Some((slot, byte)) = self.held.entry(layer, number) else {
                continue;
            };
            let Some((block, index)) = self.held.plan.locate(slot) else {
                continue;
            };
            let at = order(block, index);
            if first.is_none_or(|(other, _, _)| at < other) {
                first = Some((at, slot, byte));
            }
        }
        Ok(first.map(|(_, slot, byte)| (slot, byte)))
    }

    fn extra(&self, slot: Slot, byte: u8) -> Refutation {
        let code = byte & VALUE;
        Refutation::Extra {
            position: self.game.format_position(&self.ranking.position(slot)),
            stored: (code != NONE).then(|| self.held.plan.scores(slot.segment).score(code)),
        }
    }
}
