//! Axes with round numbers.

/// At most so many steps from 0 to the top.
const MOST_STEPS: f64 = 6.0;

/// An axis from 0 upwards in steps of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// 1, 2 or 5.
    mantissa: u32,
    /// The power of ten.
    exponent: i32,
    /// How many steps there are, at least 1.
    steps: u32,
}

impl Scale {
    /// For shares, 0 to 1: the finest that reaches `highest`; where that is 0, up to 100%.
    pub fn of_shares(highest: f64) -> Scale {
        Scale::reaching(highest, i32::MIN)
    }

    /// For whole numbers: the finest that reaches `highest`.
    pub fn of_counts(highest: u64) -> Scale {
        Scale::reaching(highest as f64, 0)
    }

    fn reaching(highest: f64, least_exponent: i32) -> Scale {
        if highest <= 0.0 {
            return Scale {
                mantissa: 1,
                exponent: 0,
                steps: 1,
            };
        }
        let mut exponent = (highest.log10().floor() as i32 - 1).max(least_exponent);
        loop {
            for mantissa in [1, 2, 5] {
                let scale = Scale {
                    mantissa,
                    exponent,
                    steps: 1,
                };
                // What rounding adds is no reason for another step.
                let steps = (highest / scale.tick(1) - 1e-9).ceil().max(1.0);
                if steps <= MOST_STEPS {
                    let steps = steps as u32;
                    return Scale { steps, ..scale };
                }
            }
            exponent += 1;
        }
    }

    fn tick(&self, number: u32) -> f64 {
        let digits = f64::from(self.mantissa * number);
        // A division gives the number nearest to the decimal one, a factor such as 0.1 doesn't.
        match self.exponent {
            0.. => digits * 10f64.powi(self.exponent),
            _ => digits / 10f64.powi(-self.exponent),
        }
    }

    /// All ticks, from 0 to the top.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let scale = *self;
        (0..=self.steps).map(move |number| scale.tick(number))
    }

    /// The highest tick.
    pub fn top(&self) -> f64 {
        self.tick(self.steps)
    }

    /// A tick as a percentage, with as many digits as the steps have.
    pub fn percent(&self, tick: f64) -> String {
        let digits = usize::try_from(-self.exponent - 2).unwrap_or(0);
        format!("{:.digits$}%", 100.0 * tick)
    }
}

/// Every how many numbers one is written, if at most `room` of `all` have room: 1, 2, 5, 10, …
pub(super) fn every(all: u64, room: u64) -> u64 {
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
        Scale::of_counts(highest).ticks().collect()
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
        let of_counts = counts.map(|count| (count as f64, Scale::of_counts(count)));
        let shares = (0..=1000).map(|number| f64::from(number) / 1000.0);
        let shares = shares.chain([1e-7, 1.0 / 3.0, 0.1 + 0.2]);
        let of_shares = shares.map(|share| (share, Scale::of_shares(share)));
        for (highest, scale) in of_counts.chain(of_shares) {
            assert!([1, 2, 5].contains(&scale.mantissa), "{highest} {scale:?}");
            assert!((1..=6).contains(&scale.steps), "{highest} {scale:?}");
            assert!(scale.top() >= highest * (1.0 - 1e-8), "{highest} {scale:?}");
            let next = scale.tick(scale.steps - 1);
            assert!(highest == 0.0 || next < highest, "{highest} {scale:?}");
        }
        assert!((0..3000).all(|count| Scale::of_counts(count).exponent >= 0));
    }

    #[test]
    fn percentages_have_the_digits_that_they_need() {
        let labels = |highest| {
            let scale = Scale::of_shares(highest);
            let labels = scale.ticks().map(|tick| scale.percent(tick));
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
