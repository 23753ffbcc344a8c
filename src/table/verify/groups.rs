//! The choice of the layers that are proved together, and of those that are in memory meanwhile.

use super::layers::{Layer, Layers};
use super::proof_dir::Marks;
use std::ops::Range;

/// Part of the memory, as 1/n, that small layers proved together may take.
const SMALL: u64 = 6;

/// Cost of looking up an entry's moves to layers far below, in entries read.
const SECOND_LOOK: u64 = 2;

/// Layers below a group that are in memory for a separate pass over the group.
pub struct Far {
    /// Layers whose entries are looked up in this pass.
    pub window: Range<usize>,
    /// Further layers that stay in memory for a later pass.
    pub others: Range<usize>,
}

impl Layers<'_> {
    /// Returns the least memory in bytes for layers and marks.
    pub fn needed(&self) -> u64 {
        let can_drop = self.dir.is_some() || (self.file.metadata().layout.derived()).is_empty();
        let (mut marks, mut largest, mut all, mut needed) = (0, 0, 0, 0);
        for layer in &self.layers {
            marks += Marks::most_bytes(layer.entries);
            all += layer.bytes;
            let here = if can_drop { largest + layer.bytes } else { all };
            needed = needed.max(here + marks);
            largest = largest.max(layer.bytes);
        }
        needed
    }

    /// Returns the largest size of a layer's marks while it is not in memory, in bytes.
    fn marks_bytes(&self, layer: usize) -> u64 {
        let Layer { entries, marks, .. } = &self.layers[layer];
        match marks {
            Some(marks) => marks.bytes(),
            None => Marks::most_bytes(*entries),
        }
    }

    /// Returns the sum of [`Layers::marks_bytes`] for all layers below `end`.
    fn marks_below(&self, end: usize) -> u64 {
        (0..end).map(|layer| self.marks_bytes(layer)).sum()
    }

    /// Returns the layers that are proved together, from `start` on.
    ///
    /// There are several if they are small, or if their moves lead to layers that have to be loaded
    /// separately, which is then done once for all of them.
    pub fn group(&self, start: usize) -> Range<usize> {
        let small = self.small(start);
        if self.windows(&small).1.is_empty() {
            return small;
        }
        // From the highest layer down, find the best group from each layer on, and the total cost.
        let layers = self.layers.len();
        let mut best = vec![(0, layers); layers + 1];
        for first in (start..layers).rev() {
            let ends = (first + 1..=layers).take_while(|&end| {
                // A group of a single layer must be possible.
                end == first + 1 || self.least_bytes(&(first..end)) <= self.memory
            });
            let costs = ends.map(|end| (self.cost(&(first..end)) + best[end].0, end));
            best[first] = costs.min().unwrap_or(best[first]);
        }
        start..best[start].1
    }

    /// Returns the size of a group, its marks and the largest layer below it, in bytes.
    fn least_bytes(&self, group: &Range<usize>) -> u64 {
        let below = self.layers[..group.start].iter();
        let below = below.map(|layer| layer.bytes).max();
        self.bytes(group.clone()) + below.unwrap_or(0) + self.marks_below(group.end)
    }

    /// Returns the size of layers without their marks, in bytes.
    fn bytes(&self, layers: Range<usize>) -> u64 {
        let layers = self.layers[layers].iter();
        layers.map(|layer| layer.bytes).sum()
    }

    /// Returns the bytes that layers in memory take in addition to their marks.
    fn beyond_marks(&self, layers: Range<usize>) -> u64 {
        let of = |layer: usize| {
            self.layers[layer]
                .bytes
                .saturating_sub(self.marks_bytes(layer))
        };
        layers.map(of).sum()
    }

    /// Returns the extra work for a group in entries read.
    ///
    /// It would be 0 if all layers were in memory.
    fn cost(&self, group: &Range<usize>) -> u64 {
        let entries = |layers: Range<usize>| -> u64 {
            let layers = self.layers[layers].iter();
            layers.map(|layer| layer.entries).sum()
        };
        // The windows are read, the layers dropped for them are read again, and each window takes
        // another pass over the group.
        let (main, far) = self.windows(group);
        let Some(last) = far.last() else {
            return 0;
        };
        let windows: u64 = far.iter().map(|far| entries(far.window.clone())).sum();
        let again = entries(main.start..last.others.start.max(main.start));
        windows + again + SECOND_LOOK * far.len() as u64 * entries(group.clone())
    }

    /// Returns the small layers from `start` on.
    fn small(&self, start: usize) -> Range<usize> {
        let mut small = start..start + 1;
        while small.end < self.layers.len() {
            let more = start..small.end + 1;
            if self.bytes(more.clone()) > self.memory / SMALL
                || self.least_bytes(&more) > self.memory
            {
                break;
            }
            small = more;
        }
        small
    }

    /// Returns the layers below a group that fit into memory with it, and the others.
    ///
    /// The others are loaded before, in windows that fit.
    pub fn windows(&self, group: &Range<usize>) -> (Range<usize>, Vec<Far>) {
        // The lowest layer from which on all layers below `end` fit into `room` bytes.
        let down_from = |end: usize, lowest: usize, room: u64| {
            let mut left = Some(room);
            let starts = (lowest..end).rev().take_while(|&start| {
                left = left.and_then(|left| left.checked_sub(self.beyond_marks(start..start + 1)));
                left.is_some()
            });
            starts.last().unwrap_or(end)
        };
        // Load as many layers directly below the group as fit.
        let own = self.bytes(group.clone()) + self.marks_below(group.end);
        let room = self.memory.saturating_sub(own);
        let first = down_from(group.start, 0, room);
        // Divide the remaining layers into windows, from the highest down.
        let mut far = Vec::new();
        let mut end = first;
        while end > 0 {
            let window = down_from(end, 0, room).min(end - 1)..end;
            let left = room.saturating_sub(self.beyond_marks(window.clone()));
            end = window.start;
            far.push(Far {
                window,
                // Layers that are in memory already and needed again.
                others: down_from(group.start, first, left)..group.start,
            });
        }
        (first..group.start, far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::Kalah;
    use crate::testing::tables::{kalah, table_of};

    /// Returns the groups of all layers in order.
    fn groups(layered: &Layers<'_>) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        while groups.last().map_or(0, |group| group.end) < layered.layers.len() {
            groups.push(layered.group(groups.last().map_or(0, |group| group.end)));
        }
        groups
    }

    #[test]
    fn layers_are_grouped_so_that_less_is_read() {
        // The highest layers are small, as in all games from their start.
        let table = table_of(&kalah(4, 2));
        let mut layered = Layers::new(table.file(), false);
        let layers = layered.layers.len();
        let all: u64 = layered.layers.iter().map(|it| it.bytes).sum();
        layered.memory = 2 * all;
        assert!(
            groups(&layered)
                .iter()
                .all(|group| layered.cost(group) == 0)
        );
        let least = (0..layers).map(|layer| layered.least_bytes(&(layer..layer + 1)));
        let least = least.max().unwrap();
        let mut saved = 0;
        for part in 0..=20 {
            layered.memory = least + (all - least) * part / 20;
            let groups = groups(&layered);
            assert!(
                groups
                    .iter()
                    .all(|group| layered.least_bytes(group) <= layered.memory)
            );
            let cost: u64 = groups.iter().map(|group| layered.cost(group)).sum();
            let alone: u64 = (0..layers)
                .map(|layer| layered.cost(&(layer..layer + 1)))
                .sum();
            assert!(cost <= alone, "{cost} {alone}");
            saved += u32::from(cost < alone * 3 / 4);
        }
        assert!(saved > 5, "{saved}");
    }

    #[test]
    fn each_layer_below_a_group_is_in_one_window_that_fits() {
        let table = table_of(&Kalah::endgame(3, 12, false).unwrap());
        let mut layered = Layers::new(table.file(), false);
        let layers = layered.layers.len();
        let each: Vec<u64> = layered.layers.iter().map(|it| it.bytes).collect();
        let bytes = |layers: Range<usize>| -> u64 { each[layers].iter().sum() };
        let all = bytes(0..layers);
        for part in 1..=20 {
            layered.memory = all * part / 10;
            for group in
                (0..layers).flat_map(|start| (start + 1..=layers).map(move |end| start..end))
            {
                let room = layered
                    .memory
                    .saturating_sub(bytes(group.clone()) + layered.marks_below(group.end));
                let (main, far) = layered.windows(&group);
                assert!(layered.beyond_marks(main.clone()) <= room);
                let mut end = main.start;
                for Far { window, others } in far {
                    assert_eq!(window.end, end);
                    assert!(main.start <= others.start && others.end == main.end);
                    let both = layered.beyond_marks(window.clone()) + layered.beyond_marks(others);
                    assert!(both <= room || window.len() == 1, "{both} {room}");
                    end = window.start;
                }
                assert_eq!(end, 0);
            }
        }
    }
}
