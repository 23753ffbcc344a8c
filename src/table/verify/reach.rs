//! The walk from the start, for a table in which something is wrong: which entries can be reached?

use super::error::VerifyError;
use super::held::Place;
use super::plan::Far;
use super::state::Proof;
use super::sweep::{Fault, First, order};
use super::tile::{Entry, LayerTile};
use super::verdict::Refutation;
use crate::game::Notation;
use crate::pool::each;
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

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Walks from the start, from the highest layer downwards. Of a layer in memory a mark says
    /// that an entry can be reached, and a flag that its moves have been looked at.
    pub fn walk(&mut self) -> Result<Walked, VerifyError> {
        self.view.held.forget_codes();
        let layers = self.view.held.outlines.len();
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
                self.look(layer, E::FLAG, &first, &seen);
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
            Some(extra) => Walked::Refuted(extra),
            None => Walked::AllReached,
        })
    }

    /// Marks what the moves of a layer's marked entries lead to, of those without the flag, which
    /// they get.
    fn look(&self, layer: usize, flag: u16, first: &First, seen: &Seen) {
        let held = &self.view.held;
        let segments = held.outlines[layer].segments.iter();
        let tiles: Vec<(u32, u64, &LayerTile<E>)> = segments
            .flat_map(|&segment| {
                held.tiles_of(segment)
                    .map(move |(block, tile)| (segment, block, tile))
            })
            .collect();
        each(tiles.len(), &|task| {
            let (segment, block, tile) = tiles[task];
            if self.progress.cancelled() {
                return;
            }
            tile.for_each(|index, entry| {
                if !entry.is_marked() || flag != 0 && !entry.set(flag) {
                    return;
                }
                let place = Place {
                    segment,
                    index: index as u32,
                    block,
                };
                if let Err(refutation) = self.follow(layer, place, seen) {
                    first.put(order(place), Fault::Named(refutation));
                }
            });
        });
    }

    /// Marks what the moves of an entry lead to, in the layers that are wanted.
    fn follow(&self, layer: usize, place: Place, seen: &Seen) -> Result<(), Box<Refutation>> {
        let (game, held) = (self.view.game, &self.view.held);
        let Some(position) = self.view.position(place) else {
            return Ok(());
        };
        let mut class = position.clone();
        for mv in game.legal_moves(&position) {
            if game.follow(&position, mv, &mut class).is_finished {
                continue;
            }
            let to = self.view.place(&class);
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
            let Some((to, entry)) = to.and_then(|to| Some((to, held.entry_at(to)?))) else {
                return Err(Box::new(self.judge().missing(&position, mv)));
            };
            if entry.set(E::MARK) && held.layer_of(to.segment) == layer {
                seen.is_new.store(true, Relaxed);
            }
        }
        Ok(())
    }

    /// What there is to say of the first entry of the file that no walk comes to.
    fn first_unreached(&mut self) -> Result<Option<Refutation>, VerifyError> {
        let mut first: Option<(u64, Refutation)> = None;
        self.have(&[])?;
        for layer in 0..self.view.held.outlines.len() {
            let Some(number) = self.view.held.marks[layer].first_clear() else {
                continue;
            };
            let alone = layer..layer + 1;
            self.have(&[alone])?;
            let place = self.view.held.place_of(layer, number);
            let place = place.filter(|&place| {
                let at = order(place);
                first.as_ref().is_none_or(|(other, _)| at < *other)
            });
            if let Some(place) = place {
                first = Some((order(place), self.extra(place)));
            }
        }
        Ok(first.map(|(_, extra)| extra))
    }

    fn extra(&self, place: Place) -> Refutation {
        let code = self.view.held.entry_at(place).map_or(E::NONE, Entry::value);
        Refutation::Extra {
            position: self.view.describe(place),
            stored: (code != E::NONE).then(|| self.view.scores(place).score(code as u8)),
        }
    }
}
