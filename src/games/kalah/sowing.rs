//! Tabulated sowing.
//!
//! The seeds that each place receives depend only on the pit they come from and on their number.

use std::fmt;
use std::sync::OnceLock;

/// The distribution of the seeds of one pit.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sowing {
    /// Seeds for the pits of the side that moves, in the form of [`word`].
    pub own: u64,
    /// Seeds for the opponent's pits, in the form of [`word`].
    pub other: u64,
    /// Seeds for the store of the side that moves.
    pub stored: u8,
    /// The place of the last seed.
    ///
    /// This is the number of a pit of the side that moves, the number of pits per side for its
    /// store, or a higher number for a pit of the opponent.
    pub last: u8,
}

/// The distributions for each pit and number of seeds.
#[derive(PartialEq, Eq)]
pub(super) struct Sowings {
    pits: usize,
    empty_capture: bool,
    table: Box<[[Sowing; 256]; MAX_PITS]>,
}

/// The order in which pits are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order of sowing, from the owner's left.
    FromTheLeft,
    /// By the distance to the owner's store.
    FromTheStore,
}

/// Both sides after a move, in the form of [`word`].
pub(super) struct Sown {
    pub own: u64,
    pub other: u64,
    /// Seeds added to the store of the side that moves.
    pub stored: u8,
    pub turns: bool,
}

impl Sowings {
    /// Returns the table for boards with this many pits per side, 1 to 6.
    pub fn of(pits: usize, order: Order, empty_capture: bool) -> &'static Sowings {
        static ALL: [[OnceLock<Sowings>; MAX_PITS]; 4] =
            [const { [const { OnceLock::new() }; MAX_PITS] }; 4];
        let kind = 2 * order as usize + usize::from(empty_capture);
        ALL[kind][pits - 1].get_or_init(|| Sowings::new(pits, order, empty_capture))
    }

    fn new(pits: usize, order: Order, empty_capture: bool) -> Sowings {
        let number = |pit: usize| match order {
            Order::FromTheLeft => pit,
            Order::FromTheStore => pits - 1 - pit,
        };
        let mut table = Box::new([[Sowing::default(); 256]; MAX_PITS]);
        for from in 0..pits {
            let mut place = from;
            let mut sowing = Sowing::default();
            for sown in &mut table[number(from)][1..] {
                // The side's own store comes after its pits; the opponent's store is skipped.
                place = (place + 1) % (2 * pits + 1);
                let last = if place < pits {
                    sowing.own += 1 << (8 * number(place));
                    number(place)
                } else if place == pits {
                    sowing.stored += 1;
                    pits
                } else {
                    sowing.other += 1 << (8 * number(place - pits - 1));
                    place
                };
                sowing.last = last as u8;
                *sown = sowing;
            }
        }
        Sowings {
            pits,
            empty_capture,
            table,
        }
    }

    /// Returns the distribution of this many seeds from a pit.
    #[inline]
    pub fn get(&self, from: usize, seeds: u8) -> &Sowing {
        &self.table[from][usize::from(seeds)]
    }

    /// Plays a move of the side with the pits `own`.
    ///
    /// In either order, the numbers of opposite pits add up to the number of pits minus 1.
    #[inline(always)]
    pub fn sow(&self, own: u64, other: u64, from: usize) -> Sown {
        let store = self.pits;
        let in_hand = at(own, from);
        debug_assert!(in_hand > 0);
        let sowing = self.get(from, in_hand);
        let last = usize::from(sowing.last);
        let mut sown = Sown {
            own: own - seeds_at(in_hand, from) + sowing.own,
            other: other + sowing.other,
            stored: sowing.stored,
            turns: last != store,
        };
        // The pit was empty before the last seed: this may be a capture.
        if last < store && at(sown.own, last) == 1 {
            let opposite = store - 1 - last;
            let there = at(sown.other, opposite);
            if there > 0 || self.empty_capture {
                sown.own -= seeds_at(1, last);
                sown.other -= seeds_at(there, opposite);
                sown.stored += 1 + there;
            }
        }
        sown
    }
}

impl fmt::Debug for Sowings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sowings({})", self.pits)
    }
}

/// Returns one side's pits as a number, one byte per pit, first pit lowest.
///
/// Bytes never carry, because all seeds of a game are fewer than 256.
#[inline]
pub(super) fn word(&[a, b, c, d, e, f]: &Pits) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

/// Returns the pits of such a number: the inverse of [`word`].
#[inline]
pub(super) fn pits_of(word: u64) -> Pits {
    // As one piece: listed bytes would be stored one by one.
    *word
        .to_le_bytes()
        .first_chunk()
        .expect("six of eight bytes")
}

/// Returns the number of seeds in all pits.
#[inline]
pub(super) fn sum_of(word: u64) -> u64 {
    // Add bytes in pairs, and then all pairs in the highest one.
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    let pairs = (word & LOW) + (word >> 8 & LOW);
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// Returns the number of seeds in one pit.
#[inline]
pub(super) fn at(word: u64, pit: usize) -> u8 {
    (word >> (8 * pit)) as u8
}

/// Returns a number with `seeds` seeds in one pit and none in the others.
#[inline]
pub(super) fn seeds_at(seeds: u8, pit: usize) -> u64 {
    u64::from(seeds) << (8 * pit)
}

/// The most pits that a side can have.
pub const MAX_PITS: usize = 6;

/// The seeds in each of one side's pits, from the owner's left.
///
/// Pits beyond the game's are 0.
pub type Pits = [u8; MAX_PITS];
