//! A walk in steps of several lengths, for tests of the solvers.

use crate::game::{
    Capabilities, Checkpoints, Game, Notation, NotationError, OwnSolver, Ranking, ScoreRange,
    Scores, Segment, Side, Slot, SolveError, SolveOptions, SolveTimes, Solving, Team,
};
use std::ops::Range;
use std::sync::Arc;

/// A walk in steps; the player who arrives loses as many points as the last step was long.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub length: u32,
    /// Lengths of steps, ascending.
    pub steps: &'static [u8],
    /// Places from which a step of 0 leads back to the start.
    pub returns: Range<u32>,
    /// Whether layers go up and down, the same player moves after a step of 2, and keys have more
    /// than 64 bits.
    pub is_zigzag: bool,
    /// Whether it has a ranking.
    pub ranked: bool,
    /// Whether it has its own solver, so that searches use slots.
    pub swept: bool,
}

/// Returns a walk of this length in steps of 1 and 2, without a way back.
pub(crate) fn walk(length: u32) -> Walk {
    Walk {
        length,
        steps: &[1, 2],
        returns: 0..0,
        is_zigzag: false,
        ranked: false,
        swept: false,
    }
}

/// Returns a walk of 60 places in steps of 1, 2 and 5, in layers that go up and down.
pub(crate) fn zigzag() -> Walk {
    Walk {
        steps: &[1, 2, 5],
        is_zigzag: true,
        ..walk(60)
    }
}

impl Walk {
    fn bits_below_key(&self) -> u32 {
        if self.is_zigzag { 64 } else { 0 }
    }
}

impl Game for Walk {
    type Position = (u32, Side, u8);
    type Move = u8;

    fn start(&self) -> Self::Position {
        (0, Side::First, 0)
    }

    fn side_to_move(&self, position: &Self::Position) -> Side {
        position.1
    }

    fn moves(&self, position: &Self::Position, moves: &mut Vec<u8>) {
        moves.clear();
        let all = [0].iter().chain(self.steps);
        moves.extend(all.filter(|&&mv| self.is_legal(position, mv)));
    }

    fn is_legal(&self, position: &Self::Position, mv: u8) -> bool {
        position.0 < self.length && (mv > 0 || self.returns.contains(&position.0))
    }

    fn play(&self, position: &Self::Position, mv: u8) -> Self::Position {
        let side = match mv {
            2 if self.is_zigzag => position.1,
            _ => position.1.other(),
        };
        let to = if mv == 0 {
            0
        } else {
            position.0 + u32::from(mv)
        };
        (to, side, mv)
    }

    fn final_score(&self, position: &Self::Position) -> Option<i32> {
        (position.0 >= self.length).then(|| -i32::from(position.2))
    }

    fn score_range(&self) -> ScoreRange {
        let longest = i32::from(self.steps[self.steps.len() - 1]);
        ScoreRange {
            lowest: -longest,
            highest: longest,
            step: 1,
        }
    }

    fn canonical(&self, position: &Self::Position) -> Self::Position {
        if position.0 >= self.length {
            return *position;
        }
        (position.0, Side::First, 0)
    }

    fn key(&self, canonical: &Self::Position) -> u128 {
        u128::from(canonical.0) << self.bits_below_key()
    }

    fn key_bits(&self) -> u32 {
        32 + self.bits_below_key()
    }

    fn position_of_key(&self, key: u128) -> Option<Self::Position> {
        let place = u32::try_from(key >> self.bits_below_key()).ok()?;
        let position = (place, Side::First, 0);
        (place < self.length && self.key(&position) == key).then_some(position)
    }

    fn layer(&self, canonical: &Self::Position) -> u32 {
        match (self.is_zigzag, self.ranked) {
            (true, _) => canonical.0 * 7 % 10,
            (false, true) => u32::from(canonical.0 >= 6),
            (false, false) => 0,
        }
    }
}

impl Notation for Walk {
    fn name(&self) -> String {
        format!("walk({})", self.length)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            solving: self,
            ..Capabilities::default()
        }
    }

    fn rules(&self) -> String {
        self.name()
    }

    fn format_position(&self, (place, side, stride): &Self::Position) -> String {
        format!("{place} {side} {stride}")
    }

    fn parse_position(&self, text: &str) -> Result<Self::Position, NotationError> {
        let read = || {
            let (place, rest) = text.split_once(' ')?;
            let (side, stride) = rest.split_once(' ')?;
            Some((
                place.parse().ok()?,
                side.parse().ok()?,
                stride.parse().ok()?,
            ))
        };
        read().ok_or_else(|| NotationError::new(text, "no position", "0 first 0"))
    }

    fn format_move(&self, mv: u8) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
        let number = text.parse();
        number.map_err(|_| NotationError::new(text, "no move", "1"))
    }

    fn board(&self, position: &Self::Position) -> String {
        self.format_position(position)
    }

    fn layer_name(&self) -> &'static str {
        "nothing"
    }
}

impl Solving<Walk> for Walk {
    fn ranking(&self) -> Option<Arc<dyn Ranking<<Self as Game>::Position>>> {
        let segment = |rows, layer| Segment {
            derived: false,
            rows,
            columns: 3,
            scores: self.score_range(),
            layer,
        };
        let ranking = Grid([segment(2, 0), segment(self.length, 1)], self.length);
        self.ranked.then(|| Arc::new(ranking) as _)
    }

    fn own_solver(&self) -> Option<Box<dyn OwnSolver>> {
        self.swept.then(|| Box::new(NoSolver) as _)
    }
}

/// A solver that solves nothing.
struct NoSolver;

impl OwnSolver for NoSolver {
    fn memory_needed(&self, _threads: usize) -> u64 {
        0
    }

    fn solve_together(
        &self,
        _options: SolveOptions,
        _checkpoints: &mut dyn Checkpoints,
        _team: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        Err(SolveError::Interrupted)
    }
}

/// Places 0 to 5 in one segment, the others in another of a higher layer, whose first slot is unused.
struct Grid([Segment; 2], u32);

impl Ranking<(u32, Side, u8)> for Grid {
    fn segments(&self) -> &[Segment] {
        &self.0
    }
    fn slot(&self, canonical: &(u32, Side, u8)) -> Option<Slot> {
        let number = canonical.0 + u32::from(canonical.0 >= 6);
        let segment = u32::from(number >= 6);
        let number = number - 6 * segment;
        (canonical.0 < self.1).then_some(Slot {
            segment,
            row: number / 3,
            column: number % 3,
        })
    }
    fn position(&self, slot: Slot) -> (u32, Side, u8) {
        let number = 6 * slot.segment + 3 * slot.row + slot.column;
        (number - u32::from(number > 6), Side::First, 0)
    }
}
