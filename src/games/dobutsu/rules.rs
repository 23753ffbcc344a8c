//! Rules and positions of Dōbutsu shōgi.

use super::board::{
    BOARD, HAND, ONES, SQUARES, START, STEPS_FROM, code, held, in_hand, is_piece, mirrored,
    missing, moved, occupied, outcome, seen_square, turned,
};
use crate::game::{Endless, Game, ScoreRange, Side, Solving, Symmetry};
use crate::games::cells::ones;
use crate::games::pieces::Pieces;

/// The game; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dobutsu;

/// A state of the game: each player's pieces as a word, and the side to move.
pub(super) type Position = Pieces<2>;

/// A move: the old and the new square, numbered row by row from the top.
///
/// For a drop, the old square is that of the kind in hand, from `SQUARES` on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
}

/// Bits in which the other side's codes are changed in keys: then each code has one owner.
const CHANGE: u64 = 3;

impl Game for Dobutsu {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Pieces::of_mover([START; 2], Side::First)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    #[inline]
    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let [own, other] = position.seen();
        if outcome([own, other]).is_some() {
            return;
        }
        let square = |square| seen_square(position.side, square) as u8;
        let mut add = |from, targets| {
            let from = square(from);
            let targets = ones(targets).map(|bit| square(bit / 4));
            moves.extend(targets.map(|to| Move { from, to }));
        };
        let mine = occupied(own);
        for from in ones(mine).map(|bit| bit / 4) {
            let steps = STEPS_FROM[from] & (code(own, from) * ONES);
            add(from, occupied(steps) & !mine);
        }
        let free = ONES & !(mine | turned(occupied(other)));
        for kind in (0..3).filter(|&kind| held(own, kind) > 0) {
            add(SQUARES + kind, free);
        }
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let [from, to] = [mv.from, mv.to].map(|square| seen_square(position.side, square.into()));
        let [own, other] = moved(position.seen(), from, to);
        Pieces::of_mover([other, own], position.side.other())
    }

    #[inline]
    fn final_score(&self, position: &Position) -> Option<i32> {
        outcome(position.seen())
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange::ALTERNATE_PLIES
    }

    fn endless(&self) -> Endless {
        Endless::Draw
    }

    #[inline]
    fn canonical(&self, position: &Position) -> Position {
        let seen = position.seen();
        Pieces::of_mover(seen.min(seen.map(mirrored)), Side::First)
    }

    /// Returns the codes of the side to move and, changed, those of the other side; then the hand.
    ///
    /// The pieces in the other side's hand are those that are nowhere else.
    #[inline]
    fn key(&self, canonical: &Position) -> u128 {
        let [own, other] = canonical.seen();
        let theirs = turned(other);
        u128::from(own | (theirs ^ (CHANGE * occupied(theirs))))
    }

    fn key_bits(&self) -> u32 {
        56
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let key = u64::try_from(key).ok()?;
        let mut seen = [key & !BOARD, 0];
        for square in ones(occupied(key)).map(|bit| bit / 4) {
            let code = code(key, square);
            if is_piece(code) {
                seen[0] |= code << (4 * square);
            } else if is_piece(code ^ CHANGE) {
                seen[1] |= (code ^ CHANGE) << (4 * (SQUARES - 1 - square));
            } else {
                return None;
            }
        }
        let missing = missing(seen)?;
        seen[1] += (0..3)
            .map(|kind| missing[kind] * in_hand(kind))
            .sum::<u64>();
        let position = Pieces::of_mover(seen, Side::First);
        let is_class = key >> (HAND + 6) == 0 && self.canonical(&position) == position;
        (is_class && outcome(seen).is_none()).then_some(position)
    }
}

impl Symmetry<Dobutsu> for Dobutsu {
    fn order(&self) -> usize {
        4
    }

    /// Bit 0 of the symmetry is the mirror, bit 1 swaps the players.
    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let [position, image] = [*position, position.mapped(mirrored)];
        let image = [position, image][symmetry & 1];
        [image, image.swapped()][symmetry >> 1]
    }
}

impl Solving<Dobutsu> for Dobutsu {
    fn expected_classes(&self) -> Option<u64> {
        Some(100_000_000)
    }
}
