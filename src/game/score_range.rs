//! The range of a game's scores, and their codes in tables.

use std::fmt;

/// The scores that a game's unfinished canonical positions can have.
///
/// They are `lowest`, `lowest + step`, … `highest`.
// Tables encode these fields in this order.
#[derive(bincode::Encode, bincode::Decode, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreRange {
    /// Lowest score.
    pub lowest: i32,
    /// Distance between neighbouring scores, at least 1.
    pub step: i32,
    /// Highest score. `highest - lowest` is a multiple of `step`, and at most `255 * step` where
    /// scores are stored as byte codes.
    pub highest: i32,
}

impl Default for ScoreRange {
    /// The range that contains only the score 0.
    fn default() -> ScoreRange {
        ScoreRange {
            lowest: 0,
            highest: 0,
            step: 1,
        }
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} to {} in steps of {}",
            self.lowest, self.highest, self.step
        )
    }
}

impl ScoreRange {
    /// Whether the step is positive and leads from `lowest` to `highest`.
    pub(crate) fn is_sound(&self) -> bool {
        let width = self.highest.checked_sub(self.lowest);
        self.step >= 1 && width.is_some_and(|width| width >= 0 && width % self.step == 0)
    }

    /// Number of different scores.
    #[must_use]
    pub fn codes(&self) -> usize {
        ((self.highest - self.lowest) / self.step) as usize + 1
    }

    /// The score that a byte code stands for: `lowest + step * code`.
    #[must_use]
    pub fn score(&self, code: u8) -> i32 {
        self.lowest + self.step * i32::from(code)
    }

    /// The byte code of a score, or `None` if the score is not in the range.
    #[must_use]
    pub fn code(&self, score: i32) -> Option<u8> {
        let above = score.checked_sub(self.lowest)?;
        if above < 0 || score > self.highest || above % self.step != 0 {
            return None;
        }
        u8::try_from(above / self.step).ok()
    }
}
