//! Sowing, tabulated: what each place gets depends on the pit that the seeds come from and on how
//! many they are, and on nothing else.

use std::fmt;
use std::sync::OnceLock;

/// What becomes of the seeds of one pit.
#[derive(Clone, Copy, Default)]
pub(super) struct Sowing {
    /// What the mover's pits get, in the form of [`word`].
    pub own: u64,
    /// What the opponent's pits get.
    pub other: u64,
    /// What the mover's store gets.
    pub stored: u8,
    /// Where the last seed falls, counted in sowing direction from the mover's first pit: in a pit,
    /// in the store after these, or beyond it.
    pub last: u8,
}

/// One for each pit and number of seeds.
pub(super) struct Sowings {
    pits: usize,
    table: Box<[[Sowing; 256]; MAX_PITS]>,
}

impl Sowings {
    /// Those of boards with so many pits per side, 1 to 6.
    pub fn of(pits: usize) -> &'static Sowings {
        static ALL: [OnceLock<Sowings>; MAX_PITS] = [const { OnceLock::new() }; MAX_PITS];
        ALL[pits - 1].get_or_init(|| Sowings::new(pits))
    }

    fn new(pits: usize) -> Sowings {
        let mut table = Box::new([[Sowing::default(); 256]; MAX_PITS]);
        for (from, sowings) in table[..pits].iter_mut().enumerate() {
            let mut place = from;
            let mut sowing = Sowing::default();
            for sown in &mut sowings[1..] {
                // The store comes after the own pits, the opponent's is passed over.
                place = (place + 1) % (2 * pits + 1);
                if place < pits {
                    sowing.own += 1 << (8 * place);
                } else if place == pits {
                    sowing.stored += 1;
                } else {
                    sowing.other += 1 << (8 * (place - pits - 1));
                }
                sowing.last = place as u8;
                *sown = sowing;
            }
        }
        Sowings { pits, table }
    }

    /// What becomes of so many seeds from a pit.
    #[inline]
    pub fn get(&self, from: usize, seeds: u8) -> &Sowing {
        &self.table[from][usize::from(seeds)]
    }
}

impl PartialEq for Sowings {
    fn eq(&self, other: &Sowings) -> bool {
        self.pits == other.pits
    }
}

impl Eq for Sowings {}

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
