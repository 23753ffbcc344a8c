//! The rules of Reversi, and what a position is.

use super::board::{self, FOUR_BY_FOUR, LETTERS, OCTAGON, Shape};
use crate::game::{Game, ScoreRange, Side, Solving, Symmetry};
use crate::games::cells::{Cell, Cells, Grid, SYMMETRIES, each};

/// What is played on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Board {
    /// Four rows of four cells.
    FourByFour,
    /// Rows of 2, 4, 6, 6, 4 and 2 cells, centred.
    Octagon,
}

impl Board {
    /// All boards.
    pub const ALL: [Board; 2] = [Board::FourByFour, Board::Octagon];

    /// How many cells it has.
    #[must_use]
    pub fn size(self) -> u32 {
        self.shape().cells.count_ones()
    }

    pub(super) fn shape(self) -> &'static Shape {
        match self {
            Board::FourByFour => &FOUR_BY_FOUR,
            Board::Octagon => &OCTAGON,
        }
    }
}

/// The four discs in the middle that the game starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Start {
    /// White and black over black and white.
    #[default]
    Cross,
    /// White and black over white and black.
    Parallel,
}

impl Start {
    /// Both of them.
    pub const ALL: [Start; 2] = [Start::Cross, Start::Parallel];

    /// Its name in rules strings and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Start::Cross => "cross",
            Start::Parallel => "parallel",
        }
    }
}

/// The game with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    /// What is played on.
    pub board: Board,
    /// The four discs in the middle.
    pub start: Start,
}

/// What a player may do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// To place a disc on a cell.
    Place(Cell),
    /// To pass, which is legal exactly when no disc can be placed and the game isn't over.
    Pass,
}

/// A state of the game: who has discs where, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) black: Cells,
    pub(super) white: Cells,
    pub(super) side: Side,
}

impl Position {
    /// How many discs a player has.
    #[must_use]
    pub fn discs(&self, side: Side) -> u32 {
        match side {
            Side::First => self.black.count_ones(),
            Side::Second => self.white.count_ones(),
        }
    }

    /// The cells of both players' discs.
    pub(super) fn sets(&self) -> [Cells; 2] {
        [self.black, self.white]
    }

    /// The discs of the side to move minus those of the other.
    #[must_use]
    pub fn disc_difference(&self) -> i32 {
        let (own, other) = self.own_and_other();
        own.count_ones() as i32 - other.count_ones() as i32
    }

    pub(super) fn own_and_other(&self) -> (Cells, Cells) {
        match self.side {
            Side::First => (self.black, self.white),
            Side::Second => (self.white, self.black),
        }
    }

    fn of_mover(own: Cells, other: Cells, side: Side) -> Position {
        let (black, white) = match side {
            Side::First => (own, other),
            Side::Second => (other, own),
        };
        Position { black, white, side }
    }
}

impl Reversi {
    /// Every move that is legal in some position.
    pub(super) fn all_moves(&self) -> Vec<Move> {
        let placings = self.shape().cells & !self.shape().centre;
        each(placings)
            .map(Move::Place)
            .chain([Move::Pass])
            .collect()
    }

    /// The cells in the order in which moves are listed: those with the fewest neighbours first
    /// (corners, then edges, then the inside), row by row among those with equally many.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        self.shape().by_neighbours.into_iter().flat_map(each)
    }

    /// How many cells are empty.
    #[must_use]
    pub fn empty_cells(&self, position: &Position) -> u32 {
        self.board.size() - position.discs(Side::First) - position.discs(Side::Second)
    }

    pub(super) fn shape(&self) -> &'static Shape {
        self.board.shape()
    }

    pub(super) fn grid(&self) -> Grid {
        Grid {
            side: self.shape().side,
            cells: self.shape().cells,
            letters: LETTERS,
        }
    }

    /// Where the side to move may place a disc.
    pub(super) fn placings(&self, position: &Position) -> Cells {
        let (own, other) = position.own_and_other();
        self.shape().placings(own, other)
    }

    /// Whether the side to move, which can't place a disc, may at least pass.
    fn may_pass(&self, position: &Position) -> bool {
        let (own, other) = position.own_and_other();
        self.shape().placings(other, own) != 0
    }
}

impl Game for Reversi {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let centre = self.shape().centre;
        let top_left = centre & centre.wrapping_neg();
        let (top_right, bottom_left, bottom_right) = (top_left << 1, top_left << 8, top_left << 9);
        let black = match self.start {
            Start::Cross => top_right | bottom_left,
            Start::Parallel => top_right | bottom_right,
        };
        Position {
            black,
            white: centre & !black,
            side: Side::First,
        }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let placings = self.placings(position);
        if placings == 0 {
            moves.extend(self.may_pass(position).then_some(Move::Pass));
            return;
        }
        for group in self.shape().by_neighbours {
            moves.extend(each(placings & group).map(Move::Place));
        }
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        match mv {
            Move::Place(cell) => self.placings(position) & cell.alone() != 0,
            Move::Pass => self.placings(position) == 0 && self.may_pass(position),
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let (own, other) = position.own_and_other();
        let (own, other) = match mv {
            Move::Place(cell) => {
                let flipped = board::flipped(own, other, cell.alone());
                debug_assert!(flipped != 0);
                (own | cell.alone() | flipped, other & !flipped)
            }
            Move::Pass => (own, other),
        };
        Position::of_mover(other, own, position.side.other())
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        let is_over = self.placings(position) == 0 && !self.may_pass(position);
        is_over.then(|| position.disc_difference())
    }

    fn score_range(&self) -> ScoreRange {
        let cells = self.board.size() as i32;
        ScoreRange {
            lowest: -cells,
            highest: cells,
            // Games can end with any number of cells empty.
            step: 1,
        }
    }

    fn canonical(&self, position: &Position) -> Position {
        let (own, other) = position.own_and_other();
        let image = |symmetry| {
            let shape = self.shape();
            (shape.image(symmetry, own), shape.image(symmetry, other))
        };
        let least = (1..SYMMETRIES)
            .map(image)
            .fold((own, other), |least, image| least.min(image));
        Position::of_mover(least.0, least.1, Side::First)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let (own, other) = canonical.own_and_other();
        let key = self.shape().pack(own) << self.board.size() | self.shape().pack(other);
        u128::from(key)
    }

    fn key_bits(&self) -> u32 {
        2 * self.board.size()
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        if key >> self.key_bits() != 0 {
            return None;
        }
        let (shape, size) = (self.shape(), self.board.size());
        let own = shape.unpack(key as u64 >> size);
        let other = shape.unpack(key as u64 & ((1 << size) - 1));
        let position = Position::of_mover(own, other, Side::First);
        let names_one = own & other == 0
            && (own | other) & shape.centre == shape.centre
            && self.canonical(&position) == position
            && self.final_score(&position).is_none();
        names_one.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.discs(Side::First) + canonical.discs(Side::Second)
    }
}

impl Symmetry<Reversi> for Reversi {
    fn order(&self) -> usize {
        2 * SYMMETRIES
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let (black, white) = [position.black, position.white]
            .map(|discs| self.shape().image(symmetry % SYMMETRIES, discs))
            .into();
        if symmetry < SYMMETRIES {
            Position {
                black,
                white,
                side: position.side,
            }
        } else {
            Position {
                black: white,
                white: black,
                side: position.side.other(),
            }
        }
    }

    fn apply_to_move(&self, symmetry: usize, mv: Move) -> Move {
        match mv {
            Move::Place(cell) => {
                let image = self.shape().image(symmetry % SYMMETRIES, cell.alone());
                Move::Place(Cell(image.trailing_zeros() as u8))
            }
            Move::Pass => Move::Pass,
        }
    }
}

impl Solving<Reversi> for Reversi {
    fn expected_classes(&self) -> Option<u64> {
        // Counted by a walk from the start; those of the small board are too few to matter.
        match (self.board, self.start) {
            (Board::FourByFour, _) => None,
            (Board::Octagon, Start::Cross) => Some(80_185_289),
            (Board::Octagon, Start::Parallel) => Some(99_348_384),
        }
    }
}
