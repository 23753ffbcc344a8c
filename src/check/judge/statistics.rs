//! Confidence intervals and tests for the figures of a sample.

/// Two-sided 95% quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Estimated rate with its 95% confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Estimate {
    /// The rate in the sample, 0 to 1.
    pub rate: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// Estimates a rate from `hits` among `asked` samples with Wilson's score interval.
///
/// `asked` must be at least 1. Source: E. B. Wilson, "Probable inference, the law of succession,
/// and statistical inference", JASA 22 (1927).
#[must_use]
pub(crate) fn wilson(hits: u64, asked: u64) -> Estimate {
    let n = asked as f64;
    let rate = hits as f64 / n;
    let z2 = Z * Z;
    let middle = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    Estimate {
        rate,
        // Rounding must not keep the ends away from 0 and 1 if none or all are hits.
        low: if hits == 0 { 0.0 } else { middle - half },
        high: if hits == asked { 1.0 } else { middle + half },
    }
}

/// Sums from which the mean of numbers and its interval follow.
///
/// The sums are exact, so the order of the numbers doesn't matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::check) struct Sums {
    /// The count of the numbers.
    pub count: u64,
    /// Sum of the numbers.
    pub total: u64,
    /// The sum of their squares.
    pub squares: u64,
}

/// Mean with its 95% confidence interval.
///
/// The interval exists if the numbers are a sample of at least two.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Mean {
    /// Mean of the numbers.
    pub mean: f64,
    /// The interval's lower end.
    pub low: Option<f64>,
    /// The interval's upper end.
    pub high: Option<f64>,
}

impl Sums {
    pub(in crate::check) fn add(&mut self, number: u64) {
        self.count += 1;
        self.total += number;
        self.squares += number * number;
    }

    /// Returns the mean, or `None` if there are no numbers.
    ///
    /// A sample of numbers that are at least 0 gets Student's interval, mean ± t·s/√n, cut off at
    /// 0. Here s is the standard deviation with n - 1 degrees of freedom. If all numbers are the
    /// same, there is no interval.
    #[must_use]
    pub fn mean(self, is_sample: bool) -> Option<Mean> {
        if self.count == 0 {
            return None;
        }
        let (n, total) = (self.count as f64, self.total as f64);
        let mean = total / n;
        let variance = (self.squares as f64 - total * total / n).max(0.0) / (n - 1.0);
        // The spread of numbers that are all the same is not known.
        let half = (is_sample && self.count > 1 && variance > 0.0)
            .then(|| t_quantile(self.count - 1) * (variance / n).sqrt());
        Some(Mean {
            mean,
            low: half.map(|half| (mean - half).max(0.0)),
            high: half.map(|half| mean + half),
        })
    }
}

/// Returns the two-sided 95% quantile of Student's t distribution.
///
/// From 4 degrees of freedom on it uses expansion 26.7.5 of M. Abramowitz and I. A. Stegun,
/// "Handbook of Mathematical Functions" (1964), which is right to three decimal places there.
fn t_quantile(freedom: u64) -> f64 {
    match freedom {
        0 => return f64::INFINITY,
        1 => return 12.706_205,
        2 => return 4.302_653,
        3 => return 3.182_446,
        _ => {}
    }
    let n = freedom as f64;
    let terms = [
        (Z.powi(3) + Z) / 4.0,
        (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0,
        (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0,
        (79.0 * Z.powi(9) + 776.0 * Z.powi(7) + 1482.0 * Z.powi(5)
            - 1920.0 * Z.powi(3)
            - 945.0 * Z)
            / 92_160.0,
    ];
    let powers = (1..).map(|power| n.powi(power));
    terms
        .iter()
        .zip(powers)
        .fold(Z, |sum, (term, power)| sum + term / power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Published examples: R. G. Newcombe, "Two-sided confidence intervals for the single
    /// proportion", Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn wilson_s_interval_is_the_published_one() {
        for (hits, asked, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let estimate = wilson(hits, asked);
            assert!(
                (estimate.low - low).abs() < 5e-5,
                "{hits}/{asked}: {estimate:?}"
            );
            assert!(
                (estimate.high - high).abs() < 5e-5,
                "{hits}/{asked}: {estimate:?}"
            );
        }
        let all = wilson(20, 20);
        assert_eq!((all.rate, all.high), (1.0, 1.0));
        assert!((all.low - (1.0 - 0.1611)).abs() < 5e-5);
    }

    /// Published quantiles: E. S. Pearson and H. O. Hartley, "Biometrika Tables for Statisticians",
    /// table 12.
    #[test]
    fn student_s_quantiles_are_the_published_ones() {
        for (freedom, published) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (6, 2.447),
            (10, 2.228),
            (20, 2.086),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
        ] {
            let found = t_quantile(freedom);
            assert!((found - published).abs() < 1e-3, "{freedom}: {found}");
        }
        // More decimal places of the same distribution, computed with many digits.
        assert!((t_quantile(10) - 2.228_138_9).abs() < 1.2e-5);
        assert!((t_quantile(300) - 1.967_903_011_261_087).abs() < 6e-13);
    }

    #[test]
    fn means_come_with_student_s_interval() {
        let sums = |numbers: &[u64]| {
            let mut sums = Sums::default();
            numbers.iter().for_each(|&number| sums.add(number));
            sums
        };
        assert_eq!(Sums::default().mean(true), None);
        assert_eq!(sums(&[3]).mean(true), sums(&[3]).mean(false));
        // The mean is 3 and the variance 2.5, so half of the interval is 2.776 * sqrt(2.5 / 5).
        let five = sums(&[1, 2, 3, 4, 5]).mean(true).unwrap();
        assert!((five.mean - 3.0).abs() < 1e-12);
        assert!((five.high.unwrap() - 4.963).abs() < 1e-3, "{five:?}");
        assert!((five.low.unwrap() - 1.037).abs() < 1e-3, "{five:?}");
        let rare = sums(&[0, 0, 0, 4]).mean(true).unwrap();
        assert_eq!(rare.low, Some(0.0));
        let none = sums(&[0; 300]).mean(true).unwrap();
        assert_eq!((none.mean, none.low, none.high), (0.0, None, None));
        assert_eq!(sums(&[7; 49]).mean(true).unwrap().high, None);
    }

    /// The interval holds the true rate in about 95 of 100 samples.
    #[test]
    fn the_interval_covers_the_true_rate() {
        let mut random = Random::new(3);
        let truth = 0.3;
        let covered = (0..2000)
            .filter(|_| {
                let hit = |_: &u64| (random.bits() as f64) < truth * 2f64.powi(64);
                let estimate = wilson((0..150).filter(hit).count() as u64, 150);
                (estimate.low..=estimate.high).contains(&truth)
            })
            .count();
        assert!((1860..=1960).contains(&covered), "{covered} of 2000");
    }
}
