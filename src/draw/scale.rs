//! Axes with round numbers.

use crate::text::count;

/// Most steps from the lowest tick to the highest.
const MOST_STEPS: f64 = 6.0;

/// An axis through 0 in steps of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scale {
    /// 1, 2 or 5.
    mantissa: u32,
    /// The power of ten.
    exponent: i32,
    /// The lowest and the highest tick, in steps from 0; they differ.
    low: i32,
    high: i32,
    is_of_shares: bool,
}

impl Scale {
    /// Returns a scale for shares from 0 to 1: the finest that reaches `highest`.
    ///
    /// If `highest` is 0, it reaches 100%.
    pub fn of_shares(highest: f64) -> Scale {
        Scale::reaching(0.0, highest, None)
    }

    /// Returns a scale for whole numbers: the finest that reaches `highest`.
    #[cfg(feature = "serve")]
    pub fn of_counts(highest: f64) -> Scale {
        Scale::reaching(0.0, highest, Some(0))
    }

    /// Returns a scale for scores of both signs: the finest that reaches ±`highest`.
    #[cfg(feature = "serve")]
    pub fn of_scores(highest: f64) -> Scale {
        Scale::reaching(-highest, highest, Some(0))
    }

    /// Returns the finest scale; one of shares if there is no `least_exponent`.
    fn reaching(lowest: f64, highest: f64, least_exponent: Option<i32>) -> Scale {
        let unit = Scale {
            mantissa: 1,
            exponent: 0,
            low: 0,
            high: 1,
            is_of_shares: least_exponent.is_none(),
        };
        let most = highest.max(-lowest);
        if most <= 0.0 {
            return unit;
        }
        let mut exponent = most.log10().floor() as i32 - 1;
        exponent = exponent.max(least_exponent.unwrap_or(i32::MIN));
        loop {
            for mantissa in [1, 2, 5] {
                let scale = Scale {
                    mantissa,
                    exponent,
                    ..unit
                };
                // A rounding error must not add a step.
                let low = (lowest / scale.top() + 1e-9).floor();
                let high = (highest / scale.top() - 1e-9).ceil();
                if high - low <= MOST_STEPS {
                    let (low, high) = (low as i32, high as i32);
                    return Scale { low, high, ..scale };
                }
            }
            exponent += 1;
        }
    }

    fn tick(&self, number: i32) -> f64 {
        let digits = f64::from(self.mantissa) * f64::from(number);
        // Dividing gives the nearest binary number; multiplying by 0.1, for example, doesn't.
        match self.exponent {
            0.. => digits * 10f64.powi(self.exponent),
            _ => digits / 10f64.powi(-self.exponent),
        }
    }

    /// Returns all ticks, from the bottom to the top.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let scale = *self;
        (self.low..=self.high).map(move |number| scale.tick(number))
    }

    /// Returns the highest tick.
    pub fn top(&self) -> f64 {
        self.tick(self.high)
    }

    /// Height of a value: 0 at the lowest tick, 1 at the highest.
    pub fn height(&self, value: f64) -> f64 {
        let bottom = self.tick(self.low);
        (value - bottom) / (self.top() - bottom)
    }

    /// Returns the text of a tick: a number, or a percentage with as many digits as needed.
    pub fn label(&self, tick: f64) -> String {
        if self.is_of_shares {
            let digits = usize::try_from(-self.exponent - 2).unwrap_or(0);
            return format!("{:.digits$}%", 100.0 * tick);
        }
        let sign = if tick < 0.0 { "\u{2212}" } else { "" };
        let number = match tick.abs() {
            number @ 1e9.. => format!("{:.1}G", number / 1e9),
            number @ 1e6.. => format!("{:.1}M", number / 1e6),
            number @ 1e4.. => format!("{:.0}k", number / 1e3),
            number => count(number as u64),
        };
        format!("{sign}{number}")
    }
}

/// Returns the smallest interval of 1, 2, 5, 10, … that leaves at most `room` numbers.
pub(crate) fn every(all: u64, room: u64) -> u64 {
    let room = room.max(1);
    let mut power = 1;
    loop {
        for step in [1, 2, 5] {
            if all.div_ceil(step * power) <= room {
                return step * power;
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(highest: u64) -> Vec<f64> {
        Scale::of_counts(highest as f64).ticks().collect()
    }

    #[test]
    fn ticks_are_round_and_reach_the_highest() {
        assert_eq!(counts(0), [0.0, 1.0]);
        assert_eq!(counts(1), [0.0, 1.0]);
        assert_eq!(counts(3), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(counts(6), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(counts(7), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(counts(30), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(counts(1000), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        assert_eq!(
            counts(1017),
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0]
        );
        assert_eq!(
            counts(303_299),
            [0.0, 100_000.0, 200_000.0, 300_000.0, 400_000.0]
        );
    }

    #[test]
    fn any_scale_is_round_and_no_larger_than_it_must_be() {
        let counts = (0..3000).chain([u64::MAX, 999_999, 1_000_001]);
        let of_counts = counts.map(|count| (count as f64, Scale::of_counts(count as f64)));
        let shares = (0..=1000).map(|number| f64::from(number) / 1000.0);
        let shares = shares.chain([1e-7, 1.0 / 3.0, 0.1 + 0.2]);
        let of_shares = shares.map(|share| (share, Scale::of_shares(share)));
        for (highest, scale) in of_counts.chain(of_shares) {
            assert!([1, 2, 5].contains(&scale.mantissa), "{highest} {scale:?}");
            assert!((1..=6).contains(&scale.high), "{highest} {scale:?}");
            assert!(scale.top() >= highest * (1.0 - 1e-8), "{highest} {scale:?}");
            let next = scale.tick(scale.high - 1);
            assert!(highest == 0.0 || next < highest, "{highest} {scale:?}");
        }
        assert!((0..3000).all(|count| Scale::of_counts(count.into()).exponent >= 0));
    }

    #[test]
    #[cfg(feature = "serve")]
    fn scores_have_both_signs_and_0() {
        for (highest, labels) in [
            (3.0, "\u{2212}3 \u{2212}2 \u{2212}1 0 1 2 3"),
            (17.0, "\u{2212}20 \u{2212}10 0 10 20"),
        ] {
            let scale = Scale::of_scores(highest);
            let found: Vec<String> = scale.ticks().map(|tick| scale.label(tick)).collect();
            assert_eq!(found.join(" "), labels);
        }
    }

    #[test]
    fn percentages_have_the_digits_that_they_need() {
        let labels = |highest| {
            let scale = Scale::of_shares(highest);
            let labels = scale.ticks().map(|tick| scale.label(tick));
            labels.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.0), "0% 100%");
        assert_eq!(labels(1.0), "0% 20% 40% 60% 80% 100%");
        assert_eq!(labels(0.722), "0% 20% 40% 60% 80%");
        assert_eq!(labels(0.3), "0% 5% 10% 15% 20% 25% 30%");
        assert_eq!(labels(0.011), "0.0% 0.2% 0.4% 0.6% 0.8% 1.0% 1.2%");
        assert_eq!(
            labels(0.000_03),
            "0.0000% 0.0005% 0.0010% 0.0015% 0.0020% 0.0025% 0.0030%"
        );
    }

    #[test]
    fn names_of_bars_are_thinned_out_by_round_numbers() {
        for (all, room, step) in [
            (9, 10, 1),
            (20, 10, 2),
            (21, 10, 5),
            (48, 10, 5),
            (1000, 7, 200),
        ] {
            assert_eq!(every(all, room), step, "{all} {room}");
        }
    }
}
