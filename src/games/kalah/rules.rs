//! The rules and the positions of Kalah.

use super::sowing::{MAX_PITS, Order, Pits, Sowings, pits_of, sum_of, word};
use crate::game::{Followed, Game, NoGame, ScoreRange, Side};

/// The most seeds on the board: pits and stores count them in bytes.
pub const MAX_TOTAL_SEEDS: usize = 255;

/// The parameters of a game of Kalah.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// Pits per side, 1 to 6.
    pub pits: usize,
    /// Seeds in each pit at the start, at least 1.
    pub seeds: usize,
    /// Whether a last seed in an empty pit is captured even opposite an empty pit.
    pub empty_capture: bool,
}

impl Rules {
    /// Returns `addition`, for the game's name, if empty pits can be captured.
    pub(super) fn variant(self, addition: &'static str) -> &'static str {
        match self.empty_capture {
            true => addition,
            false => "",
        }
    }
}

/// A game with its parameters, or an endgame that several games share.
///
/// Games with the same number of pits and the same captures share their endgames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kalah {
    rules: Rules,
    /// The most seeds on the board, for the endgame.
    up_to: Option<usize>,
    sowings: &'static Sowings,
}

/// A position: the seeds in all pits and stores, and the side to move.
///
/// The seeds in pits and stores may be fewer than the game's. Then the stores are left out and
/// scores are scores to come.
// With 16 bytes instead of 15, a copy is a single load and a single store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(align(16))]
pub struct Position {
    /// The first and the second player's pits, each from the owner's left.
    pub pits: [Pits; 2],
    /// The first and the second player's store.
    pub stores: [u8; 2],
    /// The side to move.
    pub side: Side,
}

impl Position {
    /// Returns the position with empty stores and the first player to move.
    #[inline]
    #[must_use]
    pub fn bare(mover: Pits, opponent: Pits) -> Position {
        Position {
            pits: [mover, opponent],
            stores: [0, 0],
            side: Side::First,
        }
    }

    /// Returns the position with the players swapped.
    pub(in crate::games) fn swapped(&self) -> Position {
        Position {
            pits: [self.pits[1], self.pits[0]],
            stores: [self.stores[1], self.stores[0]],
            side: self.side.other(),
        }
    }

    /// Returns the pits of the side to move and those of the other side.
    #[inline]
    #[must_use]
    pub fn mover_and_opponent(&self) -> (&Pits, &Pits) {
        let mover = self.side.index();
        (&self.pits[mover], &self.pits[1 - mover])
    }

    /// Returns the number of seeds in all pits.
    #[must_use]
    pub fn seeds_on_board(&self) -> usize {
        sum(&self.pits[0]) + sum(&self.pits[1])
    }
}

/// Returns the number of seeds in one side's pits.
#[inline]
pub(crate) fn sum(pits: &Pits) -> usize {
    sum_of(word(pits)) as usize
}

/// A pit of the side to move, counted from 0 at its left.
///
/// The notation counts from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub u8);

impl Kalah {
    /// Returns the game with these parameters.
    ///
    /// # Errors
    /// If the pits are not 1 to 6 per side, or there are no seeds or more than 255 on the board.
    pub fn new(rules: Rules) -> Result<Kalah, NoGame> {
        let game = Kalah::with(rules, None)?;
        let Rules { pits, seeds, .. } = rules;
        if seeds == 0 {
            return Err(
                "0 seeds per pit is no game: at least one seed per pit is needed, such as --seeds 2"
                    .into(),
            );
        }
        let total = seeds.saturating_mul(2 * pits);
        if total > MAX_TOTAL_SEEDS {
            return Err(NoGame(format!(
                "{seeds} seeds in each of {pits} pits per side are {total} seeds on the board, more \
                 than the {MAX_TOTAL_SEEDS} that can be counted: with --pits {pits}, --seeds can be \
                 at most {}",
                MAX_TOTAL_SEEDS / (2 * pits)
            )));
        }
        Ok(game)
    }

    /// Returns the endgame: all positions with 2 to `seeds` seeds on the board.
    ///
    /// It has `pits` pits per side, and includes positions that no game reaches. Positions with
    /// more seeds, such as the start of a game, are not part of it.
    ///
    /// # Errors
    /// If the pits are not 1 to 6 per side, or the seeds not 2 to 255.
    pub fn endgame(pits: usize, seeds: usize, empty_capture: bool) -> Result<Kalah, NoGame> {
        let rules = Rules {
            pits,
            seeds: 0,
            empty_capture,
        };
        let game = Kalah::with(rules, Some(seeds))?;
        match (2..=MAX_TOTAL_SEEDS).contains(&seeds) {
            true => Ok(game),
            false => Err(NoGame(format!(
                "an endgame of up to {seeds} seeds is not possible: at least 2 and at most \
                 {MAX_TOTAL_SEEDS} seeds can be on the board, as in --up-to 20"
            ))),
        }
    }

    fn with(rules: Rules, up_to: Option<usize>) -> Result<Kalah, NoGame> {
        if !(1..=MAX_PITS).contains(&rules.pits) {
            return Err(NoGame(format!(
                "{} pits per side are not possible: Kalah is played here with 1 to {MAX_PITS}, such \
                 as --pits 6",
                rules.pits
            )));
        }
        Ok(Kalah {
            rules,
            up_to,
            sowings: Sowings::of(rules.pits, Order::FromTheLeft, rules.empty_capture),
        })
    }

    /// Returns the most seeds on the board if this is an endgame.
    #[must_use]
    pub fn up_to(&self) -> Option<usize> {
        self.up_to
    }

    /// Returns the parameters; an endgame has 0 seeds per pit.
    #[must_use]
    pub fn parameters(&self) -> Rules {
        self.rules
    }

    /// Returns the number of pits per side.
    #[must_use]
    pub fn pits(&self) -> usize {
        self.rules.pits
    }

    /// Returns the most seeds that can be on the board; in a game, those at the start.
    #[must_use]
    pub fn total_seeds(&self) -> usize {
        self.up_to.unwrap_or(2 * self.rules.pits * self.rules.seeds)
    }
}

impl Game for Kalah {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let mut pits = [[0; MAX_PITS]; 2];
        // The endgame's example spreads its seeds as evenly as possible.
        for seed in 0..self.total_seeds() {
            pits[seed % 2][seed / 2 % self.rules.pits] += 1;
        }
        Position::bare(pits[0], pits[1])
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let (mover, opponent) = position.mover_and_opponent();
        if opponent == &[0; MAX_PITS] {
            return;
        }
        moves.reserve(self.rules.pits);
        for (pit, &seeds) in (0..).zip(&mover[..self.rules.pits]) {
            if seeds > 0 {
                moves.push(Move(pit));
            }
        }
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let me = position.side.index();
        let (own, other) = (&position.pits[me], &position.pits[1 - me]);
        let sown = self.sowings.sow(word(own), word(other), mv.0.into());
        let mut after = *position;
        after.pits[me] = pits_of(sown.own);
        after.pits[1 - me] = pits_of(sown.other);
        after.stores[me] += sown.stored;
        if sown.turns {
            after.side = position.side.other();
        }
        after
    }

    #[inline]
    fn follow(&self, position: &Position, mv: Move, class: &mut Position) -> Followed {
        let (own, other) = position.mover_and_opponent();
        let sown = self.sowings.sow(word(own), word(other), mv.0.into());
        let banked = self.banked(position) + i32::from(sown.stored);
        let (mover, opponent, banked) = match sown.turns {
            true => (sown.other, sown.own, -banked),
            false => (sown.own, sown.other, banked),
        };
        let is_finished = mover == 0 || opponent == 0;
        let points = match is_finished {
            true => banked + sum_of(mover) as i32 - sum_of(opponent) as i32,
            false => {
                *class = Position::bare(pits_of(mover), pits_of(opponent));
                banked
            }
        };
        Followed {
            turns: sown.turns,
            is_finished,
            counts_plies: false,
            points,
        }
    }

    #[inline]
    fn final_score(&self, position: &Position) -> Option<i32> {
        let (mover, opponent) = position.mover_and_opponent();
        let (mover, opponent) = (sum(mover) as i32, sum(opponent) as i32);
        (mover == 0 || opponent == 0).then(|| self.banked(position) + mover - opponent)
    }

    fn score_range(&self) -> ScoreRange {
        // Positions with an odd number of seeds have odd scores, the others even ones.
        ScoreRange::up_to(self.total_seeds() as i32, 1)
    }

    #[inline]
    fn banked(&self, position: &Position) -> i32 {
        let me = position.side.index();
        i32::from(position.stores[me]) - i32::from(position.stores[1 - me])
    }

    #[inline]
    fn canonical(&self, position: &Position) -> Position {
        let (mover, opponent) = position.mover_and_opponent();
        Position::bare(*mover, *opponent)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let mut key = 0;
        for pits in &canonical.pits {
            for &seeds in &pits[..self.rules.pits] {
                key = key << 8 | u128::from(seeds);
            }
        }
        key
    }

    fn key_bits(&self) -> u32 {
        16 * self.rules.pits as u32
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let pits = self.rules.pits;
        if key >> self.key_bits() != 0 {
            return None;
        }
        let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
        for (side, own) in position.pits.iter_mut().enumerate() {
            for (pit, seeds) in own[..pits].iter_mut().enumerate() {
                *seeds = (key >> (8 * (2 * pits - 1 - side * pits - pit))) as u8;
            }
        }
        (position.seeds_on_board() <= self.total_seeds() && self.final_score(&position).is_none())
            .then_some(position)
    }

    #[inline]
    fn layer(&self, canonical: &Position) -> u32 {
        canonical.seeds_on_board() as u32
    }

    #[inline]
    fn lowest_layer_after(&self, canonical: &Position) -> u32 {
        let (own, other) = canonical.mover_and_opponent();
        let pits = (0..self.rules.pits).filter(|&pit| own[pit] > 0);
        let (own, other) = (word(own), word(other));
        let stored = pits.map(|pit| self.sowings.sow(own, other, pit).stored);
        self.layer(canonical) - u32::from(stored.max().unwrap_or(0))
    }
}
