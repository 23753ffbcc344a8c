//! How long moves took.

use std::collections::BTreeMap;
use std::time::Duration;

/// How long moves took, in buckets a fifth wide.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::check) struct Times {
    /// Counts by `4 * log2(nanoseconds)`.
    buckets: BTreeMap<u32, u64>,
    count: u64,
    total: u128,
    longest: u64,
    /// Moves that were answered without a time of their own.
    untimed: u64,
}

impl Times {
    /// The time of another move, if it was measured.
    pub(super) fn add(&mut self, nanos: Option<u64>) {
        let Some(nanos) = nanos else {
            self.untimed += 1;
            return;
        };
        let nanos = nanos.max(1);
        let octave = nanos.ilog2();
        // Which quarter of the octave, by the two bits below the highest one.
        let quarter = (u128::from(nanos) << 2 >> octave) as u32 & 3;
        *self.buckets.entry(4 * octave + quarter).or_default() += 1;
        self.count += 1;
        self.total += u128::from(nanos);
        self.longest = self.longest.max(nanos);
    }

    /// Whether each move was measured by itself, and there was one.
    pub fn is_complete(&self) -> bool {
        self.untimed == 0 && self.count > 0
    }

    /// The mean; zero if nothing was asked.
    pub fn mean(&self) -> Duration {
        let nanos = self.total / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The longest.
    pub fn longest(&self) -> Duration {
        Duration::from_nanos(self.longest)
    }

    /// The time that this share of the moves took at most, up to the width of a bucket.
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (&bucket, &count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                let end = (u128::from(bucket % 4) + 5) << (bucket / 4) >> 2;
                let end = u64::try_from(end).unwrap_or(u64::MAX);
                return Duration::from_nanos(end.min(self.longest));
            }
        }
        Duration::ZERO
    }
}

/// The moves that one copy of the AI answered a second, of the number of answers and the time that it
/// took for them, the checker's own work left out; nothing if that can't be told.
pub(in crate::check) fn moves_a_second((answers, spent): (u64, Duration)) -> Option<f64> {
    let seconds = spent.as_secs_f64();
    (answers > 0 && seconds > 0.0).then(|| answers as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_bucket() {
        let mut times = Times::default();
        for nanos in 1..=10_000 {
            times.add(Some(nanos));
        }
        assert_eq!(times.longest(), Duration::from_nanos(10_000));
        assert_eq!(times.mean(), Duration::from_nanos(5000));
        for share in [0.01, 0.1, 0.5, 0.95, 1.0] {
            let found = times.quantile(share).as_nanos() as f64;
            let right = share * 10_000.0;
            assert!(found >= right && found <= 1.26 * right, "{share}: {found}");
        }
        assert_eq!(Times::default().quantile(0.5), Duration::ZERO);
        let mut longest = Times::default();
        longest.add(Some(u64::MAX));
        assert_eq!(longest.quantile(0.5), Duration::from_nanos(u64::MAX));
        assert_eq!(longest.mean(), longest.longest());
    }

    #[test]
    fn a_pace_needs_answers_and_time() {
        let mut times = Times::default();
        assert!(!times.is_complete());
        times.add(Some(7));
        assert!(times.is_complete());
        times.add(None);
        assert!(!times.is_complete());
        for (answers, seconds, pace) in [(10, 4, Some(2.5)), (0, 4, None), (10, 0, None)] {
            let spent = Duration::from_secs(seconds);
            assert_eq!(moves_a_second((answers, spent)), pace);
        }
    }
}
