//! Positions of games with pieces: sets of squares, and the side to move.

use super::cells::{Cells, SYMMETRIES, image, least_image};
use crate::game::Side;

/// The first and the second player's pieces, those of neither, and the side to move.
///
/// On square boards, a set has a bit for each square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pieces<const N: usize> {
    pub(super) sets: [Cells; N],
    pub(super) side: Side,
}

/// Number of symmetries of a position: those of the board, with and without swapping the players.
pub const POSITION_SYMMETRIES: usize = 2 * SYMMETRIES;

impl<const N: usize> Pieces<N> {
    /// The position in which the side to move has the first set.
    #[inline]
    pub fn of_mover(mut sets: [Cells; N], side: Side) -> Self {
        if side == Side::Second {
            sets.swap(0, 1);
        }
        Pieces { sets, side }
    }

    /// Returns the sets, that of the side to move first.
    #[inline]
    pub fn seen(&self) -> [Cells; N] {
        Self::of_mover(self.sets, self.side).sets
    }

    /// Returns the image under a symmetry, `0..POSITION_SYMMETRIES`, on a board of this many rows.
    pub fn image(&self, rows: u32, symmetry: usize) -> Self {
        let image = self.mapped(|set| image(rows, symmetry % SYMMETRIES, set));
        [image, image.swapped()][symmetry / SYMMETRIES]
    }

    /// Returns the position with each set changed.
    pub fn mapped(&self, change: impl Fn(Cells) -> Cells) -> Self {
        let (sets, side) = (self.sets.map(change), self.side);
        Pieces { sets, side }
    }

    /// Returns the position with the players swapped.
    pub fn swapped(&self) -> Self {
        Self::of_mover(self.seen(), self.side.other())
    }

    /// Returns the canonical position, in which the first player is to move.
    #[inline]
    pub fn canonical(&self, rows: u32) -> Self {
        Self::of_mover(least_image(rows, self.seen()), Side::First)
    }
}

/// Implements [`Symmetry`](crate::game::Symmetry) for a game of pieces by their images on a board of
/// `$rows` rows.
macro_rules! symmetries_of_pieces {
    ($game:ty, |$of:ident| $rows:expr) => {
        impl crate::game::Symmetry<$game> for $game {
            fn order(&self) -> usize {
                crate::games::pieces::POSITION_SYMMETRIES
            }

            fn apply(&self, symmetry: usize, position: &Position) -> Position {
                let $of = self;
                position.image($rows, symmetry)
            }
        }
    };
}
pub(super) use symmetries_of_pieces;

/// Reads the words of a position's text, of which the last is the side to move.
///
/// `names` says in an error what the other words are.
pub fn words<'a, const N: usize>(
    text: &'a str,
    names: &str,
) -> Result<([&'a str; N], Side), String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let side = words.pop().and_then(|word| word.parse().ok());
    let words = <[&str; N]>::try_from(words).ok();
    words.zip(side).ok_or_else(|| {
        format!("a position is {names} and the side to move, \"first\" or \"second\"")
    })
}
