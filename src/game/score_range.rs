//! The range of a game's scores, and their codes in tables.
//!
//! Most games score points. Others count plies: a win in `d` plies scores [`WON`]` - d`, a loss in
//! `d` plies `d - `[`WON`], and a draw 0. So the winner hurries and the loser delays, and a higher
//! score is better, as everywhere. With every ply a score moves one step toward 0. If a game counts
//! plies and scores points, a win by `n` points in `d` plies scores `n * `[`WON`]` - d`.

use std::fmt;

/// In a game that counts plies, the score of the side that has won without another move.
pub const WON: i32 = 1000;

/// Number of different distances that have codes of one byte, for wins and for losses.
const DISTANCES: i32 = 127;

/// The step of ranges with longer distances.
const LONG: i32 = -WON;

/// The greatest distance that has a code of more bytes.
const MOST_PLIES: u32 = WON as u32 - 2;

/// The greatest score, and that of the opponent, whose codes fit in 32 bits with a proof's flags.
pub(crate) const MOST_SCORE: i32 = 500_000_000;

/// The greatest number of different scores.
pub(crate) const MOST_CODES: usize = 2 * MOST_SCORE as usize + 1;

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
    (score != 0).then(|| (margin(score) * WON as u32).saturating_sub(score.unsigned_abs()))
}

/// Returns the points by which a side wins, given the score of a game that counts plies.
#[must_use]
pub fn margin(score: i32) -> u32 {
    score.unsigned_abs().div_ceil(WON as u32)
}

/// Returns the points that a score tells in a game that counts plies, below 0 for a loss.
#[must_use]
pub fn points(score: i32) -> i32 {
    margin(score) as i32 * score.signum()
}

/// Returns the number of bytes of a code, 1 to 4, given the number of different codes.
pub(crate) fn code_bytes(codes: usize) -> usize {
    let bits = usize::BITS - codes.saturating_sub(1).leading_zeros();
    bits.div_ceil(8).max(1) as usize
}

/// The scores that a game's unfinished canonical positions can have.
///
/// They are `lowest`, `lowest + step`, … `highest`. If the step is negative, they are outcomes with
/// distances: see [`ScoreRange::PLIES`], [`ScoreRange::ALTERNATE_PLIES`] and [`ScoreRange::long`].
// Tables encode these fields in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ScoreRange {
    /// Lowest score of the range, inclusive.
    pub lowest: i32,
    /// Difference of neighbouring scores, at least 1; -1, -2 or -1000 if the scores count plies.
    pub step: i32,
    /// Highest score. `highest - lowest` is a multiple of `step`.
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
            LONG if self.highest == WON => {
                write!(f, "a draw, or a win or loss in 1 to {MOST_PLIES} plies")
            }
            LONG => write!(
                f,
                "a draw, or a win or loss by up to {} in 1 to {MOST_PLIES} plies",
                self.highest / WON
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

    /// Returns the wins and losses by 1 to `most` points in 1 to 998 plies, and draws.
    #[must_use]
    pub const fn long(most: i32) -> ScoreRange {
        ScoreRange::up_to(most * WON, LONG)
    }

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
        match self.step {
            -2 | -1 => *self == ScoreRange::up_to(WON, self.step),
            LONG => {
                let is_whole = self.highest > 0 && self.highest % WON == 0;
                is_whole && self.highest <= MOST_SCORE && self.lowest == -self.highest
            }
            step => {
                let width = self.highest.checked_sub(self.lowest);
                step >= 1 && width.is_some_and(|width| width >= 0 && width % step == 0)
            }
        }
    }

    /// Returns the number of different scores.
    #[must_use]
    pub fn codes(&self) -> usize {
        match self.step {
            -2 | -1 => 2 * DISTANCES as usize + 1,
            _ => ((self.highest - self.lowest) / self.step.max(1)) as usize + 1,
        }
    }

    /// Returns the number of bytes of a code, 1 to 4.
    #[must_use]
    pub fn code_bytes(&self) -> usize {
        code_bytes(self.codes())
    }

    /// Returns the score that a code stands for: `lowest + step * code`, unless it counts plies.
    ///
    /// A higher code stands for a better score.
    #[inline]
    #[must_use]
    pub fn score(&self, code: impl Into<u32>) -> i32 {
        let code = code.into() as i32;
        if self.counts_plies() {
            return self.score_in_plies(code);
        }
        self.lowest + self.step * code
    }

    /// Returns the code of a score, or `None` if the score is not in the range.
    #[must_use]
    pub fn code(&self, score: i32) -> Option<u32> {
        if self.counts_plies() {
            return self.code_in_plies(score);
        }
        let above = score.checked_sub(self.lowest)?;
        if above < 0 || score > self.highest || above % self.step != 0 {
            return None;
        }
        Some((above / self.step) as u32)
    }

    #[inline(never)]
    fn score_in_plies(&self, code: i32) -> i32 {
        if self.step == LONG {
            return self.lowest + code;
        }
        // From the quickest loss to the slowest, the draw, and from the slowest win to the quickest.
        let place = code - DISTANCES;
        let number = DISTANCES + 1 - place.abs();
        let (loss, win) = self.distances(number);
        match place.signum() {
            -1 => loss - WON,
            0 => 0,
            _ => WON - win,
        }
    }

    fn code_in_plies(&self, score: i32) -> Option<u32> {
        if self.step == LONG {
            let has_code = score == 0 || (1..=MOST_PLIES).contains(&distance(score)?);
            let is_inside = has_code && (self.lowest..=self.highest).contains(&score);
            return is_inside.then(|| (score - self.lowest) as u32);
        }
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
        u32::try_from(DISTANCES + place).ok()
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
