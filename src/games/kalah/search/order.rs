//! Static evaluation of moves: their order in the search, and certain gains.

use super::board::{Board, Effect};
use crate::games::kalah::MAX_PITS;

/// One seed in each pit.
const EACH: u64 = 0x0101_0101_0101;
/// The highest bit of each pit.
const TOPS: u64 = EACH << 7;
/// The seeds in each pit that make an extra turn of less than a lap.
const EXTRA_TURNS: u64 = 0x0605_0403_0201;

// Weights in sixteenths of a seed gained. They were tuned on positions of random games that are
// used neither in the tests nor in the documentation.
const GAINED: i32 = 16;
/// Weight of an extra turn, whatever it gains.
const EXTRA_TURN: i32 = 4 * GAINED;
/// Weight of each pit that the opponent can play next.
///
/// Fewer replies need less search.
const REPLY: i32 = -8;
/// Weight of each extra turn that remains for later, if the opponent lets it.
const EXTRA_TURN_LEFT: i32 = 4;

/// Returns the priority of a move that leads to a board, highest first.
#[inline]
pub fn of(board: Board, effect: Effect) -> i32 {
    // Order equal moves from right to left.
    let order = -(effect.mv as i32);
    if effect.again {
        return order + EXTRA_TURN;
    }
    let Board { mover, opponent } = board;
    order
        + GAINED * effect.gained as i32
        + REPLY * full_pits(mover) as i32
        + EXTRA_TURN_LEFT * extra_turns(opponent) as i32
}

/// Returns the number of pits with seeds.
#[inline]
fn full_pits(own: u64) -> u32 {
    ((((own & !TOPS) + (TOPS - EACH)) | own) & TOPS).count_ones()
}

/// Returns the number of pits whose seeds make an extra turn of less than a lap.
#[inline]
fn extra_turns(own: u64) -> u32 {
    MAX_PITS as u32 - full_pits(own ^ EXTRA_TURNS)
}

/// Returns the seeds that a side can surely store before its opponent moves.
///
/// Each extra turn of less than a lap stores one seed, and so does a last move that reaches the
/// store. Under standard rules, the result can be 0, and a side that can store nothing may get
/// nothing. With `empty_capture`, any move of the seeds nearest the store gains one: if it doesn't
/// reach the store, it ends in an empty pit.
#[inline]
pub fn sure_gain(mut own: u64, empty_capture: bool) -> u32 {
    let mut banked = 0;
    loop {
        // This marks bytes that are 0. Borrows can mark wrong ones above the lowest, which is all
        // that counts.
        let off = own ^ EXTRA_TURNS;
        let right = off.wrapping_sub(EACH) & !off & TOPS;
        if right == 0 {
            break;
        }
        // The move puts one seed into the store and one into each pit before it. Those pits may now
        // make an extra turn, too.
        let shift = right.trailing_zeros() - 7;
        own = (own & !(0xff << shift)) + (EACH & ((1 << shift) - 1));
        banked += 1;
    }
    let one_more = if empty_capture {
        own != 0
    } else {
        // Find bytes with more seeds than the distance.
        (((own & !TOPS) + (TOPS - EXTRA_TURNS)) | own) & TOPS != 0
    };
    banked + u32::from(one_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::sowing::{Order, Sowings};
    use crate::random::Random;

    /// Finds the certain gain by playing.
    ///
    /// It plays extra turns nearest the store first, and then the best last move.
    fn played_out(sowings: &Sowings, pits: usize, mut own: u64, empty_capture: bool) -> u32 {
        let opponent = 1;
        let mut banked = 0;
        let seeds = |own: u64, distance: usize| own >> (8 * distance) & 0xff;
        while let Some(distance) = (0..pits).find(|&d| seeds(own, d) == d as u64 + 1) {
            let mover = own;
            let (board, effect) = Board { mover, opponent }.play(sowings, distance);
            assert!(effect.again && effect.gained == 1);
            own = board.mover;
            banked += 1;
        }
        let last = (0..pits).any(|d| seeds(own, d) > d as u64 || (empty_capture && own != 0));
        banked + u32::from(last)
    }

    #[test]
    fn pits_are_counted_and_gains_are_sure() {
        let mut random = Random::new(3);
        let mut most = 0;
        for pits in 1..=MAX_PITS {
            for empty_capture in [false, true] {
                let sowings = Sowings::of(pits, Order::FromTheStore, empty_capture);
                for _ in 0..4000 {
                    let mut own = 0;
                    for distance in 0..pits {
                        let seeds = [0, distance + 1, random.index(9), random.index(200)];
                        own |= (seeds[random.index(4)] as u64) << (8 * distance);
                    }
                    let bytes = &own.to_le_bytes()[..pits];
                    let full = bytes.iter().filter(|&&seeds| seeds > 0).count();
                    assert_eq!(full_pits(own), full as u32);
                    let right = bytes.iter().enumerate();
                    let right = right.filter(|&(d, &seeds)| usize::from(seeds) == d + 1);
                    assert_eq!(extra_turns(own), right.count() as u32);
                    let sure = sure_gain(own, empty_capture);
                    assert_eq!(
                        sure,
                        played_out(sowings, pits, own, empty_capture),
                        "{own:x}"
                    );
                    most = most.max(sure);
                }
            }
        }
        assert!(most > 8, "{most}");
    }
}
