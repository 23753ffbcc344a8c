//! Finds the boxes that a player takes before drawing a line that completes nothing.
//!
//! A box with three lines can be taken. Taking it is best, except for the last two boxes of a chain
//! that is open at one end, and the last four of a chain that is open at neither. A player may
//! leave those to the opponent, who takes them and has to move. So the score of a position is that
//! of what remains when everything is taken, seen from one side or the other: see [`Taken::score`].
//! Source: J. K. Barker and R. E. Korf, "Solving Dots-and-Boxes", AAAI 2012; a test compares it
//! with the scores of the retrograde solver.

use super::board::{Board, Lines, NO_BOX};
use crate::game::Bounds;
use crate::games::cells::ones;

/// Lines and boxes after everything is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The lines drawn.
    pub lines: Lines,
    /// Number of boxes taken.
    pub boxes: i32,
    /// Cost of leaving boxes to the opponent: 4 or 8, twice the number of boxes.
    ///
    /// `None` if none can be left.
    pub leaving: Option<i32>,
}

impl Taken {
    /// Returns the score of the side to move, given that of the side to move when everything is
    /// taken.
    pub fn score(&self, rest: i32) -> i32 {
        let leaves = self.leaving.map_or(i32::MIN, |cost| -cost - rest);
        self.boxes + rest.max(leaves)
    }

    /// Returns whether the score is the same for the same rest.
    pub fn is_like(&self, other: &Taken) -> bool {
        (self.boxes, self.leaving) == (other.boxes, other.leaving)
    }

    /// Returns the bounds of the score of the side to move, given those of [`Taken::score`]'s
    /// `rest`.
    pub fn bounds(&self, rest: Bounds) -> Bounds {
        // If boxes can be left, either choice is best from half of the cost on.
        let worst = self.leaving.map_or(rest.lower, |cost| -cost / 2);
        let worst = worst.clamp(rest.lower, rest.upper);
        Bounds {
            lower: self.score(worst),
            upper: self.score(rest.lower).max(self.score(rest.upper)),
        }
    }
}

/// The lines worth drawing where nothing can be taken.
#[derive(Clone, Copy)]
pub struct Worth {
    /// Lines that may have different scores.
    pub lines: Lines,
    /// Number of those that give a chain away. The others give nothing away.
    pub chains: u32,
}

/// The end of a chain of boxes, each of which lacks two lines.
enum Chain {
    /// The chain ends with this number of boxes at the board's edge, or at a box that lacks more.
    Open(usize),
    /// The chain's other end can be taken, too. Its line comes last.
    Closed(usize, usize),
}

impl Board {
    /// Returns the boxes that can be taken, each with its last line.
    #[inline]
    fn open(&self, lines: Lines) -> impl Iterator<Item = (usize, usize)> {
        let open = ones(self.lacking(lines).one);
        open.map(move |index| {
            (
                index,
                (self.boxes[index] & !lines).trailing_zeros() as usize,
            )
        })
    }

    /// Returns the box on the other side of a line.
    #[inline]
    fn across(&self, line: usize, index: usize) -> Option<usize> {
        let [one, other] = self.sides[line];
        match one.1 == index {
            true => (other.0 != NO_BOX).then_some(other.1),
            false => Some(one.1),
        }
    }

    /// Follows the chain that begins with a box that can be taken.
    fn chain(&self, lines: Lines, (mut index, mut line): (usize, usize)) -> Chain {
        let mut length = 1;
        while let Some(next) = self.across(line, index) {
            let left = self.boxes[next] & !lines & !(1 << line);
            if left == 0 {
                return Chain::Closed(length + 1, line);
            }
            if left & (left - 1) != 0 {
                break;
            }
            line = left.trailing_zeros() as usize;
            index = next;
            length += 1;
        }
        Chain::Open(length)
    }

    /// Takes all boxes that can be taken.
    #[inline]
    pub fn take(&self, lines: Lines) -> Taken {
        match self.lacking(lines).one {
            0 => Taken {
                lines,
                boxes: 0,
                leaving: None,
            },
            _ => self.take_some(lines),
        }
    }

    fn take_some(&self, lines: Lines) -> Taken {
        let mut taken = Taken {
            lines,
            boxes: self.open_boxes(lines),
            leaving: self.leaving(lines),
        };
        while let Some((_, line)) = self.open(taken.lines).next() {
            taken.lines |= 1 << line;
        }
        taken.boxes -= self.open_boxes(taken.lines);
        taken
    }

    /// Returns the least cost of leaving boxes, as in [`Taken::leaving`].
    fn leaving(&self, mut lines: Lines) -> Option<i32> {
        // First take what can't be left.
        let forced = |lines| {
            let is_forced = |&start: &(usize, usize)| {
                matches!(
                    self.chain(lines, start),
                    Chain::Open(1) | Chain::Closed(..4, _)
                )
            };
            self.open(lines).find(is_forced)
        };
        while let Some((_, line)) = forced(lines) {
            lines |= 1 << line;
        }
        let costs = self
            .open(lines)
            .filter_map(|start| self.left_last(lines, start));
        costs.min()
    }

    /// Returns the cost of leaving the last boxes of a chain, when the others are taken.
    fn left_last(&self, mut lines: Lines, start: (usize, usize)) -> Option<i32> {
        loop {
            let chain = self.chain(lines, start);
            let others = |&(index, line): &(usize, usize)| match chain {
                Chain::Closed(_, last) => index != start.0 && line != last,
                Chain::Open(_) => index != start.0,
            };
            match self.open(lines).find(others) {
                Some((_, line)) => lines |= 1 << line,
                None => {
                    return match chain {
                        Chain::Open(2..) => Some(4),
                        Chain::Closed(4.., _) => Some(8),
                        _ => None,
                    };
                }
            }
        }
    }

    /// Estimates the score to come without searching.
    ///
    /// When every line gives a chain away, the opponent takes all chains, and leaves the last two
    /// boxes of each but the last.
    pub fn estimate(&self, lines: Lines) -> i32 {
        let taken = self.take(lines);
        let worth = self.worth_drawing(taken.lines);
        let is_safe = worth.lines.count_ones() > worth.chains;
        let lost = self.open_boxes(taken.lines) - 4 * worth.chains.saturating_sub(1) as i32;
        taken.score(if is_safe { 0 } else { -lost.max(0) })
    }

    /// Returns the lines worth drawing where no box can be taken: those that may have different
    /// scores.
    ///
    /// One for each chain of boxes that lack two lines, because whichever is drawn, the opponent
    /// can take them all. In a chain of two boxes it is the line between them: then the opponent
    /// can't leave them.
    pub fn worth_drawing(&self, lines: Lines) -> Worth {
        let undrawn = self.all() & !lines;
        let mut worth = Worth {
            lines: undrawn,
            chains: 0,
        };
        let mut left = self.lacking(lines).two;
        while left != 0 {
            // Collect the lines of a chain, and those between two of its boxes.
            let (mut chain, mut between): (Lines, Lines) = (0, 0);
            let mut next = left & left.wrapping_neg();
            let mut length = 0;
            while let Some(index) = ones(next).next() {
                next &= next - 1;
                left &= !(1 << index);
                length += 1;
                let of_box = self.boxes[index] & undrawn;
                between |= chain & of_box;
                chain |= of_box;
                for line in ones(of_box) {
                    if let Some(other) = self.across(line, index) {
                        next |= left & 1 << other;
                    }
                }
            }
            let best = if length == 2 { between } else { chain };
            worth.lines = worth.lines & !chain | best & best.wrapping_neg();
            worth.chains += 1;
        }
        worth
    }
}
