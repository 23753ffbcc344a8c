//! Even samples from buckets.

use std::collections::{BTreeMap, VecDeque};

/// Takes up to `count` items evenly: the first of each bucket, then the second, …
///
/// If the last round can't cover all buckets, it takes from some that lie evenly between the lowest
/// and the highest.
pub(super) fn even<T>(mut layers: BTreeMap<u32, VecDeque<T>>, count: usize) -> Vec<T> {
    let mut taken = Vec::new();
    while taken.len() < count && !layers.is_empty() {
        let (left, there) = (count - taken.len(), layers.len());
        for (number, bucket) in layers.values_mut().enumerate() {
            // Spread `spaces + 1` places evenly from the first bucket to the last.
            let is_chosen = |spaces: usize| {
                let place = |of: usize| (of * (there - 1) + spaces / 2) / spaces;
                (0..=spaces).any(|of| place(of) == number)
            };
            let takes = match left {
                left if left >= there => true,
                1 => number == there - 1,
                left => is_chosen(left - 1),
            };
            if takes {
                taken.extend(bucket.pop_front());
            }
        }
        layers.retain(|_, bucket| !bucket.is_empty());
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_emptied_evenly() {
        let layers = || -> BTreeMap<u32, VecDeque<(u32, u32)>> {
            let size = |layer| if layer == 4 { 1 } else { 3 };
            (0..10)
                .map(|layer| {
                    (
                        layer,
                        (0..size(layer)).map(|number| (layer, number)).collect(),
                    )
                })
                .collect()
        };
        let all = 3 * 9 + 1;
        for count in 0..=all + 2 {
            let taken = even(layers(), count);
            assert_eq!(taken.len(), count.min(all));
            // No layer is more than one item ahead of another, unless the other is empty.
            let of = |layer| taken.iter().filter(|(of, _)| *of == layer).count();
            let most = (0..10).map(of).max().unwrap();
            assert!((0..10).all(|layer| layer == 4 || of(layer) + 1 >= most));
        }
        let two: Vec<u32> = even(layers(), 2).iter().map(|of| of.0).collect();
        assert_eq!(two, [0, 9]);
        let four: Vec<u32> = even(layers(), 4).iter().map(|of| of.0).collect();
        assert_eq!(four, [0, 3, 6, 9]);
    }
}
