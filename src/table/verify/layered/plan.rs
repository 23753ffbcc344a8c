//! Which layers are gone through together, and which are in memory when.

use super::Layered;
use super::held::Marks;
use crate::game::Notation;
use std::ops::Range;

/// Small layers are gone through together as long as they take no more than one in so many parts of
/// the memory.
const SMALL: u64 = 6;

/// Layers that are in memory when moves to them alone are looked up, and others that stay.
pub struct Far {
    pub window: Range<usize>,
    pub others: Range<usize>,
}

impl<G: Notation> Layered<'_, G> {
    /// The least bytes of memory for layers and marks.
    pub fn needed(&self) -> u64 {
        let outlines = &self.held.outlines;
        let can_drop =
            self.held.shelf.is_some() || self.table.file().metadata().layout.derived().is_empty();
        let (mut marks, mut largest, mut all, mut needed) = (0, 0, 0, 0);
        for (layer, outline) in outlines.iter().enumerate() {
            marks += self.held.marks_bytes(layer);
            all += outline.bytes;
            let here = if can_drop {
                largest + outline.bytes
            } else {
                all
            };
            needed = needed.max(here + marks);
            largest = largest.max(outline.bytes);
        }
        needed
    }

    /// At most the bytes that the marks of layers up to one (exclusive) take without the layers.
    fn marks_bytes(&self, end: usize) -> u64 {
        let of = |layer: usize| match &self.held.marks[layer] {
            Marks::Unknown => self.held.marks_bytes(layer),
            // Others have other marks, but have to come to the same plan.
            _ if self.peers.size() > 1 => self.held.marks_bytes(layer),
            known => known.bytes(),
        };
        (0..end).map(of).sum()
    }

    /// The layers that are gone through together, from one on: several only if they are small.
    pub fn group(&self, start: usize) -> Range<usize> {
        let outlines = &self.held.outlines;
        let mut bytes = outlines[start].bytes;
        let below = outlines[..start].iter().map(|outline| outline.bytes);
        let below = below.max().unwrap_or(0);
        let mut end = start + 1;
        while end < outlines.len() {
            bytes += outlines[end].bytes;
            let all = bytes + below + self.marks_bytes(end + 1);
            if bytes > self.memory / SMALL || all > self.memory {
                break;
            }
            end += 1;
        }
        start..end
    }

    /// Which layers below a group to have in memory with it, and which before, at a time.
    pub fn windows(&self, group: &Range<usize>) -> (Range<usize>, Vec<Far>) {
        let bytes = |layers: Range<usize>| -> u64 {
            let outlines = self.held.outlines[layers].iter();
            outlines.map(|outline| outline.bytes).sum()
        };
        // The lowest layer from which on all up to one fit into so many bytes.
        let down_from = |end: usize, lowest: usize, room: u64| {
            let fits = |&start: &usize| bytes(start..end) <= room;
            (lowest..end).find(fits).unwrap_or(end)
        };
        // Only a walk has marks of layers above.
        let above: u64 = self.held.marks[group.end..].iter().map(Marks::bytes).sum();
        let own = bytes(group.clone()) + self.marks_bytes(group.end) + above;
        let room = self.memory.saturating_sub(own);
        let first = down_from(group.start, 0, room);
        let mut far = Vec::new();
        let mut end = first;
        while end > 0 {
            let window = down_from(end, 0, room).min(end - 1)..end;
            let left = room.saturating_sub(bytes(window.clone()));
            end = window.start;
            far.push(Far {
                window,
                // What is there already, and needed again.
                others: down_from(group.start, first, left)..group.start,
            });
        }
        (first..group.start, far)
    }
}
