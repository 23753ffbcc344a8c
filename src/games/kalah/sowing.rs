//! Sowing, tabulated: what each place gets depends on the pit that the seeds come from and on how
//! many they are, and on nothing else.

use std::fmt;
use std::sync::OnceLock;

/// What becomes of the seeds of one pit.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sowing {
    /// What the mover's pits get, in the form of [`word`].
    pub own: u64,
    /// What the opponent's pits get.
    pub other: u64,
    /// What the mover's store gets.
    pub stored: u8,
    /// Where the last seed falls: the mover's pit by its number, the number of pits for the store, and
    /// a higher one for the opponent's pits.
    pub last: u8,
}

/// One for each pit and number of seeds.
#[derive(PartialEq, Eq)]
pub(super) struct Sowings {
    pits: usize,
    empty_capture: bool,
    table: Box<[[Sowing; 256]; MAX_PITS]>,
}

/// In which order pits are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As they are sown, from the owner's left.
    FromTheLeft,
    /// By the distance to the owner's store.
    FromTheStore,
}

/// Both sides after a move, in the form of [`word`].
pub(super) struct Sown {
    pub own: u64,
    pub other: u64,
    /// What the mover's store has got.
    pub stored: u8,
    pub turns: bool,
}

impl Sowings {
    /// Those of boards with so many pits per side, 1 to 6.
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
                // The store comes after the own pits, the opponent's is passed over.
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

    /// What becomes of so many seeds from a pit.
    #[inline]
    pub fn get(&self, from: usize, seeds: u8) -> &Sowing {
        &self.table[from][usize::from(seeds)]
    }

    /// Plays a move of the side with the pits `own`. In either order, opposite pits have numbers that
    /// make one less than the number of pits.
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

/// One side's pits as a number, a byte each, the first pit in the lowest. Bytes never carry: all
/// seeds of a game are fewer than 256.
#[inline]
pub(super) fn word(&[a, b, c, d, e, f]: &Pits) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

/// The pits that [`word`] makes such a number of.
#[inline]
pub(super) fn pits_of(word: u64) -> Pits {
    let [a, b, c, d, e, f, ..] = word.to_le_bytes();
    [a, b, c, d, e, f]
}

/// The seeds in all pits.
#[inline]
pub(super) fn sum_of(word: u64) -> u64 {
    // The bytes in pairs, and then all pairs in the highest one.
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    let pairs = (word & LOW) + (word >> 8 & LOW);
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// The seeds in one pit.
#[inline]
pub(super) fn at(word: u64, pit: usize) -> u8 {
    (word >> (8 * pit)) as u8
}

/// So many seeds in one pit.
#[inline]
pub(super) fn seeds_at(seeds: u8, pit: usize) -> u64 {
    u64::from(seeds) << (8 * pit)
}

/// The most pits per side can have.
pub const MAX_PITS: usize = 6;

/// The seeds in each of one side's pits, from the owner's left; pits beyond the game's are 0.
pub type Pits = [u8; MAX_PITS];
