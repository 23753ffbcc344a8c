//! Ratings by the model of E. Zermelo, "Die Berechnung der Turnier-Ergebnisse als ein
//! Maximumproblem der Wahrscheinlichkeitsrechnung", Mathematische Zeitschrift 29 (1929), later
//! named after R. Bradley and M. Terry.
//!
//! An AI of strength `s` scores `s / (s + t)` against one of strength `t`; a draw is half a win.
//! Zermelo's iteration finds the most likely strengths. D. R. Hunter, "MM Algorithms for
//! Generalized Bradley-Terry Models" (2004), shows that it converges. Without a prior, an AI that
//! won all its games would be infinitely strong; here each AI has also drawn one game against an
//! imagined one of strength 1.

/// Rating of an AI in Elo points, of which 400 are odds of ten to one. The average is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rating {
    pub elo: f64,
    /// Half the width of the 95% interval, from the curvature of the likelihood with all other
    /// ratings fixed, as in R. Coulom's bayeselo.
    pub margin: f64,
}

/// The imagined games of each AI, all drawn.
const PRIOR: f64 = 1.0;

const MOST_ROUNDS: usize = 10_000;

/// Elo points per unit of a strength's logarithm.
const POINTS: f64 = 400.0 / std::f64::consts::LN_10;

/// The normal distribution's quantile of a 95% interval.
const NORMAL: f64 = 1.959_964;

/// Returns the rating of each AI, where `points[a][b]` are those that `a` won against `b`.
pub(super) fn ratings(points: &[Vec<f64>]) -> Vec<Rating> {
    let ais = points.len();
    let games = |one: usize, other: usize| points[one][other] + points[other][one];
    let mut strengths = vec![1.0; ais];
    for _ in 0..MOST_ROUNDS {
        let better = (0..ais).map(|one| {
            let own: f64 = strengths[one];
            let shares = (0..ais).map(|other| games(one, other) / (own + strengths[other]));
            let won = PRIOR / 2.0 + points[one].iter().sum::<f64>();
            won / (PRIOR / (own + 1.0) + shares.sum::<f64>())
        });
        let better: Vec<f64> = better.collect();
        let changes = better.iter().zip(&strengths).map(|(new, old)| new / old);
        let is_done = changes.into_iter().all(|ratio| (ratio - 1.0).abs() < 1e-12);
        strengths = better;
        if is_done {
            break;
        }
    }
    let average = strengths.iter().map(|own| own.ln()).sum::<f64>() / ais as f64;
    let rating = |ai: usize| {
        let own = strengths[ai];
        // Information of a game on the logarithm of a strength, against a known one.
        let information = |other: f64| own * other / (own + other).powi(2);
        let others = (0..ais).map(|other| games(ai, other) * information(strengths[other]));
        let known = PRIOR * information(1.0) + others.sum::<f64>();
        Rating {
            elo: POINTS * (own.ln() - average),
            margin: POINTS * NORMAL / known.sqrt(),
        }
    };
    (0..ais).map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() < by, "{found}, not {expected}");
    }

    /// Two AIs without the prior differ by 400 log10(won / lost), with the variance 1 / (n p q).
    #[test]
    fn two_ais_differ_by_the_odds() {
        let found = ratings(&[vec![0.0, 30_000.0], vec![10_000.0, 0.0]]);
        close(found[0].elo - found[1].elo, 400.0 * 3_f64.log10(), 0.1);
        close(found[0].elo + found[1].elo, 0.0, 1e-9);
        let expected = 1.959_964 * (1.0 / (40_000.0 * 0.75 * 0.25_f64)).sqrt() * 173.717_793;
        close(found[0].margin, expected, 0.01);
    }

    /// One win alone: with the prior's draws, the strengths solve 1.5 = 1/(s + 1) s + 1/(s + 1/s) s.
    #[test]
    fn an_ai_that_wins_all_games_is_not_infinitely_strong() {
        let found = ratings(&[vec![0.0, 1.0], vec![0.0, 0.0]]);
        let strength = 10_f64.powf(found[0].elo / 400.0);
        let other = 1.0 / strength;
        close(
            strength / (strength + 1.0) + strength / (strength + other),
            1.5,
            1e-9,
        );
        assert!(found[0].margin > found[0].elo && found[0].elo > 50.0);
    }

    /// Three AIs whose points are those that strengths of 1, 2 and 4 expect.
    #[test]
    fn expected_points_give_the_strengths_back() {
        let strengths = [1.0, 2.0, 4.0];
        let points = strengths.map(|one| {
            let won = strengths.map(|other| 1e7 * one / (one + other));
            won.to_vec()
        });
        let mut points = points.to_vec();
        (0..3).for_each(|ai| points[ai][ai] = 0.0);
        let found = ratings(&points);
        for (rating, expected) in found.iter().zip([-1.0, 0.0, 1.0]) {
            close(rating.elo, 400.0 * 2_f64.log10() * expected, 1e-3);
        }
        assert!(ratings(&[]).is_empty());
    }
}
