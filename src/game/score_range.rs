//! The range of a game's scores, and their codes in tables.
//!
//! Most games score points. Others count plies: a win in `d` plies scores [`WON`]` - d`, a loss in
//! `d` plies `d - `[`WON`], and a draw 0. So the winner hurries and the loser delays, and a higher
//! score is better, as everywhere. With every ply a score moves one step toward 0.

use std::fmt;

/// In a game that counts plies, the score of the side that has won without another move.
pub const WON: i32 = 1000;

/// Number of different distances that have codes, for wins and for losses.
const DISTANCES: i32 = 127;

/// Converts a score of a game that counts plies to that of the position one ply before.
///
/// Both are seen from the same side.
#[inline]
#[must_use]
pub(crate) fn one_ply_before(score: i32) -> i32 {
    score - score.signum()
}

/// Returns [`one_ply_before`] if the game counts plies, or else the same score.
#[inline]
pub(crate) fn one_move_before(score: i32, counts_plies: bool) -> i32 {
    match counts_plies {
        true => one_ply_before(score),
        false => score,
    }
}

/// Returns the inverse of [`one_ply_before`].
#[inline]
#[must_use]
pub fn one_ply_later(score: i32) -> i32 {
    score + score.signum()
}

/// Returns the number of plies to the end, given the score of a game that counts them.
///
/// `None` for a draw.
#[must_use]
pub fn distance(score: i32) -> Option<u32> {
    (score != 0).then(|| {
        WON.saturating_sub(score.saturating_abs())
            .max(0)
            .cast_unsigned()
    })
}

/// The scores that a game's unfinished canonical positions can have.
///
/// They are `lowest`, `lowest + step`, … `highest`. If the step is negative, they are outcomes with
/// distances: see [`ScoreRange::PLIES`] and [`ScoreRange::ALTERNATE_PLIES`].
// Tables encode these fields in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ScoreRange {
    /// Lowest score of the range, inclusive.
    pub lowest: i32,
    /// Difference of neighbouring scores, at least 1; -1 or -2 if the scores count plies.
    pub step: i32,
    /// Highest score. `highest - lowest` is a multiple of `step`, and at most `255 * step` where
    /// scores are stored as byte codes.
    pub highest: i32,
}

impl Default for ScoreRange {
    /// Returns the range that contains only the score 0.
    fn default() -> ScoreRange {
        ScoreRange::up_to(0, 1)
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            -1 => f.write_str("a draw, or a win or loss in 1 to 127 plies"),
            -2 => f.write_str(
                "a draw, a win in an odd number of plies or a loss in an even number, up to 254",
            ),
            step => write!(f, "{} to {} in steps of {step}", self.lowest, self.highest),
        }
    }
}

impl ScoreRange {
    /// Wins and losses in 1 to 127 plies, and draws.
    pub const PLIES: ScoreRange = ScoreRange::up_to(WON, -1);

    /// Wins in an odd number of plies, losses in an even number, at most 254, and draws.
    ///
    /// For games in which the sides move in turn and each finished position is lost, without
    /// another ply, or drawn.
    pub const ALTERNATE_PLIES: ScoreRange = ScoreRange::up_to(WON, -2);

    /// Returns the scores from `-most` to `most` in steps.
    #[must_use]
    pub const fn up_to(most: i32, step: i32) -> ScoreRange {
        ScoreRange {
            lowest: -most,
            step,
            highest: most,
        }
    }

    /// Returns whether plies tell the number of the winner's moves.
    #[must_use]
    pub fn alternates(&self) -> bool {
        *self == ScoreRange::ALTERNATE_PLIES
    }

    /// Returns whether the scores are outcomes with distances in plies.
    #[inline]
    #[must_use]
    pub fn counts_plies(&self) -> bool {
        self.step < 0
    }

    /// Returns whether the step leads from `lowest` to `highest`, or the scores count plies.
    pub(crate) fn is_sound(&self) -> bool {
        if self.counts_plies() {
            return [ScoreRange::PLIES, ScoreRange::ALTERNATE_PLIES].contains(self);
        }
        let width = self.highest.checked_sub(self.lowest);
        self.step >= 1 && width.is_some_and(|width| width >= 0 && width % self.step == 0)
    }

    /// Returns the number of different scores.
    #[must_use]
    pub fn codes(&self) -> usize {
        if self.counts_plies() {
            return 2 * DISTANCES as usize + 1;
        }
        ((self.highest - self.lowest) / self.step) as usize + 1
    }

    /// Returns the score that a byte code stands for: `lowest + step * code`, unless it counts
    /// plies.
    ///
    /// A higher code stands for a better score.
    #[inline]
    #[must_use]
    pub fn score(&self, code: u8) -> i32 {
        if self.counts_plies() {
            return self.score_in_plies(code);
        }
        self.lowest + self.step * i32::from(code)
    }

    /// Returns the byte code of a score, or `None` if the score is not in the range.
    #[must_use]
    pub fn code(&self, score: i32) -> Option<u8> {
        if self.counts_plies() {
            return self.code_in_plies(score);
        }
        let above = score.checked_sub(self.lowest)?;
        if above < 0 || score > self.highest || above % self.step != 0 {
            return None;
        }
        u8::try_from(above / self.step).ok()
    }

    #[inline(never)]
    fn score_in_plies(&self, code: u8) -> i32 {
        // From the quickest loss to the slowest, the draw, and from the slowest win to the quickest.
        let place = i32::from(code) - DISTANCES;
        let number = DISTANCES + 1 - place.abs();
        let (loss, win) = self.distances(number);
        match place.signum() {
            -1 => loss - WON,
            0 => 0,
            _ => WON - win,
        }
    }

    fn code_in_plies(&self, score: i32) -> Option<u8> {
        let distance = WON - score.abs();
        let number = (distance - self.step - 1) / -self.step;
        let (loss, win) = self.distances(number);
        let place = match score.signum() {
            0 => 0,
            _ if !(1..=DISTANCES).contains(&number) => return None,
            1 if distance == win => DISTANCES + 1 - number,
            -1 if distance == loss => number - DISTANCES - 1,
            _ => return None,
        };
        u8::try_from(DISTANCES + place).ok()
    }

    /// Returns the number-th distances of losses and of wins, from 1.
    fn distances(&self, number: i32) -> (i32, i32) {
        let loss = -self.step * number;
        (loss, loss + 1 + self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_codes_in_the_order_of_scores() {
        for (range, longest) in [(ScoreRange::PLIES, 127), (ScoreRange::ALTERNATE_PLIES, 254)] {
            assert!(range.is_sound());
            let scores: Vec<i32> = (0..range.codes() as u8).map(|it| range.score(it)).collect();
            assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
            for score in -WON - 300..=WON + 300 {
                let code = range.code(score);
                assert_eq!(
                    code.map(|code| range.score(code)),
                    scores.contains(&score).then_some(score)
                );
            }
            assert_eq!(
                scores.iter().filter_map(|&score| distance(score)).max(),
                Some(longest)
            );
        }
        let alternate = ScoreRange::ALTERNATE_PLIES;
        assert_eq!(alternate.code(WON - 1), Some(254));
        assert_eq!(alternate.code(WON - 2), None, "a win in two plies");
        assert_eq!(alternate.code(2 - WON), Some(0));
        assert_eq!(alternate.code(1 - WON), None, "a loss in one ply");
    }

    #[test]
    fn a_ply_before_the_end_is_further_off() {
        assert_eq!(one_ply_before(WON), WON - 1);
        assert_eq!(one_ply_before(5 - WON), 6 - WON);
        assert_eq!(one_ply_before(0), 0);
        for score in [7 - WON, 0, WON - 2] {
            assert_eq!(one_ply_later(one_ply_before(score)), score);
        }
        assert_eq!(distance(WON - 3), Some(3));
        assert_eq!(distance(4 - WON), Some(4));
        assert_eq!(distance(0), None);
    }
}
